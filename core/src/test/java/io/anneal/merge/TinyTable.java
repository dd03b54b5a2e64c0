package io.anneal.merge;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.MemoryPartition;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A table whose timestamps, times, keys and values come from pools so small that nearly everything ties with, shadows or
 * repeats something else. With drop times, shadowable deletions and expired liveness.
 */
public final class TinyTable {
    public static final TableSchema SCHEMA = TableSchema.builder("ks", "tiny")
            .column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY)
            .column("c1", CqlTypes.BLOB, Column.Kind.CLUSTERING)
            .column("c2", CqlTypes.reversed(CqlTypes.BLOB), Column.Kind.CLUSTERING)
            .column("s", CqlTypes.BLOB, Column.Kind.STATIC)
            .column("sm", CqlTypes.map(CqlTypes.BLOB, CqlTypes.BLOB), Column.Kind.STATIC)
            .column("a", CqlTypes.BLOB, Column.Kind.REGULAR)
            .column("b", CqlTypes.BLOB, Column.Kind.REGULAR, 3, false)
            .column("m", CqlTypes.map(CqlTypes.BLOB, CqlTypes.BLOB), Column.Kind.REGULAR)
            .column("n", CqlTypes.map(CqlTypes.BLOB, CqlTypes.BLOB), Column.Kind.REGULAR, 4, true)
            .build();

    private final SplittableRandom random;
    private final boolean shadowables;

    public TinyTable(long seed, boolean shadowables) {
        random = new SplittableRandom(seed);
        this.shadowables = shadowables;
    }

    public List<MemoryPartition> draw() {
        TreeMap<DecoratedKey, MemoryPartition> partitions = new TreeMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            DecoratedKey key = DecoratedKey.of(new byte[random.nextInt(3)]);
            partitions.put(key, partition(key));
        }
        return List.copyOf(partitions.values());
    }

    private MemoryPartition partition(DecoratedKey key) {
        Row staticRow = null;
        if (random.nextBoolean()) {
            staticRow = new Row();
            staticRow.clear(true);
            entries(staticRow, SCHEMA.staticColumns());
        }
        return new MemoryPartition(
                key,
                random.nextInt(4) == 0 ? deletion() : DeletionTime.LIVE,
                staticRow == null || staticRow.isEmpty() ? null : staticRow,
                clustered());
    }

    private record Place(Clustering prefix, int weight) {}

    private List<Object> clustered() {
        ClusteringComparator comparator = ClusteringComparator.of(SCHEMA);
        TreeMap<Place, Place> places =
                new TreeMap<>((l, r) -> comparator.compare(l.prefix(), l.weight(), r.prefix(), r.weight()));
        for (int i = random.nextInt(6); i > 0; i--) {
            int weight = random.nextInt(3) - 1;
            int size = weight == 0 ? 2 : random.nextInt(3);
            byte[][] values = new byte[size][];
            for (int c = 0; c < size; c++) {
                values[c] = random.nextInt(6) == 0 ? null : bytes();
            }
            Place place = new Place(Clustering.of(values), weight);
            places.put(place, place);
        }
        int changes =
                (int) places.keySet().stream().filter(p -> p.weight() != 0).count();
        List<Object> clustered = new ArrayList<>();
        DeletionTime open = DeletionTime.LIVE;
        for (Place place : places.keySet()) {
            if (place.weight() == 0) {
                Row row = row(place.prefix());
                if (!row.isEmpty()) {
                    clustered.add(row);
                }
                continue;
            }
            changes--;
            DeletionTime next = changes == 0 || random.nextInt(3) == 0 ? DeletionTime.LIVE : deletion();
            if (!next.equals(open)) {
                clustered.add(new MemoryPartition.Change(place.prefix(), place.weight(), next));
                open = next;
            }
        }
        return clustered;
    }

    private Row row(Clustering clustering) {
        Row row = new Row();
        row.clear(false);
        row.clustering().wrap(clustering);
        int liveness = random.nextInt(5);
        if (liveness > 0) {
            int ttl = liveness == 1 ? 1 + random.nextInt(2) : liveness == 2 ? Row.EXPIRED_LIVENESS_TTL : Row.NO_TTL;
            row.liveness(timestamp(), ttl, ttl == Row.NO_TTL ? DeletionTime.NO_DELETION_TIME : seconds());
        }
        if (random.nextInt(4) == 0) {
            row.deletion(timestamp(), seconds(), shadowables && random.nextBoolean());
        }
        entries(row, SCHEMA.regularColumns());
        return row;
    }

    private void entries(Row row, List<Column> columns) {
        for (Column column : columns) {
            if (random.nextInt(3) == 0) {
                continue;
            }
            if (!column.isComplex()) {
                cell(row, column, null);
                continue;
            }
            if (random.nextInt(3) == 0) {
                row.addComplexDeletion(column.index(), timestamp(), seconds());
            }
            for (byte[] path : List.of(new byte[0], new byte[1], new byte[2])) {
                if (random.nextBoolean()) {
                    cell(row, column, path);
                }
            }
        }
    }

    private void cell(Row row, Column column, byte[] path) {
        int kind = random.nextInt(4);
        int ttl = kind == 0 ? 1 + random.nextInt(2) : Row.NO_TTL;
        row.addCell(column.index(), timestamp(), ttl, kind <= 1 ? seconds() : DeletionTime.NO_DELETION_TIME);
        if (kind != 1) {
            byte[] value = bytes();
            row.value(value, 0, value.length);
        }
        if (path != null) {
            row.path(path, 0, path.length);
        }
    }

    private DeletionTime deletion() {
        return new DeletionTime(timestamp(), seconds());
    }

    private long timestamp() {
        return random.nextInt(8);
    }

    private long seconds() {
        return 100 + random.nextInt(5);
    }

    private byte[] bytes() {
        return ByteBuffer.allocate(1).put((byte) (random.nextInt(3) * 100)).array();
    }
}
