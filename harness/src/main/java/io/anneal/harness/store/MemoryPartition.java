package io.anneal.harness.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A partition in memory. What was written last counts, as in Cassandra: of two writes to a place the one with the later time; at the
 * same time the deletion, then what expires, then the greater value. Deletions are kept for ever. One thread at a time.
 */
final class MemoryPartition {
    /**
     * What is at a place.
     *
     * @param d null if it was deleted
     */
    private record Cell(String d, long writeTimeMicros, long expiresAtSeconds) {
        boolean beats(Cell other) {
            if (writeTimeMicros != other.writeTimeMicros) {
                return writeTimeMicros > other.writeTimeMicros;
            }
            if (d == null || other.d == null) {
                return d == null;
            }
            if (expiresAtSeconds != other.expiresAtSeconds) {
                return expiresAtSeconds > other.expiresAtSeconds;
            }
            return d.compareTo(other.d) > 0;
        }
    }

    private record Place(String b, String c) implements Comparable<Place> {
        private static final Comparator<Place> ORDER =
                Comparator.comparing(Place::b).thenComparing(Place::c);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private final TreeMap<Place, Cell> cells = new TreeMap<>();
    private long deletedMicros = Long.MIN_VALUE;

    void write(TimedItem item) {
        put(new Place(item.b(), item.c()), new Cell(item.d(), item.writeTimeMicros(), item.expiresAtSeconds()));
    }

    void deleteItem(String b, String c, long micros) {
        put(new Place(b, c), new Cell(null, micros, TimedItem.NEVER));
    }

    private void put(Place place, Cell cell) {
        if (cell.writeTimeMicros() > deletedMicros) {
            cells.merge(place, cell, (there, added) -> added.beats(there) ? added : there);
        }
    }

    /** Deletes all that was written up to then. */
    void delete(long micros) {
        deletedMicros = Math.max(deletedMicros, micros);
        cells.values().removeIf(cell -> cell.writeTimeMicros() <= deletedMicros);
    }

    List<TimedItem> items(long nowSeconds) {
        List<TimedItem> items = new ArrayList<>();
        for (Map.Entry<Place, Cell> entry : cells.entrySet()) {
            Cell cell = entry.getValue();
            boolean expired = cell.expiresAtSeconds() != TimedItem.NEVER && cell.expiresAtSeconds() <= nowSeconds;
            if (cell.d() != null && !expired) {
                items.add(new TimedItem(
                        entry.getKey().b(),
                        entry.getKey().c(),
                        cell.d(),
                        cell.writeTimeMicros(),
                        cell.expiresAtSeconds()));
            }
        }
        return items;
    }
}
