package io.anneal.job;

import io.anneal.key.TokenRange;
import java.util.Arrays;
import java.util.List;

/**
 * A part of a table's token range, between replicas.
 *
 * @param table with its keyspace, as {@code shop.orders}
 * @param replicas names, the master's first
 */
public record RangeUnit(String table, TokenRange range, List<String> replicas) implements JobUnit {
    public RangeUnit {
        if (table.isEmpty() || table.indexOf(' ') >= 0) {
            throw new IllegalArgumentException("table's name is empty or has a space, table=" + table);
        }
        replicas = List.copyOf(replicas);
        if (replicas.contains("")) {
            throw new IllegalArgumentException("replica has no name, replicas=" + replicas);
        }
    }

    /** At most so many units of about equal width, in the order of the ring, that together are this range. */
    public static List<RangeUnit> of(String table, TokenRange range, List<String> replicas, int count) {
        return range.split(count).stream()
                .map(part -> new RangeUnit(table, part, replicas))
                .toList();
    }

    /** Reads a unit from its {@link #text()}. */
    public static RangeUnit parse(String text) {
        String[] words = text.split(" ", 3);
        if (words.length < 3) {
            throw new IllegalArgumentException("text is no unit of a table, a range and replicas, text=" + text);
        }
        return new RangeUnit(
                words[0],
                TokenRange.parse(words[1]),
                words[2].isEmpty()
                        ? List.of()
                        : Arrays.stream(words[2].split(",", -1))
                                .map(RangeUnit::unescape)
                                .toList());
    }

    /** The table, the range, and the replicas between commas. */
    @Override
    public String text() {
        return table + " " + range + " "
                + String.join(",", replicas.stream().map(RangeUnit::escape).toList());
    }

    private static String escape(String replica) {
        return replica.replace("%", "%25").replace(",", "%2C").replace("\n", "%0A");
    }

    private static String unescape(String replica) {
        return replica.replace("%0A", "\n").replace("%2C", ",").replace("%25", "%");
    }

    @Override
    public double width() {
        return range.width();
    }

    @Override
    public String toString() {
        return text();
    }
}
