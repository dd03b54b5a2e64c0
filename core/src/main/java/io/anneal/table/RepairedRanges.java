package io.anneal.table;

import io.anneal.key.TokenRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * When each part of the ring was last repaired as a whole, in few ranges: a newer repair takes the place of older ones where it
 * covers them, and neighbours of one time are one range. Where there are too many ranges a part counts as repaired earlier than it
 * was, or never: deletions are kept for longer then.
 */
public final class RepairedRanges {
    /** Ranges in a manifest, which is written as a whole with each change. */
    static final int RANGES_MOST = 1_024;

    /** Earlier than any second. */
    public static final long NEVER = Long.MIN_VALUE;

    /**
     * From each token, exclusive, up to the next one when the ring was repaired. Left ends ascend from {@link Long#MIN_VALUE}, since
     * the token of that name is the ring's last.
     */
    private final TreeMap<Long, Long> times = new TreeMap<>(Map.of(Long.MIN_VALUE, NEVER));

    private RepairedRanges(List<RepairTime> known) {
        known.forEach(time -> add(time.range(), time.seconds()));
    }

    /** These, and more. */
    static List<RepairTime> with(List<RepairTime> known, List<TokenRange> repaired, long seconds) {
        RepairedRanges ranges = new RepairedRanges(known);
        repaired.forEach(range -> ranges.add(range, seconds));
        ranges.joinEqual();
        ranges.shrink();
        return ranges.list();
    }

    /**
     * Since when all of some ranges were repaired at least once, in seconds since 1970; {@link #NEVER} when a part of them never was.
     *
     * @param known in any order; where two overlap the later one counts
     */
    public static long earliest(List<RepairTime> known, List<TokenRange> ranges) {
        RepairedRanges all = new RepairedRanges(known);
        long earliest = Long.MAX_VALUE;
        for (TokenRange range : ranges) {
            earliest = Math.min(earliest, all.earliest(range));
        }
        return ranges.isEmpty() ? NEVER : earliest;
    }

    private long earliest(TokenRange range) {
        cut(range.left());
        cut(range.right());
        Stream<Long> seconds = range.left() < range.right()
                ? times.subMap(range.left(), range.right()).values().stream()
                : Stream.concat(
                        times.tailMap(range.left()).values().stream(), times.headMap(range.right()).values().stream());
        return seconds.min(Long::compare).orElse(NEVER);
    }

    private void add(TokenRange range, long seconds) {
        if (range.left() < range.right()) {
            cut(range.right());
            raise(range.left(), range.right(), seconds);
        } else {
            cut(range.right());
            cut(range.left());
            times.tailMap(range.left()).replaceAll((left, known) -> Math.max(known, seconds));
            times.headMap(range.right()).replaceAll((left, known) -> Math.max(known, seconds));
        }
    }

    private void raise(long left, long right, long seconds) {
        cut(left);
        times.subMap(left, right).replaceAll((from, known) -> Math.max(known, seconds));
    }

    private void cut(long token) {
        times.putIfAbsent(token, times.floorEntry(token).getValue());
    }

    private void joinEqual() {
        Long before = null;
        for (var entries = times.values().iterator(); entries.hasNext(); ) {
            Long seconds = entries.next();
            if (seconds.equals(before)) {
                entries.remove();
            }
            before = seconds;
        }
    }

    /** Joins the two neighbours that lose least by it, and forgets the oldest where none are left. */
    private void shrink() {
        while (times.size() > RANGES_MOST) {
            Map.Entry<Long, Long> best = null;
            long bestLoss = Long.MAX_VALUE;
            Map.Entry<Long, Long> before = null;
            for (Map.Entry<Long, Long> entry : times.entrySet()) {
                if (before != null && before.getValue() != NEVER && entry.getValue() != NEVER) {
                    long loss = Math.abs(before.getValue() - entry.getValue());
                    if (loss < bestLoss) {
                        bestLoss = loss;
                        best = entry;
                    }
                }
                before = entry;
            }
            if (best == null) {
                forgetOldest();
            } else {
                Map.Entry<Long, Long> left = times.lowerEntry(best.getKey());
                times.put(left.getKey(), Math.min(left.getValue(), best.getValue()));
                times.remove(best.getKey());
            }
            joinEqual();
        }
    }

    private void forgetOldest() {
        long oldest = times.values().stream()
                .filter(seconds -> seconds != NEVER)
                .min(Long::compare)
                .orElseThrow();
        times.replaceAll((left, seconds) -> seconds == oldest ? NEVER : seconds);
    }

    private List<RepairTime> list() {
        List<RepairTime> list = new ArrayList<>();
        for (Map.Entry<Long, Long> entry : times.entrySet()) {
            if (entry.getValue() != NEVER) {
                Long next = times.higherKey(entry.getKey());
                TokenRange range = new TokenRange(entry.getKey(), next == null ? Long.MIN_VALUE : next);
                list.add(new RepairTime(range, entry.getValue()));
            }
        }
        return list;
    }
}
