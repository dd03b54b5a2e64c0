package io.anneal.harness.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A logarithmic scale of nanoseconds between two powers of ten. */
public record Scale(long minNanos, long maxNanos) {
    private static final long MICROSECOND = 1_000;
    private static final long MILLISECOND = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    static Scale around(long leastNanos, long mostNanos) {
        long min = 1;
        while (min * 10 <= leastNanos) {
            min *= 10;
        }
        long max = min * 10;
        while (max < mostNanos) {
            max *= 10;
        }
        return new Scale(min, max);
    }

    /** The powers of ten, both ends included. */
    List<Long> ticks() {
        List<Long> ticks = new ArrayList<>();
        for (long tick = minNanos; tick <= maxNanos; tick *= 10) {
            ticks.add(tick);
        }
        return ticks;
    }

    /** 0 at the least, 1 at the most. */
    double share(long nanos) {
        long within = Math.min(Math.max(nanos, minNanos), maxNanos);
        return (Math.log10(within) - Math.log10(minNanos)) / (Math.log10(maxNanos) - Math.log10(minNanos));
    }

    /** A duration in the unit that suits it. */
    public static String text(long nanos) {
        if (nanos >= SECOND) {
            return text(nanos, SECOND, "s");
        } else if (nanos >= MILLISECOND) {
            return text(nanos, MILLISECOND, "ms");
        } else if (nanos >= MICROSECOND) {
            return text(nanos, MICROSECOND, "\u00b5s");
        }
        return nanos + " ns";
    }

    private static String text(long nanos, long unit, String name) {
        double value = (double) nanos / unit;
        String number = value < 10 && nanos % unit != 0
                ? String.format(Locale.ROOT, "%.1f", value)
                : Long.toString(Math.round(value));
        return number + " " + name;
    }
}
