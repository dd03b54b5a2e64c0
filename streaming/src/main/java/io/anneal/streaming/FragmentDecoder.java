package io.anneal.streaming;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.HandedFragment;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.LinearRanges;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import io.anneal.streaming.message.RowsPart;
import java.io.IOException;
import java.util.Optional;

/** Reads what a {@link FragmentEncoder} wrote, and hands on one fragment after the other. The bytes may be a lying peer's. One thread. */
final class FragmentDecoder {
    /** Takes the fragment that the cursor stands at, as a writer does. */
    interface Output {
        void appendCurrent(FragmentCursor fragment) throws IOException;
    }

    private final TableSchema schema;
    private final LinearRanges ranges;
    private final Output output;
    private final EncodedItem item;
    private final HandedFragment current;
    private final Row row = new Row();
    private final RangeDeletion deletion = new RangeDeletion();
    private final ByteReader in = new ByteReader();
    private final KeyView changed = new KeyView();

    /** Of the partition that is open. */
    private final KeyView partition = new KeyView();

    private boolean inPartition;
    private long rows;

    /** Of the partition, and behind it: what the messages before had, and where in this one it begins. */
    private long partitionBytes;

    private int partitionAt;
    private boolean isWhole = true;

    /** @param ranges outside of which nothing is taken */
    FragmentDecoder(TableSchema schema, LinearRanges ranges, Output output) {
        this.schema = schema;
        this.ranges = ranges;
        this.output = output;
        item = new EncodedItem(schema);
        current = new HandedFragment(schema);
    }

    long rows() {
        return rows;
    }

    /** @throws CorruptItemException when it is nothing that an encoder writes; the decoder is of no use then */
    void decode(byte[] bytes) throws IOException {
        int at = 0;
        isWhole = false;
        partitionAt = 0;
        try {
            while (at < bytes.length) {
                at = bytes[at] == FragmentEncoder.CHANGE ? change(bytes, at) : item(bytes, at);
            }
        } catch (IllegalArgumentException unfit) {
            throw new CorruptItemException("fragment is none that the target can write", at, unfit);
        }
        partitionBytes += bytes.length - partitionAt;
        isWhole = true;
    }

    /** Whether all that was given was taken, so that it can go on with what comes behind. */
    boolean isWhole() {
        return isWhole;
    }

    /** Behind what was taken; nothing at the beginning. */
    Optional<RowsPart.Place> place() {
        return inPartition
                ? Optional.of(new RowsPart.Place(partition.toDecoratedKey(), partitionBytes))
                : Optional.empty();
    }

    private int item(byte[] bytes, int at) throws IOException {
        item.wrap(bytes, at, bytes.length);
        switch (item.kind()) {
            case PARTITION_DELETION -> {
                item.readPartitionDeletion(deletion);
                boolean isNew = start(
                        item.key(),
                        new DeletionTime(deletion.timestampMicros(), deletion.localDeletionTimeSeconds()),
                        at);
                if (!isNew) {
                    throw new CorruptItemException("deletion of a partition comes behind its rows", at, "");
                }
            }
            case STATIC_ROW, CLUSTERING_ROW -> {
                start(item.key(), DeletionTime.LIVE, at);
                item.readRow(row);
                append(current.row(row), at);
                rows++;
            }
            case RANGE_DELETION -> throw new CorruptItemException("kind has no place in a stream of rows", at, "");
        }
        return item.endOffset();
    }

    private int change(byte[] bytes, int at) throws IOException {
        try {
            in.wrap(bytes, at + 1, bytes.length - at - 1);
            RingPosition place = RingPosition.decode(in, schema.clustering().size());
            long timestampMicros = in.readLong();
            long localSeconds = in.readLong();
            PositionInPartition position = place.position();
            if (place.isEnd() || position.region() != PositionInPartition.Region.CLUSTERED || position.weight() == 0) {
                throw new CorruptItemException("change of a range deletion stands at no bound", at, "place=" + place);
            }
            start(changed.wrap(place.key().orElseThrow()), DeletionTime.LIVE, at);
            append(current.change(position.prefix(), position.weight(), timestampMicros, localSeconds), at);
            return in.offset();
        } catch (ByteUnderflowException | IllegalArgumentException e) {
            throw new CorruptItemException("change of a range deletion is malformed", at, e);
        }
    }

    /** Goes on with the partition, or ends the one before and starts it; whether it did. */
    private boolean start(KeyView key, DeletionTime partitionDeletion, int at) throws IOException {
        if (inPartition && key.sameAs(partition)) {
            return false;
        }
        end();
        long token = key.token();
        if (!ranges.covers(token)) {
            throw new CorruptItemException("row lies outside of what was asked for", at, "token=" + token);
        }
        DecoratedKey started = key.toDecoratedKey();
        partition.wrap(started);
        inPartition = true;
        partitionBytes = 0;
        partitionAt = at;
        append(current.start(started, partitionDeletion), at);
        return true;
    }

    /** Ends the last partition. */
    void end() throws IOException {
        if (inPartition) {
            append(current.end(), 0);
            inPartition = false;
        }
    }

    /** The writer takes what is out of order for its caller's mistake; here it is a peer's. */
    private void append(FragmentCursor fragment, int at) throws IOException {
        try {
            output.appendCurrent(fragment);
        } catch (IllegalArgumentException | IllegalStateException unfit) {
            throw new CorruptItemException("fragment is none that the target can write", at, unfit);
        }
    }
}
