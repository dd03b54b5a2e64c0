package io.anneal.table;

import io.anneal.io.RateLimiter;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
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
 * @param listener hears what fails
 */
public record StoreEnvironment(
        InstantSource clock,
        LongSupplier nanoTime,
        Supplier<UUID> ids,
        RateLimiter.Sleeper sleeper,
        Threads threads,
        StoreListener listener) {
    /** One to whose failures nobody listens. */
    public StoreEnvironment(
            InstantSource clock,
            LongSupplier nanoTime,
            Supplier<UUID> ids,
            RateLimiter.Sleeper sleeper,
            Threads threads) {
        this(clock, nanoTime, ids, sleeper, threads, StoreListener.NONE);
    }

    /** The same, with somebody who hears what fails. */
    public StoreEnvironment withListener(StoreListener value) {
        return new StoreEnvironment(clock, nanoTime, ids, sleeper, threads, value);
    }

    /** Gives out executors. */
    public interface Threads {
        /**
         * An executor that runs one task at a time, in order; the store shuts it down.
         *
         * @param name what for
         */
        ScheduledExecutorService single(String name);

        /** Where callbacks run, see {@link StoreEnvironment#withCallbacks(Executor)}; by default on a thread of the store's own. */
        default Optional<Executor> callbacks() {
            return Optional.empty();
        }
    }

    /**
     * The same, but futures of {@code applyAsync}, {@code flushAsync} and {@code compactAsync} are completed by this executor, and
     * what depends on them runs there. By default that is one thread for all: a callback that blocks holds up the others. The
     * executor is called by that thread. It may block; a task that it refuses, with whatever it throws, runs on the default
     * thread, and what it has not done when the store is closed runs on others. The caller shuts it down.
     */
    public StoreEnvironment withCallbacks(Executor callbacks) {
        return new StoreEnvironment(
                clock,
                nanoTime,
                ids,
                sleeper,
                new Threads() {
                    @Override
                    public ScheduledExecutorService single(String name) {
                        return threads.single(name);
                    }

                    @Override
                    public Optional<Executor> callbacks() {
                        return Optional.of(callbacks);
                    }
                },
                listener);
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
