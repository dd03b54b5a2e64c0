package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RepairShapesScenarioTest {
    private static List<BenchRecord> run(long limitNanos, String... cases) throws IOException {
        BenchConfig config = new BenchConfig(
                BenchConfig.ROWS_MIN, 1, 0, SSTableVersion.NB, Set.of(cases), false, System::nanoTime, line -> {});
        return new RepairShapesScenario(config, limitNanos).run();
    }

    @Test
    void shouldMeasureEveryShapeAtThreeSizes() throws IOException {
        List<BenchRecord> records = run(TimeUnit.HOURS.toNanos(1));
        for (String shape : RepairShapesScenario.CASES) {
            assertThat(records)
                    .as(shape)
                    .filteredOn(entry -> entry.metric() == BenchMetric.CPU)
                    .extracting(BenchRecord::caseName)
                    .contains(shape + "-x1", shape + "-x2", shape + "-x4");
            assertThat(records)
                    .as(shape)
                    .filteredOn(entry -> entry.metric() == BenchMetric.CPU_GROWTH)
                    .extracting(BenchRecord::caseName)
                    .contains(shape + "-x2", shape + "-x4");
        }
    }

    @Test
    void shouldGiveUpWhatTakesTooLong() throws IOException {
        assertThat(run(1, "all-rows-overwritten")).isEmpty();
    }
}
