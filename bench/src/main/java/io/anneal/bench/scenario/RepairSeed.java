package io.anneal.bench.scenario;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * Row-level repair: what was published of it elsewhere, and what was measured here, side by side; and how many times Anneal's
 * the others' time and bytes are. No ratio is told where the runs differ by more than a quarter of their median.
 */
public final class RepairSeed {
    private static final double MEBIBYTE = 1 << 20;

    /** A row of the table that ScyllaDB published in 2019 with its release 3.1: minutes. */
    record Published(String synced, String caseName, double oldMinutes, double newMinutes, double ratio) {}

    static final List<Published> PUBLISHED = List.of(
            new Published("0 %", "synced-0", 49.0, 37.07, 1.32),
            new Published("100 %", "synced-100", 47.6, 9.8, 4.85),
            new Published("99.9 %", "synced-99.9", 96.4, 14.2, 6.78));
    /** Sent and received, at 99.9 %. */
    private static final double PUBLISHED_OLD_GIB = 120.52 + 60.09;

    private static final double PUBLISHED_NEW_GIB = 4.28 + 2.14;
    private static final String WIRE_CASE = "synced-99.9";

    private final List<BenchRecord> records;

    private RepairSeed(List<BenchRecord> records) {
        this.records = records;
    }

    /** Prints nothing when repair was not measured. */
    public static void print(List<BenchRecord> records, PrintStream out) {
        List<BenchRecord> own = ofRepair(records);
        if (!own.isEmpty()) {
            new RepairSeed(own).print(out);
        }
    }

    private void print(PrintStream out) {
        ratios(out);
        links(out);
        if (records.stream().anyMatch(entry -> entry.system() == BenchSystem.BASELINE)) {
            times(out);
            wire(out);
        }
        out.printf(
                Locale.ROOT,
                "%n- (+-N%%): no ratio, since the runs differ by N %% of their median, and %.0f %% is the most.%n",
                100 * Ratio.SPREAD_MAX);
    }

    private void ratios(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%n%-18s %-20s %12s %12s %12s%n",
                "repair",
                "times anneal's",
                "CPU time",
                "wall time",
                "bytes sent");
        for (String caseName :
                records.stream().map(BenchRecord::caseName).distinct().toList()) {
            for (BenchSystem system : BenchSystem.values()) {
                Optional<BenchRecord> cpu = find(caseName, system, BenchMetric.CPU);
                if (system != BenchSystem.ANNEAL && cpu.isPresent()) {
                    out.printf(
                            Locale.ROOT,
                            "%-18s %-20s %12s %12s %12s%n",
                            caseName,
                            system.text(),
                            ratio(caseName, system, BenchMetric.CPU),
                            ratio(caseName, system, BenchMetric.WALL),
                            ratio(caseName, system, BenchMetric.BYTES_SENT));
                }
            }
            lacking(caseName, out);
        }
    }

    /** How many times that was sent which had to be. */
    private void lacking(String caseName, PrintStream out) {
        Optional<BenchRecord> sent = find(caseName, BenchSystem.ANNEAL, BenchMetric.BYTES_SENT);
        Optional<BenchRecord> lacking = find(caseName, BenchSystem.ANNEAL, BenchMetric.BYTES_LACKING);
        if (sent.isPresent() && lacking.isPresent() && lacking.get().median() > 0) {
            out.printf(
                    Locale.ROOT,
                    "%-18s anneal sent %.4f times what replicas lacked%n",
                    caseName,
                    sent.get().median() / lacking.get().median());
        }
    }

    private void links(PrintStream out) {
        Optional<BenchRecord> near = find(RepairScenario.LINKS_NEAR, BenchSystem.ANNEAL, BenchMetric.WALL);
        Optional<BenchRecord> far = find(RepairScenario.LINKS_FAR, BenchSystem.ANNEAL, BenchMetric.WALL);
        if (near.isPresent() && far.isPresent()) {
            out.printf(
                    Locale.ROOT,
                    "%-18s anneal keeps %s of loopback's rate over links of 50 ms%n",
                    "links",
                    Ratio.text(near, far));
        }
    }

    private void times(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%n%-8s | %9s %9s %6s | %9s %9s %12s | %9s %9s %12s%n",
                "",
                "published",
                "min",
                "",
                "here",
                "CPU s",
                "",
                "here",
                "wall s",
                "");
        out.printf(
                Locale.ROOT,
                "%-8s | %9s %9s %6s | %9s %9s %12s | %9s %9s %12s%n",
                "synced",
                "old",
                "new",
                "ratio",
                "baseline",
                "anneal",
                "ratio",
                "baseline",
                "anneal",
                "ratio");
        for (Published row : PUBLISHED) {
            out.printf(
                    Locale.ROOT,
                    "%-8s | %9.1f %9.1f %6.2f | %9s %9s %12s | %9s %9s %12s%n",
                    row.synced(),
                    row.oldMinutes(),
                    row.newMinutes(),
                    row.ratio(),
                    seconds(row, BenchSystem.BASELINE, BenchMetric.CPU),
                    seconds(row, BenchSystem.ANNEAL, BenchMetric.CPU),
                    ratio(row.caseName(), BenchSystem.BASELINE, BenchMetric.CPU),
                    seconds(row, BenchSystem.BASELINE, BenchMetric.WALL),
                    seconds(row, BenchSystem.ANNEAL, BenchMetric.WALL),
                    ratio(row.caseName(), BenchSystem.BASELINE, BenchMetric.WALL));
        }
    }

    /** How many times faster, published and here, for a chart; empty when both were not measured. */
    static Map<String, Map<String, Double>> ratios(List<BenchRecord> records) {
        Map<String, Map<String, Double>> here = new LinkedHashMap<>();
        Map<String, Double> published = new LinkedHashMap<>();
        for (Published row : PUBLISHED) {
            published.put(row.synced(), row.ratio());
            for (BenchMetric metric : List.of(BenchMetric.CPU, BenchMetric.WALL)) {
                ratio(records, row.caseName(), metric)
                        .ifPresent(
                                value -> here.computeIfAbsent("here, by " + metric.text(), key -> new LinkedHashMap<>())
                                        .put(row.synced(), value));
            }
        }
        Map<String, Map<String, Double>> series = new LinkedHashMap<>();
        if (!here.isEmpty()) {
            series.put("published", published);
            series.putAll(here);
        }
        return series;
    }

    /** The share of bytes in percent, published and here, for a chart; empty when both were not measured. */
    static Map<String, Map<String, Double>> wire(List<BenchRecord> records) {
        OptionalDouble here = ratio(records, WIRE_CASE, BenchMetric.BYTES_SENT);
        return here.isEmpty()
                ? Map.of()
                : Map.of(
                        "share of bytes",
                        new TreeMap<>(Map.of(
                                "published",
                                100 * PUBLISHED_NEW_GIB / PUBLISHED_OLD_GIB,
                                "this machine",
                                100 / here.getAsDouble())));
    }

    private static OptionalDouble ratio(List<BenchRecord> all, String caseName, BenchMetric metric) {
        List<BenchRecord> records = ofRepair(all);
        Optional<BenchRecord> old = find(records, caseName, BenchSystem.BASELINE, metric);
        Optional<BenchRecord> own = find(records, caseName, BenchSystem.ANNEAL, metric);
        return old.isPresent() && own.isPresent()
                ? Ratio.of(old.get(), own.get()).value()
                : OptionalDouble.empty();
    }

    private static List<BenchRecord> ofRepair(List<BenchRecord> records) {
        return records.stream()
                .filter(entry -> entry.scenario().equals(RepairScenario.NAME))
                .toList();
    }

    private String seconds(Published row, BenchSystem system, BenchMetric metric) {
        return find(row.caseName(), system, metric)
                .map(entry -> String.format(Locale.ROOT, "%.2f", entry.median()))
                .orElse("");
    }

    private void wire(PrintStream out) {
        Optional<BenchRecord> old = find(WIRE_CASE, BenchSystem.BASELINE, BenchMetric.BYTES_SENT);
        Optional<BenchRecord> own = find(WIRE_CASE, BenchSystem.ANNEAL, BenchMetric.BYTES_SENT);
        if (old.isEmpty() || own.isEmpty()) {
            return;
        }
        out.printf(Locale.ROOT, "%n%-22s %14s %14s %8s%n", "wire, 99.9 % synced", "old, MiB", "new, MiB", "share");
        bytes("published", PUBLISHED_OLD_GIB * 1024, PUBLISHED_NEW_GIB * 1024, out);
        bytes("this machine", old.get().median() / MEBIBYTE, own.get().median() / MEBIBYTE, out);
    }

    private static void bytes(String name, double oldMebibytes, double newMebibytes, PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%-22s %14.1f %14.1f %7.2f%%%n",
                name,
                oldMebibytes,
                newMebibytes,
                100 * newMebibytes / oldMebibytes);
    }

    private String ratio(String caseName, BenchSystem system, BenchMetric metric) {
        return Ratio.text(find(caseName, system, metric), find(caseName, BenchSystem.ANNEAL, metric));
    }

    private Optional<BenchRecord> find(String caseName, BenchSystem system, BenchMetric metric) {
        return find(records, caseName, system, metric);
    }

    static Optional<BenchRecord> find(
            List<BenchRecord> records, String caseName, BenchSystem system, BenchMetric metric) {
        return records.stream()
                .filter(entry ->
                        entry.caseName().equals(caseName) && entry.system() == system && entry.metric() == metric)
                .findFirst();
    }
}
