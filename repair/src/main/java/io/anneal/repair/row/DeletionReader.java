package io.anneal.repair.row;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The deletions that a replica has read, cut into windows. Range tombstone changes are kept as they come; fixing a window
 * turns those in it into closed intervals, cut at the window's end, and carries the open deletion on (rule 12 of the
 * canonical form). Owned by one thread.
 */
public final class DeletionReader {
    /** What a deletion weighs in the row buffer's budget besides its bytes. */
    private static final int OVERHEAD_BYTES = 400;

    private record Change(RingPosition at, DeletionTime deletion) {}

    private record Open(DecoratedKey key, PositionInPartition start, DeletionTime deletion) {}

    private final ClusteringComparator comparator;
    private final Deque<DeletionItem> partitions = new ArrayDeque<>();
    private final Deque<Change> changes = new ArrayDeque<>();
    private Optional<Open> open = Optional.empty();
    private long bytes;

    public DeletionReader(ClusteringComparator comparator) {
        this.comparator = comparator;
    }

    public void add(DecoratedKey key, DeletionTime partitionDeletion) {
        partitions.add(DeletionItem.ofPartition(key, partitionDeletion));
        bytes += OVERHEAD_BYTES + key.bytes().length;
    }

    public void add(DecoratedKey key, RangeTombstoneChange change) {
        Clustering prefix = change.prefix().copy();
        PositionInPartition at = new PositionInPartition(PositionInPartition.Region.CLUSTERED, prefix, change.weight());
        changes.add(new Change(
                RingPosition.of(key, at),
                new DeletionTime(change.timestampMicros(), change.localDeletionTimeSeconds())));
        bytes += OVERHEAD_BYTES + prefix.buffer().length;
    }

    /** Deletions beyond the last window. */
    public int count() {
        return partitions.size() + changes.size();
    }

    /** What they weigh. */
    public long bytes() {
        return bytes;
    }

    /** The place of the change read last. */
    public RingPosition lastChange() {
        return changes.getLast().at();
    }

    /** Takes out the deletions up to {@code boundary}, in ring order, partition deletions before ranges of their key. */
    public List<DeletionItem> window(RingPosition boundary) {
        List<DeletionItem> items = new ArrayList<>();
        while (!changes.isEmpty() && changes.getFirst().at().compareTo(boundary, comparator) <= 0) {
            Change change = changes.removeFirst();
            bytes -= OVERHEAD_BYTES + change.at().position().prefix().buffer().length;
            close(change.at().position(), items);
            open = change.deletion().isLive()
                    ? Optional.empty()
                    : Optional.of(new Open(
                            change.at().key().orElseThrow(), change.at().position(), change.deletion()));
        }
        if (open.isPresent()) {
            assert boundary.key().orElseThrow().equals(open.get().key()) : boundary;
            close(boundary.position(), items);
            open = Optional.of(
                    new Open(open.get().key(), boundary.position(), open.get().deletion()));
        }
        List<DeletionItem> all = new ArrayList<>();
        while (!partitions.isEmpty() && isInWindow(partitions.getFirst(), boundary)) {
            DeletionItem partition = partitions.removeFirst();
            bytes -= OVERHEAD_BYTES + partition.key().bytes().length;
            all.add(partition);
        }
        all.addAll(items);
        all.sort((left, right) -> {
            int byKey = left.key().compareTo(right.key());
            return byKey != 0 ? byKey : Boolean.compare(right.isPartition(), left.isPartition());
        });
        return all;
    }

    private boolean isInWindow(DeletionItem partition, RingPosition boundary) {
        return RingPosition.of(partition.key(), PositionInPartition.START).compareTo(boundary, comparator) <= 0;
    }

    private void close(PositionInPartition end, List<DeletionItem> items) {
        if (open.isEmpty()
                || comparator.compare(
                                open.get().start().prefix(), open.get().start().weight(), end.prefix(), end.weight())
                        == 0) {
            return;
        }
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(open.get().start().prefix());
        range.end().wrap(end.prefix());
        range.weights(open.get().start().weight(), end.weight());
        range.deletion(
                open.get().deletion().timestampMicros(), open.get().deletion().localDeletionTimeSeconds());
        items.add(DeletionItem.ofRange(open.get().key(), range));
    }
}
