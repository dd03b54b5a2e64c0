package io.anneal.conformance;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.io.ByteWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** A stream as the items of its canonical encoding, in its order; a range deletion comes where it ends. */
final class CanonicalItems {
    private final FragmentCursor cursor;
    private final CanonicalEncoder encoder;
    private final ByteWriter out = new ByteWriter(1024);
    private final List<byte[]> items = new ArrayList<>();
    private final RangeDeletion range = new RangeDeletion();
    private boolean isOpen;

    private CanonicalItems(FragmentCursor cursor, long localDeletionTimeMaxSeconds) {
        this.cursor = cursor;
        encoder = new CanonicalEncoder(cursor.schema(), localDeletionTimeMaxSeconds);
    }

    /** Reads the cursor to its end. */
    static List<byte[]> of(FragmentCursor cursor, long localDeletionTimeMaxSeconds) throws IOException {
        CanonicalItems items = new CanonicalItems(cursor, localDeletionTimeMaxSeconds);
        while (cursor.advance() != null) {
            items.encode();
        }
        return items.items;
    }

    /** The same items in hex, to compare them. */
    static List<String> text(FragmentCursor cursor, long localDeletionTimeMaxSeconds) throws IOException {
        return of(cursor, localDeletionTimeMaxSeconds).stream()
                .map(HexFormat.of()::formatHex)
                .toList();
    }

    private void encode() {
        switch (cursor.kind()) {
            case PARTITION_START -> {
                if (cursor.partitionDeletionTimestampMicros() != DeletionTime.NO_TIMESTAMP) {
                    take(encoder.partitionDeletion(
                            cursor.key(),
                            cursor.partitionDeletionTimestampMicros(),
                            cursor.partitionDeletionLocalTimeSeconds(),
                            out));
                }
            }
            case STATIC_ROW, CLUSTERING_ROW -> take(encoder.row(cursor.key(), cursor.row(), out));
            case RANGE_TOMBSTONE_CHANGE -> change(cursor.rangeTombstoneChange());
            case PARTITION_END -> {}
        }
    }

    private void change(RangeTombstoneChange change) {
        if (isOpen) {
            range.end().wrap(change.prefix());
            range.weights(range.startWeight(), change.weight());
            take(encoder.rangeDeletion(cursor.key(), range, out));
        }
        isOpen = !DeletionTime.isLive(change.timestampMicros(), change.localDeletionTimeSeconds());
        if (isOpen) {
            range.start().wrap(change.prefix().copy());
            range.weights(change.weight(), change.weight());
            range.deletion(change.timestampMicros(), change.localDeletionTimeSeconds());
        }
    }

    private void take(int lengthBytes) {
        items.add(Arrays.copyOf(out.array(), lengthBytes));
        out.clear();
    }
}
