package io.anneal.metrics;

import com.codahale.metrics.Histogram;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.UniformReservoir;
import java.util.List;
import java.util.function.Supplier;

/** Recorded numbers as Dropwizard's histogram. Only to look at: recorders are fed elsewhere. */
final class RecordedHistogram extends Histogram {
    private final Supplier<RecordedParts> parts;

    RecordedHistogram(List<ValueRecorder> recorders) {
        this(() -> new RecordedParts(recorders, 0));
    }

    /** @param parts those that there are when somebody asks */
    RecordedHistogram(Supplier<RecordedParts> parts) {
        // Never fed.
        super(new UniformReservoir(1));
        this.parts = parts;
    }

    @Override
    public long getCount() {
        return parts.get().count();
    }

    @Override
    public Snapshot getSnapshot() {
        return RecordedSnapshot.of(parts.get().recorders());
    }
}
