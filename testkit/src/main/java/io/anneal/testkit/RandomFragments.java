package io.anneal.testkit;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A random table and random fragments of it, decided by one seed: statics, liveness, expiring cells, tombstones, empty
 * values, durations, collections and user types of many cells, frozen ones that nest, tuples, vectors, row, range and
 * partition deletions, wide partitions; others are {@linkplain Feature to be asked for}. What it makes fulfils the cursor's contract. Keys, clusterings, timestamps and values come from small pools, so that fragments of
 * two draws overlap and contradict each other: draw several times for the sources of one merge. Rows hold nothing that
 * their own deletions shadow, as Cassandra writes them, unless {@link #allowShadowed()} was called; what range and
 * partition deletions shadow is there in any case.
 */
public final class RandomFragments {
    /** All write timestamps lie from here to three times {@link #TIMESTAMP_SPREAD_MICROS} later. */
    public static final long TIMESTAMP_BASE_MICROS = 1_700_000_000_000_000L;

    public static final int TIMESTAMP_SPREAD_MICROS = 60;
    /** All local deletion times lie from here to {@link #DELETION_SPREAD_SECONDS} plus the longest TTL later. */
    public static final long DELETION_BASE_SECONDS = 1_700_000_000L;

    public static final int DELETION_SPREAD_SECONDS = 100;

    /** What a table has only when it is asked for: not every consumer is made for it. */
    public enum Feature {
        /**
         * All columns outside of the key are counters with global shards. Rows have neither liveness nor TTLs. Deletions cover
         * all counters that they may meet or none of them, so that merging in several steps gives what one step gives.
         */
        COUNTERS,
        /** Counters have local and remote shards, too: for reading and writing, not for repair. */
        LEGACY_SHARDS,
        /** Some columns were dropped behind all writes; others in the midst of them, and are back. */
        DROPPED_COLUMNS,
        /** Some row deletions are shadowable. What one hid does not come back when later liveness undoes it. */
        SHADOWABLE_DELETIONS
    }

    private static final int[] TTLS_SECONDS = {1, 60, 3600, 86_400};
    private static final int WIDE_ROWS_DEFAULT = 300;
    private static final long NEXT_TABLE = 1L << 32;

    private final SplittableRandom random;
    private final TableSchema schema;
    private final ClusteringComparator comparator;
    private final Set<Feature> features;
    private final Map<String, ValueKind> kinds = new HashMap<>();
    private final List<DecoratedKey> keyPool = new ArrayList<>();

    private boolean shadowed;
    private int wideRows = WIDE_ROWS_DEFAULT;

    /** A random table with a pool of 30 keys. */
    public RandomFragments(long seed) {
        this(seed, 30);
    }

    public RandomFragments(long seed, int keys) {
        this(seed, keys, TableOptions.UNKNOWN);
    }

    public RandomFragments(long seed, int keys, TableOptions options) {
        this(seed, keys, options, Set.of());
    }

    public RandomFragments(long seed, int keys, TableOptions options, Set<Feature> features) {
        this.features = Set.copyOf(features);
        random = new SplittableRandom(seed);
        schema = randomSchema(options);
        comparator = ClusteringComparator.of(schema);
        TreeSet<DecoratedKey> distinct = new TreeSet<>();
        for (int i = 0; i < keys; i++) {
            distinct.add(DecoratedKey.of(randomKey(i)));
        }
        keyPool.addAll(distinct);
    }

    /**
     * A table without decimals in the clustering. 2.0 and 2.00 are one place in different bytes, and which of them a
     * merge bears depends on the versions it sees (docs/encoding.md).
     *
     * @param seed of the table, if that one fits, else of the next that does
     */
    public static RandomFragments withDistinctClusterings(long seed, int keys, TableOptions options) {
        return withDistinctClusterings(seed, keys, options, Set.of());
    }

    /** The same with features. */
    public static RandomFragments withDistinctClusterings(
            long seed, int keys, TableOptions options, Set<Feature> features) {
        RandomFragments fragments = new RandomFragments(seed, keys, options, features);
        boolean decimals = fragments.schema.clustering().stream()
                .anyMatch(column -> column.type().ascending().equals(CqlTypes.DECIMAL));
        return decimals ? withDistinctClusterings(seed + NEXT_TABLE, keys, options, features) : fragments;
    }

    public TableSchema schema() {
        return schema;
    }

    /** The keys that partitions have, in the order of the ring. */
    public List<DecoratedKey> keys() {
        return List.copyOf(keyPool);
    }

    /** From now on rows hold cells and liveness that their own deletions shadow, too. */
    public RandomFragments allowShadowed() {
        shadowed = true;
        return this;
    }

    /** From now on wide partitions have about so many rows. */
    public RandomFragments wideRows(int rows) {
        wideRows = rows;
        return this;
    }

    /** A draw: each key of the pool is in it with the given probability; about every 30th partition is wide. */
    public FragmentList next(double keyProbability) {
        FragmentList.Builder builder = FragmentList.builder(schema);
        for (DecoratedKey key : keyPool) {
            if (random.nextDouble() < keyProbability) {
                addPartition(builder, key, random.nextInt(30) == 0 ? wideRows : random.nextInt(8));
            }
        }
        return builder.build();
    }

    /** One partition of about so many rows: for indexes inside partitions. */
    public FragmentList nextWide(int rows) {
        FragmentList.Builder builder = FragmentList.builder(schema);
        addPartition(builder, keyPool.get(random.nextInt(keyPool.size())), rows);
        return builder.build();
    }

    private TableSchema randomSchema(TableOptions options) {
        TableSchema.Builder builder = TableSchema.builder("ks", "t");
        builder.options(options);
        for (int i = 0, count = 1 + random.nextInt(2); i < count; i++) {
            addColumn(builder, "k", i, ValueKind.anyNative(random), Column.Kind.PARTITION_KEY);
        }
        int clusteringCount = random.nextInt(4);
        for (int i = 0; i < clusteringCount; i++) {
            ValueKind kind = ValueKind.anyNative(random);
            boolean reversed = random.nextInt(3) == 0;
            kinds.put("c" + i, kind);
            builder.column("c" + i, reversed ? CqlTypes.reversed(kind.type()) : kind.type(), Column.Kind.CLUSTERING);
        }
        int staticCount = clusteringCount == 0 || random.nextBoolean() ? 0 : 1 + random.nextInt(3);
        for (int i = 0; i < staticCount; i++) {
            addColumn(builder, "s", i, anyKind(i), Column.Kind.STATIC);
        }
        int regularCount = random.nextInt(8) == 0 ? 64 + random.nextInt(10) : random.nextInt(7);
        for (int i = 0; i < regularCount; i++) {
            addColumn(builder, "r", i, anyKind(100 + i), Column.Kind.REGULAR);
        }
        return builder.build();
    }

    private ValueKind anyKind(int number) {
        if (!has(Feature.COUNTERS)) {
            return ValueKind.any(random, "ks", number);
        }
        boolean legacy = has(Feature.LEGACY_SHARDS);
        return new ValueKind(CqlTypes.COUNTER, r -> ValueKind.counter(r, legacy), null, false);
    }

    private boolean has(Feature feature) {
        return features.contains(feature);
    }

    /** Every second name outside of the key starts with a non-ASCII character, but for types of many cells, which Cassandra does not read so. */
    private void addColumn(
            TableSchema.Builder builder, String letter, int number, ValueKind kind, Column.Kind columnKind) {
        boolean inKey = columnKind == Column.Kind.PARTITION_KEY;
        boolean isAscii = number % 2 == 0 || inKey || kind.type().isMultiCell();
        String name = (isAscii ? letter : "é" + letter) + number;
        kinds.put(name, kind);
        if (!inKey && has(Feature.DROPPED_COLUMNS) && random.nextInt(3) == 0) {
            long dropTimeMicros = TIMESTAMP_BASE_MICROS + random.nextInt(2 * TIMESTAMP_SPREAD_MICROS);
            boolean dropped = random.nextBoolean();
            // Nothing writes to a column that is not there, and Cassandra fails to send cells newer than its drop.
            long dropMicros = dropped ? TIMESTAMP_BASE_MICROS + 4 * TIMESTAMP_SPREAD_MICROS : dropTimeMicros;
            builder.column(name, kind.type(), columnKind, dropMicros, dropped);
        } else {
            builder.column(name, kind.type(), columnKind);
        }
    }

    /** Distinct by its number; a key of several columns is composed as Cassandra does: length, value, a zero byte. */
    private byte[] randomKey(int number) {
        byte[] first = value("k0", 0);
        if (schema.partitionKey().size() == 1) {
            return first.length == 0 ? ValueKind.bytes(number, 1) : first;
        }
        byte[] second = value("k1", 0);
        byte[] key = new byte[first.length + second.length + 6];
        int at = composite(key, 0, first);
        composite(key, at, second);
        return key;
    }

    private static int composite(byte[] key, int at, byte[] value) {
        key[at] = (byte) (value.length >>> 8);
        key[at + 1] = (byte) value.length;
        System.arraycopy(value, 0, key, at + 2, value.length);
        return at + 3 + value.length;
    }

    private byte[] value(String column, int emptyPercent) {
        ValueKind kind = kinds.get(column);
        if (random.nextInt(100) >= emptyPercent) {
            return kind.values().apply(random);
        }
        // Cassandra's sstabledump fails on an empty boolean or tinyint.
        boolean dumped = !kind.type().equals(CqlTypes.BOOLEAN) && !kind.type().equals(CqlTypes.TINYINT);
        return new byte[dumped ? 0 : 1];
    }

    private void addPartition(FragmentList.Builder builder, DecoratedKey key, int rows) {
        boolean deleted = random.nextInt(6) == 0;
        TreeMap<Place, Place> places = new TreeMap<>(this::comparePlaces);
        int rowsWanted = schema.clustering().isEmpty() ? Math.min(rows, 1) : rows;
        for (int i = 0; i < rowsWanted; i++) {
            Place place = new Place(randomClustering(schema.clustering().size()), ClusteringComparator.AT);
            places.put(place, place);
        }
        boolean ranges = !schema.clustering().isEmpty() && random.nextInt(3) == 0;
        for (int i = ranges ? 1 + random.nextInt(2 + rows / 4) : 0; i > 0; i--) {
            int weight = random.nextBoolean() ? ClusteringComparator.BEFORE : ClusteringComparator.AFTER;
            int components = random.nextInt(schema.clustering().size() + 1);
            Place place = new Place(randomClustering(components), weight);
            places.put(place, place);
        }
        FragmentList.Builder partition =
                deleted ? builder.partition(key, deletionTimestamp(), deletionTime()) : builder.partition(key);
        addStaticRow(partition);
        addPlaces(partition, List.copyOf(places.values()));
        partition.end();
    }

    private int comparePlaces(Place left, Place right) {
        return comparator.compare(left.prefix(), left.weight(), right.prefix(), right.weight());
    }

    private Clustering randomClustering(int components) {
        byte[][] values = new byte[components][];
        for (int i = 0; i < components; i++) {
            values[i] = value("c" + i, 0);
        }
        return Clustering.of(values);
    }

    private void addStaticRow(FragmentList.Builder partition) {
        if (schema.staticColumns().isEmpty() || random.nextInt(3) == 0) {
            return;
        }
        Row row = new Row();
        row.clear(true);
        addEntries(row, schema.staticColumns());
        if (!row.isEmpty()) {
            partition.row(row);
        }
    }

    private void addPlaces(FragmentList.Builder partition, List<Place> places) {
        int lastChange = -1;
        for (int i = 0; i < places.size(); i++) {
            lastChange = places.get(i).weight() == ClusteringComparator.AT ? lastChange : i;
        }
        DeletionTime open = DeletionTime.LIVE;
        for (int i = 0; i < places.size(); i++) {
            Place place = places.get(i);
            if (place.weight() == ClusteringComparator.AT) {
                addRow(partition, place.prefix());
                continue;
            }
            DeletionTime next = new DeletionTime(deletionTimestamp(), deletionTime());
            if (i == lastChange || (!open.isLive() && random.nextBoolean())) {
                next = DeletionTime.LIVE;
            }
            if (!next.equals(open)) {
                partition.change(
                        place.prefix(), place.weight(), next.timestampMicros(), next.localDeletionTimeSeconds());
                open = next;
            }
        }
    }

    private void addRow(FragmentList.Builder partition, Clustering clustering) {
        Row row = new Row();
        row.clear(false);
        row.clustering().wrap(clustering);
        if (random.nextInt(8) == 0) {
            boolean shadowable = has(Feature.SHADOWABLE_DELETIONS) && random.nextBoolean();
            row.deletion(deletionTimestamp(), deletionTime(), shadowable);
        }
        if (random.nextInt(4) != 0 && !has(Feature.COUNTERS)) {
            addLiveness(row);
        }
        addEntries(row, schema.regularColumns());
        if (!row.isEmpty()) {
            partition.row(row);
        }
    }

    private void addLiveness(Row row) {
        long timestamp = timestamp(row.deletionTimestampMicros());
        switch (random.nextInt(8)) {
            case 0 -> row.liveness(timestamp, Row.EXPIRED_LIVENESS_TTL, deletionTime());
            case 1, 2 -> {
                int ttl = ttl();
                row.liveness(timestamp, ttl, deletionTime() + ttl);
            }
            default -> row.liveness(timestamp, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        }
    }

    private void addEntries(Row row, List<Column> columns) {
        int presentPercent = List.of(0, 5, 50, 95, 100).get(random.nextInt(5));
        for (Column column : columns) {
            if (random.nextInt(100) >= presentPercent) {
                continue;
            }
            if (!column.isComplex()) {
                addCell(row, column, null, row.deletionTimestampMicros());
                continue;
            }
            long deletionMicros = row.deletionTimestampMicros();
            if (random.nextInt(3) == 0) {
                deletionMicros = timestamp(deletionMicros);
                row.addComplexDeletion(column.index(), deletionMicros, deletionTime());
            }
            long floorMicros = deletionMicros;
            TreeSet<byte[]> paths = new TreeSet<>(ValueKind.order(column.type().pathType()));
            for (int i = random.nextInt(4); i > 0; i--) {
                paths.add(kinds.get(column.name()).paths().apply(random));
            }
            paths.forEach(path -> addCell(row, column, path, floorMicros));
        }
    }

    private void addCell(Row row, Column column, byte[] path, long floorMicros) {
        // Cells share the row's own timestamp and TTL more often than not, as those of an INSERT do.
        boolean sharing = row.hasLiveness()
                && random.nextInt(3) != 0
                && (shadowed || row.livenessTimestampMicros() > floorMicros);
        long timestamp = sharing ? row.livenessTimestampMicros() : timestamp(floorMicros);
        boolean likeRow = row.livenessTtlSeconds() != Row.NO_TTL
                && row.livenessTtlSeconds() != Row.EXPIRED_LIVENESS_TTL
                && random.nextInt(3) != 0;
        boolean counter = column.type().isCounter();
        int choice = counter ? random.nextInt(20) : random.nextInt(6);
        if (choice == 0) {
            row.addCell(column.index(), timestamp, Row.NO_TTL, deletionTime());
        } else if (likeRow) {
            row.addCell(column.index(), timestamp, row.livenessTtlSeconds(), row.livenessExpirySeconds());
        } else if (choice == 1 && !counter) {
            int ttl = ttl();
            row.addCell(column.index(), timestamp, ttl, deletionTime() + ttl);
        } else {
            row.addCell(column.index(), timestamp, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        }
        if (choice != 0) {
            byte[] value = value(column.name(), emptyPercent(column));
            row.value(value, 0, value.length);
        }
        if (path != null) {
            row.path(path, 0, path.length);
        }
    }

    /** Empty values only where Cassandra takes them for what they are: in simple columns of one native value. */
    private int emptyPercent(Column column) {
        return kinds.get(column.name()).orderable() ? 5 : 0;
    }

    private long timestamp() {
        long floorMicros = TIMESTAMP_BASE_MICROS + (has(Feature.COUNTERS) ? TIMESTAMP_SPREAD_MICROS : 0);
        return floorMicros + random.nextInt(TIMESTAMP_SPREAD_MICROS);
    }

    /** Of a deletion of more than a cell: below or above the timestamps of all counters. */
    private long deletionTimestamp() {
        boolean below = has(Feature.COUNTERS) && (!shadowed || random.nextBoolean());
        boolean above = has(Feature.COUNTERS) && !below;
        return timestamp() + (below ? -TIMESTAMP_SPREAD_MICROS : above ? TIMESTAMP_SPREAD_MICROS : 0);
    }

    /** A timestamp that a deletion does not shadow. */
    private long timestamp(long deletionMicros) {
        long timestamp = timestamp();
        return shadowed || timestamp > deletionMicros
                ? timestamp
                : deletionMicros + 1 + random.nextInt(TIMESTAMP_SPREAD_MICROS);
    }

    private long deletionTime() {
        return DELETION_BASE_SECONDS + random.nextInt(DELETION_SPREAD_SECONDS);
    }

    private int ttl() {
        return TTLS_SECONDS[random.nextInt(TTLS_SECONDS.length)];
    }

    /** A row's clustering or a place beside one. */
    private record Place(Clustering prefix, int weight) {}
}
