package io.anneal.store;

import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.table.Reads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads by Java values, for those who offer them: keys and bounds become bytes here. Any thread. */
final class RowReads {
    private final RowSource source;

    RowReads(RowSource source) {
        this.source = source;
    }

    /** The rows of a range that exist at a time. */
    TableRows rows(TokenRange range, long nowSeconds) {
        List<TokenRange.Linear> ranges =
                range.equals(TokenRange.FULL) ? List.of(TokenRange.Linear.ALL) : range.unwrap();
        return new TableRows(
                source.schema(),
                ranges.stream()
                        .<TableRows.Opener>map(linear -> () -> source.scan(linear))
                        .toList(),
                nowSeconds);
    }

    /**
     * Rows of one partition.
     *
     * @throws IllegalArgumentException when values do not fit the key or the clustering
     */
    TableRows partition(RowRange range, long nowSeconds, Object... keyValues) {
        TableSchema schema = source.schema();
        DecoratedKey key = new KeyBuilder(schema).keyInOrder(keyValues).key();
        Slices slices = range.slices(schema);
        TableRows rows = new TableRows(schema, List.of(() -> source.read(key, slices, range.isReversed())), nowSeconds);
        rows.limit(range.limit());
        return range.isWhole() ? rows : rows.withoutStaticOnly();
    }

    /**
     * The row of a primary key, or with the partition key alone the partition's static values.
     *
     * @throws IllegalArgumentException when a column is no part of the key, or its value does not fit
     * @throws IllegalStateException when a part of the key is missing
     */
    Optional<TableRow> row(Map<String, ?> primaryKey, long nowSeconds) throws IOException {
        return reader(primaryKey, nowSeconds).read();
    }

    /** The key is checked here, and read when that is asked for. */
    private Reads.Reader<Optional<TableRow>> reader(Map<String, ?> primaryKey, long nowSeconds) {
        TableSchema schema = source.schema();
        KeyBuilder builder = new KeyBuilder(schema);
        primaryKey.forEach((name, value) -> {
            switch (KeyBuilder.column(schema, name).kind()) {
                case PARTITION_KEY -> builder.key(name, value);
                case CLUSTERING -> builder.clustering(name, value);
                case STATIC, REGULAR ->
                    throw new IllegalArgumentException("column is no part of the primary key, table="
                            + schema.qualifiedName() + ", column=" + name);
            }
        });
        DecoratedKey key = builder.key();
        boolean wantsStatic = !schema.clustering().isEmpty() && !builder.hasClustering();
        Slices slices = wantsStatic ? Slices.NONE : Slices.of(Slice.of(Clustering.of(builder.clustering())));
        return () -> {
            try (TableRows rows = new TableRows(schema, List.of(() -> source.read(key, slices, false)), nowSeconds)) {
                return Optional.ofNullable((wantsStatic ? rows : rows.withoutStaticOnly()).next());
            }
        };
    }

    /** What {@link #row} does for each of these keys. */
    List<Reads.Task<Optional<TableRow>>> rowTasks(List<? extends Map<String, ?>> primaryKeys, long nowSeconds) {
        return primaryKeys.stream()
                .map(key -> new Reads.Task<>(named(key), reader(key, nowSeconds)))
                .toList();
    }

    /** What {@link #partition} gives of each of these keys. */
    List<Reads.Task<List<TableRow>>> partitionTasks(RowRange range, List<? extends List<?>> keys, long nowSeconds) {
        List<Reads.Task<List<TableRow>>> tasks = new ArrayList<>();
        for (List<?> key : keys) {
            TableRows partition = partition(range, nowSeconds, key.toArray());
            tasks.add(new Reads.Task<>(named(key), () -> {
                try (partition) {
                    List<TableRow> rows = new ArrayList<>();
                    for (TableRow row = partition.next(); row != null; row = partition.next()) {
                        rows.add(row);
                    }
                    return rows;
                }
            }));
        }
        return tasks;
    }

    /** Said of a read that fails, only then put together. */
    private Object named(Object key) {
        return new Object() {
            @Override
            public String toString() {
                return "table=" + source.schema().qualifiedName() + ", key=" + key;
            }
        };
    }

    static <V> List<V> inTurn(List<Reads.Task<V>> tasks) throws IOException {
        List<V> values = new ArrayList<>();
        for (Reads.Task<V> task : tasks) {
            values.add(task.reader().read());
        }
        return values;
    }
}
