package io.anneal.agent;

import java.time.Duration;
import java.util.OptionalInt;
import java.util.function.LongSupplier;

/** Says when to say again what happens again and again: at once, and from then on each time after a while. One thread at a time. */
final class SeldomSaid {
    private final LongSupplier nanoTime;
    private final Duration interval;
    private int times;
    private long saidNanos;

    SeldomSaid(LongSupplier nanoTime, Duration interval) {
        this.nanoTime = nanoTime;
        this.interval = interval;
    }

    /** It happened; answers how many times by now if that is to be said. */
    OptionalInt happened() {
        long now = nanoTime.getAsLong();
        times++;
        if (times > 1 && now - saidNanos < interval.toNanos()) {
            return OptionalInt.empty();
        }
        saidNanos = now;
        return OptionalInt.of(times);
    }

    /** It happens no more: the next time is the first. */
    void ended() {
        times = 0;
    }
}
