package io.anneal.repair;

import io.anneal.key.TokenRanges;
import java.util.SplittableRandom;

/**
 * Which part of their ranges replicas are compared in to estimate how far they have drifted apart: many small slices, spread evenly
 * from a place that a seed gives. Immutable.
 *
 * @param share of the ranges' tokens, more than 0, 1 for all of them
 * @param seed another one gives other slices
 */
public record DriftSample(double share, long seed) {
    /** So many tell how differences cluster; each further one costs two seeks in each SSTable. */
    static final int SLICES = 200;

    public DriftSample {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share of a sample is more than 0 and at most 1, share=" + share);
        }
    }

    /** The slices: what a {@link Repair} is given as its ranges. The same ranges have the same ones, in each table. */
    public TokenRanges of(TokenRanges owned) {
        return owned.sample(share, SLICES, new SplittableRandom(seed).nextDouble());
    }
}
