package io.anneal.fragment;

import io.anneal.schema.TableSchema;
import java.util.Arrays;

/**
 * Brings the entries of rows into canonical order when their columns came in another one. Those of one column stand together and
 * are in order. One thread.
 */
public final class EntrySorter {
    private static final int NONE = -1;

    /** By column the first of its entries. */
    private final int[] first;

    public EntrySorter(TableSchema schema) {
        first = new int
                [Math.max(schema.staticColumns().size(), schema.regularColumns().size())];
    }

    /** Appends the entries of {@code from} to {@code to}; their bytes stay where they lie. */
    public void sort(Row from, Row to) {
        Arrays.fill(first, NONE);
        for (int i = from.entryCount() - 1; i >= 0; i--) {
            first[from.columnIndex(i)] = i;
        }
        for (int column = 0; column < first.length; column++) {
            if (first[column] != NONE) {
                for (int i = first[column]; i < from.entryCount() && from.columnIndex(i) == column; i++) {
                    to.addEntryOf(from, i);
                }
            }
        }
    }
}
