package io.anneal.repair;

import com.google.common.collect.Iterators;
import com.google.common.collect.PeekingIterator;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.HandedFragment;
import io.anneal.fragment.LargeRows;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.node.Receiving;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.row.KnownDeletions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.StagedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Turns what a replica received, window by window, into the fragments of one writer. It is the cursor that the SSTable
 * writer reads, moved on from outside: callers hand in deletions and rows in ring order, and a partition or a range
 * deletion that goes on in the next window goes on in the file. Rows are read where they lie, once. The SSTable is started
 * with the first fragment. Owned by the session's thread.
 */
final class ReceivedWriter implements Closeable {
    private final Receiving run;
    private final RepairMeter meter;
    private final ClusteringComparator comparator;
    private final HandedFragment current;
    private final Row received = new Row();

    private Optional<StagedWriter> output = Optional.empty();
    private Optional<DecoratedKey> partition = Optional.empty();
    private Optional<RangeDeletion> openRange = Optional.empty();
    private long countedBytes;

    ReceivedWriter(TableSchema schema, Receiving run, RepairMeter meter) {
        this.run = run;
        this.meter = meter;
        comparator = ClusteringComparator.of(schema);
        current = new HandedFragment(schema);
    }

    /** Appends what was received in a window, rows and deletions; returns the number of rows. */
    long window(WindowRows rows, KnownDeletions deletions) throws IOException {
        WindowContent content = new WindowContent(deletions);
        long count = rows.forEachReceived(content::row);
        content.end();
        countBytes();
        return count;
    }

    private void countBytes() {
        if (output.isPresent()) {
            long lengthBytes = output.get().dataLengthBytes();
            meter.add(RepairCount.BYTES_WRITTEN, lengthBytes - countedBytes);
            countedBytes = lengthBytes;
        }
    }

    /** Puts the deletions of one window between its rows; both come in ring order. */
    private final class WindowContent {
        private final KnownDeletions deletions;
        private final PeekingIterator<DecoratedKey> deleted;
        /** Of the partition that this window is at; without bytes before the first. */
        private final KeyView key = new KeyView();

        private List<RangeDeletion> ranges = List.of();
        private int nextRange;
        private boolean started;

        WindowContent(KnownDeletions deletions) {
            this.deletions = deletions;
            deleted = Iterators.peekingIterator(deletions.keys().iterator());
        }

        void row(EncodedItem item) throws IOException {
            if (!started || !key.sameAs(item.key())) {
                startAt(item.key().toDecoratedKey());
            }
            item.readRow(received);
            while (nextRange < ranges.size() && !received.isStatic() && startsBefore(ranges.get(nextRange), received)) {
                range(ranges.get(nextRange++));
            }
            ReceivedWriter.this.row(received);
            if (item.lengthBytes() > LargeRows.UNASKED_BYTES_MAX) {
                received.release();
            }
        }

        private boolean startsBefore(RangeDeletion range, Row row) {
            return comparator.compare(range.start(), range.startWeight(), row.clustering(), ClusteringComparator.AT)
                    < 0;
        }

        private void startAt(DecoratedKey next) throws IOException {
            while (deleted.hasNext() && deleted.peek().compareTo(next) < 0) {
                start(deleted.next());
            }
            if (deleted.hasNext() && deleted.peek().equals(next)) {
                deleted.next();
            }
            start(next);
        }

        private void start(DecoratedKey next) throws IOException {
            endRanges();
            partition(next, deletions.partitionDeletion(next));
            key.wrap(next);
            ranges = deletions.steps(next);
            nextRange = 0;
            started = true;
        }

        private void endRanges() throws IOException {
            while (nextRange < ranges.size()) {
                range(ranges.get(nextRange++));
            }
        }

        void end() throws IOException {
            while (deleted.hasNext()) {
                start(deleted.next());
            }
            endRanges();
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
        countBytes();
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
