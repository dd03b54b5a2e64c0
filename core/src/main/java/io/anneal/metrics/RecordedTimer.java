package io.anneal.metrics;

import com.codahale.metrics.Meter;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;
import com.codahale.metrics.UniformReservoir;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Recorded nanoseconds as Dropwizard's timer. Only to look at: recorders are fed elsewhere. */
final class RecordedTimer extends Timer {
    private final Supplier<RecordedParts> parts;

    RecordedTimer(List<ValueRecorder> recorders) {
        this(() -> new RecordedParts(recorders, 0));
    }

    /** @param parts those that there are when somebody asks */
    RecordedTimer(Supplier<RecordedParts> parts) {
        // Never fed.
        super(new UniformReservoir(1));
        this.parts = parts;
    }

    private double sum(ToDoubleFunction<Meter> number) {
        return parts.get().recorders().stream()
                .map(ValueRecorder::meter)
                .mapToDouble(number)
                .sum();
    }

    @Override
    public long getCount() {
        return parts.get().count();
    }

    @Override
    public Snapshot getSnapshot() {
        return RecordedSnapshot.of(parts.get().recorders());
    }

    @Override
    public double getMeanRate() {
        return sum(Meter::getMeanRate);
    }

    @Override
    public double getOneMinuteRate() {
        return sum(Meter::getOneMinuteRate);
    }

    @Override
    public double getFiveMinuteRate() {
        return sum(Meter::getFiveMinuteRate);
    }

    @Override
    public double getFifteenMinuteRate() {
        return sum(Meter::getFifteenMinuteRate);
    }
}
