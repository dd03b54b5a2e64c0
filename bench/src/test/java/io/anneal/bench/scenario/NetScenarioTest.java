package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class NetScenarioTest {
    private static final NetSizes SMALL = new NetSizes(3_000_001, TimeUnit.MILLISECONDS.toNanos(50), 20, 4);

    private static List<BenchRecord> run() throws IOException {
        BenchConfig config = new BenchConfig(
                BenchConfig.ROWS_MIN, 1, 0, SSTableVersion.NB, Set.of(), false, System::nanoTime, line -> {});
        OwnCommand command = new OwnCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"), System.getProperty("java.class.path"), "none");
        return new NetScenario(config, command, SMALL).run();
    }

    @Test
    void shouldMeasureEveryCaseBetweenTwoProcesses() throws IOException {
        List<BenchRecord> records = run();
        assertThat(records).extracting(BenchRecord::caseName).containsOnly(NetScenario.CASES.toArray(String[]::new));
        for (String copy : List.of("one-stream", "one-stream-tls")) {
            for (BenchSystem system : List.of(BenchSystem.ANNEAL, BenchSystem.LIMIT)) {
                assertThat(value(records, copy, system, BenchMetric.BYTES_PER_SECOND))
                        .isPositive();
                assertThat(value(records, copy, system, BenchMetric.CPU)).isNotNegative();
            }
        }
        for (String flood : List.of("fair-1000", "stuck-reader")) {
            assertThat(value(records, flood, BenchSystem.ANNEAL, BenchMetric.SLOWEST_STREAM))
                    .isLessThanOrEqualTo(value(records, flood, BenchSystem.ANNEAL, BenchMetric.MEDIAN_STREAM));
            assertThat(value(records, flood, BenchSystem.ANNEAL, BenchMetric.BUDGET_PEAK))
                    .isPositive();
        }
        for (BenchSystem system : List.of(BenchSystem.ANNEAL, BenchSystem.BASELINE)) {
            assertThat(value(records, "round-trip", system, BenchMetric.LATENCY_P99))
                    .isGreaterThanOrEqualTo(value(records, "round-trip", system, BenchMetric.LATENCY_MEDIAN));
        }
    }

    private static double value(List<BenchRecord> records, String caseName, BenchSystem system, BenchMetric metric) {
        return records.stream()
                .filter(entry ->
                        entry.caseName().equals(caseName) && entry.system() == system && entry.metric() == metric)
                .findFirst()
                .orElseThrow()
                .median();
    }
}
