package io.anneal.store;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.merge.SelectCursor;
import io.anneal.schema.Column;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An element that a list has: the cell's path, by which it is written or deleted, and its value. Both are copies.
 */
record ListElement(byte[] path, byte[] value) {
    /** The elements of a row's list that exist at a time, in order; closes the cursor. */
    static List<ListElement> read(FragmentCursor cursor, Column column, long nowSeconds) throws IOException {
        FragmentKind kind = column.kind() == Column.Kind.STATIC ? FragmentKind.STATIC_ROW : FragmentKind.CLUSTERING_ROW;
        List<ListElement> elements = new ArrayList<>();
        try (SelectCursor shown = new SelectCursor(cursor, nowSeconds)) {
            for (FragmentKind next = shown.advance(); next != null; next = shown.advance()) {
                if (next == kind) {
                    collect(shown.row(), column, elements);
                }
            }
        }
        return elements;
    }

    private static void collect(Row row, Column column, List<ListElement> elements) {
        for (int i = 0; i < row.entryCount(); i++) {
            if (row.columnIndex(i) == column.index()) {
                elements.add(new ListElement(
                        copy(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i)),
                        copy(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i))));
            }
        }
    }

    private static byte[] copy(byte[] buffer, int offset, int lengthBytes) {
        return Arrays.copyOfRange(buffer, offset, offset + lengthBytes);
    }
}
