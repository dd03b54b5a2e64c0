package io.anneal.harness.store;

import io.anneal.dualdao.route.WriteTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Times of writes: the dual DAO's, or this DAO's own, each later than the one before. Any thread. */
final class WriteClock {
    private final InstantSource clock;
    private final AtomicLong lastMicros = new AtomicLong();

    WriteClock(InstantSource clock) {
        this.clock = clock;
    }

    /** For a write that this thread begins. */
    long micros() {
        OptionalLong given = WriteTime.currentMicros();
        return given.isPresent() ? given.getAsLong() : own();
    }

    private long own() {
        Instant now = clock.instant();
        long nowMicros = TimeUnit.SECONDS.toMicros(now.getEpochSecond()) + TimeUnit.NANOSECONDS.toMicros(now.getNano());
        return lastMicros.updateAndGet(last -> Math.max(last + 1, nowMicros));
    }

    long nowSeconds() {
        return clock.instant().getEpochSecond();
    }
}
