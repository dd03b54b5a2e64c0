package io.anneal.bench.oldrepair;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.ItemKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.SourceCursor;
import io.anneal.io.ByteReader;
import io.anneal.key.KeyView;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import io.anneal.streaming.FragmentEncoder;
import java.io.IOException;
import java.util.Optional;

/** A cursor over what a {@link FragmentEncoder} wrote at a peer, message after message. The peer is trusted. One thread. */
final class ReceivedFragments extends SourceCursor {
    /** Where messages come from. */
    interface Messages {
        /** Waits for the next one; empty at the end. The bytes stay as they are. */
        Optional<byte[]> next() throws IOException;
    }

    private final Messages messages;
    private final EncodedItem item;
    private final ByteReader in = new ByteReader();
    private final RangeDeletion deletion = new RangeDeletion();

    private byte[] bytes = new byte[0];
    private int at;
    private boolean ended;

    /** Whether what comes next is known: an item, or else a change. */
    private boolean isAhead;

    private boolean isItem;
    private final KeyView keyAhead = new KeyView();

    private long rows;

    ReceivedFragments(TableSchema schema, Messages messages) {
        super(schema);
        this.messages = messages;
        item = new EncodedItem(schema).trusting();
    }

    /** Rows so far. */
    long rows() {
        return rows;
    }

    @Override
    public FragmentKind advance() throws IOException {
        boolean between = kind == null || kind == FragmentKind.PARTITION_END;
        if (!lookAhead()) {
            kind = between ? null : FragmentKind.PARTITION_END;
        } else if (between) {
            kind = start();
        } else {
            kind = keyAhead.sameAs(key) ? take() : FragmentKind.PARTITION_END;
        }
        return kind;
    }

    private boolean lookAhead() throws IOException {
        if (isAhead) {
            return true;
        }
        while (at == bytes.length && !ended) {
            Optional<byte[]> next = messages.next();
            ended = next.isEmpty();
            bytes = next.orElse(bytes);
            at = ended ? at : 0;
        }
        if (ended) {
            return false;
        }
        isItem = bytes[at] != FragmentEncoder.CHANGE;
        if (isItem) {
            item.wrap(bytes, at, bytes.length);
            at = item.endOffset();
            keyAhead.wrap(item.key());
        } else {
            readChange();
        }
        isAhead = true;
        return true;
    }

    private void readChange() {
        in.wrap(bytes, at + 1, bytes.length - at - 1);
        RingPosition place = RingPosition.decode(in, schema().clustering().size());
        change.prefix().wrap(place.position().prefix());
        change.weight(place.position().weight());
        change.deletion(in.readLong(), in.readLong());
        at = in.offset();
        keyAhead.wrap(place.key().orElseThrow());
    }

    private FragmentKind start() throws IOException {
        key.wrap(keyAhead);
        partitionDeletion = DeletionTime.LIVE;
        if (isItem && item.kind() == ItemKind.PARTITION_DELETION) {
            item.readPartitionDeletion(deletion);
            partitionDeletion = new DeletionTime(deletion.timestampMicros(), deletion.localDeletionTimeSeconds());
            isAhead = false;
        }
        return FragmentKind.PARTITION_START;
    }

    private FragmentKind take() throws IOException {
        isAhead = false;
        if (!isItem) {
            return FragmentKind.RANGE_TOMBSTONE_CHANGE;
        }
        item.readRow(row);
        rows++;
        return row.isStatic() ? FragmentKind.STATIC_ROW : FragmentKind.CLUSTERING_ROW;
    }
}
