package io.anneal.bench.scenario;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** Streaming without memtables: what was published of it elsewhere, and what was measured here, side by side. */
public final class StreamingSeed {
    private static final double MEBIBYTE = 1 << 20;

    /** A row of the table that ScyllaDB published in 2018 with its release 3.0. */
    private record Published(String machine, int oldMiB, int newMiB) {}

    private static final List<Published> PUBLISHED =
            List.of(new Published("published, i3.xlarge", 36, 123), new Published("published, i3.8xlarge", 228, 765));

    private StreamingSeed() {}

    /** Prints nothing when rows were not measured. */
    public static void print(List<BenchRecord> records, PrintStream out) {
        double oldMiB = mebibytes(records, BenchSystem.BASELINE);
        double newMiB = mebibytes(records, BenchSystem.ANNEAL);
        if (oldMiB == 0 || newMiB == 0) {
            return;
        }
        out.printf(
                Locale.ROOT,
                "%n%-26s %14s %14s %8s %14s%n",
                "rows, MiB/s",
                "old way",
                "new way",
                "ratio",
                "time saved");
        PUBLISHED.forEach(row -> line(row.machine(), row.oldMiB(), row.newMiB(), out));
        line("this machine", oldMiB, newMiB, out);
    }

    private static void line(String machine, double oldMiB, double newMiB, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%-26s %14.0f %14.0f %8.1f %13.0f%%%n",
                machine,
                oldMiB,
                newMiB,
                newMiB / oldMiB,
                100 * (1 - oldMiB / newMiB));
    }

    private static double mebibytes(List<BenchRecord> records, BenchSystem system) {
        return records.stream()
                .filter(entry -> entry.scenario().equals(StreamingScenario.NAME)
                        && entry.caseName().equals("rows")
                        && entry.system() == system
                        && entry.metric() == BenchMetric.BYTES_PER_SECOND)
                .mapToDouble(entry -> entry.median() / MEBIBYTE)
                .findFirst()
                .orElse(0);
    }
}
