package io.anneal.bench.scenario;

import io.anneal.bench.data.GeneratedCursor;
import io.anneal.bench.data.GeneratedTable;
import io.anneal.bench.data.TableShape;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;

/**
 * Values of generated rows, one after the other in rows of 1 KiB: bytes of which LZ4 removes about half. More than any
 * processor's cache holds, unless few rows are wanted.
 *
 * @param bytes a whole number of chunks
 */
record SampleBytes(byte[] bytes) {
    static final int ROW_BYTES = 1024;
    static final int CHUNK_BYTES = 16 * 1024;

    private static final int ROWS_MAX = 128 * 1024;
    private static final int ROWS_PER_CHUNK = CHUNK_BYTES / ROW_BYTES;

    static SampleBytes draw(int rowCount) {
        int chunks = Math.max(1, Math.min(rowCount, ROWS_MAX) / ROWS_PER_CHUNK);
        byte[] bytes = new byte[chunks * CHUNK_BYTES];
        int at = 0;
        // A value is a little shorter than 1 KiB, so there are more rows than are wanted.
        try (GeneratedCursor cursor =
                GeneratedCursor.of(TableShape.KILOBYTE_ROWS, 2L * chunks * ROWS_PER_CHUNK, GeneratedTable.SEED)) {
            while (at < bytes.length) {
                if (cursor.advance() == FragmentKind.CLUSTERING_ROW) {
                    Row row = cursor.row();
                    int length = Math.min(row.valueLengthBytes(0), bytes.length - at);
                    System.arraycopy(row.valueBuffer(0), row.valueOffset(0), bytes, at, length);
                    at += length;
                }
            }
        }
        return new SampleBytes(bytes);
    }

    int lengthBytes() {
        return bytes.length;
    }
}
