package io.anneal.simulation;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What a dry run with a cut-off may say of replicas, spelled out: where any of them has a row or a deletion that was written later,
 * nothing is compared; at every other place, and between any two places, what they show must be the same.
 */
final class CutOffViews {
    /** A place in a partition: a row's, or where a deletion begins or ends. */
    private record Place(Clustering prefix, int weight) {}

    /** What one replica shows of one partition. */
    private static final class Partition {
        private DeletionTime deletion = DeletionTime.LIVE;
        private Optional<Row> staticRow = Optional.empty();
        private final List<Row> rows = new ArrayList<>();
        private final List<RangeDeletion> ranges = new ArrayList<>();
    }

    private final TableSchema schema;
    private final ClusteringComparator comparator;
    private final long cutoffMicros;
    private final List<Map<DecoratedKey, Partition>> replicas = new ArrayList<>();
    private final List<String> rowsDiffering = new ArrayList<>();
    private final List<String> deletionsDiffering = new ArrayList<>();

    /** @param shown by each replica, purged */
    CutOffViews(List<FragmentList> shown, long cutoffMicros) {
        schema = shown.get(0).schema();
        comparator = ClusteringComparator.of(schema);
        this.cutoffMicros = cutoffMicros;
        shown.forEach(list -> replicas.add(partitions(list)));
        Set<DecoratedKey> keys = new TreeSet<>();
        replicas.forEach(replica -> keys.addAll(replica.keySet()));
        keys.forEach(this::compare);
    }

    /** Places at which rows differ, a line each. */
    List<String> rowsDiffering() {
        return rowsDiffering;
    }

    /** Places, and gaps between places, for which deletions differ, a line each. */
    List<String> deletionsDiffering() {
        return deletionsDiffering;
    }

    /** Rows of a replica that are left out. */
    long rowsLeftOut(int replica) {
        return replicas.get(replica).values().stream()
                .mapToLong(partition -> partition.rows.stream()
                                .filter(this::isRecent)
                                .count()
                        + partition.staticRow.stream().filter(this::isRecent).count())
                .sum();
    }

    /** Whether a replica has deletions that are left out. */
    boolean hasDeletionsLeftOut(int replica) {
        return replicas.get(replica).values().stream()
                .anyMatch(partition -> recentDeletions(partition).findAny().isPresent());
    }

    /** The same without those that a later partition deletion hides: the replica may be sent that one before it counts. */
    boolean hasDeletionsLeftOutUnhidden(int replica) {
        return replicas.get(replica).entrySet().stream()
                .anyMatch(entry -> recentDeletions(entry.getValue())
                        .anyMatch(recent -> replicas.stream()
                                .map(other -> other.getOrDefault(entry.getKey(), new Partition()).deletion)
                                .noneMatch(other -> other.supersedes(recent))));
    }

    private Stream<DeletionTime> recentDeletions(Partition partition) {
        return Stream.concat(
                        Stream.of(partition.deletion), partition.ranges.stream().map(CutOffViews::deletion))
                .filter(this::isRecent);
    }

    private static Map<DecoratedKey, Partition> partitions(FragmentList list) {
        Map<DecoratedKey, Partition> partitions = new TreeMap<>();
        Fragment open = null;
        for (Fragment fragment : list.fragments()) {
            Partition partition = partitions.computeIfAbsent(fragment.key(), key -> new Partition());
            switch (fragment.kind()) {
                case PARTITION_START -> partition.deletion = deletion(fragment);
                case STATIC_ROW -> partition.staticRow = Optional.of(fragment.row());
                case CLUSTERING_ROW -> partition.rows.add(fragment.row());
                case RANGE_TOMBSTONE_CHANGE -> {
                    if (open != null) {
                        partition.ranges.add(Mutations.range(open, fragment));
                    }
                    open = deletion(fragment).isLive() ? null : fragment;
                }
                case PARTITION_END -> {}
            }
        }
        return partitions;
    }

    private static DeletionTime deletion(Fragment fragment) {
        return new DeletionTime(fragment.timestampMicros(), fragment.localDeletionTimeSeconds());
    }

    private static DeletionTime deletion(RangeDeletion range) {
        return new DeletionTime(range.timestampMicros(), range.localDeletionTimeSeconds());
    }

    private boolean isRecent(DeletionTime deletion) {
        return !deletion.isLive() && deletion.timestampMicros() > cutoffMicros;
    }

    private boolean isRecent(Row row) {
        return row.newestTimestampMicros() > cutoffMicros;
    }

    private void compare(DecoratedKey key) {
        List<Partition> all = replicas.stream()
                .map(replica -> replica.getOrDefault(key, new Partition()))
                .toList();
        if (all.stream().anyMatch(partition -> isRecent(partition.deletion))) {
            return;
        }
        same(
                deletionsDiffering,
                key + " deletion",
                all.stream().map(partition -> partition.deletion).toList());
        if (all.stream()
                .noneMatch(
                        partition -> partition.staticRow.filter(this::isRecent).isPresent())) {
            same(
                    rowsDiffering,
                    key + " static row",
                    all.stream()
                            .map(partition -> partition.staticRow.map(row -> line(key, row)))
                            .toList());
        }
        for (Place place : places(all)) {
            List<DeletionTime> active =
                    all.stream().map(partition -> active(partition, place)).toList();
            if (active.stream().anyMatch(this::isRecent)) {
                continue;
            }
            if (place.weight() != ClusteringComparator.AT) {
                same(deletionsDiffering, key + " range deletion", active);
                continue;
            }
            List<Optional<Row>> rows =
                    all.stream().map(partition -> row(partition, place)).toList();
            if (rows.stream().noneMatch(row -> row.filter(this::isRecent).isPresent())) {
                same(
                        rowsDiffering,
                        key + " row",
                        rows.stream()
                                .map(row -> row.map(present -> line(key, present)))
                                .toList());
            }
        }
    }

    private static void same(List<String> differing, String what, List<?> ofReplicas) {
        if (new HashSet<>(ofReplicas).size() > 1) {
            differing.add(what + " " + ofReplicas);
        }
    }

    private String line(DecoratedKey key, Row row) {
        return FragmentList.builder(schema)
                .partition(key)
                .row(row)
                .end()
                .build()
                .lines()
                .get(1);
    }

    private Collection<Place> places(List<Partition> all) {
        TreeSet<Place> places =
                new TreeSet<>((l, r) -> comparator.compare(l.prefix(), l.weight(), r.prefix(), r.weight()));
        for (Partition partition : all) {
            for (RangeDeletion range : partition.ranges) {
                places.add(new Place(range.start(), range.startWeight()));
                places.add(new Place(range.end(), range.endWeight()));
            }
            partition.rows.forEach(row -> places.add(new Place(row.clustering(), ClusteringComparator.AT)));
        }
        return places;
    }

    /** The deletion of ranges that is in force at a place and right behind it. */
    private DeletionTime active(Partition partition, Place place) {
        return partition.ranges.stream()
                .filter(range -> comparator.compare(range.start(), range.startWeight(), place.prefix(), place.weight())
                                <= 0
                        && comparator.compare(place.prefix(), place.weight(), range.end(), range.endWeight()) < 0)
                .map(CutOffViews::deletion)
                .findFirst()
                .orElse(DeletionTime.LIVE);
    }

    private Optional<Row> row(Partition partition, Place place) {
        return partition.rows.stream()
                .filter(row ->
                        comparator.compare(row.clustering(), ClusteringComparator.AT, place.prefix(), place.weight())
                                == 0)
                .findFirst();
    }
}
