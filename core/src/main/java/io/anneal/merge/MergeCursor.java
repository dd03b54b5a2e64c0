package io.anneal.merge;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.LargeRows;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.io.Closing;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * The merge of many cursors over one table: their content as one cursor, normalised by rules 1 to 8 and 13 of the canonical
 * form, the same for any split of the data over the sources. A single source is normalised too.
 *
 * <p>A k-way merge on two levels. Sources queue by key at partition starts; those with the least key are the partition's
 * members. Members queue by place inside it; those at the least place are a group: all rows, or all range tombstone
 * changes. Rows of a group go through a {@link RowMerger}. A change moves its member's own open deletion; the greatest
 * over all members, if it beats the partition deletion, is the merged step function, and only its steps are emitted.
 *
 * <pre>
 *   sources, by key          members, by place             out
 *   A: k1 ...            ->  A: row 1   row 3              row 1 (A+B)
 *   B: k1 ...                B: row 1   [2 .. 4] @7        [2 @7   row 3 (A, under @7)   4] live
 *   C:      k2 ...
 * </pre>
 *
 * <p>The algorithm is the ordinary k-way merge (Knuth, TAOCP vol. 3, 5.4.1) with a sorted array for the tree. Rows point at
 * the sources' buffers: a source moves on only when the next fragment is asked for. What shadowing leaves empty is
 * skipped; a partition without a deletion is announced only once its first fragment is known. Allocates nothing per
 * fragment once buffers have grown. Owns and closes the sources. Owned by one thread.
 */
public final class MergeCursor implements FragmentCursor {
    // Where it stands. Numbers, as the kinds: a reference that is stored costs the collector's barrier, some for each
    // row.
    private static final int BETWEEN_PARTITIONS = 0;
    private static final int STARTED = 1;
    /** The partition start was emitted and its first fragment is known. */
    private static final int STARTED_AHEAD = 2;

    private static final int CLUSTERED = 3;
    /** Inside a partition that one source alone has, which is most of them in a table that is compacted. */
    private static final int ALONE = 4;

    private final TableSchema schema;
    private final FragmentCursor[] sources;
    private final long localDeletionTimeMaxSeconds;
    private final boolean reversed;
    private final ClusteringComparator comparator;
    private final RowMerger rowMerger;
    private final SourceQueue byKey;
    private final SourceQueue byPlace;
    private final KeyView key = new KeyView();
    private final RangeTombstoneChange change = new RangeTombstoneChange();

    /** Sources that belong to the current partition. */
    private final int[] members;
    /** Sources that stand at the current place and have to move on; or at the current partition's end. */
    private final int[] group;
    /** Where each source stands inside its partition; views. */
    private final Clustering[] places;

    private final int[] weights;
    private final Row[] rows;
    private final long[] openTimestampsMicros;
    private final long[] openLocalDeletionTimesSeconds;

    private int memberCount;
    private int groupCount;
    private int openCount;
    private int state = BETWEEN_PARTITIONS;
    private int kind = FragmentKind.NONE;
    private int kindAhead;
    private boolean opened;
    private Row merged = new Row();
    private Row row;
    private long partitionTimestampMicros;
    private long partitionLocalDeletionTimeSeconds;
    private long activeTimestampMicros;
    private long activeLocalDeletionTimeSeconds;

    private MergeCursor(
            TableSchema schema,
            List<? extends FragmentCursor> cursors,
            long localDeletionTimeMaxSeconds,
            boolean reversed) {
        this.reversed = reversed;
        this.schema = schema;
        this.localDeletionTimeMaxSeconds = localDeletionTimeMaxSeconds;
        sources = cursors.toArray(FragmentCursor[]::new);
        comparator = ClusteringComparator.of(schema);
        rowMerger = new RowMerger(schema, localDeletionTimeMaxSeconds);
        members = new int[sources.length];
        group = new int[sources.length];
        places = new Clustering[sources.length];
        weights = new int[sources.length];
        rows = new Row[sources.length];
        openTimestampsMicros = new long[sources.length];
        openLocalDeletionTimesSeconds = new long[sources.length];
        byKey = new SourceQueue(sources.length) {
            @Override
            int compare(int leftSource, int rightSource) {
                return sources[leftSource].key().compareTo(sources[rightSource].key());
            }
        };
        byPlace = new SourceQueue(sources.length) {
            @Override
            int compare(int leftSource, int rightSource) {
                return comparePlaces(leftSource, rightSource);
            }
        };
    }

    /** Merges without a ceiling of local deletion times: for everything that stays on this machine. */
    public static MergeCursor of(TableSchema schema, List<? extends FragmentCursor> cursors) {
        return of(schema, cursors, CanonicalEncoder.UNCLAMPED);
    }

    /**
     * Merges.
     *
     * @param cursors not yet advanced, with columns as {@code schema} numbers them; closed by this cursor
     * @param localDeletionTimeMaxSeconds rule 13's ceiling: what the lowest of the participants' write formats holds
     */
    public static MergeCursor of(
            TableSchema schema, List<? extends FragmentCursor> cursors, long localDeletionTimeMaxSeconds) {
        return new MergeCursor(schema, cursors, localDeletionTimeMaxSeconds, false);
    }

    /** Merges reversed cursors over one partition to a reversed one; local deletion times have no ceiling. */
    public static MergeCursor ofReversed(TableSchema schema, List<? extends FragmentCursor> cursors) {
        return new MergeCursor(schema, cursors, CanonicalEncoder.UNCLAMPED, true);
    }

    private int comparePlaces(int leftSource, int rightSource) {
        int order =
                comparator.compare(places[leftSource], weights[leftSource], places[rightSource], weights[rightSource]);
        return reversed ? -order : order;
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public FragmentKind advance() throws IOException {
        FragmentKind next = switch (state) {
            case BETWEEN_PARTITIONS -> startPartition();
            case STARTED -> firstFragment();
            case STARTED_AHEAD -> fragmentAhead();
            case CLUSTERED -> nextFragment();
            case ALONE -> nextOfOnlyMember();
            default -> throw new AssertionError(state);
        };
        kind = FragmentKind.code(next);
        return next;
    }

    /** Emits the start of the next partition that exists. */
    private FragmentKind startPartition() throws IOException {
        openSources();
        while (true) {
            for (int m = 0; m < memberCount; m++) {
                queueByKey(members[m]);
            }
            memberCount = 0;
            if (byKey.isEmpty()) {
                return null;
            }
            gatherMembers();
            if (partitionTimestampMicros != DeletionTime.NO_TIMESTAMP) {
                state = STARTED;
                return FragmentKind.PARTITION_START;
            }
            FragmentKind first = firstFragment();
            if (first != FragmentKind.PARTITION_END) {
                kindAhead = FragmentKind.code(first);
                state = STARTED_AHEAD;
                return FragmentKind.PARTITION_START;
            }
        }
    }

    private void openSources() throws IOException {
        if (!opened) {
            opened = true;
            for (int source = 0; source < sources.length; source++) {
                queueByKey(source);
            }
        }
    }

    private void queueByKey(int source) throws IOException {
        FragmentKind next = sources[source].advance();
        if (next != null) {
            assert next == FragmentKind.PARTITION_START : next;
            byKey.add(source);
        }
    }

    private void gatherMembers() {
        partitionTimestampMicros = DeletionTime.NO_TIMESTAMP;
        partitionLocalDeletionTimeSeconds = DeletionTime.NO_DELETION_TIME;
        KeyView least = sources[byKey.peek()].key();
        do {
            int source = byKey.poll();
            members[memberCount++] = source;
            long micros = sources[source].partitionDeletionTimestampMicros();
            long seconds = clamp(sources[source].partitionDeletionLocalTimeSeconds());
            if (DeletionTime.supersedes(micros, seconds, partitionTimestampMicros, partitionLocalDeletionTimeSeconds)) {
                partitionTimestampMicros = micros;
                partitionLocalDeletionTimeSeconds = seconds;
            }
        } while (!byKey.isEmpty() && sources[byKey.peek()].key().sameAs(least));
        key.wrap(least);
        activeTimestampMicros = partitionTimestampMicros;
        activeLocalDeletionTimeSeconds = partitionLocalDeletionTimeSeconds;
    }

    private long clamp(long seconds) {
        return CanonicalEncoder.clamp(seconds, localDeletionTimeMaxSeconds);
    }

    private FragmentKind fragmentAhead() {
        state = memberCount == 1 ? ALONE : CLUSTERED;
        return FragmentKind.ofCode(kindAhead);
    }

    /** Emits the static row, or the first fragment behind it. */
    private FragmentKind firstFragment() throws IOException {
        openCount = 0;
        if (memberCount == 1) {
            state = ALONE;
            int source = members[0];
            openTimestampsMicros[source] = DeletionTime.NO_TIMESTAMP;
            openLocalDeletionTimesSeconds[source] = DeletionTime.NO_DELETION_TIME;
            group[0] = source;
            groupCount = 1;
            return nextOfOnlyMember();
        }
        state = CLUSTERED;
        groupCount = 0;
        rowMerger.start(true);
        boolean hasStatic = false;
        for (int m = 0; m < memberCount; m++) {
            int source = members[m];
            openTimestampsMicros[source] = DeletionTime.NO_TIMESTAMP;
            openLocalDeletionTimesSeconds[source] = DeletionTime.NO_DELETION_TIME;
            FragmentKind first = sources[source].advance();
            if (first == FragmentKind.STATIC_ROW) {
                rowMerger.add(sources[source].row());
                group[groupCount++] = source;
                hasStatic = true;
            } else {
                queueByPlace(source, first);
            }
        }
        if (hasStatic && mergeRow()) {
            return FragmentKind.STATIC_ROW;
        }
        return nextFragment();
    }

    private void queueByPlace(int source, FragmentKind current) {
        switch (current) {
            case CLUSTERING_ROW -> {
                rows[source] = sources[source].row();
                places[source] = rows[source].clustering();
                weights[source] = ClusteringComparator.AT;
                byPlace.add(source);
            }
            case RANGE_TOMBSTONE_CHANGE -> {
                RangeTombstoneChange sourceChange = sources[source].rangeTombstoneChange();
                places[source] = sourceChange.prefix();
                weights[source] = sourceChange.weight();
                byPlace.add(source);
            }
            case PARTITION_END -> {}
            default -> throw new AssertionError(current);
        }
    }

    private FragmentKind nextFragment() throws IOException {
        recycleMerged();
        while (true) {
            for (int g = 0; g < groupCount; g++) {
                queueByPlace(group[g], sources[group[g]].advance());
            }
            groupCount = 0;
            if (byPlace.isEmpty()) {
                assert openCount == 0 : openCount;
                state = BETWEEN_PARTITIONS;
                return FragmentKind.PARTITION_END;
            }
            int first = byPlace.poll();
            group[groupCount++] = first;
            while (!byPlace.isEmpty() && comparePlaces(first, byPlace.peek()) == 0) {
                group[groupCount++] = byPlace.poll();
            }
            if (weights[first] != ClusteringComparator.AT) {
                if (mergeChanges()) {
                    return FragmentKind.RANGE_TOMBSTONE_CHANGE;
                }
                continue;
            }
            rowMerger.start(false);
            for (int g = 0; g < groupCount; g++) {
                rowMerger.add(rows[group[g]]);
            }
            if (mergeRow()) {
                return FragmentKind.CLUSTERING_ROW;
            }
        }
    }

    /** As {@link #nextFragment}, where there is nothing to compare with; the static row too. */
    private FragmentKind nextOfOnlyMember() throws IOException {
        recycleMerged();
        int source = group[0];
        FragmentCursor only = sources[source];
        while (true) {
            FragmentKind next = only.advance();
            if (next == FragmentKind.CLUSTERING_ROW || next == FragmentKind.STATIC_ROW) {
                rowMerger.start(next == FragmentKind.STATIC_ROW);
                rowMerger.add(only.row());
                if (mergeRow()) {
                    return next;
                }
            } else if (next == FragmentKind.PARTITION_END) {
                assert openCount == 0 : openCount;
                groupCount = 0;
                state = BETWEEN_PARTITIONS;
                return next;
            } else {
                places[source] = only.rangeTombstoneChange().prefix();
                weights[source] = only.rangeTombstoneChange().weight();
                if (mergeChanges()) {
                    return next;
                }
            }
        }
    }

    private boolean mergeRow() {
        if (rowMerger.isOnlyVersionNormal(activeTimestampMicros)) {
            point(rowMerger.onlyVersion());
            return true;
        }
        point(merged);
        return rowMerger.merge(activeTimestampMicros, activeLocalDeletionTimeSeconds, merged);
    }

    /** Nearly always at the same row, and a comparison is cheaper than the collector's barrier. */
    private void point(Row current) {
        if (row != current) {
            row = current;
        }
    }

    private void recycleMerged() {
        Row recycled = Row.recycle(merged);
        if (merged != recycled) {
            merged = recycled;
        }
    }

    /** Applies the group's changes; whether the merged step function has a step here. */
    private boolean mergeChanges() {
        for (int g = 0; g < groupCount; g++) {
            int source = group[g];
            RangeTombstoneChange sourceChange = sources[source].rangeTombstoneChange();
            openCount += (sourceChange.isLive() ? 0 : 1) - (isOpen(source) ? 1 : 0);
            openTimestampsMicros[source] = sourceChange.timestampMicros();
            openLocalDeletionTimesSeconds[source] = clamp(sourceChange.localDeletionTimeSeconds());
        }
        long micros = partitionTimestampMicros;
        long seconds = partitionLocalDeletionTimeSeconds;
        for (int m = 0; openCount > 0 && m < memberCount; m++) {
            int source = members[m];
            if (DeletionTime.supersedes(
                    openTimestampsMicros[source], openLocalDeletionTimesSeconds[source], micros, seconds)) {
                micros = openTimestampsMicros[source];
                seconds = openLocalDeletionTimesSeconds[source];
            }
        }
        if (micros == activeTimestampMicros && seconds == activeLocalDeletionTimeSeconds) {
            return false;
        }
        activeTimestampMicros = micros;
        activeLocalDeletionTimeSeconds = seconds;
        Clustering place = places[group[0]];
        for (int g = 1; g < groupCount; g++) {
            place = places[group[g]].compareBytes(place) < 0 ? places[group[g]] : place;
        }
        change.prefix().wrap(place);
        change.weight(weights[group[0]]);
        if (micros == partitionTimestampMicros && seconds == partitionLocalDeletionTimeSeconds) {
            change.deletion(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);
        } else {
            change.deletion(micros, seconds);
        }
        return true;
    }

    private boolean isOpen(int source) {
        return !DeletionTime.isLive(openTimestampsMicros[source], openLocalDeletionTimesSeconds[source]);
    }

    @Override
    public FragmentKind kind() {
        return FragmentKind.ofCode(kind);
    }

    @Override
    public KeyView key() {
        return key;
    }

    @Override
    public long partitionDeletionTimestampMicros() {
        return partitionTimestampMicros;
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return partitionLocalDeletionTimeSeconds;
    }

    @Override
    public Row row() {
        assert kind() == FragmentKind.STATIC_ROW || kind() == FragmentKind.CLUSTERING_ROW : kind();
        return row;
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        assert kind() == FragmentKind.RANGE_TOMBSTONE_CHANGE : kind();
        return change;
    }

    @Override
    public void nextPartition() throws IOException {
        if (state == BETWEEN_PARTITIONS) {
            return;
        }
        byPlace.clear();
        groupCount = 0;
        for (int m = 0; m < memberCount; m++) {
            sources[members[m]].nextPartition();
        }
        state = BETWEEN_PARTITIONS;
        kind = FragmentKind.code(FragmentKind.PARTITION_END);
    }

    @Override
    public void forwardTo(long token) throws IOException {
        if (state != BETWEEN_PARTITIONS) {
            if (key.token() >= token) {
                return;
            }
            nextPartition();
        }
        if (!opened) {
            for (FragmentCursor source : sources) {
                source.forwardTo(token);
            }
            return;
        }
        for (int m = 0; m < memberCount; m++) {
            sources[members[m]].forwardTo(token);
        }
        while (!byKey.isEmpty() && sources[byKey.peek()].key().token() < token) {
            int source = byKey.poll();
            sources[source].forwardTo(token);
            queueByKey(source);
        }
    }

    @Override
    public void askBefore(LargeRows large) {
        for (FragmentCursor source : sources) {
            source.askBefore(large);
        }
    }

    @Override
    public void releaseRow() {
        merged.release();
        for (int g = 0; g < groupCount; g++) {
            sources[group[g]].releaseRow();
        }
    }

    @Override
    public long heldBytes() {
        long bytes = 0;
        for (FragmentCursor source : sources) {
            bytes += source.heldBytes();
        }
        return bytes;
    }

    @Override
    public void close() throws IOException {
        Closing.all(Arrays.asList(sources));
    }
}
