package io.anneal.job;

import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What lies in a slice of the ring, of the ranges that a job has of a table, between replicas. Its text names the slice alone,
 * however many ranges that cuts.
 *
 * @param table with its keyspace, as {@code shop.orders}
 * @param ranges what of the job's ranges is in the slice
 * @param replicas names, the master's first
 */
public record RangeUnit(String table, TokenRange slice, TokenRanges ranges, List<String> replicas) implements JobUnit {
    public RangeUnit {
        if (table.isEmpty() || table.indexOf(' ') >= 0) {
            throw new IllegalArgumentException("table's name is empty or has a space, table=" + table);
        }
        replicas = List.copyOf(replicas);
        if (replicas.contains("")) {
            throw new IllegalArgumentException("replica has no name, replicas=" + replicas);
        }
    }

    /** At most so many units of about equal width, in the order of the ring, that together are these ranges. */
    public static List<RangeUnit> of(String table, TokenRanges ranges, List<String> replicas, int count) {
        return ranges.slices(count).stream()
                .map(slice -> in(slice, table, ranges, replicas))
                .toList();
    }

    private static RangeUnit in(TokenRange slice, String table, TokenRanges all, List<String> replicas) {
        return new RangeUnit(table, slice, new TokenRanges(all.within(slice)), replicas);
    }

    /**
     * Reads a unit from its {@link #text()}.
     *
     * @param ranges all of its job, or those of a job with several sets of replicas by the names in such a set
     * @throws IllegalArgumentException when it is no such text, or nothing of the ranges lies in its slice
     */
    public static RangeUnit parse(String text, Function<List<String>, TokenRanges> ranges) {
        String[] words = text.split(" ", 3);
        if (words.length < 3) {
            throw new IllegalArgumentException("text is no unit of a table, a range and replicas, text=" + text);
        }
        List<String> replicas = words[2].isEmpty()
                ? List.of()
                : Arrays.stream(words[2].split(",", -1))
                        .map(RangeUnit::unescape)
                        .toList();
        return in(TokenRange.parse(words[1]), words[0], ranges.apply(replicas), replicas);
    }

    /** The table of a unit, from its {@link #text()}. */
    public static String tableOf(String text) {
        return text.split(" ", 2)[0];
    }

    /**
     * This unit as several: what is up to a token of its ranges, and so many parts at most of what is after it. One that goes
     * around the ring is not split, since a session takes what is on the other side first, in the order of files.
     *
     * @return empty if all is on one side
     */
    public Optional<UnitRun.Split<RangeUnit>> splitAt(long token, int parts) {
        TokenRange before = new TokenRange(slice.left(), token);
        TokenRange after = new TokenRange(token, slice.right());
        return !goesAroundTheRing()
                        && slice.contains(token)
                        && !ranges.within(before).isEmpty()
                        && token != slice.right()
                        && !ranges.within(after).isEmpty()
                ? Optional.of(new UnitRun.Split<>(
                        in(before, table, ranges, replicas),
                        of(table, new TokenRanges(ranges.within(after)), replicas, parts)))
                : Optional.empty();
    }

    /** From the largest token to the smallest; one that ends there does not. */
    public boolean goesAroundTheRing() {
        return slice.wrapsAround() && slice.right() != Long.MIN_VALUE;
    }

    /** Whether none of its tokens comes after one of its slice. */
    public boolean endsBy(long token) {
        return token == slice.right()
                || ranges.within(new TokenRange(token, slice.right())).isEmpty();
    }

    /** The table, the slice, and the replicas between commas. */
    @Override
    public String text() {
        return table + " " + slice + " "
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
        return ranges.width();
    }

    @Override
    public String toString() {
        return text();
    }
}
