package io.anneal.fragment;

import io.anneal.schema.Column;

/** Canonical order of a row's entries: column, then the column's complex deletion, then cells by path. */
public final class RowOrder {
    private RowOrder() {}

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
}
