package io.anneal.harness.load;

import io.anneal.harness.store.PartitionDao;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Load as many independent clients make it: operations begin when they are due, whether or not earlier ones have ended (an open
 * loop). Where a store is so slow that {@link LoadConfig#inFlightMax} operations are under way, what is due waits, the
 * schedule stays as it is, and latencies count from when an operation was due.
 *
 * <pre>
 *   due        |    |    |    |    |    |        every 1 / operationsPerSecond
 *   under way  [----------------]
 *                   [----]
 *                        [--]
 * </pre>
 *
 * One thread pumps, the callers' executor calls the DAO, answers come on any thread.
 */
public final class LoadGenerator {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final long PARK_MAX_NANOS = 50_000_000;
    /** Of answers that must come before an operation may begin that is due; those come by themselves. */
    private static final long FULL_PARK_NANOS = 200_000;

    private final LoadConfig config;
    private final LoadScript script;
    private final LoadCall call;
    private final LongSupplier nanoTime;
    private final Executor callers;
    private final LoadStats stats = new LoadStats();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final long startNanos;

    private long begun;
    private boolean full;
    private long lastFullNanos;
    private volatile boolean stopped;

    /**
     * Begins the schedule now.
     *
     * @param valuePrefix of all values, for telling them from those of other runs
     * @param callers where the DAO is called, and may block
     */
    public LoadGenerator(
            LoadConfig config,
            String valuePrefix,
            PartitionDao dao,
            MultiGet multiGet,
            OperationLog log,
            LongSupplier nanoTime,
            Executor callers) {
        this.config = config;
        this.nanoTime = nanoTime;
        this.callers = callers;
        script = new LoadScript(config, valuePrefix);
        call = new LoadCall(dao, multiGet, log, nanoTime);
        startNanos = nanoTime.getAsLong();
    }

    public LoadStats stats() {
        return stats;
    }

    public int inFlight() {
        return inFlight.get();
    }

    /**
     * Begins every operation that is due and for which there is room.
     *
     * @return nanoseconds until there may be something to begin
     */
    public long pump() {
        while (true) {
            long nowNanos = nanoTime.getAsLong();
            long dueNanos = dueNanos();
            if (dueNanos > nowNanos) {
                return dueNanos - nowNanos;
            }
            if (inFlight.get() >= config.inFlightMax()) {
                lastFullNanos = nowNanos;
                full = true;
                return FULL_PARK_NANOS;
            }
            begin(dueNanos);
        }
    }

    private long dueNanos() {
        return startNanos + (long) (begun * NANOS_PER_SECOND / config.operationsPerSecond());
    }

    private void begin(long dueNanos) {
        LoadScript.Step step = script.next();
        begun++;
        inFlight.incrementAndGet();
        stats.begun(full && dueNanos - lastFullNanos <= 0);
        callers.execute(() -> call.call(step).whenComplete((done, failure) -> {
            stats.ended(step.kind() == LoadScript.Kind.READ, failure == null, nanoTime.getAsLong() - dueNanos);
            inFlight.decrementAndGet();
        }));
    }

    /** Pumps until {@link #stop}, then waits for what is under way, up to that many nanoseconds, or until it is interrupted. */
    public void run(long lingerNanos) {
        while (!stopped) {
            LockSupport.parkNanos(Math.min(pump(), PARK_MAX_NANOS));
        }
        long endNanos = nanoTime.getAsLong() + lingerNanos;
        while (inFlight.get() > 0
                && nanoTime.getAsLong() < endNanos
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(FULL_PARK_NANOS);
        }
    }

    /** Lets {@link #run} end. */
    public void stop() {
        stopped = true;
    }
}
