package io.anneal.metrics;

import com.codahale.metrics.Meter;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.Timer;
import com.codahale.metrics.UniformReservoir;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Recorded nanoseconds as Dropwizard's timer. Only to look at: recorders are fed elsewhere. */
final class RecordedTimer extends Timer {
    private final List<ValueRecorder> recorders;

    RecordedTimer(List<ValueRecorder> recorders) {
        // Never fed.
        super(new UniformReservoir(1));
        this.recorders = recorders;
    }

    private double sum(ToDoubleFunction<Meter> number) {
        return recorders.stream().map(ValueRecorder::meter).mapToDouble(number).sum();
    }

    @Override
    public long getCount() {
        return (long) sum(Meter::getCount);
    }

    @Override
    public Snapshot getSnapshot() {
        return RecordedSnapshot.of(recorders);
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
