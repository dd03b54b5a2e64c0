package io.anneal.metrics;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which tables of a store are shown by themselves, beside the totals of all: those of some names, and so many of the largest ones.
 * Each of them has about a hundred numbers. Immutable.
 *
 * @param largestMax so many of those with the most bytes on the disk, as they are when somebody asks
 * @param names {@code keyspace.table}, or {@code keyspace.*} for all of a keyspace; of tables that may come later, too
 */
public record TableSelection(int largestMax, Set<String> names) {
    /** The totals alone. */
    public static final TableSelection NONE = new TableSelection(0, Set.of());

    public static final TableSelection ALL = new TableSelection(Integer.MAX_VALUE, Set.of());

    private static final String WHOLE_KEYSPACE = ".*";

    public TableSelection {
        if (largestMax < 0) {
            throw new IllegalArgumentException("number of tables is negative, largestMax=" + largestMax);
        }
        names = Set.copyOf(names);
        for (String name : names) {
            if (!name.contains(".")) {
                throw new IllegalArgumentException("table is not named as keyspace.table or keyspace.*, name=" + name);
            }
        }
    }

    public static TableSelection largest(int count) {
        return new TableSelection(count, Set.of());
    }

    /** @param names {@code keyspace.table}, or {@code keyspace.*} */
    public static TableSelection named(String... names) {
        return new TableSelection(0, new HashSet<>(Arrays.asList(names)));
    }

    /** Those of either. */
    public TableSelection and(TableSelection other) {
        Set<String> both = new HashSet<>(names);
        both.addAll(other.names);
        return new TableSelection(Math.max(largestMax, other.largestMax), both);
    }

    Set<TableMetrics> of(Collection<TableMetrics> tables) {
        Set<TableMetrics> selected =
                tables.stream().filter(this::isNamed).collect(Collectors.toCollection(HashSet::new));
        if (largestMax >= tables.size()) {
            selected.addAll(tables);
        } else if (largestMax > 0) {
            tables.stream()
                    .map(table -> new Sized(table, table.number(TableNumber.SSTABLE_BYTES)))
                    .sorted(Sized.LARGEST_FIRST)
                    .limit(largestMax)
                    .forEach(sized -> selected.add(sized.table));
        }
        return selected;
    }

    private boolean isNamed(TableMetrics table) {
        String name = table.qualifiedName();
        return names.contains(name) || names.contains(name.substring(0, name.lastIndexOf('.')) + WHOLE_KEYSPACE);
    }

    /** What grows while it is compared is not sorted. */
    private record Sized(TableMetrics table, long bytes) {
        private static final Comparator<Sized> LARGEST_FIRST =
                Comparator.comparingLong(Sized::bytes).reversed().thenComparing(sized -> sized.table.qualifiedName());
    }
}
