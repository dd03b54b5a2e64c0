package io.anneal.bench.scenario;

import java.io.PrintStream;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Records for people: a line for each contender of each case with medians and, in brackets, the spread of its time; below
 * a case the ratios of Anneal's median rate to those of the others, with the worst and the best that the spreads allow.
 */
public final class BenchTable {
    private static final double MILLION = 1e6;
    private static final double BILLION = 1e9;
    private static final double MILLISECONDS = 1e3;
    /** Below that nothing is measured, and a ratio should not be infinite. */
    private static final double RESOLUTION_SECONDS = 1e-9;

    /** Scenarios that tell their ratios themselves. */
    private static final Set<String> WITH_RATIOS = Set.of(RepairScenario.NAME, ClusterScenario.NAME);

    /** Cases of theirs. */
    private final Set<String> withoutRatios = new HashSet<>();

    private final Map<String, Map<BenchSystem, Map<BenchMetric, BenchRecord>>> cases = new LinkedHashMap<>();

    public BenchTable(List<BenchRecord> records) {
        for (BenchRecord entry : records) {
            if (WITH_RATIOS.contains(entry.scenario())) {
                withoutRatios.add(entry.scenario() + " " + entry.caseName());
            }
            cases.computeIfAbsent(entry.scenario() + " " + entry.caseName(), key -> new LinkedHashMap<>())
                    .computeIfAbsent(entry.system(), key -> new EnumMap<>(BenchMetric.class))
                    .put(entry.metric(), entry);
        }
    }

    public void print(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%-30s %-19s %10s %10s %12s %10s %22s%n",
                "case",
                "system",
                "Mrows/s",
                "MB/s",
                "B alloc/row",
                "CPU ms",
                "wall ms (min..max)");
        cases.forEach((name, systems) -> {
            systems.forEach((system, metrics) -> out.println(line(name, system, metrics)));
            if (!withoutRatios.contains(name)) {
                ratios(systems, out);
            }
        });
    }

    private static String line(String name, BenchSystem system, Map<BenchMetric, BenchRecord> metrics) {
        BenchRecord wall = metrics.get(BenchMetric.WALL);
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
                        "%-30s %-19s %10s %10s %12s %10s %22s%s",
                        name,
                        system.text(),
                        median(metrics, BenchMetric.ROWS_PER_SECOND, "%.3f", 1 / MILLION),
                        median(metrics, BenchMetric.BYTES_PER_SECOND, "%.0f", 1 / MILLION),
                        median(metrics, BenchMetric.ALLOCATED_PER_ROW, "%.1f", 1),
                        median(metrics, BenchMetric.CPU, "%.2f", MILLISECONDS),
                        time,
                        further(metrics))
                .stripTrailing();
    }

    /** What only some cases have. */
    private static String further(Map<BenchMetric, BenchRecord> metrics) {
        return median(metrics, BenchMetric.CPU_GROWTH, "  %.2f times the CPU time of half as much", 1)
                + median(metrics, BenchMetric.BYTES_GROWTH, "  %.2f times the bytes of half as much", 1)
                + median(metrics, BenchMetric.PEAK_MEMORY, "  peak heap %.0f MB", 1 / MILLION)
                + median(metrics, BenchMetric.HELD_MEMORY, "  held %.1f MB", 1 / MILLION)
                + median(metrics, BenchMetric.FILES_LEFT, "  %.0f files left open", 1)
                + spread(metrics, BenchMetric.BYTES_READ, "  read %.1f MB (%.1f..%.1f)", 1 / MILLION)
                + median(metrics, BenchMetric.READ_OPS, " in %.0f operations", 1)
                + median(metrics, BenchMetric.MEMTABLE_PEAK, "  memtables %.0f MB", 1 / MILLION)
                + median(metrics, BenchMetric.MEMORY_BUDGET, "  budget %.0f MB", 1 / MILLION)
                + median(metrics, BenchMetric.BUDGET_PEAK, "  reserved %.1f MB", 1 / MILLION)
                + spread(metrics, BenchMetric.SLOWEST_STREAM, "  slowest stream %.2f MB (%.2f..%.2f)", 1 / MILLION)
                + median(metrics, BenchMetric.MEDIAN_STREAM, "  median stream %.2f MB", 1 / MILLION)
                + spread(metrics, BenchMetric.SLOWEST_RATE, "  slowest stream %.3f MB/s (%.3f..%.3f)", 1 / MILLION)
                + median(metrics, BenchMetric.MEDIAN_RATE, "  median stream %.3f MB/s", 1 / MILLION)
                + median(metrics, BenchMetric.BYTES_SENT, "  sent %.3f MB", 1 / MILLION)
                + median(metrics, BenchMetric.BYTES_LACKING, "  lacking %.3f MB", 1 / MILLION)
                + spread(metrics, BenchMetric.NODES_CPU, "  nodes' CPU %.2f s (%.2f..%.2f)", 1)
                + spread(metrics, BenchMetric.AGENTS_CPU, "  agents' CPU %.2f s (%.2f..%.2f)", 1)
                + spread(metrics, BenchMetric.COMMAND_CPU, "  command's CPU %.2f s (%.2f..%.2f)", 1)
                + spread(metrics, BenchMetric.IDLE_MEMORY, "  idle agents' memory %.0f MB (%.0f..%.0f)", 1 / MILLION)
                + median(metrics, BenchMetric.SSTABLES, "  %.0f SSTables", 1)
                + spread(metrics, BenchMetric.ROWS_DIFFERING, "  %.0f rows differ (%.0f..%.0f)", 1)
                + median(metrics, BenchMetric.ROWS_WRITTEN, "  %.0f rows written meanwhile", 1)
                + spread(metrics, BenchMetric.ROWS_LEFT_OUT, "  %.0f left out as recent (%.0f..%.0f)", 1)
                + spread(metrics, BenchMetric.SNAPSHOT_SKEW, "  snapshots %.2f s apart (%.2f..%.2f)", 1)
                + spread(metrics, BenchMetric.ROWS_IN_SKEW, "  %.0f rows written in that (%.0f..%.0f)", 1)
                + spread(metrics, BenchMetric.ROWS_MOVED, "  %.0f rows moved (%.0f..%.0f)", 1)
                + spread(metrics, BenchMetric.MOVED_SHARE, ": %.4f of these (%.4f..%.4f)", 1)
                + spread(metrics, BenchMetric.OTHERS_CPU, "  others' CPU %.2f s (%.2f..%.2f)", 1)
                + median(metrics, BenchMetric.BYTES_PER_CPU_SECOND, "  %.0f MB/s a core", 1 / MILLION)
                + cpuOfGigabyte(metrics)
                + median(metrics, BenchMetric.WRITES_PER_SYNC, "  %.1f writes a sync", 1)
                + spread(metrics, BenchMetric.LATENCY_MEDIAN, "  median %.1f us (%.1f..%.1f)", MILLION)
                + spread(metrics, BenchMetric.LATENCY_P99, "  p99 %.1f us (%.1f..%.1f)", MILLION)
                + spread(metrics, BenchMetric.CPU_PER_CALL, "  %.1f ns a call (%.1f..%.1f)", BILLION);
    }

    private static String cpuOfGigabyte(Map<BenchMetric, BenchRecord> metrics) {
        BenchRecord rate = metrics.get(BenchMetric.BYTES_PER_CPU_SECOND);
        return rate == null ? "" : String.format(Locale.ROOT, ", %.2f CPU s a GB", BILLION / rate.median());
    }

    private static String spread(
            Map<BenchMetric, BenchRecord> metrics, BenchMetric metric, String format, double factor) {
        BenchRecord entry = metrics.get(metric);
        return entry == null
                ? ""
                : String.format(
                        Locale.ROOT, format, entry.median() * factor, entry.min() * factor, entry.max() * factor);
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
            if (system != BenchSystem.ANNEAL) {
                latencyRatio(own, system, metrics, out);
            }
            BenchRecord other = metrics.get(BenchMetric.WALL);
            BenchRecord wall = own.get(BenchMetric.WALL);
            if (system == BenchSystem.ANNEAL || other == null || wall == null) {
                return;
            }
            BenchRecord otherCpu = metrics.get(BenchMetric.CPU);
            out.printf(
                    Locale.ROOT,
                    "%-30s anneal / %s: %.2f (%.2f..%.2f), by CPU time %.2f%n",
                    "",
                    system.text(),
                    other.median() / wall.median(),
                    other.min() / wall.max(),
                    other.max() / wall.min(),
                    otherCpu.median() / Math.max(own.get(BenchMetric.CPU).median(), RESOLUTION_SECONDS));
            readRatio(own, system, metrics, out);
        });
    }

    /** What part of the other's reads one of ours takes. */
    private static void readRatio(
            Map<BenchMetric, BenchRecord> own,
            BenchSystem system,
            Map<BenchMetric, BenchRecord> metrics,
            PrintStream out) {
        BenchRecord bytes = metrics.get(BenchMetric.BYTES_READ);
        BenchRecord operations = metrics.get(BenchMetric.READ_OPS);
        if (bytes == null || operations == null) {
            return;
        }
        out.printf(
                Locale.ROOT,
                "%-30s of the reads of %s: %.0f %% of the bytes, %.0f %% of the operations%n",
                "",
                system.text(),
                100 * own.get(BenchMetric.BYTES_READ).median() / Math.max(1, bytes.median()),
                100 * own.get(BenchMetric.READ_OPS).median() / Math.max(1, operations.median()));
    }

    /** How many of the other's usual operations one of ours takes. */
    private static void latencyRatio(
            Map<BenchMetric, BenchRecord> own,
            BenchSystem system,
            Map<BenchMetric, BenchRecord> metrics,
            PrintStream out) {
        BenchRecord other = metrics.get(BenchMetric.LATENCY_MEDIAN);
        BenchRecord median = own.get(BenchMetric.LATENCY_MEDIAN);
        if (other == null || median == null) {
            return;
        }
        double unit = Math.max(other.median(), RESOLUTION_SECONDS);
        BenchRecord p99 = own.get(BenchMetric.LATENCY_P99);
        String tail = p99 == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        ", p99 %.2f (%.2f..%.2f)",
                        p99.median() / unit,
                        p99.min() / Math.max(other.max(), RESOLUTION_SECONDS),
                        p99.max() / Math.max(other.min(), RESOLUTION_SECONDS));
        BenchRecord otherP99 = metrics.get(BenchMetric.LATENCY_P99);
        String tails = p99 == null || otherP99 == null
                ? ""
                : String.format(
                        Locale.ROOT,
                        "; p99 to p99 %.2f",
                        p99.median() / Math.max(otherP99.median(), RESOLUTION_SECONDS));
        out.printf(
                Locale.ROOT,
                "%-30s in medians of %s: median %.2f (%.2f..%.2f)%s%s%n",
                "",
                system.text(),
                median.median() / unit,
                median.min() / Math.max(other.max(), RESOLUTION_SECONDS),
                median.max() / Math.max(other.min(), RESOLUTION_SECONDS),
                tail,
                tails);
    }
}
