package io.anneal.table;

import io.anneal.io.RateLimiter;
import java.time.Clock;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What a store takes from outside: time and threads.
 *
 * @param clock for timestamps, TTLs and purging
 * @param nanoTime for measuring, as {@link System#nanoTime()}
 * @param ids names for new stores and tables, never the same twice
 * @param sleeper waits on the nano clock
 * @param threads where its work runs
 */
public record StoreEnvironment(
        InstantSource clock, LongSupplier nanoTime, Supplier<UUID> ids, RateLimiter.Sleeper sleeper, Threads threads) {
    /** Gives out executors. */
    public interface Threads {
        /**
         * An executor that runs one task at a time, in order; the store shuts it down.
         *
         * @param name what for
         */
        ScheduledExecutorService single(String name);
    }

    /** The machine's time, and daemon threads named after the store's parts. */
    public static StoreEnvironment system() {
        return new StoreEnvironment(
                Clock.systemUTC(),
                System::nanoTime,
                UUID::randomUUID,
                TimeUnit.NANOSECONDS::sleep,
                StoreEnvironment::daemon);
    }

    private static ScheduledExecutorService daemon(String name) {
        return Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "anneal-" + name);
            thread.setDaemon(true);
            return thread;
        });
    }
}
