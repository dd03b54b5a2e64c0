package io.anneal.job;

import io.anneal.environment.HostEnvironment;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes only where somebody sleeps; threads are the machine's. */
final class JobTime {
    private final AtomicLong nanos = new AtomicLong();
    private final List<Long> sleptSeconds = new CopyOnWriteArrayList<>();

    /** Happens at each sleep. */
    volatile Runnable whileAsleep = () -> {};

    HostEnvironment environment() {
        return environment(JobTime::thread);
    }

    HostEnvironment environment(HostEnvironment.Threads threads) {
        return new HostEnvironment(
                () -> Instant.EPOCH.plusNanos(nanos.get()), nanos::get, new Random(14), this::sleep, threads);
    }

    private void sleep(long sleepNanos) throws InterruptedException {
        sleptSeconds.add(TimeUnit.NANOSECONDS.toSeconds(sleepNanos));
        whileAsleep.run();
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted in sleep");
        }
        nanos.addAndGet(sleepNanos);
    }

    void pass(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    double seconds() {
        return nanos.get() / 1e9;
    }

    List<Long> sleptSeconds() {
        return sleptSeconds;
    }

    static ScheduledExecutorService thread(String name) {
        return Executors.newSingleThreadScheduledExecutor(work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        });
    }
}
