package io.anneal.fragment;

import io.anneal.schema.Column;
import java.util.Arrays;
import java.util.List;

/** Canonical order of a row's entries: column, then the column's complex deletion, then cells by path. */
public final class RowOrder {
    private RowOrder() {}

    /** Order of two entries of rows of the same kind, whose columns are given by their index. */
    public static int compare(List<Column> columns, Row left, int leftEntry, Row right, int rightEntry) {
        int index = left.columnIndex(leftEntry);
        if (index != right.columnIndex(rightEntry)) {
            return Integer.compare(index, right.columnIndex(rightEntry));
        }
        boolean isDeletion = left.isComplexDeletion(leftEntry);
        if (isDeletion != right.isComplexDeletion(rightEntry)) {
            return isDeletion ? -1 : 1;
        }
        Column column = columns.get(index);
        return isDeletion || !column.isComplex() ? 0 : comparePaths(column, left, leftEntry, right, rightEntry);
    }

    /** Order of the paths of two cells of the complex {@code column}. */
    public static int comparePaths(Column column, Row left, int leftEntry, Row right, int rightEntry) {
        return column.type()
                .pathType()
                .compare(
                        left.pathBuffer(leftEntry),
                        left.pathOffset(leftEntry),
                        left.pathLengthBytes(leftEntry),
                        right.pathBuffer(rightEntry),
                        right.pathOffset(rightEntry),
                        right.pathLengthBytes(rightEntry));
    }

    /** Order of the bytes of two cells' paths, which decides between equal paths in different bytes; 0 without paths. */
    public static int comparePathBytes(Row left, int leftEntry, Row right, int rightEntry) {
        int leftLength = left.pathLengthBytes(leftEntry);
        int rightLength = right.pathLengthBytes(rightEntry);
        if (leftLength != rightLength || leftLength <= 0) {
            return Integer.compare(leftLength, rightLength);
        }
        int leftOffset = left.pathOffset(leftEntry);
        int rightOffset = right.pathOffset(rightEntry);
        return Arrays.compareUnsigned(
                left.pathBuffer(leftEntry),
                leftOffset,
                leftOffset + leftLength,
                right.pathBuffer(rightEntry),
                rightOffset,
                rightOffset + rightLength);
    }

    /** Whether entry {@code i}, which is of {@code column}, may follow the entry before it. */
    static boolean ascends(Row row, int i, Column column) {
        int previous = row.columnIndex(i - 1);
        if (previous != column.index()) {
            return previous < column.index();
        }
        if (row.isComplexDeletion(i) || !column.isComplex()) {
            return false;
        }
        return row.isComplexDeletion(i - 1) || RowOrder.comparePaths(column, row, i - 1, row, i) < 0;
    }
}
