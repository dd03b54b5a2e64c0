package io.anneal.sstable.statistics;

import io.anneal.io.ByteWriter;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.row.DeletionTimes;
import java.util.Arrays;

/**
 * When tombstones and expiring data may be dropped: up to 100 points with counts. Points are rounded up to minutes and
 * gathered in a hash table; where it fills up, they join the sorted points, and the nearest neighbours become one at their
 * weighted mean (Ben-Haim and Tom-Tov, "A Streaming Parallel Decision Tree Algorithm", 2010).
 */
final class DropTimeHistogram {
    private static final int POINTS_MAX = 100;
    private static final int ROUND_SECONDS = 60;
    /** The largest unsigned 32-bit number that is no mark. */
    private static final long POINT_MAX_SECONDS = DeletionTimes.INVALID_SECONDS - 1;

    private static final long LEGACY_POINT_MAX_SECONDS = Integer.MAX_VALUE - 1L;
    private static final int SPOOL = 4096;
    private static final long EMPTY = -1;

    private final long[] spoolPoints = new long[SPOOL];
    private final long[] spoolCounts = new long[SPOOL];
    private final long[] points = new long[POINTS_MAX + 1];
    private final long[] counts = new long[POINTS_MAX + 1];

    private int spooled;
    private int size;

    DropTimeHistogram() {
        Arrays.fill(spoolPoints, EMPTY);
    }

    void add(long seconds) {
        long point = round(seconds);
        int slot = (int) ((point * 0x9E3779B97F4A7C15L) >>> 52);
        while (spoolPoints[slot] != point && spoolPoints[slot] != EMPTY) {
            slot = (slot + 1) & (SPOOL - 1);
        }
        if (spoolPoints[slot] == EMPTY) {
            spoolPoints[slot] = point;
            spooled++;
        }
        spoolCounts[slot]++;
        if (spooled > SPOOL / 2) {
            drain();
        }
    }

    private static long round(long seconds) {
        long up = (seconds + ROUND_SECONDS - 1) / ROUND_SECONDS * ROUND_SECONDS;
        return Math.min(up, POINT_MAX_SECONDS);
    }

    private void drain() {
        for (int i = 0; i < SPOOL; i++) {
            if (spoolPoints[i] != EMPTY) {
                insert(spoolPoints[i], spoolCounts[i]);
                spoolPoints[i] = EMPTY;
                spoolCounts[i] = 0;
            }
        }
        spooled = 0;
    }

    private void insert(long point, long count) {
        int at = Arrays.binarySearch(points, 0, size, point);
        if (at >= 0) {
            counts[at] += count;
            return;
        }
        at = -at - 1;
        System.arraycopy(points, at, points, at + 1, size - at);
        System.arraycopy(counts, at, counts, at + 1, size - at);
        points[at] = point;
        counts[at] = count;
        size++;
        if (size > POINTS_MAX) {
            joinNearest();
        }
    }

    private void joinNearest() {
        int nearest = 0;
        for (int i = 1; i + 1 < size; i++) {
            if (points[i + 1] - points[i] < points[nearest + 1] - points[nearest]) {
                nearest = i;
            }
        }
        long count = counts[nearest] + counts[nearest + 1];
        long distance = points[nearest + 1] - points[nearest];
        // Cassandra never leaves the joined point where the left one was.
        long step = Math.max(1, (long) (distance * ((double) counts[nearest + 1] / count)));
        points[nearest] = round(points[nearest] + step);
        counts[nearest] = count;
        System.arraycopy(points, nearest + 2, points, nearest + 1, size - nearest - 2);
        System.arraycopy(counts, nearest + 2, counts, nearest + 1, size - nearest - 2);
        size--;
    }

    /** Number of points that {@link #write} writes. */
    int size() {
        drain();
        return size;
    }

    /** Writes capacity and number of points, then each with its count: a double and a long, since {@code oa} a long and an int. */
    void write(SSTableVersion version, ByteWriter out) {
        drain();
        boolean narrow = version.isAtLeast(SSTableVersion.OA);
        out.writeInt(size);
        out.writeInt(size);
        for (int i = 0; i < size; i++) {
            if (narrow) {
                out.writeLong(points[i]);
                out.writeInt((int) Math.min(Integer.MAX_VALUE, counts[i]));
            } else {
                out.writeLong(Double.doubleToRawLongBits(Math.min(points[i], LEGACY_POINT_MAX_SECONDS)));
                out.writeLong(counts[i]);
            }
        }
    }
}
