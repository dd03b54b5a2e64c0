package io.anneal.dualdao.stats;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * The durations of one kind of call on one side. Recording allocates nothing but the first time and waits for nobody: a recorder
 * of fixed range, since one that resizes itself takes locks while it does and counts in a dearer way ever after. Reading
 * empties the recorder into what each reader still has to see, so that one reader takes nothing from another.
 */
final class Latencies {
    /** Longer ones count as this one. */
    static final long NANOS_MAX = TimeUnit.HOURS.toNanos(1);

    /** A value is known to a hundredth. */
    static final int SIGNIFICANT_DIGITS = 2;

    /** Made by the first value: many operations are of one side only, and this takes some tens of KB. */
    private volatile Recorder recorder;

    /** Emptying a recorder walks thousands of counts, whatever they are. */
    private volatile boolean unread;

    private Histogram drained;
    private final Histogram sinceStart = empty();
    private final Histogram sinceFacts = empty();
    private final Histogram sinceSnapshot = empty();

    /** A histogram that grows with what is put in. */
    static Histogram empty() {
        return new Histogram(SIGNIFICANT_DIGITS);
    }

    /** @param nanos a negative one counts as 0: clocks of a machine's cores may differ by a little */
    void record(long nanos) {
        Recorder target = recorder;
        if (target == null) {
            target = start();
        }
        target.recordValue(Math.max(0, Math.min(nanos, NANOS_MAX)));
        if (!unread) {
            unread = true;
        }
    }

    private synchronized Recorder start() {
        if (recorder == null) {
            recorder = new Recorder(NANOS_MAX, SIGNIFICANT_DIGITS);
        }
        return recorder;
    }

    private void drain() {
        if (unread) {
            // Before the values are taken: one that comes meanwhile is seen now or next time.
            unread = false;
            drained = recorder.getIntervalHistogram(drained);
            sinceStart.add(drained);
            sinceFacts.add(drained);
            sinceSnapshot.add(drained);
        }
    }

    /** Adds what came since the last heartbeat. */
    synchronized void takeFacts(Histogram sum) {
        drain();
        if (sinceFacts.getTotalCount() > 0) {
            sum.add(sinceFacts);
            sinceFacts.reset();
        }
    }

    synchronized StatsSnapshot.Latency takeSnapshot() {
        drain();
        StatsSnapshot.Latency latency = new StatsSnapshot.Latency(
                StatsSnapshot.Distribution.of(sinceStart), StatsSnapshot.Distribution.of(sinceSnapshot));
        sinceSnapshot.reset();
        return latency;
    }

    /** The duration that a share of all calls so far stayed below; what was recorded since the last reading counts too. */
    synchronized long percentileNanos(double percentile) {
        drain();
        return sinceStart.getValueAtPercentile(percentile);
    }
}
