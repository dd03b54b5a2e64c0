package io.anneal.bench.measure;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import java.io.IOException;

/** Reading a cursor to its end, looking at each value. */
public final class Rows {
    /** Rows of every benchmark's table: all results are per row. */
    public static final int COUNT = 500_000;

    private Rows() {}

    /** Reads everything and returns the bytes of all values; fails when the rows are not as many as expected. */
    public static long read(FragmentCursor cursor, long expectedRows) throws IOException {
        long rows = 0;
        long valueBytes = 0;
        FragmentKind kind;
        while ((kind = cursor.advance()) != null) {
            if (kind == FragmentKind.CLUSTERING_ROW) {
                rows++;
                Row row = cursor.row();
                int entries = row.entryCount();
                for (int i = 0; i < entries; i++) {
                    valueBytes += row.valueLengthBytes(i);
                }
            }
        }
        requireAll(rows, expectedRows);
        return valueBytes;
    }

    /** @throws IllegalStateException when the numbers differ: then something else was measured */
    public static void requireAll(long rows, long expectedRows) {
        if (rows != expectedRows) {
            throw new IllegalStateException(
                    "rows are not what was written, rows=" + rows + ", expected=" + expectedRows);
        }
    }
}
