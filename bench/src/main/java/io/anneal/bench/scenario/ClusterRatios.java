package io.anneal.bench.scenario;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How many times what Anneal takes for a cluster's repair Cassandra's own takes, with the least and the most that the spreads allow. */
public final class ClusterRatios {
    private static final List<BenchMetric> COMPARED =
            List.of(BenchMetric.CPU, BenchMetric.WALL, BenchMetric.BYTES_SENT);
    /** Of seconds and of bytes: below that nothing is measured. */
    private static final double RESOLUTION = 1e-2;

    private ClusterRatios() {}

    /** Prints nothing when no cluster was measured. */
    public static void print(List<BenchRecord> records, PrintStream out) {
        List<BenchRecord> own = records.stream()
                .filter(entry -> entry.scenario().equals(ClusterScenario.NAME))
                .toList();
        for (String caseName :
                own.stream().map(BenchRecord::caseName).distinct().toList()) {
            for (BenchMetric metric : COMPARED) {
                Optional<BenchRecord> other = RepairSeed.find(own, caseName, BenchSystem.CASSANDRA, metric);
                Optional<BenchRecord> anneal = RepairSeed.find(own, caseName, BenchSystem.ANNEAL, metric);
                if (other.isPresent() && anneal.isPresent()) {
                    out.println(line(caseName, metric, other.get(), anneal.get()));
                }
            }
        }
    }

    static String line(String caseName, BenchMetric metric, BenchRecord other, BenchRecord own) {
        return String.format(
                Locale.ROOT,
                "%-18s repair -full takes %.1f times (%.1f..%.1f) anneal's %s",
                caseName,
                other.median() / Math.max(RESOLUTION, own.median()),
                other.min() / Math.max(RESOLUTION, own.max()),
                other.max() / Math.max(RESOLUTION, own.min()),
                metric.text());
    }
}
