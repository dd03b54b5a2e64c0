package io.anneal.store;

import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Which rows of a partition are read, by the values of their clustering columns in order, as {@link
 * io.anneal.schema.JavaValues} lists them; of the last columns as many as one likes may be left out, and what is left is a
 * prefix, which stands for all rows that begin with it. Bounds follow the order of the rows: in a descending column the lower
 * bound is the greater value. Immutable.
 *
 * <pre>{@code
 * RowRange.from("2026-11").before("2026-12").reversed().limit(10)
 * }</pre>
 */
public final class RowRange {
    /** All rows, in order. */
    public static final RowRange ALL = new RowRange(List.of(), true, List.of(), true, false, Long.MAX_VALUE);

    private final List<Object> lower;
    private final boolean lowerInclusive;
    private final List<Object> upper;
    private final boolean upperInclusive;
    private final boolean reversed;
    private final long limit;

    private RowRange(
            List<Object> lower,
            boolean lowerInclusive,
            List<Object> upper,
            boolean upperInclusive,
            boolean reversed,
            long limit) {
        this.lower = lower;
        this.lowerInclusive = lowerInclusive;
        this.upper = upper;
        this.upperInclusive = upperInclusive;
        this.reversed = reversed;
        this.limit = limit;
    }

    /** Rows that begin with these values: with all of them, one row. */
    public static RowRange of(Object... prefix) {
        Objects.requireNonNull(prefix, "prefix");
        return ALL.andFrom(prefix).through(prefix);
    }

    /** Rows from these values on. */
    public static RowRange from(Object... values) {
        Objects.requireNonNull(values, "values");
        return ALL.andFrom(values);
    }

    /** Rows behind these values. */
    public static RowRange after(Object... values) {
        Objects.requireNonNull(values, "values");
        return new RowRange(copy(values), false, List.of(), true, false, Long.MAX_VALUE);
    }

    private RowRange andFrom(Object... values) {
        return new RowRange(copy(values), true, upper, upperInclusive, reversed, limit);
    }

    /** Up to these values and no further. */
    public RowRange through(Object... values) {
        Objects.requireNonNull(values, "values");
        return new RowRange(lower, lowerInclusive, copy(values), true, reversed, limit);
    }

    /** Up to these values, without them. */
    public RowRange before(Object... values) {
        Objects.requireNonNull(values, "values");
        return new RowRange(lower, lowerInclusive, copy(values), false, reversed, limit);
    }

    /** The same rows from the last to the first. */
    public RowRange reversed() {
        return new RowRange(lower, lowerInclusive, upper, upperInclusive, !reversed, limit);
    }

    /** At most so many rows that exist: the first in the order of reading. */
    public RowRange limit(long rows) {
        if (rows < 0) {
            throw new IllegalArgumentException("limit is negative, limit=" + rows);
        }
        return new RowRange(lower, lowerInclusive, upper, upperInclusive, reversed, rows);
    }

    /** May hold null, which no value of a key is: refused where the column's name is known. */
    private static List<Object> copy(Object[] values) {
        return Collections.unmodifiableList(Arrays.asList(values.clone()));
    }

    boolean isReversed() {
        return reversed;
    }

    long limit() {
        return limit;
    }

    /** Whether it is all rows of the partition. */
    boolean isWhole() {
        return lower.isEmpty() && upper.isEmpty();
    }

    /** @throws IllegalArgumentException when a value does not fit its column: names it */
    Slices slices(TableSchema schema) {
        if (isWhole()) {
            return Slices.ALL;
        }
        Slice slice = Slice.between(
                prefix(schema, lower), lowerInclusive || lower.isEmpty(),
                prefix(schema, upper), upperInclusive || upper.isEmpty());
        return Slices.of(ClusteringComparator.of(schema), List.of(slice));
    }

    private static Clustering prefix(TableSchema schema, List<Object> values) {
        return Clustering.of(
                new KeyBuilder(schema).clusteringInOrder(values.toArray()).clusteringPrefix());
    }
}
