package io.anneal.metrics;

import com.codahale.metrics.Snapshot;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.StreamSupport;
import org.HdrHistogram.Histogram;

/** What several recorders counted lately, as Dropwizard shows it. Immutable. */
final class RecordedSnapshot extends Snapshot {
    private final Histogram histogram = new Histogram(ValueRecorder.SIGNIFICANT_DIGITS);

    static RecordedSnapshot of(List<ValueRecorder> recorders) {
        RecordedSnapshot snapshot = new RecordedSnapshot();
        recorders.forEach(recorder -> recorder.addRecent(snapshot.histogram));
        return snapshot;
    }

    @Override
    public double getValue(double quantile) {
        return histogram.getValueAtPercentile(quantile * 100);
    }

    /** Each once: all of them would be too many. */
    @Override
    public long[] getValues() {
        return StreamSupport.stream(histogram.recordedValues().spliterator(), false)
                .mapToLong(recorded -> recorded.getValueIteratedTo())
                .toArray();
    }

    @Override
    public int size() {
        return (int) Math.min(Integer.MAX_VALUE, histogram.getTotalCount());
    }

    @Override
    public long getMax() {
        return histogram.getMaxValue();
    }

    @Override
    public double getMean() {
        return histogram.getMean();
    }

    @Override
    public long getMin() {
        return histogram.getMinValue();
    }

    @Override
    public double getStdDev() {
        return histogram.getStdDeviation();
    }

    @Override
    public void dump(OutputStream output) {
        histogram.outputPercentileDistribution(new PrintStream(output, true, StandardCharsets.UTF_8), 1.0);
    }
}
