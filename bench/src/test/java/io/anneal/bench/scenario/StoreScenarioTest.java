package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class StoreScenarioTest {
    private static final Set<String> WORK =
            Set.of("wall", "cpu", "rows-per-second", "bytes-per-second", "bytes-per-cpu-second");
    private static final Set<String> LATENCIES = Set.of("latency-median", "latency-p99");
    private static final Set<String> BATCH =
            Set.of("wall", "cpu", "rows-per-second", "writes-per-sync", "latency-median", "latency-p99");
    private static final StoreSizes SIZES = StoreSizes.of(1, StoreSizes.COMPACTED_BYTES_MIN, 256);

    private static List<BenchRecord> run(int runs, String... cases) throws IOException {
        BenchConfig config = new BenchConfig(
                BenchConfig.ROWS_MIN, runs, 0, SSTableVersion.NB, Set.of(cases), false, System::nanoTime, line -> {});
        return new StoreScenario(config, SIZES).run();
    }

    private static Map<String, Set<String>> metrics(List<BenchRecord> records) {
        Map<String, Set<String>> metrics = new TreeMap<>();
        for (BenchRecord entry : records) {
            metrics.computeIfAbsent(entry.caseName() + " " + entry.system().text(), key -> new TreeSet<>())
                    .add(entry.metric().text());
        }
        return metrics;
    }

    private static double median(List<BenchRecord> records, BenchMetric metric) {
        return records.stream()
                .filter(entry -> entry.metric() == metric)
                .findFirst()
                .orElseThrow()
                .median();
    }

    @Test
    void shouldMeasureEveryCase() throws IOException {
        List<BenchRecord> records = run(1);

        assertThat(records).allSatisfy(entry -> assertThat(entry.scenario()).isEqualTo(StoreScenario.NAME));
        assertThat(metrics(records))
                .containsEntry("write-burst anneal", WORK)
                .containsEntry("write-burst-flushed anneal", WORK)
                .containsEntry("write-batch-64 anneal", BATCH)
                .containsEntry("write-batch-64 limit", LATENCIES)
                .containsEntry("write-batch-64-async anneal", BATCH)
                .containsEntry("write-batch-64-async limit", LATENCIES)
                .containsEntry("write-batch-1 anneal", BATCH)
                .containsEntry("write-batch-1 limit", LATENCIES)
                .containsEntry("compact-4-half anneal", WORK)
                .containsEntry("compact-4-half limit", WORK)
                .containsEntry("compact-4-random anneal", WORK)
                .containsEntry("compact-4-random limit", WORK)
                .containsEntry("read-memtable anneal", LATENCIES)
                .containsEntry("read-cached anneal", LATENCIES)
                .containsKey("write-steady anneal")
                .hasSize(15);
        assertThat(metrics(records).get("write-steady anneal"))
                .contains("peak-memory", "memtable-peak", "memory-budget", "wall");
        assertThat(median(records, BenchMetric.MEMTABLE_PEAK)).isPositive();
    }

    @Test
    void shouldPayOneSyncForEachWriteOfASingleWriter() throws IOException {
        List<BenchRecord> records = run(2, "write-batch-1");

        assertThat(records).allSatisfy(entry -> assertThat(entry.runs()).isEqualTo(2));
        assertThat(median(records, BenchMetric.WRITES_PER_SYNC)).isEqualTo(1);
    }

    @Test
    void shouldShareSyncsAmongWriters() throws IOException {
        assertThat(median(run(1, "write-batch-64"), BenchMetric.WRITES_PER_SYNC))
                .isGreaterThan(1);
    }

    @Test
    void shouldRefuseSizesWithNothingToMeasure() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StoreSizes.of(0, StoreSizes.COMPACTED_BYTES_MIN, 512))
                .withMessageContaining("steadySeconds=0");
        assertThatIllegalArgumentException().isThrownBy(() -> StoreSizes.of(1, 1, 512));
    }
}
