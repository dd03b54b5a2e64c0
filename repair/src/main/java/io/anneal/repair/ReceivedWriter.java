package io.anneal.repair;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.repair.row.KnownDeletions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.StagedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Turns what a replica received, window by window, into the fragments of one writer. It is the cursor that the SSTable
 * writer reads, moved on from outside: callers hand in deletions and rows in ring order, and a partition or a range
 * deletion that goes on in the next window goes on in the file. The SSTable is started with the first fragment. Owned by
 * the session's thread.
 */
final class ReceivedWriter implements Closeable {
    private final ReplicaTable table;
    private final ClusteringComparator comparator;
    private final Current current;
    private final EncodedItem item;
    private final Row received = new Row();

    private Optional<StagedWriter> output = Optional.empty();
    private Optional<DecoratedKey> partition = Optional.empty();
    private Optional<RangeDeletion> openRange = Optional.empty();

    ReceivedWriter(ReplicaTable table) {
        this.table = table;
        comparator = ClusteringComparator.of(table.schema());
        current = new Current(table.schema());
        item = new EncodedItem(table.schema());
    }

    /** Appends what was received in a window: encoded rows by place, and deletions. */
    void window(NavigableMap<RingPosition, byte[]> rows, KnownDeletions deletions) throws IOException {
        TreeSet<DecoratedKey> keys = new TreeSet<>();
        deletions.keys().forEach(keys::add);
        rows.keySet().forEach(position -> keys.add(position.key().orElseThrow()));
        for (DecoratedKey key : keys) {
            partition(key, deletions.partitionDeletion(key));
            RingPosition from = RingPosition.of(key, PositionInPartition.START);
            RingPosition to = RingPosition.of(key, PositionInPartition.END);
            content(rows.subMap(from, true, to, true).values(), deletions.steps(key));
        }
    }

    private void content(Iterable<byte[]> rows, List<RangeDeletion> ranges) throws IOException {
        int next = 0;
        for (byte[] encoded : rows) {
            item.wrap(encoded, 0, encoded.length).readRow(received);
            while (next < ranges.size()
                    && !received.isStatic()
                    && comparator.compare(
                                    ranges.get(next).start(),
                                    ranges.get(next).startWeight(),
                                    received.clustering(),
                                    ClusteringComparator.AT)
                            < 0) {
                range(ranges.get(next++));
            }
            row(received);
        }
        while (next < ranges.size()) {
            range(ranges.get(next++));
        }
    }

    /** Goes on with the partition, or ends the one before and starts it. */
    private void partition(DecoratedKey key, DeletionTime deletion) throws IOException {
        if (partition.isPresent() && partition.get().equals(key)) {
            if (!deletion.isLive()) {
                throw new IllegalStateException("partition deletion received behind the partition's first rows");
            }
            return;
        }
        endPartition();
        current.start(key, deletion);
        emit(FragmentKind.PARTITION_START);
        partition = Optional.of(key);
    }

    private void row(Row row) throws IOException {
        if (!row.isStatic()) {
            closeRangeBefore(row.clustering(), ClusteringComparator.AT);
        }
        current.row = row;
        emit(row.isStatic() ? FragmentKind.STATIC_ROW : FragmentKind.CLUSTERING_ROW);
    }

    /** Starts a range deletion; its end is written when something behind it comes. */
    private void range(RangeDeletion range) throws IOException {
        closeRangeBefore(range.start(), range.startWeight());
        if (openRange.isPresent()) {
            RangeDeletion open = openRange.get();
            boolean goesOn = open.timestampMicros() == range.timestampMicros()
                    && open.localDeletionTimeSeconds() == range.localDeletionTimeSeconds();
            if (!goesOn) {
                change(range.start(), range.startWeight(), range.timestampMicros(), range.localDeletionTimeSeconds());
            }
        } else {
            change(range.start(), range.startWeight(), range.timestampMicros(), range.localDeletionTimeSeconds());
        }
        openRange = Optional.of(range);
    }

    private void closeRangeBefore(Clustering prefix, int weight) throws IOException {
        if (openRange.isPresent()
                && comparator.compare(openRange.get().end(), openRange.get().endWeight(), prefix, weight) < 0) {
            closeRange();
        }
    }

    private void closeRange() throws IOException {
        RangeDeletion open = openRange.orElseThrow();
        change(open.end(), open.endWeight(), DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        openRange = Optional.empty();
    }

    private void change(Clustering prefix, int weight, long timestampMicros, long localSeconds) throws IOException {
        current.change.prefix().wrap(prefix);
        current.change.weight(weight);
        current.change.deletion(timestampMicros, localSeconds);
        emit(FragmentKind.RANGE_TOMBSTONE_CHANGE);
    }

    private void endPartition() throws IOException {
        if (openRange.isPresent()) {
            closeRange();
        }
        if (partition.isPresent()) {
            emit(FragmentKind.PARTITION_END);
            partition = Optional.empty();
        }
    }

    private void emit(FragmentKind kind) throws IOException {
        if (output.isEmpty()) {
            output = Optional.of(table.newOutput());
        }
        current.kind = kind;
        output.get().appendCurrent(current);
    }

    /** Completes the SSTables and says which they are: none when nothing was received. */
    List<Descriptor> finish() throws IOException {
        endPartition();
        if (output.isEmpty()) {
            return List.of();
        }
        List<Descriptor> written = output.get().finish();
        close();
        return written;
    }

    @Override
    public void close() throws IOException {
        if (output.isPresent()) {
            StagedWriter writer = output.get();
            output = Optional.empty();
            writer.close();
        }
    }

    /** The cursor whose current fragment is set from outside. */
    private static final class Current implements FragmentCursor {
        private final TableSchema schema;
        private final KeyView key = new KeyView();
        private final RangeTombstoneChange change = new RangeTombstoneChange();
        private FragmentKind kind;
        private DeletionTime deletion = DeletionTime.LIVE;
        private Row row;

        Current(TableSchema schema) {
            this.schema = schema;
        }

        void start(DecoratedKey newKey, DeletionTime partitionDeletion) {
            key.wrap(newKey);
            deletion = partitionDeletion;
        }

        @Override
        public TableSchema schema() {
            return schema;
        }

        @Override
        public FragmentKind advance() {
            throw new UnsupportedOperationException("this cursor is moved by what is received");
        }

        @Override
        public FragmentKind kind() {
            return kind;
        }

        @Override
        public KeyView key() {
            return key;
        }

        @Override
        public long partitionDeletionTimestampMicros() {
            return deletion.timestampMicros();
        }

        @Override
        public long partitionDeletionLocalTimeSeconds() {
            return deletion.localDeletionTimeSeconds();
        }

        @Override
        public Row row() {
            return row;
        }

        @Override
        public RangeTombstoneChange rangeTombstoneChange() {
            return change;
        }

        @Override
        public void nextPartition() {
            throw new UnsupportedOperationException("this cursor is moved by what is received");
        }

        @Override
        public void forwardTo(long token) {
            throw new UnsupportedOperationException("this cursor is moved by what is received");
        }

        @Override
        public void close() {}
    }
}
