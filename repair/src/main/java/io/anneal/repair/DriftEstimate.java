package io.anneal.repair;

import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a sample of slices of the ring tells of how far replicas have drifted apart.
 *
 * <p>Slices are the clusters of a cluster sample, and the share of rows that differ is the ratio of two sums over them. Its variance
 * is that of the slices' residuals: how far the rows that differ in each are from what the share of all would have there. That
 * variance, over that of as many rows drawn one by one, is the design effect; the interval is Wilson's for the number of rows by the
 * design effect, of what was not sampled. It holds the share of the whole in about 95 of 100 samples, where {@link #isReliable()};
 * where nothing differs the design effect is not known and 1, as if rows differed each by itself.
 *
 * @param share of the ranges that was sampled, 1 at most
 * @param slices that were looked at, empty ones too
 * @param slicesWithRows in which some replica held a row
 * @param slicesDiffering in which rows or deletions differed
 * @param rows in them, on whatever replica; each once
 * @param rowsDiffering places at which replicas held different rows
 * @param deletionsDiffering partition deletions and intervals that not every replica held
 * @param bytesLacking encoded size of what replicas lacked in the sample, of all replicas together
 * @param low the smallest share of differing rows of the whole that fits the sample
 * @param high the largest one
 */
public record DriftEstimate(
        double share,
        int slices,
        int slicesWithRows,
        int slicesDiffering,
        long rows,
        long rowsDiffering,
        long deletionsDiffering,
        long bytesLacking,
        double low,
        double high) {
    /** With fewer, how differences cluster cannot be told. */
    static final int SLICES_LEAST = 30;

    /** Of the normal distribution: 95 of 100 are nearer. */
    private static final double DEVIATIONS = 1.96;

    /**
     * What was found in one slice of one table.
     *
     * @param rows places at which some replica holds a row
     * @param bytesLacking of all replicas
     */
    record Slice(TokenRange range, long rows, long rowsDiffering, long deletionsDiffering, long bytesLacking) {
        private Slice plus(Slice other) {
            return new Slice(
                    range,
                    rows + other.rows,
                    rowsDiffering + other.rowsDiffering,
                    deletionsDiffering + other.deletionsDiffering,
                    bytesLacking + other.bytesLacking);
        }
    }

    /**
     * Of one table, or of several whose slices are the same: what is in a slice of any of them is one cluster.
     *
     * @param slices all that were compared, as {@link DriftSample#of} gave them
     * @param found what was found in them, as {@link RepairReport#ranges()} has it
     */
    public static DriftEstimate of(DriftSample sample, TokenRanges slices, Collection<RangeReport> found) {
        return of(
                sample.share(),
                slices,
                found.stream()
                        .map(range -> new Slice(
                                range.range(),
                                range.rowsCompared(),
                                range.rowsDiffering(),
                                range.deletionsDiffering(),
                                range.replicas().stream()
                                        .mapToLong(RangeReport.Lacking::bytes)
                                        .sum()))
                        .toList());
    }

    /**
     * Of one table, or of several whose slices are the same: what is in a slice of any of them is one cluster.
     *
     * @param all with those in which nothing was found
     */
    static DriftEstimate of(double share, TokenRanges all, Collection<Slice> found) {
        Map<TokenRange, Slice> byRange = new HashMap<>();
        found.forEach(slice -> byRange.merge(slice.range(), slice, Slice::plus));
        List<Slice> slices = List.copyOf(byRange.values());
        long rows = slices.stream().mapToLong(Slice::rows).sum();
        long differing = slices.stream().mapToLong(Slice::rowsDiffering).sum();
        double ratio = rows == 0 ? 0 : (double) differing / rows;
        double independent = rows / Math.max(designEffect(slices, rows, ratio), dispersion(all, byRange, rows));
        // What was sampled of the whole is no guess: of all of it nothing is.
        double observations = independent / (1 - share);
        return new DriftEstimate(
                share,
                all.ranges().size(),
                (int) slices.stream().filter(slice -> slice.rows() > 0).count(),
                (int) slices.stream()
                        .filter(slice -> slice.rowsDiffering() + slice.deletionsDiffering() > 0)
                        .count(),
                rows,
                differing,
                slices.stream().mapToLong(Slice::deletionsDiffering).sum(),
                slices.stream().mapToLong(Slice::bytesLacking).sum(),
                rows == 0 ? 0 : wilson(ratio, observations, -1),
                rows > 0 ? wilson(ratio, observations, 1) : share < 1 ? 1 : 0);
    }

    /** How many times the variance of rows drawn one by one that of the slices is; 1 at least. */
    private static double designEffect(List<Slice> slices, long rows, double ratio) {
        long clusters = slices.stream().filter(slice -> slice.rows() > 0).count();
        double alone = ratio * (1 - ratio) * rows;
        if (alone == 0) {
            return 1;
        }
        double residuals = slices.stream()
                .mapToDouble(slice -> slice.rowsDiffering() - ratio * slice.rows())
                .map(residual -> residual * residual)
                .sum();
        return clusters < 2 ? rows : Math.max(1, residuals * clusters / (clusters - 1) / alone);
    }

    /**
     * How many times the variance of rows that lie each by itself that of the slices' numbers of rows is: the size of partitions, by
     * rows.
     */
    private static double dispersion(TokenRanges all, Map<TokenRange, Slice> found, long rows) {
        int slices = all.ranges().size();
        if (slices < 2) {
            return rows;
        }
        double width = all.width();
        double residuals = 0;
        for (TokenRange range : all.ranges()) {
            Slice slice = found.get(range);
            double residual = (slice == null ? 0 : slice.rows()) - rows * (range.width() / width);
            residuals += residual * residual;
        }
        return residuals * slices / (slices - 1) / rows;
    }

    /** One end of Wilson's interval for a share among so many observations. */
    private static double wilson(double ratio, double observations, int side) {
        boolean isAtEnd = side < 0 ? ratio == 0 : ratio == 1;
        if (Double.isInfinite(observations) || isAtEnd) {
            return ratio;
        }
        double square = DEVIATIONS * DEVIATIONS / observations;
        double spread = DEVIATIONS * Math.sqrt(ratio * (1 - ratio) / observations + square / observations / 4);
        return Math.min(1, Math.max(0, (ratio + square / 2 + side * spread) / (1 + square)));
    }

    /** The share of the sampled rows that differ; 0 where there is no row. */
    public double shareDiffering() {
        return rows == 0 ? 0 : (double) rowsDiffering / rows;
    }

    /** Whether nothing differed in the sample. Of what was not sampled that says no more than {@link #high()} does. */
    public boolean wasEqual() {
        return rowsDiffering + deletionsDiffering == 0;
    }

    /** Whether there were rows in enough slices for the interval to mean what it says. */
    public boolean isReliable() {
        return share == 1 || slicesWithRows >= SLICES_LEAST;
    }

    /** About how many of the whole's rows differ. */
    public long rowsDifferingOfAll() {
        return Math.round(rowsDiffering / share);
    }

    /** About how many there are at least, as {@link #low()} has it. */
    public long rowsDifferingLow() {
        return Math.round(low * rows / share);
    }

    /** About how many there are at most, as {@link #high()} has it. */
    public long rowsDifferingHigh() {
        return Math.round(high * rows / share);
    }

    /** About how many bytes replicas lack of the whole. */
    public long bytesLackingOfAll() {
        return Math.round(bytesLacking / share);
    }
}
