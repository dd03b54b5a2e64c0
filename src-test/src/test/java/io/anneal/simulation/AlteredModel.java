package io.anneal.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a table must show whose columns come and go: every cell that was ever written, and when each column was dropped. */
final class AlteredModel {
    /** Of a static cell. */
    static final int NO_ROW = -1;
    /** Of a cell that is no entry of a map. */
    static final int NO_PATH = -1;

    record Place(int k, int c) {}

    record Cell(int k, int c, String column, int path) {}

    /** @param value null when it was deleted */
    record Written(long micros, Integer value) {}

    private final Map<Cell, Written> cells = new HashMap<>();
    private final Map<Place, Long> liveness = new HashMap<>();
    private final Map<Place, Long> deletions = new HashMap<>();
    /** Of a map: when it was replaced as a whole. */
    private final Map<Cell, Long> replaced = new HashMap<>();

    private final Map<String, Long> drops = new HashMap<>();

    void cell(int k, int c, String column, int path, Integer value, long micros) {
        Cell cell = new Cell(k, c, column, path);
        Written before = cells.get(cell);
        if (before == null || before.micros() < micros) {
            cells.put(cell, new Written(micros, value));
        }
    }

    void replace(int k, int c, String column, Map<Integer, Integer> value, long micros) {
        replaced.merge(new Cell(k, c, column, NO_PATH), micros - 1, Math::max);
        value.forEach((path, of) -> cell(k, c, column, path, of, micros));
    }

    void insert(int k, int c, long micros) {
        liveness.merge(new Place(k, c), micros, Math::max);
    }

    void deleteRow(int k, int c, long micros) {
        deletions.merge(new Place(k, c), micros, Math::max);
    }

    void drop(String column, long micros) {
        drops.merge(column, micros, Math::max);
    }

    private boolean isLive(Cell cell, Written written) {
        return written.value() != null
                && written.micros() > deletions.getOrDefault(new Place(cell.k(), cell.c()), Long.MIN_VALUE)
                && written.micros() > drops.getOrDefault(cell.column(), Long.MIN_VALUE)
                && written.micros()
                        > replaced.getOrDefault(new Cell(cell.k(), cell.c(), cell.column(), NO_PATH), Long.MIN_VALUE);
    }

    /** The rows, each with the values that it has of these columns, as text; in order of the keys. */
    List<String> rows(Map<String, AlteredColumn> columns) {
        Map<Integer, TreeMap<Integer, Map<String, Object>>> found = new TreeMap<>();
        cells.forEach((cell, written) -> {
            if (columns.containsKey(cell.column()) && isLive(cell, written)) {
                Map<String, Object> values = found.computeIfAbsent(cell.k(), k -> new TreeMap<>())
                        .computeIfAbsent(cell.c(), c -> new TreeMap<>());
                if (cell.path() == NO_PATH) {
                    values.put(cell.column(), written.value());
                } else {
                    map(values, cell.column()).put(cell.path(), written.value());
                }
            }
        });
        liveness.forEach((place, micros) -> {
            if (micros > deletions.getOrDefault(place, Long.MIN_VALUE)) {
                found.computeIfAbsent(place.k(), k -> new TreeMap<>()).computeIfAbsent(place.c(), c -> new TreeMap<>());
            }
        });
        List<String> lines = new ArrayList<>();
        found.forEach((k, rows) -> {
            Map<String, Object> shared = rows.getOrDefault(NO_ROW, Map.of());
            for (int c : new TreeSet<>(rows.keySet())) {
                if (c != NO_ROW || rows.size() == 1) {
                    Map<String, Object> values = new TreeMap<>(shared);
                    values.putAll(rows.get(c));
                    lines.add(k + "/" + (c == NO_ROW ? "-" : c) + " " + values);
                }
            }
        });
        return lines;
    }

    @SuppressWarnings("unchecked")
    private static Map<Integer, Integer> map(Map<String, Object> values, String column) {
        return (Map<Integer, Integer>) values.computeIfAbsent(column, name -> new TreeMap<Integer, Integer>());
    }
}
