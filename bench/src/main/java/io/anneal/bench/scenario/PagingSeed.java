package io.anneal.bench.scenario;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Range scans that keep their readers between pages: what was published of it elsewhere, and what was measured here, side by side,
 * in percent of the same without.
 */
public final class PagingSeed {
    /** What changed, and to what ScyllaDB published in 2019 that it did with its release 3.0. */
    private record Change(String name, BenchMetric metric, double publishedPercent) {}

    private static final List<Change> CHANGES = List.of(
            new Change("reads/s", BenchMetric.ROWS_PER_SECOND, 130),
            new Change("bytes read", BenchMetric.BYTES_READ, 61),
            new Change("disk operations", BenchMetric.READ_OPS, 27));
    private static final String PUBLISHED = "published, compacted";
    private static final double PERCENT = 100;
    private static final List<String> CASES =
            List.of("range-5000", "range-5000-compacted", "range-100", "range-100-compacted");

    private PagingSeed() {}

    /** Prints nothing when range scans were not measured. */
    public static void print(List<BenchRecord> records, PrintStream out) {
        Map<String, Map<String, Double>> percents = percents(records);
        if (percents.isEmpty()) {
            return;
        }
        out.printf(Locale.ROOT, "%n%-26s", "range scans, before = 100");
        CHANGES.forEach(change -> out.printf(Locale.ROOT, " %16s", change.name()));
        out.println();
        percents.forEach((name, row) -> {
            out.printf(Locale.ROOT, "%-26s", name);
            row.values().forEach(percent -> out.printf(Locale.ROOT, " %16.1f", percent));
            out.println();
        });
    }

    /** By what changed, by case; empty when range scans were not measured. */
    static Map<String, Map<String, Double>> percents(List<BenchRecord> records) {
        Map<String, Map<String, Double>> rows = new LinkedHashMap<>();
        for (String caseName : CASES) {
            Map<String, Double> row = new LinkedHashMap<>();
            for (Change change : CHANGES) {
                double before = median(records, caseName, BenchSystem.BASELINE, change.metric());
                double after = median(records, caseName, BenchSystem.ANNEAL, change.metric());
                if (before > 0) {
                    row.put(change.name(), PERCENT * after / before);
                }
            }
            if (row.size() == CHANGES.size()) {
                rows.put(caseName, row);
            }
        }
        if (!rows.isEmpty()) {
            Map<String, Double> published = new LinkedHashMap<>();
            CHANGES.forEach(change -> published.put(change.name(), change.publishedPercent()));
            rows.put(PUBLISHED, published);
        }
        return rows;
    }

    /** Of large pages alone: the bars of small ones are so high that nothing else is seen. */
    static Map<String, Map<String, Double>> bars(List<BenchRecord> records) {
        Map<String, Map<String, Double>> rows = percents(records);
        rows.keySet().removeIf(name -> name.startsWith("range-100"));
        return rows;
    }

    private static double median(List<BenchRecord> records, String caseName, BenchSystem system, BenchMetric metric) {
        return records.stream()
                .filter(entry -> entry.scenario().equals(PagingScenario.NAME)
                        && entry.caseName().equals(caseName)
                        && entry.system() == system
                        && entry.metric() == metric)
                .mapToDouble(BenchRecord::median)
                .findFirst()
                .orElse(0);
    }
}
