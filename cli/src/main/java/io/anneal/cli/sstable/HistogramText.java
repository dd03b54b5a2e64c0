package io.anneal.cli.sstable;

import io.anneal.sstable.DropTimes;
import io.anneal.sstable.EstimatedHistogram;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;

/** A histogram as sstablemetadata draws it: a line a value with count, share and bar, then percentiles. */
final class HistogramText {
    private static final int BAR_LENGTH = 30;
    /** Buckets to estimate percentiles with: enough for seconds since 1970. */
    private static final int PERCENTILE_BUCKETS = 165;

    private static final int COLUMN_LENGTH_MIN = 5;
    private static final double[] PERCENTILES = {0.5, 0.75, 0.95, 0.98, 0.99};

    private final String title;
    private final LongFunction<String> valueText;
    private final TreeMap<Long, Long> counts;

    private HistogramText(String title, LongFunction<String> valueText, TreeMap<Long, Long> counts) {
        this.title = title;
        this.valueText = valueText;
        this.counts = counts;
    }

    /** What overflowed is left out, as Cassandra does. */
    static HistogramText of(EstimatedHistogram histogram, String title, LongFunction<String> valueText) {
        TreeMap<Long, Long> counts = new TreeMap<>();
        long[] bounds = histogram.upperBounds();
        for (int i = 0; i < bounds.length; i++) {
            if (histogram.counts()[i] > 0) {
                counts.put(bounds[i], histogram.counts()[i]);
            }
        }
        return new HistogramText(title, valueText, counts);
    }

    static HistogramText of(DropTimes times, String title, LongFunction<String> valueText) {
        TreeMap<Long, Long> counts = new TreeMap<>();
        for (int i = 0; i < times.counts().length; i++) {
            counts.put(times.pointsSeconds()[i], times.counts()[i]);
        }
        return new HistogramText(title, valueText, counts);
    }

    void print(PrintStream out) {
        long max = 0;
        long sum = 0;
        int valueLength = title.length();
        int countLength = COLUMN_LENGTH_MIN;
        for (Map.Entry<Long, Long> entry : counts.entrySet()) {
            max = Math.max(max, entry.getValue());
            sum += entry.getValue();
            valueLength = Math.max(valueLength, valueText.apply(entry.getKey()).length());
            countLength = Math.max(countLength, entry.getValue().toString().length());
        }
        String head = "   %-" + valueLength + "s | %-" + countLength + "s  (%%)  Histogram %n";
        out.print(String.format(Locale.ROOT, head, title, "Count"));
        String line = "   %-" + valueLength + "s | %" + countLength + "s (%3d) %s%n";
        for (Map.Entry<Long, Long> entry : counts.entrySet()) {
            int share = (int) (100 * ((double) entry.getValue() / sum));
            out.print(String.format(
                    Locale.ROOT,
                    line,
                    valueText.apply(entry.getKey()),
                    entry.getValue(),
                    share,
                    bar((double) entry.getValue() / max)));
        }
        printPercentiles(out);
    }

    private static String bar(double share) {
        int full = (int) (share * BAR_LENGTH);
        double rest = share * BAR_LENGTH - full;
        return "O".repeat(full) + (rest >= 0.75 ? "o" : rest >= 0.3 ? "." : "");
    }

    private void printPercentiles(PrintStream out) {
        EstimatedHistogram values = EstimatedHistogram.empty(PERCENTILE_BUCKETS);
        counts.forEach(values::add);
        out.println("   Percentiles");
        for (double percentile : PERCENTILES) {
            printValue(out, Math.round(percentile * 100) + "th", values.percentile(percentile));
        }
        printValue(out, "Min", values.min());
        printValue(out, "Max", values.max());
    }

    private void printValue(PrintStream out, String name, long value) {
        out.println(String.format(Locale.ROOT, "   %-10s%s", name, valueText.apply(value)));
    }
}
