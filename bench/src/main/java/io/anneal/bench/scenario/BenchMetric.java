package io.anneal.bench.scenario;

import java.util.Locale;

/** What a record is about, with its unit. */
public enum BenchMetric {
    /** Time that passed, of a warm process. */
    WALL("s"),
    /** Processor time, of a warm process; in scenarios of one thread that thread's. */
    CPU("s"),
    BYTES_SENT("B"),
    BYTES_READ("B"),
    READ_OPS("1"),
    /** Encoded size of the rows that replicas lacked. */
    BYTES_LACKING("B"),
    ROWS_PER_SECOND("1/s"),
    /** Uncompressed where data is compressed. */
    BYTES_PER_SECOND("B/s"),
    /** What the working thread allocated. */
    ALLOCATED_PER_ROW("B"),
    PEAK_MEMORY("B");

    private final String unit;

    BenchMetric(String unit) {
        this.unit = unit;
    }

    /** As records have it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** One of {@code s}, {@code B}, {@code 1}, {@code 1/s}, {@code B/s}. */
    public String unit() {
        return unit;
    }
}
