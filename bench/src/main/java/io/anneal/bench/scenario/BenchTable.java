package io.anneal.bench.scenario;

import java.io.PrintStream;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Records for people: a line for each contender of each case with medians and, in brackets, the spread of its time; below
 * a case the ratios of Anneal's median rate to those of the others, with the worst and the best that the spreads allow.
 */
public final class BenchTable {
    private static final double MILLION = 1e6;
    private static final double MILLISECONDS = 1e3;
    /** Below that nothing is measured, and a ratio should not be infinite. */
    private static final double RESOLUTION_SECONDS = 1e-9;

    private final Map<String, Map<BenchSystem, Map<BenchMetric, BenchRecord>>> cases = new LinkedHashMap<>();

    public BenchTable(List<BenchRecord> records) {
        for (BenchRecord entry : records) {
            cases.computeIfAbsent(entry.scenario() + " " + entry.caseName(), key -> new LinkedHashMap<>())
                    .computeIfAbsent(entry.system(), key -> new EnumMap<>(BenchMetric.class))
                    .put(entry.metric(), entry);
        }
    }

    public void print(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%-26s %-10s %10s %10s %12s %10s %22s%n",
                "case",
                "system",
                "Mrows/s",
                "MB/s",
                "B alloc/row",
                "CPU ms",
                "wall ms (min..max)");
        cases.forEach((name, systems) -> {
            systems.forEach((system, metrics) -> out.println(line(name, system, metrics)));
            ratios(systems, out);
        });
    }

    private static String line(String name, BenchSystem system, Map<BenchMetric, BenchRecord> metrics) {
        BenchRecord wall = metrics.get(BenchMetric.WALL);
        BenchRecord memory = metrics.get(BenchMetric.PEAK_MEMORY);
        String time = wall == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        "%.2f (%.2f..%.2f)",
                        wall.median() * MILLISECONDS,
                        wall.min() * MILLISECONDS,
                        wall.max() * MILLISECONDS);
        return String.format(
                        Locale.ROOT,
                        "%-26s %-10s %10s %10s %12s %10s %22s%s",
                        name,
                        system.text(),
                        median(metrics, BenchMetric.ROWS_PER_SECOND, "%.3f", 1 / MILLION),
                        median(metrics, BenchMetric.BYTES_PER_SECOND, "%.0f", 1 / MILLION),
                        median(metrics, BenchMetric.ALLOCATED_PER_ROW, "%.1f", 1),
                        median(metrics, BenchMetric.CPU, "%.2f", MILLISECONDS),
                        time,
                        memory == null
                                ? ""
                                : median(metrics, BenchMetric.PEAK_MEMORY, "  peak heap %.0f MB", 1 / MILLION))
                .stripTrailing();
    }

    private static String median(
            Map<BenchMetric, BenchRecord> metrics, BenchMetric metric, String format, double factor) {
        BenchRecord entry = metrics.get(metric);
        return entry == null ? "" : String.format(Locale.ROOT, format, entry.median() * factor);
    }

    private static void ratios(Map<BenchSystem, Map<BenchMetric, BenchRecord>> systems, PrintStream out) {
        Map<BenchMetric, BenchRecord> own = systems.get(BenchSystem.ANNEAL);
        if (own == null) {
            return;
        }
        systems.forEach((system, metrics) -> {
            BenchRecord other = metrics.get(BenchMetric.WALL);
            BenchRecord wall = own.get(BenchMetric.WALL);
            if (system == BenchSystem.ANNEAL || other == null || wall == null) {
                return;
            }
            BenchRecord otherCpu = metrics.get(BenchMetric.CPU);
            out.printf(
                    Locale.ROOT,
                    "%-26s anneal / %s: %.2f (%.2f..%.2f), by CPU time %.2f%n",
                    "",
                    system.text(),
                    other.median() / wall.median(),
                    other.min() / wall.max(),
                    other.max() / wall.min(),
                    otherCpu.median() / Math.max(own.get(BenchMetric.CPU).median(), RESOLUTION_SECONDS));
        });
    }
}
