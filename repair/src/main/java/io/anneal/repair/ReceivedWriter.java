package io.anneal.repair;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.HandedFragment;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.node.Receiving;
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
    private final Receiving run;
    private final ClusteringComparator comparator;
    private final HandedFragment current;
    private final EncodedItem item;
    private final Row received = new Row();

    private Optional<StagedWriter> output = Optional.empty();
    private Optional<DecoratedKey> partition = Optional.empty();
    private Optional<RangeDeletion> openRange = Optional.empty();

    ReceivedWriter(TableSchema schema, Receiving run) {
        this.run = run;
        comparator = ClusteringComparator.of(schema);
        current = new HandedFragment(schema);
        item = new EncodedItem(schema);
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
        emit(current.start(key, deletion));
        partition = Optional.of(key);
    }

    private void row(Row row) throws IOException {
        if (!row.isStatic()) {
            closeRangeBefore(row.clustering(), ClusteringComparator.AT);
        }
        emit(current.row(row));
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
        emit(current.change(prefix, weight, timestampMicros, localSeconds));
    }

    private void endPartition() throws IOException {
        if (openRange.isPresent()) {
            closeRange();
        }
        if (partition.isPresent()) {
            emit(current.end());
            partition = Optional.empty();
        }
    }

    private void emit(FragmentCursor fragment) throws IOException {
        if (output.isEmpty()) {
            output = Optional.of(run.newWriter());
        }
        output.get().appendCurrent(fragment);
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
}
