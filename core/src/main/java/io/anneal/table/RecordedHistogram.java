package io.anneal.table;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.UniformReservoir;

/** Recorded numbers as Dropwizard's histogram. Only to look at: recorders are fed elsewhere. */
final class RecordedHistogram extends Histogram {
    private final RecentValues values;

    RecordedHistogram(RecentValues values) {
        // Never fed.
        super(new UniformReservoir(1));
        this.values = values;
    }

    @Override
    public long getCount() {
        return values.count();
    }

    @Override
    public Snapshot getSnapshot() {
        return values.snapshot();
    }
}
