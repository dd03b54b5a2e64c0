package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.sstable.SSTableVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class DualDaoScenarioTest {
    private static List<BenchRecord> run(String... cases) throws IOException {
        BenchConfig config = new BenchConfig(
                BenchConfig.ROWS_MIN, 2, 0, SSTableVersion.NB, Set.of(cases), false, System::nanoTime, line -> {});
        return new DualDaoScenario(config).run();
    }

    private static Set<String> metrics(List<BenchRecord> records, String caseName, BenchSystem system) {
        return records.stream()
                .filter(entry -> entry.caseName().equals(caseName) && entry.system() == system)
                .map(entry -> entry.metric().text())
                .collect(Collectors.toSet());
    }

    @Test
    void shouldMeasureEachCaseBesideDirectCalls() throws IOException {
        List<BenchRecord> records = run();

        assertThat(records)
                .allSatisfy(entry -> assertThat(entry.scenario()).isEqualTo("dual-dao"))
                .allSatisfy(
                        entry -> assertThat(entry.runs()).isEqualTo(entry.metric() == BenchMetric.PEAK_MEMORY ? 1 : 2));
        for (String caseName : DualDaoScenario.CASES.subList(0, 6)) {
            for (BenchSystem system : List.of(BenchSystem.ANNEAL, BenchSystem.BASELINE)) {
                assertThat(metrics(records, caseName, system))
                        .as(caseName)
                        .containsExactlyInAnyOrder(
                                "wall", "cpu", "rows-per-second", "allocated-per-row", "cpu-per-call");
            }
        }
        assertThat(metrics(records, "test-hang", BenchSystem.ANNEAL))
                .containsExactlyInAnyOrder("latency-median", "latency-p99", "peak-memory");
        for (String latency : List.of("test-hang baseline", "test-same anneal", "test-same baseline")) {
            String[] parts = latency.split(" ");
            assertThat(metrics(records, parts[0], BenchSystem.valueOf(parts[1].toUpperCase(Locale.ROOT))))
                    .as(latency)
                    .containsExactlyInAnyOrder("latency-median", "latency-p99");
        }
    }

    @Test
    void shouldRunNamedCasesAlone() throws IOException {
        assertThat(run("core-5")).extracting(BenchRecord::caseName).containsOnly("core-5");
    }

    @Test
    void shouldPrintHowFarRunsLieApart() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new BenchTable(run("core-1", "test-hang")).print(new PrintStream(bytes, true, StandardCharsets.UTF_8));

        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .containsPattern("dual-dao core-1 +anneal .* ns a call \\([0-9.]+\\.\\.[0-9.]+\\)")
                .containsPattern("dual-dao test-hang +baseline .* p99 [0-9.]+ us \\([0-9.]+\\.\\.[0-9.]+\\)");
    }
}
