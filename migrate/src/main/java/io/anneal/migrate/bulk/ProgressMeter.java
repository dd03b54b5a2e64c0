package io.anneal.migrate.bulk;

import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts a run as it goes on, and from the share of positions that is done tells how long the rest will take. Any thread. */
final class ProgressMeter {
    private static final double NANOS_PER_SECOND = 1e9;
    /** Below this share nothing is foretold. */
    private static final double SHARE_MIN = 1e-4;

    private final LongSupplier nanoTime;
    private final long startNanos;
    private final int rangesTotal;
    private final double width;
    private final double widthDoneBefore;
    private final LongAdder rows = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder mismatches = new LongAdder();
    private final Map<BulkRange, Long> positions = new ConcurrentHashMap<>();

    private int rangesDone;
    private double widthDone;

    ProgressMeter(LongSupplier nanoTime, Checkpoint checkpoint) {
        this.nanoTime = nanoTime;
        startNanos = nanoTime.getAsLong();
        rangesTotal = checkpoint.ranges().size();
        rangesDone = checkpoint.doneCount();
        width = checkpoint.ranges().stream().mapToDouble(BulkRange::width).sum();
        widthDone =
                width - checkpoint.open().stream().mapToDouble(BulkRange::width).sum();
        widthDoneBefore = widthDone;
        rows.add(checkpoint.sum(Counts.ROWS));
        bytes.add(checkpoint.sum(Counts.BYTES));
    }

    void add(BulkRange range, long position, long entryBytes) {
        rows.increment();
        bytes.add(entryBytes);
        positions.put(range, position);
    }

    void add(long entryCount, long entryBytes) {
        rows.add(entryCount);
        bytes.add(entryBytes);
    }

    void mismatches(long believed) {
        mismatches.add(believed);
    }

    long mismatches() {
        return mismatches.sum();
    }

    /** What was counted of a range that begins anew does not count. */
    void undo(BulkRange range, long entryCount, long entryBytes) {
        rows.add(-entryCount);
        bytes.add(-entryBytes);
        positions.remove(range);
    }

    synchronized void done(BulkRange range) {
        positions.remove(range);
        rangesDone++;
        widthDone += range.width();
    }

    double seconds() {
        return (nanoTime.getAsLong() - startNanos) / NANOS_PER_SECOND;
    }

    synchronized BulkProgress progress() {
        double now = widthDone;
        for (Map.Entry<BulkRange, Long> position : positions.entrySet()) {
            now += (double) position.getValue() - position.getKey().after();
        }
        double share = (now - widthDoneBefore) / width;
        double left = Math.max(0, (width - now) / width);
        return new BulkProgress(
                rows.sum(),
                bytes.sum(),
                rangesDone,
                rangesTotal,
                mismatches.sum(),
                share < SHARE_MIN
                        ? rangesDone == rangesTotal ? OptionalLong.of(0) : OptionalLong.empty()
                        : OptionalLong.of(Math.round(seconds() * left / share)));
    }
}
