package io.anneal.streaming;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.io.ByteWriter;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;

/**
 * Fragments as bytes, in their order: rows and deletions of partitions as items of the row encoding, and changes of range
 * deletions, which those items have no form for, as {@value #CHANGE}, the place on the ring, timestamp and local deletion time.
 * One thread.
 */
public final class FragmentEncoder {
    /** The first byte of a change; no kind of item. */
    public static final int CHANGE = 0x20;

    private static final int ROOM_BYTES = 16 << 10;

    private final CanonicalEncoder encoder;
    private final int keptBytes;
    private final ByteWriter out;

    /** @param keptBytes of memory, from one message to the next; more is given back */
    public FragmentEncoder(TableSchema schema, int keptBytes) {
        encoder = new CanonicalEncoder(schema, CanonicalEncoder.UNCLAMPED);
        this.keptBytes = keptBytes;
        out = new ByteWriter(ROOM_BYTES);
    }

    public int lengthBytes() {
        return out.lengthBytes();
    }

    /** All since {@link #clear()}; valid until then. */
    public ByteBuffer bytes() {
        return ByteBuffer.wrap(out.array(), 0, out.lengthBytes());
    }

    /** Starts anew, in the same memory. */
    public void clear() {
        if (out.capacityBytes() > keptBytes) {
            out.shrink();
        }
        out.clear();
    }

    /** Appends the fragment that the cursor stands at. */
    public void add(FragmentCursor cursor) {
        switch (cursor.kind()) {
            case PARTITION_START -> encoder.partitionDeletion(cursor, out);
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
