package io.anneal.repair;

import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.repair.row.RowBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What a session's master counts by range and replica: what it compared, and what each replica lacked. One thread. */
final class RangeTally {
    private final RangeIndex ranges;
    private final int replicas;
    /** By number of the range; null where nothing was found yet. */
    private final Counts[] counts;
    /** The first range that may have tokens after the last window. */
    private int next;

    private static final class Counts {
        private long rowsCompared;
        private long rowsDiffering;
        private long deletionsDiffering;
        private final long[] rows;
        private final long[] deletions;
        private final long[] bytes;

        Counts(int replicas) {
            rows = new long[replicas];
            deletions = new long[replicas];
            bytes = new long[replicas];
        }
    }

    RangeTally(RangeIndex ranges, int replicas) {
        this.ranges = ranges;
        this.replicas = replicas;
        counts = new Counts[ranges.size()];
    }

    RangeIndex ranges() {
        return ranges;
    }

    private Counts counts(int range) {
        if (counts[range] == null) {
            counts[range] = new Counts(replicas);
        }
        return counts[range];
    }

    /** Counts the master's rows of a window as they are hashed, under the deletions of all replicas. */
    void compared(RowBuffer rows, RingPosition boundary) {
        int start = 0;
        while (start < rows.windowEnd()) {
            long token = rows.item(start).key().token();
            while (ranges.lastToken(next) < token) {
                next++;
            }
            int end = ranges.lastToken(next) >= boundary.lastToken()
                    ? rows.windowEnd()
                    : rows.firstFrom(RingPosition.behind(ranges.lastToken(next)));
            counts(next).rowsCompared += rows.hashedCount(start, end);
            start = end;
        }
    }

    /** Rows of the master's, from a token on, which are known to be those of all replicas. */
    void known(long token, long rows) {
        counts(ranges.of(token)).rowsCompared += rows;
    }

    /** A row of the master's, which another replica leaves out. */
    void notCompared(int range) {
        counts(range).rowsCompared--;
    }

    /** Rows of which the master holds no version. */
    void comparedElsewhere(int range, long rows) {
        counts(range).rowsCompared += rows;
    }

    /** A place at which replicas hold different rows. */
    void rowDiffers(int range, List<Integer> lacking) {
        Counts found = counts(range);
        found.rowsDiffering++;
        lacking.forEach(replica -> found.rows[replica]++);
    }

    /** A replica lacks rows or deletions of so many bytes. */
    void lacks(int range, int replica, long bytes) {
        counts(range).bytes[replica] += bytes;
    }

    /** A deletion that not every replica holds. */
    void deletionDiffers(int range, List<Integer> lacking) {
        Counts found = counts(range);
        found.deletionsDiffering++;
        lacking.forEach(replica -> found.deletions[replica]++);
    }

    /** At how many places a replica lacks something. */
    long rowsLacking(int replica) {
        long rows = 0;
        for (Counts found : counts) {
            rows += found == null ? 0 : found.rows[replica];
        }
        return rows;
    }

    /** Of each range in which there was something, in the order of tokens. */
    List<RangeReport> reports(String table, List<String> names) {
        Map<TokenRange, RangeReport> reports = new LinkedHashMap<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] != null) {
                reports.merge(ranges.range(i), report(i, table, names), RangeReport::plus);
            }
        }
        return new ArrayList<>(reports.values());
    }

    private RangeReport report(int range, String table, List<String> names) {
        Counts found = counts[range];
        return new RangeReport(
                table,
                ranges.range(range),
                found.rowsCompared,
                found.rowsDiffering,
                found.deletionsDiffering,
                IntStream.range(0, replicas)
                        .mapToObj(replica -> new RangeReport.Lacking(
                                replica,
                                names.get(replica),
                                found.rows[replica],
                                found.deletions[replica],
                                found.bytes[replica]))
                        .toList());
    }
}
