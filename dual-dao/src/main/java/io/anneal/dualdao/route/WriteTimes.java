package io.anneal.dualdao.route;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** Gives out the times of writes, strictly monotonic within an instance. Any thread may call. */
final class WriteTimes {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1000;

    private final InstantSource clock;
    private final AtomicLong lastMicros = new AtomicLong();

    WriteTimes(InstantSource clock) {
        this.clock = clock;
    }

    long nextMicros() {
        Instant now = clock.instant();
        long micros = now.getEpochSecond() * MICROS_PER_SECOND + now.getNano() / NANOS_PER_MICRO;
        while (true) {
            long last = lastMicros.get();
            long next = Math.max(micros, last + 1);
            if (lastMicros.compareAndSet(last, next)) {
                return next;
            }
        }
    }
}
