package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.sstable.SSTableVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class StreamingScenarioTest {
    private static List<BenchRecord> run() throws IOException {
        BenchConfig config = new BenchConfig(
                BenchConfig.ROWS_MIN, 1, 0, SSTableVersion.NB, Set.of(), false, System::nanoTime, line -> {});
        OwnCommand command = new OwnCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"), System.getProperty("java.class.path"), "none");
        return new StreamingScenario(config, command).run();
    }

    @Test
    void shouldMeasureEveryCaseBesideItsRival() throws IOException {
        List<BenchRecord> records = run();

        assertThat(records)
                .extracting(BenchRecord::caseName)
                .containsOnly(StreamingScenario.CASES.toArray(String[]::new));
        for (String caseName : StreamingScenario.CASES) {
            BenchSystem rival = Set.of("whole", "partial", "partial-short").contains(caseName)
                    ? BenchSystem.LIMIT
                    : BenchSystem.BASELINE;
            assertThat(records)
                    .filteredOn(entry -> entry.caseName().equals(caseName)
                            && entry.metric() == BenchMetric.BYTES_PER_SECOND
                            && entry.median() > 0)
                    .extracting(BenchRecord::system)
                    .containsExactlyInAnyOrder(BenchSystem.ANNEAL, rival);
            assertThat(records)
                    .anyMatch(entry -> entry.caseName().equals(caseName) && entry.metric() == BenchMetric.PEAK_MEMORY);
        }
    }

    @Test
    void shouldPrintThePublishedTableBesideOurs() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StreamingSeed.print(
                List.of(rate(BenchSystem.ANNEAL, 400), rate(BenchSystem.BASELINE, 80)),
                new PrintStream(out, false, StandardCharsets.UTF_8));

        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern("i3.xlarge +36 +123 +3.4 +71%")
                .containsPattern("i3.8xlarge +228 +765 +3.4 +70%")
                .containsPattern("this machine +80 +400 +5.0 +80%");
    }

    private static BenchRecord rate(BenchSystem system, int mebibytes) {
        double rate = mebibytes * (double) (1 << 20);
        return new BenchRecord(
                StreamingScenario.NAME, "rows", system, BenchMetric.BYTES_PER_SECOND, 1, rate, rate, rate);
    }
}
