package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.oldrepair.Baselines;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Some of the cases: each starts from drawn data again and again, and {@link RepairDataTest} looks at that. */
final class RepairScenarioTest {
    private static final int ROWS = 1000;
    private static final List<String> COMPARED = List.of("synced-0", "synced-99.9");

    private static List<BenchRecord> run() throws IOException {
        BenchConfig config = new BenchConfig(
                ROWS,
                1,
                0,
                SSTableVersion.NB,
                Set.of("synced-0", "synced-99.9", "links", "growth", "sampled", "resumed"),
                false,
                System::nanoTime,
                line -> {});
        OwnCommand command = new OwnCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"), System.getProperty("java.class.path"), "none");
        RepairSizes sizes = new RepairSizes(
                2 * RepairSizes.MEMORY_MIN_BYTES,
                OptionalInt.of(2),
                Set.of(),
                List.of("-XX:TieredStopAtLevel=1"),
                Duration.ofMillis(1));
        return new RepairScenario(config, command, sizes).run();
    }

    @Test
    void shouldMeasureAllSidesOfEachCase() throws IOException {
        List<BenchRecord> records = run();

        List<String> systems = new ArrayList<>(List.of("anneal"));
        systems.addAll(Baselines.NAMES);
        for (String caseName : COMPARED) {
            for (BenchMetric metric :
                    List.of(BenchMetric.WALL, BenchMetric.CPU, BenchMetric.BYTES_SENT, BenchMetric.BYTES_LACKING)) {
                assertThat(records)
                        .as("%s %s", caseName, metric)
                        .filteredOn(entry -> entry.caseName().equals(caseName) && entry.metric() == metric)
                        .extracting(entry -> entry.system().text())
                        .containsExactlyInAnyOrderElementsOf(systems);
            }
            assertThat(median(records, caseName, BenchMetric.PEAK_MEMORY)).isPositive();
            assertThat(median(records, caseName, BenchMetric.BYTES_READ)).isPositive();
            assertThat(median(records, caseName, BenchMetric.BYTES_SENT))
                    .isGreaterThan(median(records, caseName, BenchMetric.BYTES_LACKING));
        }
        // What a session asks over a link it waits for.
        assertThat(median(records, "links-50ms", BenchMetric.WALL)).isGreaterThan(0.05);
        assertThat(median(records, "links-loopback", BenchMetric.WALL)).isPositive();
        assertThat(median(records, "sampled", BenchMetric.CPU_SHARE)).isPositive();
        assertThat(median(records, "resumed", BenchMetric.CPU_SHARE)).isPositive();
        assertThat(median(records, "resumed", BenchMetric.ROWS_TWICE)).isBetween(0.0, 1.0);
        assertThat(median(records, "resumed-stopped", BenchMetric.ROWS_TWICE)).isBetween(0.0, 1.0);
        assertThat(median(records, "resumed-whole", BenchMetric.SESSIONS)).isPositive();
        for (String factor : List.of("x2", "x4")) {
            assertThat(median(records, "growth-rows-" + factor, BenchMetric.CPU_GROWTH))
                    .isNotNegative();
            assertThat(median(records, "growth-differences-" + factor, BenchMetric.BYTES_GROWTH))
                    .isBetween(1.0, 2.2);
        }
    }

    private static double median(List<BenchRecord> records, String caseName, BenchMetric metric) {
        return RepairSeed.find(records, caseName, BenchSystem.ANNEAL, metric)
                .orElseThrow()
                .median();
    }
}
