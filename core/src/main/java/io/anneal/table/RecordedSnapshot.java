package io.anneal.table;

import com.codahale.metrics.Snapshot;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Counted values as Dropwizard shows them; each is taken for the largest of its bucket. Immutable. */
final class RecordedSnapshot extends Snapshot {
    private final long[] counts;
    private final long count;

    RecordedSnapshot(long[] counts) {
        this.counts = counts;
        count = Arrays.stream(counts).sum();
    }

    @Override
    public double getValue(double quantile) {
        if (quantile < 0 || quantile > 1) {
            throw new IllegalArgumentException("quantile is not from 0 to 1, quantile=" + quantile);
        }
        long rank = Math.max(1, (long) Math.ceil(quantile * count));
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= rank && counts[i] > 0) {
                return ValueBuckets.largest(i);
            }
        }
        return 0;
    }

    /** One for each bucket that holds any: all of them would be too many. */
    @Override
    public long[] getValues() {
        int[] filled = filled();
        long[] values = new long[filled.length];
        Arrays.setAll(values, i -> ValueBuckets.largest(filled[i]));
        return values;
    }

    private int[] filled() {
        int[] filled = new int[counts.length];
        int size = 0;
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                filled[size++] = i;
            }
        }
        return Arrays.copyOf(filled, size);
    }

    @Override
    public int size() {
        return (int) Math.min(Integer.MAX_VALUE, count);
    }

    @Override
    public long getMax() {
        int[] filled = filled();
        return filled.length == 0 ? 0 : ValueBuckets.largest(filled[filled.length - 1]);
    }

    @Override
    public long getMin() {
        int[] filled = filled();
        return filled.length == 0 ? 0 : ValueBuckets.smallest(filled[0]);
    }

    private static double middle(int bucket) {
        return (ValueBuckets.smallest(bucket) + ValueBuckets.largest(bucket)) / 2.0;
    }

    @Override
    public double getMean() {
        double sum = 0;
        for (int i : filled()) {
            sum += middle(i) * counts[i];
        }
        return count == 0 ? 0 : sum / count;
    }

    @Override
    public double getStdDev() {
        if (count < 2) {
            return 0;
        }
        double mean = getMean();
        double squares = 0;
        for (int i : filled()) {
            squares += (middle(i) - mean) * (middle(i) - mean) * counts[i];
        }
        return Math.sqrt(squares / (count - 1));
    }

    @Override
    public void dump(OutputStream output) {
        PrintWriter writer = new PrintWriter(output, false, StandardCharsets.UTF_8);
        for (int i : filled()) {
            writer.println(ValueBuckets.largest(i) + " " + counts[i]);
        }
        writer.flush();
    }
}
