package io.anneal.simulation;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What a table with one key column and one clustering column shows, both of them ints: all writes that it took, by number.
 * They are replayed in the order of their numbers whenever somebody reads. The number of a write stands for its timestamp.
 */
final class NaiveRows {
    static final long NEVER = Long.MAX_VALUE;

    /** What a write does. */
    enum Kind {
        INSERT,
        UPDATE,
        DELETE_ROWS,
        DELETE_PARTITION
    }

    /**
     * A write to the rows from one clustering to another; to one row, but for deletions.
     *
     * @param values by column; a null deletes the value
     * @param expirySeconds when what it sets expires, or {@link #NEVER}
     */
    record Write(Kind kind, int key, int from, int to, Map<String, Object> values, long expirySeconds) {}

    private record Cell(Object value, long number, long expirySeconds) {}

    private static final class NaiveCells {
        private final Map<String, Cell> cells = new HashMap<>();
        private long livenessExpirySeconds = Long.MIN_VALUE;
    }

    private final NavigableMap<Long, Write> writes = new TreeMap<>();
    private final TreeSet<String> columns = new TreeSet<>();
    /** When each column was dropped the last time: what was written before stays away. */
    private final Map<String, Long> droppedAt = new HashMap<>();

    private String keyName;
    private String clusteringName;

    NaiveRows(String keyName, String clusteringName, Collection<String> columns) {
        this.keyName = keyName;
        this.clusteringName = clusteringName;
        this.columns.addAll(columns);
    }

    NaiveRows copy() {
        NaiveRows copy = new NaiveRows(keyName, clusteringName, columns);
        copy.writes.putAll(writes);
        copy.droppedAt.putAll(droppedAt);
        return copy;
    }

    String keyName() {
        return keyName;
    }

    String clusteringName() {
        return clusteringName;
    }

    /** Static and regular columns. */
    TreeSet<String> columns() {
        return columns;
    }

    void add(long number, Write write) {
        writes.put(number, write);
    }

    /** Takes in what another table, or this one at an earlier time, had. */
    void addAll(NaiveRows other) {
        writes.putAll(other.writes);
    }

    void truncate() {
        writes.clear();
    }

    void addColumn(String name) {
        columns.add(name);
    }

    void dropColumn(String name, long number) {
        columns.remove(name);
        droppedAt.put(name, number);
    }

    void rename(String from, String to) {
        keyName = keyName.equals(from) ? to : keyName;
        clusteringName = clusteringName.equals(from) ? to : clusteringName;
    }

    /** Whether the other knows all columns here, or knew them once, and has dropped what was dropped here. */
    boolean fits(NaiveRows other) {
        Stream<String> written = writes.values().stream().flatMap(write -> write.values().keySet().stream());
        return Stream.concat(columns.stream(), written)
                        .allMatch(column -> other.columns.contains(column) || other.droppedAt.containsKey(column))
                && droppedAt.entrySet().stream()
                        .allMatch(
                                drop -> other.droppedAt.getOrDefault(drop.getKey(), Long.MIN_VALUE) >= drop.getValue());
    }

    /** The rows that exist, by key and clustering: values by column name, the key's among them. */
    NavigableMap<Integer, NavigableMap<Integer, Map<String, Object>>> rows(long nowSeconds) {
        Map<Integer, TreeMap<Integer, NaiveCells>> partitions = new HashMap<>();
        writes.forEach((number, write) ->
                replay(number, write, partitions.computeIfAbsent(write.key(), k -> new TreeMap<>())));
        NavigableMap<Integer, NavigableMap<Integer, Map<String, Object>>> found = new TreeMap<>();
        partitions.forEach((key, rows) -> {
            NavigableMap<Integer, Map<String, Object>> existing = new TreeMap<>();
            rows.forEach((clustering, row) -> {
                Map<String, Object> values = values(row, nowSeconds);
                if (nowSeconds < row.livenessExpirySeconds
                        || values.values().stream().anyMatch(value -> value != null)) {
                    values.put(keyName, key);
                    values.put(clusteringName, clustering);
                    existing.put(clustering, values);
                }
            });
            if (!existing.isEmpty()) {
                found.put(key, existing);
            }
        });
        return found;
    }

    private static void replay(long number, Write write, TreeMap<Integer, NaiveCells> rows) {
        switch (write.kind()) {
            case DELETE_PARTITION -> rows.clear();
            case DELETE_ROWS ->
                rows.subMap(write.from(), true, write.to(), true).clear();
            case INSERT, UPDATE -> {
                NaiveCells row = rows.computeIfAbsent(write.from(), c -> new NaiveCells());
                if (write.kind() == Kind.INSERT) {
                    row.livenessExpirySeconds = write.expirySeconds();
                }
                write.values()
                        .forEach((column, value) ->
                                row.cells.put(column, new Cell(value, number, write.expirySeconds())));
            }
        }
    }

    private Map<String, Object> values(NaiveCells row, long nowSeconds) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (String column : columns) {
            Cell cell = row.cells.get(column);
            boolean shown = cell != null
                    && nowSeconds < cell.expirySeconds()
                    && cell.number() > droppedAt.getOrDefault(column, Long.MIN_VALUE);
            values.put(column, shown ? cell.value() : null);
        }
        return values;
    }
}
