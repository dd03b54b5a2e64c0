package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.io.ByteUnderflowException;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.LostData;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.file.DataWindow;
import io.anneal.sstable.row.MalformedRowException;
import io.anneal.sstable.row.MarkerDecoder;
import io.anneal.sstable.row.PartitionHead;
import io.anneal.sstable.row.RowDecoder;
import io.anneal.sstable.row.RowReader;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Reads whatever can be read of a damaged SSTable. Where data cannot, it goes on at the next block of the partition that
 * the index knows, else at the next partition, and reports what lies between. A range deletion that is open where rows are
 * lost ends behind the last row that was read, or goes on as the block says where reading goes on.
 *
 * <p>Weaker than {@link io.anneal.fragment.FragmentCursor} in one point: partitions may be out of order, and one whose
 * rows are out of order comes in several parts, each with the same key, since order in a file is what may be wrong, too.
 */
final class SalvageCursor implements SSTableCursor {
    private enum Place {
        BEFORE_PARTITION,
        BEFORE_STATIC_ROW,
        IN_ROWS,
        /** A partition begins of which only the index knows the head. */
        BEFORE_RESCUED,
        BEHIND_RESCUED,
        /** Another part of the same partition begins, with what was decoded last. */
        BEFORE_PART,
        /** What was decoded last comes next. */
        AT_DECODED,
        DONE
    }

    /** A partition's head as the index has it. */
    private record RescuedHead(DecoratedKey key, long position, long deletionMicros, long deletionSeconds) {}

    private final DataReader reader;
    private final TableSchema schema;
    private final RowDecoder decoder;
    private final Consumer<LostData> listener;
    private final ClusteringComparator comparator;
    private final RangeTombstoneChange madeUpChange = new RangeTombstoneChange();

    private DataWindow window;
    private PartitionHead head;
    private RowReader rows;
    private PartitionLookup walk;
    private boolean indexUsable;

    private Place place = Place.BEFORE_PARTITION;
    private FragmentKind kind;
    private FragmentKind decoded;
    private final KeyView key = new KeyView();
    private long attemptPosition;
    private long partitionPosition;
    private long deletionMicros;
    private long deletionSeconds;
    private RangeTombstoneChange changeHandedOut = madeUpChange;
    private boolean changeIsMadeUp;
    private Place placeBehindMadeUp;
    private RescuedHead rescued;
    private boolean endIsMadeUp;
    private long rowsPosition;
    private Clustering last;
    private int lastWeight;
    private long openMicros;
    private long openSeconds;
    private DecoratedKey lastKey;
    private long lostFrom = -1;
    private String lostReason;

    SalvageCursor(DataReader reader, TableSchema schema, RowDecoder decoder, Consumer<LostData> listener)
            throws IOException {
        this.reader = reader;
        this.schema = schema;
        this.decoder = decoder;
        this.listener = listener;
        comparator = ClusteringComparator.of(reader.headerSchema());
        restart();
        try {
            walk = reader.index().lookup();
            indexUsable = true;
        } catch (CorruptSSTableException e) {
            // Without an index everything up to the first damage can still be read.
            indexUsable = false;
        }
    }

    /** After an exception the window's state is anybody's guess. */
    private void restart() {
        window = new DataWindow(reader.chunks());
        head = new PartitionHead(window, reader.partitioner(), decoder.times());
        rows = new RowReader(window, decoder, reader.header(), DataCursor.HEAD_BYTES);
    }

    @Override
    public FragmentKind advance() throws IOException {
        kind = madeUp();
        while (kind == null && place != Place.DONE) {
            try {
                kind = next();
            } catch (CorruptSSTableException e) {
                recover(e.getMessage());
                kind = madeUp();
            } catch (ByteUnderflowException | MalformedRowException | InvalidValueException e) {
                recover("data cannot be decoded: " + e.getMessage());
                kind = madeUp();
            }
        }
        return kind;
    }

    /** What stands in for something that is lost: a change that sets the open range deletion, the end of a partition. */
    private FragmentKind madeUp() {
        changeHandedOut = rows.change();
        if (changeIsMadeUp) {
            changeIsMadeUp = false;
            changeHandedOut = madeUpChange;
            take(madeUpChange.prefix(), madeUpChange.weight());
            openMicros = madeUpChange.timestampMicros();
            openSeconds = madeUpChange.localDeletionTimeSeconds();
            return FragmentKind.RANGE_TOMBSTONE_CHANGE;
        }
        if (endIsMadeUp) {
            endIsMadeUp = false;
            place = placeBehindMadeUp;
            return FragmentKind.PARTITION_END;
        }
        return null;
    }

    private FragmentKind next() throws IOException {
        return switch (place) {
            case BEFORE_PARTITION -> nextPartitionStart();
            case BEFORE_STATIC_ROW -> {
                place = Place.IN_ROWS;
                yield rows.readStaticRow() ? FragmentKind.STATIC_ROW : null;
            }
            case IN_ROWS -> nextInRows();
            case BEFORE_RESCUED -> {
                begin(rescued.key(), rescued.position(), rescued.deletionMicros(), rescued.deletionSeconds());
                place = Place.BEHIND_RESCUED;
                yield FragmentKind.PARTITION_START;
            }
            case BEHIND_RESCUED -> {
                goOn(true, partitionPosition);
                yield madeUp();
            }
            case BEFORE_PART -> {
                place = Place.AT_DECODED;
                yield beginPart();
            }
            case AT_DECODED -> {
                place = Place.IN_ROWS;
                yield deliver(decoded);
            }
            case DONE -> null;
        };
    }

    private FragmentKind nextPartitionStart() throws IOException {
        if (window.remainingBytes() == 0) {
            place = Place.DONE;
            return null;
        }
        attemptPosition = window.position();
        head.forget();
        head.read();
        rowsPosition = rows.beginPartition();
        place = rows.hasStaticRow() ? Place.BEFORE_STATIC_ROW : Place.IN_ROWS;
        found(head.position());
        begin(head.key().toDecoratedKey(), head.position(), head.deletionMicros(), head.deletionSeconds());
        return FragmentKind.PARTITION_START;
    }

    private void begin(DecoratedKey startedKey, long position, long micros, long seconds) {
        lastKey = startedKey;
        key.wrap(lastKey);
        partitionPosition = position;
        deletionMicros = micros;
        deletionSeconds = seconds;
        last = null;
        openMicros = DeletionTime.NO_TIMESTAMP;
        openSeconds = DeletionTime.NO_DELETION_TIME;
    }

    private FragmentKind beginPart() {
        last = null;
        if (decoded == FragmentKind.CLUSTERING_ROW) {
            MarkerDecoder markers = rows.markers();
            setOpenDeletion(markers.openMicros(), markers.openSeconds(), prefix(), ClusteringComparator.BEFORE);
        }
        return FragmentKind.PARTITION_START;
    }

    /** Reading goes on at {@code position}: what was lost before ends there. */
    private void found(long position) {
        if (lostFrom >= 0) {
            listener.accept(new LostData(lostFrom, position, Optional.ofNullable(lastKey), lostReason));
            lostFrom = -1;
        }
    }

    private FragmentKind nextInRows() throws IOException {
        decoded = rows.next();
        if (decoded == FragmentKind.PARTITION_END) {
            found(rows.position());
            place = Place.BEFORE_PARTITION;
            return decoded;
        }
        Clustering prefix = prefix();
        if (last != null && comparator.compare(last, lastWeight, prefix, weight()) >= 0) {
            splitPartition();
            return null;
        }
        return deliver(decoded);
    }

    private Clustering prefix() {
        return decoded == FragmentKind.CLUSTERING_ROW
                ? rows.row().clustering()
                : rows.change().prefix();
    }

    private int weight() {
        return decoded == FragmentKind.CLUSTERING_ROW
                ? ClusteringComparator.AT
                : rows.change().weight();
    }

    private FragmentKind deliver(FragmentKind fragment) {
        if (fragment == FragmentKind.CLUSTERING_ROW || fragment == FragmentKind.RANGE_TOMBSTONE_CHANGE) {
            found(rows.position());
            take(prefix(), weight());
            if (fragment == FragmentKind.RANGE_TOMBSTONE_CHANGE && !changesOpenDeletion()) {
                return null;
            }
        }
        return fragment;
    }

    private boolean changesOpenDeletion() {
        RangeTombstoneChange change = rows.change();
        boolean changes = change.timestampMicros() != openMicros || change.localDeletionTimeSeconds() != openSeconds;
        openMicros = change.timestampMicros();
        openSeconds = change.localDeletionTimeSeconds();
        return changes;
    }

    private void take(Clustering prefix, int weight) {
        last = prefix.copy();
        lastWeight = weight;
    }

    /** The decoded fragment stands before the last one: it begins another part of the partition. */
    private void splitPartition() {
        closeOpenDeletion();
        endIsMadeUp = true;
        placeBehindMadeUp = Place.BEFORE_PART;
        listener.accept(new LostData(
                rows.position(),
                rows.position(),
                Optional.of(lastKey),
                "row out of order: nothing is lost, the partition continues in another SSTable"));
    }

    private void closeOpenDeletion() {
        setOpenDeletion(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
    }

    /** Makes up a change behind what was read last, if another deletion is to be open there. */
    private void setOpenDeletion(long micros, long seconds) {
        if (last == null) {
            setOpenDeletion(micros, seconds, Clustering.of(), ClusteringComparator.BEFORE);
        } else {
            setOpenDeletion(micros, seconds, last, ClusteringComparator.AFTER);
        }
    }

    private void setOpenDeletion(long micros, long seconds, Clustering prefix, int weight) {
        if (micros != openMicros || seconds != openSeconds) {
            changeIsMadeUp = true;
            madeUpChange.prefix().wrap(prefix.copy());
            madeUpChange.weight(weight);
            madeUpChange.deletion(micros, seconds);
        }
    }

    private void recover(String reason) throws IOException {
        boolean inPartition = place == Place.BEFORE_STATIC_ROW || place == Place.IN_ROWS;
        long from = inPartition ? rows.position() : attemptPosition;
        if (lostFrom < 0) {
            lostFrom = from;
            lostReason = reason;
        }
        goOn(inPartition, from);
    }

    /** Goes on behind a place that cannot be read. */
    private void goOn(boolean inPartition, long from) throws IOException {
        try {
            if (inPartition && resumeInPartition(from)) {
                return;
            }
            if (inPartition) {
                closeOpenDeletion();
                endIsMadeUp = true;
            }
            placeBehindMadeUp = resumeAtPartition(inPartition ? partitionPosition + 1 : from);
        } catch (CorruptSSTableException | ByteUnderflowException e) {
            indexUsable = false;
            placeBehindMadeUp = Place.DONE;
            endIsMadeUp = inPartition;
        }
        if (!endIsMadeUp) {
            place = placeBehindMadeUp;
        }
        if (placeBehindMadeUp == Place.DONE) {
            found(reader.dataLengthBytes());
        }
    }

    /** Goes on at the first block of rows behind a place, if the index knows one that can be read. */
    private boolean resumeInPartition(long from) throws IOException {
        if (!indexUsable) {
            return false;
        }
        try (PartitionLookup lookup = reader.index().lookup()) {
            Optional<RowLookup> blocks =
                    lookup.seek(key) && lookup.dataPosition() == partitionPosition ? lookup.rows() : Optional.empty();
            while (blocks.isPresent() && blocks.get().next()) {
                long position = partitionPosition + blocks.get().blockPosition();
                if (position > from && resumeAt(position, blocks.get())) {
                    return true;
                }
            }
        }
        return false;
    }

    /** False when the block begins in what cannot be read either. */
    private boolean resumeAt(long position, RowLookup block) throws IOException {
        restart();
        try {
            rows.seek(position);
        } catch (CorruptSSTableException e) {
            return false;
        }
        rows.markers().open(block.openMicros(), block.openSeconds());
        setOpenDeletion(block.openMicros(), block.openSeconds());
        place = Place.IN_ROWS;
        return true;
    }

    /** Goes on at the first partition from a place on that the index knows and of which something can be read. */
    private Place resumeAtPartition(long from) throws IOException {
        while (indexUsable && walk.next()) {
            long position = walk.dataPosition();
            if (position < from) {
                continue;
            }
            restart();
            try {
                window.seek(position);
                head.read();
                KeyView there = head.key();
                walk.requireSame(there.buffer(), there.offset(), there.lengthBytes());
                window.seek(position);
                return Place.BEFORE_PARTITION;
            } catch (CorruptSSTableException | ByteUnderflowException e) {
                // The head of this one cannot be read; perhaps rows of it can.
                rescued = rescuedHead(position);
                if (rescued != null) {
                    return Place.BEFORE_RESCUED;
                }
            }
        }
        return Place.DONE;
    }

    /** What the index tells of a partition whose head cannot be read; null when there is nothing behind the head. */
    private RescuedHead rescuedHead(long position) throws IOException {
        Optional<DecoratedKey> known = walk.key();
        if (known.isEmpty() || !reader.mayContain(new KeyView().wrap(known.get()))) {
            return null;
        }
        Optional<RowLookup> blocks = walk.rows();
        return blocks.isEmpty()
                ? null
                : new RescuedHead(
                        known.get(),
                        position,
                        blocks.get().partitionDeletionMicros(),
                        blocks.get().partitionDeletionSeconds());
    }

    @Override
    public FragmentKind kind() {
        return kind;
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public KeyView key() {
        return key;
    }

    @Override
    public long partitionDeletionTimestampMicros() {
        return deletionMicros;
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return deletionSeconds;
    }

    @Override
    public Row row() {
        return rows.row();
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        return changeHandedOut;
    }

    @Override
    public long dataPosition() {
        return kind == FragmentKind.PARTITION_START ? partitionPosition : rows.position();
    }

    @Override
    public long rowsPosition() {
        return rowsPosition;
    }

    /** @throws UnsupportedOperationException always: whoever rescues data wants all of it */
    @Override
    public void nextPartition() {
        throw new UnsupportedOperationException("damaged data is read from its beginning to its end");
    }

    /** @throws UnsupportedOperationException always: whoever rescues data wants all of it */
    @Override
    public void forwardTo(long token) {
        throw new UnsupportedOperationException("damaged data is read from its beginning to its end");
    }

    @Override
    public void close() throws IOException {
        place = Place.DONE;
        kind = null;
        if (walk != null) {
            walk.close();
        }
    }
}
