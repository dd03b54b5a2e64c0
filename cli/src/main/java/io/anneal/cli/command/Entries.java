package io.anneal.cli.command;

import io.anneal.fragment.Row;
import io.anneal.fragment.RowOrder;
import io.anneal.schema.Column;
import java.util.Arrays;
import java.util.List;

/** Order and sameness of entries of two versions of a row. */
public final class Entries {
    private Entries() {}

    /** Canonical order: column, then the collection's deletion, then cells by path. */
    public static int compare(List<Column> columns, Row left, int i, Row right, int j) {
        int order = Integer.compare(left.columnIndex(i), right.columnIndex(j));
        if (order != 0) {
            return order;
        }
        if (left.isComplexDeletion(i) || right.isComplexDeletion(j)) {
            return Boolean.compare(right.isComplexDeletion(j), left.isComplexDeletion(i));
        }
        Column column = columns.get(left.columnIndex(i));
        return column.isComplex() ? RowOrder.comparePaths(column, left, i, right, j) : 0;
    }

    /** Whether two entries of one place have the same bytes and times. */
    public static boolean areSame(Row left, int i, Row right, int j) {
        return left.isComplexDeletion(i) == right.isComplexDeletion(j)
                && left.timestampMicros(i) == right.timestampMicros(j)
                && left.ttlSeconds(i) == right.ttlSeconds(j)
                && left.localDeletionTimeSeconds(i) == right.localDeletionTimeSeconds(j)
                && RowOrder.comparePathBytes(left, i, right, j) == 0
                && sameValue(left, i, right, j);
    }

    private static boolean sameValue(Row left, int i, Row right, int j) {
        int length = left.valueLengthBytes(i);
        return length == right.valueLengthBytes(j)
                && (length <= 0
                        || Arrays.equals(
                                left.valueBuffer(i),
                                left.valueOffset(i),
                                left.valueOffset(i) + length,
                                right.valueBuffer(j),
                                right.valueOffset(j),
                                right.valueOffset(j) + length));
    }
}
