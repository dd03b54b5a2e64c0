package io.anneal.table;

import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;

/** Recorded nanoseconds as Dropwizard's timer. Only to look at: recorders are fed elsewhere. */
final class RecordedTimer extends Timer {
    private final RecentValues values;
    private final Rate rate;

    RecordedTimer(RecentValues values, Rate rate) {
        this.values = values;
        this.rate = rate;
    }

    @Override
    public long getCount() {
        return values.count();
    }

    @Override
    public Snapshot getSnapshot() {
        return values.snapshot();
    }

    @Override
    public double getMeanRate() {
        return rate.mean(values.count());
    }

    @Override
    public double getOneMinuteRate() {
        return rate.oneMinute();
    }

    @Override
    public double getFiveMinuteRate() {
        return rate.fiveMinutes();
    }

    @Override
    public double getFifteenMinuteRate() {
        return rate.fifteenMinutes();
    }
}
