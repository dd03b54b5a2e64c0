package io.anneal.merge;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.MemoryPartition;
import io.anneal.fragment.Row;
import io.anneal.fragment.StreamText;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The rules of the canonical form spelled out over all cells at once, slowly: what the merge is compared with. */
public final class NaiveMerge {
    private static final Comparator<DeletionTime> STRENGTH = Comparator.comparingLong(DeletionTime::timestampMicros)
            .thenComparing(DeletionTime::localDeletionTimeSeconds, NaiveMerge::compareNoTimeFirst);

    private record Place(Clustering prefix, int weight) {}

    private record Cell(long micros, int ttl, long seconds, byte[] value) {
        boolean tombstone() {
            return ttl == 0 && seconds != DeletionTime.NO_DELETION_TIME;
        }

        int rank() {
            return tombstone() ? 2 : ttl != 0 ? 1 : 0;
        }
    }

    private record Liveness(long micros, int ttl, long expiry) {
        int rank() {
            return ttl == Row.EXPIRED_LIVENESS_TTL ? 2 : ttl != 0 ? 1 : 0;
        }
    }

    private static final Comparator<Cell> CELLS = Comparator.comparingLong(Cell::micros)
            .thenComparingInt(Cell::rank)
            .thenComparingLong(Cell::seconds)
            .thenComparing(Comparator.comparingInt(Cell::ttl).reversed())
            .thenComparing(Cell::value, Arrays::compareUnsigned);
    private static final Comparator<Liveness> LIVENESS = Comparator.comparingLong(Liveness::micros)
            .thenComparingInt(Liveness::rank)
            .thenComparingLong(Liveness::expiry)
            .thenComparing(Comparator.comparingInt(Liveness::ttl).reversed());

    private final TableSchema schema;
    private final ClusteringComparator comparator;
    private final long ceilingSeconds;
    private final List<String> lines = new ArrayList<>();

    private NaiveMerge(TableSchema schema, long ceilingSeconds) {
        this.schema = schema;
        this.ceilingSeconds = ceilingSeconds;
        comparator = ClusteringComparator.of(schema);
    }

    public static List<String> lines(TableSchema schema, List<List<MemoryPartition>> sources, long ceilingSeconds) {
        NaiveMerge merge = new NaiveMerge(schema, ceilingSeconds);
        TreeMap<DecoratedKey, List<MemoryPartition>> byKey = new TreeMap<>();
        sources.forEach(source -> source.forEach(
                p -> byKey.computeIfAbsent(p.key(), k -> new ArrayList<>()).add(p)));
        byKey.forEach(merge::partition);
        return merge.lines;
    }

    private static int compareNoTimeFirst(long left, long right) {
        return Long.compare(
                left == DeletionTime.NO_DELETION_TIME ? -1 : left, right == DeletionTime.NO_DELETION_TIME ? -1 : right);
    }

    private long clamp(long seconds) {
        return seconds == DeletionTime.NO_DELETION_TIME ? seconds : Math.min(seconds, ceilingSeconds);
    }

    private DeletionTime clamp(DeletionTime deletion) {
        return new DeletionTime(deletion.timestampMicros(), clamp(deletion.localDeletionTimeSeconds()));
    }

    private static DeletionTime greatest(Stream<DeletionTime> deletions) {
        return deletions.max(STRENGTH).orElse(DeletionTime.LIVE);
    }

    private void partition(DecoratedKey key, List<MemoryPartition> versions) {
        DeletionTime partition = greatest(versions.stream().map(v -> clamp(v.deletion())));
        int start = lines.size();
        lines.add("partition " + key
                + StreamText.deletion(partition.timestampMicros(), partition.localDeletionTimeSeconds()));
        List<Row> statics = versions.stream()
                .map(MemoryPartition::staticRow)
                .filter(r -> r != null)
                .toList();
        row(statics, partition);
        TreeMap<Place, List<Row>> places =
                new TreeMap<>((l, r) -> comparator.compare(l.prefix(), l.weight(), r.prefix(), r.weight()));
        for (MemoryPartition version : versions) {
            for (Object content : version.clustered()) {
                Place place = content instanceof MemoryPartition.Change change
                        ? new Place(change.prefix(), change.weight())
                        : new Place(((Row) content).clustering(), ClusteringComparator.AT);
                List<Row> rows = places.computeIfAbsent(place, p -> new ArrayList<>());
                if (content instanceof Row row) {
                    rows.add(row);
                }
            }
        }
        DeletionTime open = DeletionTime.LIVE;
        for (Place place : places.keySet()) {
            DeletionTime range = greatest(versions.stream().map(v -> openAt(v, place)));
            DeletionTime active = STRENGTH.compare(range, partition) > 0 ? range : DeletionTime.LIVE;
            if (place.weight() == ClusteringComparator.AT) {
                row(places.get(place), active.isLive() ? partition : active);
            } else if (!active.equals(open)) {
                lines.add("change " + StreamText.bound(place.prefix(), place.weight())
                        + StreamText.deletion(active.timestampMicros(), active.localDeletionTimeSeconds()));
                open = active;
            }
        }
        if (lines.size() == start + 1 && partition.isLive()) {
            lines.remove(start);
        } else {
            lines.add("end");
        }
    }

    private DeletionTime openAt(MemoryPartition version, Place place) {
        DeletionTime open = DeletionTime.LIVE;
        for (Object content : version.clustered()) {
            if (content instanceof MemoryPartition.Change change
                    && comparator.compare(change.prefix(), change.weight(), place.prefix(), place.weight()) <= 0) {
                open = clamp(change.deletion());
            }
        }
        return open;
    }

    private void row(List<Row> versions, DeletionTime covering) {
        if (versions.isEmpty()) {
            return;
        }
        Row merged = new Row();
        merged.clear(versions.get(0).isStatic());
        merged.clustering().wrap(versions.get(0).clustering());
        Liveness liveness = versions.stream()
                .map(r -> new Liveness(
                        r.livenessTimestampMicros(), r.livenessTtlSeconds(), clamp(r.livenessExpirySeconds())))
                .max(LIVENESS)
                .orElseThrow();
        DeletionTime regular = greatest(rowDeletions(versions, false));
        DeletionTime shadowable = greatest(rowDeletions(versions, true));
        if (liveness.micros() > shadowable.timestampMicros() || STRENGTH.compare(shadowable, regular) <= 0) {
            shadowable = DeletionTime.LIVE;
        }
        DeletionTime own = shadowable.isLive() ? regular : shadowable;
        if (STRENGTH.compare(own, covering) > 0) {
            merged.deletion(own.timestampMicros(), own.localDeletionTimeSeconds(), !shadowable.isLive());
        } else {
            own = covering;
        }
        if (liveness.micros() > own.timestampMicros()) {
            merged.liveness(liveness.micros(), liveness.ttl(), liveness.expiry());
        }
        for (Column column : merged.isStatic() ? schema.staticColumns() : schema.regularColumns()) {
            column(column, versions, own, merged);
        }
        if (!merged.isEmpty()) {
            lines.add(StreamText.row(merged));
        }
    }

    private Stream<DeletionTime> rowDeletions(List<Row> versions, boolean shadowable) {
        return versions.stream()
                .filter(r -> r.isDeletionShadowable() == shadowable)
                .map(r -> clamp(new DeletionTime(r.deletionTimestampMicros(), r.deletionLocalTimeSeconds())));
    }

    private void column(Column column, List<Row> versions, DeletionTime outer, Row merged) {
        List<DeletionTime> deletions = new ArrayList<>();
        TreeMap<byte[], List<Cell>> cells = new TreeMap<>(Arrays::compareUnsigned);
        for (Row version : versions) {
            for (int i = 0; i < version.entryCount(); i++) {
                if (version.columnIndex(i) != column.index() || version.timestampMicros(i) <= column.dropTimeMicros()) {
                    continue;
                }
                long seconds = clamp(version.localDeletionTimeSeconds(i));
                if (version.isComplexDeletion(i)) {
                    deletions.add(new DeletionTime(version.timestampMicros(i), seconds));
                } else {
                    cells.computeIfAbsent(bytes(version, i, true), p -> new ArrayList<>())
                            .add(new Cell(
                                    version.timestampMicros(i),
                                    version.ttlSeconds(i),
                                    seconds,
                                    bytes(version, i, false)));
                }
            }
        }
        DeletionTime own = greatest(deletions.stream());
        if (STRENGTH.compare(own, outer) > 0) {
            merged.addComplexDeletion(column.index(), own.timestampMicros(), own.localDeletionTimeSeconds());
        } else {
            own = outer;
        }
        long deadMicros = own.timestampMicros();
        cells.forEach((path, versionsOfCell) -> versionsOfCell.stream()
                .filter(c -> c.micros() > deadMicros)
                .max(CELLS)
                .ifPresent(c -> add(merged, column, path, c)));
    }

    private static void add(Row merged, Column column, byte[] path, Cell cell) {
        merged.addCell(column.index(), cell.micros(), cell.ttl(), cell.seconds());
        if (column.isComplex()) {
            merged.path(path, 0, path.length);
        }
        if (!cell.tombstone()) {
            merged.value(cell.value(), 0, cell.value().length);
        }
    }

    private static byte[] bytes(Row row, int i, boolean path) {
        int length = path ? row.pathLengthBytes(i) : row.valueLengthBytes(i);
        int offset = path ? row.pathOffset(i) : row.valueOffset(i);
        byte[] buffer = path ? row.pathBuffer(i) : row.valueBuffer(i);
        return length <= 0 ? new byte[0] : Arrays.copyOfRange(buffer, offset, offset + length);
    }
}
