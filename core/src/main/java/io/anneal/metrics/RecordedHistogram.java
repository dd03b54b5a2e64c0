package io.anneal.metrics;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.UniformReservoir;
import java.util.List;

/** Recorded numbers as Dropwizard's histogram. Only to look at: recorders are fed elsewhere. */
final class RecordedHistogram extends Histogram {
    private final List<ValueRecorder> recorders;

    RecordedHistogram(List<ValueRecorder> recorders) {
        // Never fed.
        super(new UniformReservoir(1));
        this.recorders = recorders;
    }

    @Override
    public long getCount() {
        return recorders.stream()
                .mapToLong(recorder -> recorder.meter().getCount())
                .sum();
    }

    @Override
    public Snapshot getSnapshot() {
        return RecordedSnapshot.of(recorders);
    }
}
