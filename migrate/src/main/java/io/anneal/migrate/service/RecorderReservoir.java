package io.anneal.migrate.service;

import com.codahale.metrics.Reservoir;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.WeightedSnapshot;
import com.codahale.metrics.WeightedSnapshot.WeightedSample;
import io.anneal.metrics.ValueRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * A reservoir over a {@link ValueRecorder}: each value counts, none costs memory, percentiles to a hundredth of their size. A
 * snapshot is of the last one to two minutes, or since the last one if that is longer, and takes nothing away: JMX takes one for
 * each attribute. Any thread.
 */
final class RecorderReservoir implements Reservoir {
    private static final int PRECISION_DIGITS = 2;

    private final ValueRecorder recorder;

    RecorderReservoir(LongSupplier nanoClock) {
        recorder = new ValueRecorder(nanoClock);
    }

    @Override
    public int size() {
        return getSnapshot().size();
    }

    @Override
    public void update(long value) {
        recorder.record(value);
    }

    /** Holds each value once, with its weight. */
    @Override
    public Snapshot getSnapshot() {
        Histogram recent = new Histogram(PRECISION_DIGITS);
        recorder.addRecent(recent);
        List<WeightedSample> samples = new ArrayList<>();
        recent.recordedValues()
                .forEach(value -> samples.add(
                        new WeightedSample(value.getValueIteratedTo(), value.getCountAddedInThisIterationStep())));
        return new WeightedSnapshot(samples);
    }
}
