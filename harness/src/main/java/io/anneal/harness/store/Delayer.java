package io.anneal.harness.store;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs work later: by threads, or in a simulation by whoever owns its time. */
@FunctionalInterface
public interface Delayer {
    /** Runs everything at once, whatever the delay, on the thread that asks. */
    Delayer NONE = (delayNanos, work) -> work.run();

    void after(long delayNanos, Runnable work);

    static Delayer of(ScheduledExecutorService scheduler) {
        return (delayNanos, work) -> scheduler.schedule(work, delayNanos, TimeUnit.NANOSECONDS);
    }
}
