package io.anneal.bench.measure;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.HashSum;
import io.anneal.fragment.ItemHash;
import io.anneal.io.ByteWriter;
import io.anneal.schema.TableSchema;
import java.io.IOException;

/** Encodes and hashes rows as a repair does while it fills its row buffer. Owned by one thread. */
public final class RowHasher {
    private static final int BUFFER_BYTES = 1024 * 1024;
    private static final int ROW_MAX_BYTES = 4096;
    private static final long SEED = 42;

    private final CanonicalEncoder encoder;
    private final ItemHash hash = new ItemHash(SEED);
    private final HashSum sum = new HashSum();
    private final ByteWriter buffer = new ByteWriter(BUFFER_BYTES);

    public RowHasher(TableSchema schema) {
        encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
    }

    /** Reads everything and returns the low half of the combined hash. */
    public long hashAll(FragmentCursor cursor, long expectedRows) throws IOException {
        sum.clear();
        FragmentKind kind;
        while ((kind = cursor.advance()) != null) {
            if (kind == FragmentKind.CLUSTERING_ROW) {
                if (buffer.capacityBytes() - buffer.lengthBytes() < ROW_MAX_BYTES) {
                    buffer.clear();
                }
                int start = buffer.lengthBytes();
                hash.hash(buffer.array(), start, encoder.row(cursor.key(), cursor.row(), buffer));
                sum.add(hash);
            }
        }
        Rows.requireAll(sum.count(), expectedRows);
        return sum.low();
    }
}
