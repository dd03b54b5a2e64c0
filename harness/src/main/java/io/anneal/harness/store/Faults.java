package io.anneal.harness.store;

import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * How a {@link MemoryPartitionDao} misbehaves: shares of its calls, drawn from a source of randomness, and how long they
 * take. May be changed while calls run. Any thread may call.
 */
public final class Faults {
    /** What is done to a call. */
    enum Fault {
        NONE,
        /** Nothing happens, and the caller is told so. */
        FAIL,
        /** It happens, and the caller is told of a timeout. */
        FAIL_AFTER,
        /** The caller is told of a timeout, and it happens later. */
        LATE,
        /** A write does not happen, and the caller is told that it did. */
        LOSE,
        /** It happens or not, and the caller hears nothing. */
        HANG
    }

    /**
     * What happens to one call.
     *
     * @param before its effect
     * @param after its effect, before the answer
     */
    record Plan(Fault fault, long beforeNanos, long afterNanos, boolean happens) {}

    private static final Plan SMOOTH = new Plan(Fault.NONE, 0, 0, true);
    /** How many times later than its answer a late write happens. */
    private static final int LATE_FACTOR = 10;

    private final RandomGenerator random;
    private final double[] shares = new double[Fault.values().length];
    private long latencyMinNanos;
    private long latencyMaxNanos;
    private volatile boolean smooth = true;

    /**
     * No faults yet.
     *
     * @param random one seed, one course of events, if calls come in one order
     */
    public Faults(RandomGenerator random) {
        this.random = random;
    }

    /** Calls take that long, evenly spread; the effect comes at any time in between. */
    public synchronized Faults latency(long minNanos, long maxNanos) {
        if (minNanos < 0 || maxNanos < minNanos) {
            throw new IllegalArgumentException(
                    "latencies are not in order, minNanos=" + minNanos + ", maxNanos=" + maxNanos);
        }
        latencyMinNanos = minNanos;
        latencyMaxNanos = maxNanos;
        return changed();
    }

    /** That share of calls fails, and nothing happens. */
    public Faults failing(double share) {
        return share(Fault.FAIL, share);
    }

    /** That share of calls is answered by a timeout, and has happened. */
    public Faults failingAfter(double share) {
        return share(Fault.FAIL_AFTER, share);
    }

    /** That share of calls is answered by a timeout, and happens later. */
    public Faults late(double share) {
        return share(Fault.LATE, share);
    }

    /** That share of writes is acknowledged and does not happen. */
    public Faults lossy(double share) {
        return share(Fault.LOSE, share);
    }

    /** That share of calls is never answered; of writes half happen. */
    public Faults hanging(double share) {
        return share(Fault.HANG, share);
    }

    /** Ends all faults and latencies for calls to come. */
    public synchronized Faults heal() {
        for (Fault fault : Fault.values()) {
            shares[fault.ordinal()] = 0;
        }
        latencyMinNanos = 0;
        latencyMaxNanos = 0;
        return changed();
    }

    private synchronized Faults share(Fault fault, double share) {
        double others = -shares[fault.ordinal()];
        for (double other : shares) {
            others += other;
        }
        if (!(share >= 0) || share + others > 1) {
            throw new IllegalArgumentException("shares of faults are none or more than all, fault=" + fault + ", share="
                    + share + ", others=" + others);
        }
        shares[fault.ordinal()] = share;
        return changed();
    }

    private Faults changed() {
        boolean none = latencyMaxNanos == 0;
        for (double share : shares) {
            none &= share == 0;
        }
        smooth = none;
        return this;
    }

    Plan next() {
        return smooth ? SMOOTH : drawn();
    }

    private synchronized Plan drawn() {
        double point = random.nextDouble();
        Fault drawn = Fault.NONE;
        for (Fault fault : Fault.values()) {
            if (point < shares[fault.ordinal()]) {
                drawn = fault;
                break;
            }
            point -= shares[fault.ordinal()];
        }
        long latencyNanos = latencyMaxNanos == latencyMinNanos
                ? latencyMinNanos
                : random.nextLong(latencyMinNanos, latencyMaxNanos + 1);
        long beforeNanos = latencyNanos == 0 ? 0 : random.nextLong(latencyNanos + 1);
        long afterNanos = latencyNanos - beforeNanos;
        return switch (drawn) {
            case NONE, FAIL_AFTER -> new Plan(drawn, beforeNanos, afterNanos, true);
            case FAIL, LOSE -> new Plan(drawn, beforeNanos, afterNanos, false);
            case HANG -> new Plan(drawn, beforeNanos, afterNanos, random.nextBoolean());
            case LATE ->
                new Plan(
                        drawn,
                        latencyNanos,
                        LATE_FACTOR * Math.max(latencyNanos, TimeUnit.MILLISECONDS.toNanos(1)),
                        true);
        };
    }
}
