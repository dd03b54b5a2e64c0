package io.anneal.simulation;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a store has to hold: every write that a table took, kept as it came, and the rules of the canonical form spelled
 * out over all of them at once, slowly. Shares no code with the merge. Without counters and shadowable deletions.
 */
public final class NaiveTable {
    private final TableSchema schema;
    private final ClusteringComparator comparator;
    private final NavigableMap<DecoratedKey, Writes> partitions = new TreeMap<>();

    public NaiveTable(TableSchema schema) {
        this.schema = schema;
        comparator = ClusteringComparator.of(schema);
    }

    /** All that was written to one partition. */
    private static final class Writes {
        private final List<DeletionTime> deletions = new ArrayList<>();
        private final List<RangeDeletion> ranges = new ArrayList<>();
        private final List<Row> rows = new ArrayList<>();
        /** The merge of what stands above, or null when it has to be made. */
        private List<Fragment> merged;
    }

    public TableSchema schema() {
        return schema;
    }

    public void apply(Mutation mutation) {
        Writes writes = writesTo(mutation.key());
        EncodedItem item = new EncodedItem(schema);
        try {
            for (int at = 0; at < mutation.lengthBytes(); at = item.endOffset()) {
                add(item.wrap(mutation.bytes(), at, mutation.lengthBytes()), writes);
            }
        } catch (CorruptItemException e) {
            throw new AssertionError("mutation is corrupt, key=" + mutation.key(), e);
        }
    }

    private static void add(EncodedItem item, Writes writes) throws CorruptItemException {
        RangeDeletion deletion = new RangeDeletion();
        switch (item.kind()) {
            case PARTITION_DELETION -> {
                item.readPartitionDeletion(deletion);
                writes.deletions.add(new DeletionTime(deletion.timestampMicros(), deletion.localDeletionTimeSeconds()));
            }
            case RANGE_DELETION -> {
                item.readRangeDeletion(deletion);
                writes.ranges.add(deletion.copy());
            }
            case STATIC_ROW, CLUSTERING_ROW -> {
                Row row = new Row();
                item.readRow(row);
                writes.rows.add(row.toRow());
            }
        }
    }

    private Writes writesTo(DecoratedKey key) {
        Writes writes = partitions.computeIfAbsent(key, k -> new Writes());
        writes.merged = null;
        return writes;
    }

    /** Takes what an SSTable holds. */
    public void add(FragmentList source) {
        Writes writes = null;
        Fragment open = null;
        for (Fragment fragment : source.fragments()) {
            switch (fragment.kind()) {
                case PARTITION_START -> {
                    writes = writesTo(fragment.key());
                    DeletionTime deletion = deletion(fragment);
                    if (!deletion.isLive()) {
                        writes.deletions.add(deletion);
                    }
                }
                case STATIC_ROW, CLUSTERING_ROW -> writes.rows.add(fragment.row());
                case RANGE_TOMBSTONE_CHANGE -> {
                    if (open != null) {
                        writes.ranges.add(Mutations.range(open, fragment));
                    }
                    open = deletion(fragment).isLive() ? null : fragment;
                }
                case PARTITION_END -> {}
            }
        }
    }

    private static DeletionTime deletion(Fragment fragment) {
        return new DeletionTime(fragment.timestampMicros(), fragment.localDeletionTimeSeconds());
    }

    /** Forgets everything. */
    public void truncate() {
        partitions.clear();
    }

    /** Keeps the merge of what was written instead of the writes: merging more into it gives the same, and takes less. */
    public void forgetShadowed() {
        FragmentList content = content();
        partitions.clear();
        add(content);
    }

    /** The canonical content, unpurged. */
    public FragmentList content() {
        FragmentList.Builder builder = FragmentList.builder(schema);
        partitions.forEach((key, writes) -> merged(key, writes).forEach(builder::add));
        return builder.build();
    }

    /** Each partition that exists. */
    public Map<DecoratedKey, FragmentList> contentByKey() {
        Map<DecoratedKey, FragmentList> byKey = new LinkedHashMap<>();
        partitions.forEach((key, writes) -> {
            List<Fragment> fragments = merged(key, writes);
            if (!fragments.isEmpty()) {
                FragmentList.Builder builder = FragmentList.builder(schema);
                fragments.forEach(builder::add);
                byKey.put(key, builder.build());
            }
        });
        return byKey;
    }

    private List<Fragment> merged(DecoratedKey key, Writes writes) {
        if (writes.merged == null) {
            writes.merged = merge(key, writes);
        }
        return writes.merged;
    }

    private record Place(Clustering prefix, int weight) {}

    private List<Fragment> merge(DecoratedKey key, Writes writes) {
        FragmentList.Builder out = FragmentList.builder(schema);
        DeletionTime partition = NaiveRow.greatest(writes.deletions.stream());
        out.partition(key, partition.timestampMicros(), partition.localDeletionTimeSeconds());
        List<Row> statics = writes.rows.stream().filter(Row::isStatic).toList();
        Row staticRow = NaiveRow.merge(schema, statics, partition);
        if (staticRow != null) {
            out.row(staticRow);
        }
        DeletionTime open = DeletionTime.LIVE;
        for (Map.Entry<Place, List<Row>> entry : places(writes).entrySet()) {
            Place place = entry.getKey();
            DeletionTime range = NaiveRow.greatest(writes.ranges.stream()
                    .filter(r -> covers(r, place))
                    .map(r -> new DeletionTime(r.timestampMicros(), r.localDeletionTimeSeconds())));
            DeletionTime active = NaiveRow.STRENGTH.compare(range, partition) > 0 ? range : DeletionTime.LIVE;
            if (place.weight() == ClusteringComparator.AT) {
                Row row = NaiveRow.merge(schema, entry.getValue(), active.isLive() ? partition : active);
                if (row != null) {
                    out.row(row);
                }
            } else if (!active.equals(open)) {
                out.change(place.prefix(), place.weight(), active.timestampMicros(), active.localDeletionTimeSeconds());
                open = active;
            }
        }
        List<Fragment> fragments = out.end().build().fragments();
        boolean exists = fragments.size() > 2 || !partition.isLive();
        return exists ? fragments : List.of();
    }

    private TreeMap<Place, List<Row>> places(Writes writes) {
        TreeMap<Place, List<Row>> places =
                new TreeMap<>((l, r) -> comparator.compare(l.prefix(), l.weight(), r.prefix(), r.weight()));
        for (RangeDeletion range : writes.ranges) {
            places.computeIfAbsent(new Place(range.start(), range.startWeight()), p -> new ArrayList<>());
            places.computeIfAbsent(new Place(range.end(), range.endWeight()), p -> new ArrayList<>());
        }
        for (Row row : writes.rows) {
            if (!row.isStatic()) {
                places.computeIfAbsent(new Place(row.clustering(), ClusteringComparator.AT), p -> new ArrayList<>())
                        .add(row);
            }
        }
        return places;
    }

    /** Whether the deletion is in force at the place and right behind it. */
    private boolean covers(RangeDeletion range, Place place) {
        return comparator.compare(range.start(), range.startWeight(), place.prefix(), place.weight()) <= 0
                && comparator.compare(place.prefix(), place.weight(), range.end(), range.endWeight()) < 0;
    }
}
