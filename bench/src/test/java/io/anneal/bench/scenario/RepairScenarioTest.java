package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.oldrepair.Baselines;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RepairScenarioTest {
    private static final int ROWS = 2000;

    private static List<BenchRecord> run() throws IOException {
        BenchConfig config =
                new BenchConfig(ROWS, 1, 0, SSTableVersion.NB, Set.of(), false, System::nanoTime, line -> {});
        OwnCommand command = new OwnCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"), System.getProperty("java.class.path"), "none");
        RepairSizes sizes = new RepairSizes(2 * RepairSizes.MEMORY_MIN_BYTES, OptionalInt.empty());
        return new RepairScenario(config, command, sizes).run();
    }

    @Test
    void shouldMeasureEveryCaseBesideTheOlderWays() throws IOException {
        List<BenchRecord> records = run();

        List<String> systems = new ArrayList<>(List.of("anneal"));
        systems.addAll(Baselines.NAMES);
        for (String caseName : RepairScenario.CASES) {
            for (BenchMetric metric :
                    List.of(BenchMetric.WALL, BenchMetric.CPU, BenchMetric.BYTES_SENT, BenchMetric.BYTES_LACKING)) {
                assertThat(records)
                        .as("%s %s", caseName, metric)
                        .filteredOn(entry -> entry.caseName().equals(caseName) && entry.metric() == metric)
                        .extracting(entry -> entry.system().text())
                        .containsExactlyInAnyOrderElementsOf(systems);
            }
            assertThat(median(records, caseName, BenchMetric.PEAK_MEMORY)).isPositive();
        }
        // A row of 1 KiB, encoded, and each sent once to whom lacks it.
        assertThat(median(records, "synced-100", BenchMetric.BYTES_LACKING)).isZero();
        assertThat(median(records, "synced-0", BenchMetric.BYTES_LACKING) / ROWS)
                .isBetween(1000.0, 1050.0);
        assertThat(median(records, "synced-50", BenchMetric.BYTES_LACKING) / ROWS)
                .isBetween(3000.0, 3150.0);
        assertThat(median(records, "synced-99.9", BenchMetric.BYTES_LACKING))
                .isBetween(3 * 2 * ROWS * 1.0, 3 * 2 * ROWS * 1.05);
        for (String caseName : RepairScenario.CASES) {
            assertThat(median(records, caseName, BenchMetric.BYTES_SENT))
                    .isGreaterThan(median(records, caseName, BenchMetric.BYTES_LACKING));
        }
    }

    private static double median(List<BenchRecord> records, String caseName, BenchMetric metric) {
        return records.stream()
                .filter(entry -> entry.caseName().equals(caseName)
                        && entry.metric() == metric
                        && entry.system() == BenchSystem.ANNEAL)
                .findFirst()
                .orElseThrow()
                .median();
    }
}
