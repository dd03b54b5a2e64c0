package io.anneal.migrate.bulk;

import io.anneal.environment.HostEnvironment;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Time that passes only where somebody sleeps; threads are the machine's. */
final class TestTime implements InstantSource {
    private static final Instant BEGIN = Instant.parse("2026-11-21T12:00:00Z");

    private final AtomicLong nanos = new AtomicLong();

    @Override
    public Instant instant() {
        return BEGIN.plusNanos(nanos.get());
    }

    long nanos() {
        return nanos.get();
    }

    long seconds() {
        return instant().getEpochSecond();
    }

    long micros() {
        return TimeUnit.SECONDS.toMicros(seconds());
    }

    void pass(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    HostEnvironment environment() {
        return environment(() -> {});
    }

    /** @param whileAsleep happens at each sleep */
    HostEnvironment environment(Runnable whileAsleep) {
        return HostEnvironment.system().withTime(this, nanos::get, sleep -> {
            whileAsleep.run();
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted in sleep");
            }
            nanos.addAndGet(sleep);
        });
    }
}
