package io.anneal.bench.oldrepair;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.io.ByteWriter;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;

/**
 * Fragments as bytes, for checksums and for sending: items of the row encoding, and changes of range deletions as {@value #CHANGE},
 * place and deletion. One thread.
 */
final class RangeEncoder {
    /** No kind of item. */
    static final int CHANGE = 0x20;

    /** Large enough for few messages, and small enough for the processor's cache. */
    static final int BLOCK_BYTES = 64 << 10;

    private final CanonicalEncoder encoder;
    private final ByteWriter out = new ByteWriter(2 * BLOCK_BYTES);

    RangeEncoder(TableSchema schema) {
        // The replica's scan clamps.
        encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
    }

    /** Whether there is enough for a message. */
    boolean isFull() {
        return out.lengthBytes() >= BLOCK_BYTES;
    }

    int lengthBytes() {
        return out.lengthBytes();
    }

    /** Where all since {@link #clear()} lies, from 0. */
    byte[] array() {
        return out.array();
    }

    ByteBuffer bytes() {
        return ByteBuffer.wrap(out.array(), 0, out.lengthBytes());
    }

    void clear() {
        out.clear();
    }

    /** Appends the fragment that the cursor stands at. */
    void add(FragmentCursor cursor) {
        switch (cursor.kind()) {
            case PARTITION_START -> {
                long timestampMicros = cursor.partitionDeletionTimestampMicros();
                long localSeconds = cursor.partitionDeletionLocalTimeSeconds();
                if (!DeletionTime.isLive(timestampMicros, localSeconds)) {
                    encoder.partitionDeletion(cursor.key(), timestampMicros, localSeconds, out);
                }
            }
            case STATIC_ROW, CLUSTERING_ROW -> encoder.row(cursor.key(), cursor.row(), out);
            case RANGE_TOMBSTONE_CHANGE -> change(cursor, cursor.rangeTombstoneChange());
            case PARTITION_END -> {
                // The next key says it.
            }
        }
    }

    private void change(FragmentCursor cursor, RangeTombstoneChange change) {
        out.writeByte(CHANGE);
        RingPosition.of(
                        cursor.key().toDecoratedKey(),
                        new PositionInPartition(PositionInPartition.Region.CLUSTERED, change.prefix(), change.weight()))
                .encode(out);
        out.writeLong(change.timestampMicros());
        out.writeLong(change.localDeletionTimeSeconds());
    }
}
