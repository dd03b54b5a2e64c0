package io.anneal.store;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.HandedFragment;
import io.anneal.fragment.ItemKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.merge.RowMerger;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * Makes ordered writes into fragments. Writes come by key, then partition deletion, static row, then by place, a range
 * deletion standing at its start; several may stand at one place. Versions of a row are merged, overlapping ranges become
 * the changes of one step function, and what a deletion shadows is left out: the rules of the merge, applied to a stream of
 * writes instead of to cursors.
 *
 * <pre>
 *   place held   all writes there are known once a greater place comes
 *   ends         open ranges by where they end: those before the new place end first
 *   open         their deletions by strength; the strongest, if it beats the partition's, covers the rows
 * </pre>
 *
 * Holds the versions of one row and the open ranges, nothing else. Owned by one thread.
 */
final class FragmentAssembler {
    /** Takes the fragment that the cursor stands at. */
    interface Output {
        void append(FragmentCursor fragment) throws IOException;
    }

    private static final Comparator<DeletionTime> BY_STRENGTH = Comparator.comparingLong(DeletionTime::timestampMicros)
            .thenComparingLong(DeletionTime::localDeletionTimeSeconds);

    private final Output output;
    private final ClusteringComparator comparator;
    private final RowMerger merger;
    private final HandedFragment fragment;
    private final List<Row> versions = new ArrayList<>();
    private final List<RangeDeletion> starting = new ArrayList<>();
    private final PriorityQueue<RangeDeletion> ends;
    private final TreeMap<DeletionTime, Integer> open = new TreeMap<>(BY_STRENGTH);

    private DecoratedKey key;
    private DeletionTime partitionDeletion;
    private boolean started;
    /** The last write of the partition, null before its first: what the next one must not stand before. */
    private Write last;
    /** The deletion that is open in what was written; live for none. */
    private DeletionTime written;

    FragmentAssembler(TableSchema schema, Output output) {
        this.output = output;
        comparator = ClusteringComparator.of(schema);
        merger = new RowMerger(schema, CanonicalEncoder.UNCLAMPED);
        fragment = new HandedFragment(schema);
        ends = new PriorityQueue<>(
                (left, right) -> comparator.compare(left.end(), left.endWeight(), right.end(), right.endWeight()));
    }

    /**
     * Adds the next write, which must stay as it is until a later place is added.
     *
     * @throws IllegalStateException when it stands before the one added last
     */
    void add(Write write) throws IOException {
        int byKey = key == null ? 1 : write.key().compareTo(key);
        if (byKey < 0) {
            throw new IllegalStateException("partitions out of order, they come by token, then by key, previous=" + key
                    + ", current=" + write.key());
        }
        if (byKey > 0) {
            endPartition();
            key = write.key();
            partitionDeletion = DeletionTime.LIVE;
            written = DeletionTime.LIVE;
            started = false;
            last = null;
        }
        int order = last == null ? 1 : compare(write, last);
        if (order < 0) {
            throw new IllegalStateException("writes out of order in their partition: its deletion comes first, then the"
                    + " static row, then rows and starts of ranges by clustering, key=" + key + ", previous="
                    + last.kind() + ", current=" + write.kind());
        }
        if (order > 0) {
            settle();
            if (isClustered(write)) {
                endRangesBefore(write);
            }
        }
        last = write;
        switch (write.kind()) {
            case PARTITION_DELETION -> {
                if (write.deletion().supersedes(partitionDeletion)) {
                    partitionDeletion = write.deletion();
                }
            }
            case STATIC_ROW, CLUSTERING_ROW -> versions.add(write.row());
            case RANGE_DELETION -> starting.add(write.range());
        }
    }

    private int compare(Write left, Write right) {
        if (!isClustered(left) || !isClustered(right)) {
            return Integer.compare(region(left), region(right));
        }
        return comparator.compare(prefix(left), weight(left), prefix(right), weight(right));
    }

    private static boolean isClustered(Write write) {
        return region(write) == 2;
    }

    private static int region(Write write) {
        return switch (write.kind()) {
            case PARTITION_DELETION -> 0;
            case STATIC_ROW -> 1;
            case CLUSTERING_ROW, RANGE_DELETION -> 2;
        };
    }

    private static Clustering prefix(Write write) {
        return write.kind() == ItemKind.RANGE_DELETION
                ? write.range().start()
                : write.row().clustering();
    }

    private static int weight(Write write) {
        return write.kind() == ItemKind.RANGE_DELETION ? write.range().startWeight() : ClusteringComparator.AT;
    }

    /** Writes what is known of the place held. */
    private void settle() throws IOException {
        if (!versions.isEmpty()) {
            row();
        }
        if (!starting.isEmpty()) {
            RangeDeletion place = starting.get(0);
            endRangesAt(place.start(), place.startWeight());
            for (RangeDeletion range : starting) {
                ends.add(range);
                open.merge(deletion(range), 1, Integer::sum);
            }
            change(place.start(), place.startWeight());
            starting.clear();
        }
    }

    private void row() throws IOException {
        boolean isStatic = versions.get(0).isStatic();
        DeletionTime covering = isStatic || written.isLive() ? partitionDeletion : written;
        merger.start(isStatic);
        versions.forEach(merger::add);
        Row merged = new Row();
        if (merger.merge(covering.timestampMicros(), covering.localDeletionTimeSeconds(), merged)) {
            start();
            output.append(fragment.row(merged));
        }
        versions.clear();
    }

    private void endRangesBefore(Write write) throws IOException {
        while (!ends.isEmpty()
                && comparator.compare(ends.peek().end(), ends.peek().endWeight(), prefix(write), weight(write)) < 0) {
            endFirstRanges();
        }
    }

    private void endFirstRanges() throws IOException {
        RangeDeletion first = ends.peek();
        endRangesAt(first.end(), first.endWeight());
        change(first.end(), first.endWeight());
    }

    private void endRangesAt(Clustering prefix, int weight) {
        while (!ends.isEmpty()
                && comparator.compare(ends.peek().end(), ends.peek().endWeight(), prefix, weight) == 0) {
            open.computeIfPresent(deletion(ends.poll()), (deletion, count) -> count == 1 ? null : count - 1);
        }
    }

    private static DeletionTime deletion(RangeDeletion range) {
        return new DeletionTime(range.timestampMicros(), range.localDeletionTimeSeconds());
    }

    /** Writes the step of the step function here, if there is one. */
    private void change(Clustering prefix, int weight) throws IOException {
        DeletionTime strongest = open.isEmpty() ? DeletionTime.LIVE : open.lastKey();
        DeletionTime next = strongest.supersedes(partitionDeletion) ? strongest : DeletionTime.LIVE;
        if (next.equals(written)) {
            return;
        }
        start();
        output.append(fragment.change(prefix, weight, next.timestampMicros(), next.localDeletionTimeSeconds()));
        written = next;
    }

    private void start() throws IOException {
        if (!started) {
            started = true;
            output.append(fragment.start(key, partitionDeletion));
        }
    }

    private void endPartition() throws IOException {
        if (key == null) {
            return;
        }
        settle();
        while (!ends.isEmpty()) {
            endFirstRanges();
        }
        if (!partitionDeletion.isLive()) {
            start();
        }
        if (started) {
            output.append(fragment.end());
        }
    }

    /** Ends the last partition. */
    void finish() throws IOException {
        endPartition();
        key = null;
    }
}
