package io.anneal.conformance;

import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EncodedItem;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** What one peer sent, items in any order, as a stream: range deletions become changes, one where two of them touch. */
final class ReceivedItems {
    private record Place(Clustering prefix, int weight) {}

    private record Change(Place at, DeletionTime deletion) {}

    /** What was sent of one partition. */
    private static final class Partition {
        private DeletionTime deletion = DeletionTime.LIVE;
        private Optional<Row> staticRow = Optional.empty();
        private final TreeMap<Place, Row> rows;
        private final TreeMap<Place, Change> changes;

        Partition(ClusteringComparator comparator) {
            rows = new TreeMap<>(
                    (left, right) -> comparator.compare(left.prefix(), left.weight(), right.prefix(), right.weight()));
            changes = new TreeMap<>(rows.comparator());
        }
    }

    private ReceivedItems() {}

    static FragmentList list(TableSchema schema, Collection<byte[]> items) throws CorruptItemException {
        ClusteringComparator comparator = ClusteringComparator.of(schema);
        TreeMap<DecoratedKey, Partition> partitions = new TreeMap<>();
        for (byte[] bytes : items) {
            EncodedItem item = new EncodedItem(schema).wrap(bytes, 0, bytes.length);
            add(item, partitions.computeIfAbsent(item.key().toDecoratedKey(), key -> new Partition(comparator)));
        }
        FragmentList.Builder builder = FragmentList.builder(schema);
        partitions.forEach((key, partition) -> build(key, partition, builder));
        return builder.build();
    }

    private static void add(EncodedItem item, Partition partition) throws CorruptItemException {
        switch (item.kind()) {
            case PARTITION_DELETION -> {
                RangeDeletion deletion = new RangeDeletion();
                item.readPartitionDeletion(deletion);
                partition.deletion = deletion(deletion);
            }
            case STATIC_ROW -> partition.staticRow = Optional.of(row(item));
            case CLUSTERING_ROW -> {
                Row row = row(item);
                partition.rows.put(new Place(row.clustering(), ClusteringComparator.AT), row);
            }
            case RANGE_DELETION -> {
                RangeDeletion range = new RangeDeletion();
                item.readRangeDeletion(range);
                Place start = new Place(range.start(), range.startWeight());
                Place end = new Place(range.end(), range.endWeight());
                partition.changes.put(start, new Change(start, deletion(range)));
                partition.changes.putIfAbsent(end, new Change(end, DeletionTime.LIVE));
            }
        }
    }

    private static Row row(EncodedItem item) throws CorruptItemException {
        Row row = new Row();
        item.readRow(row);
        return row;
    }

    private static DeletionTime deletion(RangeDeletion range) {
        return new DeletionTime(range.timestampMicros(), range.localDeletionTimeSeconds());
    }

    private static void build(DecoratedKey key, Partition partition, FragmentList.Builder builder) {
        builder.partition(key, partition.deletion.timestampMicros(), partition.deletion.localDeletionTimeSeconds());
        partition.staticRow.ifPresent(builder::row);
        List<Change> changes = new ArrayList<>(partition.changes.values());
        partition.rows.forEach((place, row) -> {
            while (!changes.isEmpty()
                    && partition.rows.comparator().compare(changes.get(0).at(), place) < 0) {
                change(changes.remove(0), builder);
            }
            builder.row(row);
        });
        changes.forEach(change -> change(change, builder));
        builder.end();
    }

    private static void change(Change change, FragmentList.Builder builder) {
        builder.change(
                change.at().prefix(),
                change.at().weight(),
                change.deletion().timestampMicros(),
                change.deletion().localDeletionTimeSeconds());
    }
}
