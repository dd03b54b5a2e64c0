package io.anneal.harness.load;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Draws ranks of which the n-th comes up n to the power of minus the skew as often as the first, from the summed shares. */
final class ZipfKeys {
    private final double[] summedShares;

    ZipfKeys(int keys, double skew) {
        summedShares = new double[keys];
        double sum = 0;
        for (int rank = 0; rank < keys; rank++) {
            sum += Math.pow(rank + 1.0, -skew);
            summedShares[rank] = sum;
        }
    }

    /** From 0 on. */
    int next(SplittableRandom random) {
        double drawn = random.nextDouble() * summedShares[summedShares.length - 1];
        int found = Arrays.binarySearch(summedShares, drawn);
        int rank = found < 0 ? -found - 1 : found + 1;
        return Math.min(rank, summedShares.length - 1);
    }
}
