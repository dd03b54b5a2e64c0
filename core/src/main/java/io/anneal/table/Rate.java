package io.anneal.table;

import com.codahale.metrics.Clock;
import com.codahale.metrics.Meter;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/** How many values a second come, in Dropwizard's moving averages. Fed in batches. Any thread. */
final class Rate implements LongConsumer {
    private final LongSupplier nanoClock;
    private final long startNanos;
    private final Meter meter;

    Rate(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        startNanos = nanoClock.getAsLong();
        meter = new Meter(new Clock() {
            @Override
            public long getTick() {
                return nanoClock.getAsLong();
            }
        });
    }

    @Override
    public void accept(long count) {
        meter.mark(count);
    }

    double mean(long count) {
        long elapsedNanos = nanoClock.getAsLong() - startNanos;
        return elapsedNanos <= 0 ? 0 : (double) count * TimeUnit.SECONDS.toNanos(1) / elapsedNanos;
    }

    double oneMinute() {
        return meter.getOneMinuteRate();
    }

    double fiveMinutes() {
        return meter.getFiveMinuteRate();
    }

    double fifteenMinutes() {
        return meter.getFifteenMinuteRate();
    }
}
