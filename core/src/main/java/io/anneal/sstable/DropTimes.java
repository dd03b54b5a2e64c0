package io.anneal.sstable;

/**
 * An estimate of how much may be dropped when: points in time with counts of the tombstones and expiring cells near them.
 * The arrays are not copied: do not write to them.
 *
 * @param pointsSeconds ascending
 */
public record DropTimes(long[] pointsSeconds, long[] counts) {
    /**
     * An estimate of how many can be dropped at a time: between two points the count changes linearly, half of a point's
     * lie before it (Ben-Haim and Tom-Tov, "A Streaming Parallel Decision Tree Algorithm", 2010).
     */
    public double before(long seconds) {
        double sum = 0;
        for (int i = 0; i < pointsSeconds.length; i++) {
            if (pointsSeconds[i] <= seconds) {
                sum += counts[i];
                continue;
            }
            if (i == 0) {
                return 0;
            }
            double weight = (seconds - pointsSeconds[i - 1]) / (double) (pointsSeconds[i] - pointsSeconds[i - 1]);
            double here = counts[i - 1] + (counts[i] - counts[i - 1]) * weight;
            return sum - counts[i - 1] + (counts[i - 1] + here) * weight / 2 + counts[i - 1] / 2.0;
        }
        return sum;
    }
}
