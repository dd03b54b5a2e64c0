package io.anneal.environment;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * What a store, a node or a job takes from its process: time, randomness and threads. {@link #system()} is the machine's, changed
 * by the {@code with} methods. Immutable; its parts may be used by any thread.
 *
 * @param clock for timestamps, TTLs and purging
 * @param nanoTime for measuring, as {@link System#nanoTime()}
 * @param random for ids, nonces and seeds; must be safe for several threads
 * @param sleeper waits on the nano clock
 * @param threads where work runs
 */
public record HostEnvironment(
        InstantSource clock, LongSupplier nanoTime, RandomGenerator random, Sleeper sleeper, Threads threads) {
    /** Version 4, variant 2: what {@link UUID#randomUUID()} sets. */
    private static final long VERSION_MASK = 0xF000L;

    private static final long VERSION = 0x4000L;
    private static final long VARIANT_MASK = 0xC000_0000_0000_0000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    /** Gives out executors. */
    @FunctionalInterface
    public interface Threads {
        /**
         * Returns an executor that runs one task at a time, in order; the caller shuts it down.
         *
         * @param name what for
         */
        ScheduledExecutorService single(String name);

        /** Where callbacks run, see {@link HostEnvironment#withCallbacks(Executor)}; by default on a thread of the store's own. */
        default Optional<Executor> callbacks() {
            return Optional.empty();
        }
    }

    public HostEnvironment {
        Objects.requireNonNull(clock, "clock");
        Objects.requireNonNull(nanoTime, "nanoTime");
        Objects.requireNonNull(random, "random");
        Objects.requireNonNull(sleeper, "sleeper");
        Objects.requireNonNull(threads, "threads");
    }

    /** Returns the machine's time and randomness, and daemon threads named after what they are for. */
    public static HostEnvironment system() {
        return new HostEnvironment(
                Clock.systemUTC(),
                System::nanoTime,
                new SecureRandom(),
                TimeUnit.NANOSECONDS::sleep,
                HostEnvironment::daemon);
    }

    private static ScheduledExecutorService daemon(String name) {
        return Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, "anneal-" + name);
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Returns a name for a new store, table, session or run: never the same twice, unless the randomness repeats itself. */
    public UUID newId() {
        long high = random.nextLong() & ~VERSION_MASK | VERSION;
        long low = random.nextLong() & ~VARIANT_MASK | VARIANT;
        return new UUID(high, low);
    }

    /** Returns the same with another clock. */
    public HostEnvironment withClock(InstantSource clock) {
        return withTime(clock, nanoTime, sleeper);
    }

    /** Returns the same in another time. */
    public HostEnvironment withTime(InstantSource clock, LongSupplier nanoTime, Sleeper sleeper) {
        return new HostEnvironment(clock, nanoTime, random, sleeper, threads);
    }

    /** Returns the same with other randomness. */
    public HostEnvironment withRandom(RandomGenerator random) {
        return new HostEnvironment(clock, nanoTime, random, sleeper, threads);
    }

    /** Returns the same with other threads. */
    public HostEnvironment withThreads(Threads threads) {
        return new HostEnvironment(clock, nanoTime, random, sleeper, threads);
    }

    /**
     * Returns the same, but futures of {@code applyAsync}, {@code flushAsync} and {@code compactAsync} are completed by this
     * executor, and what depends on them runs there. By default that is one thread for all: a callback that blocks holds up the
     * others. The executor is called by that thread. It may block; a task that it refuses, with whatever it throws, runs on the
     * default thread, and what it has not done when the store is closed runs on others. The caller shuts it down.
     */
    public HostEnvironment withCallbacks(Executor callbacks) {
        Objects.requireNonNull(callbacks, "callbacks");
        return withThreads(new Threads() {
            @Override
            public ScheduledExecutorService single(String name) {
                return threads.single(name);
            }

            @Override
            public Optional<Executor> callbacks() {
                return Optional.of(callbacks);
            }
        });
    }
}
