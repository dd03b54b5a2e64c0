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
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PagingScenarioTest {
    private static final int ROWS = 20_000;
    private static final List<String> BESIDE_THE_STATELESS_WAY = List.of(
            "range-5000",
            "range-100",
            "range-5000-compacted",
            "range-100-compacted",
            "partition",
            "reverse",
            "partition-compacted",
            "reverse-compacted");

    private static final OwnCommand COMMAND = new OwnCommand(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            System.getProperty("java.class.path"),
            "the command itself is not started here");

    private static final List<BenchRecord> RECORDS = run();

    private static List<BenchRecord> run() {
        BenchConfig config =
                new BenchConfig(ROWS, 1, 0, SSTableVersion.NB, Set.of(), false, System::nanoTime, line -> {});
        try {
            return new PagingScenario(config, COMMAND, new PagingSizes(50, 10)).run();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static double median(String caseName, BenchSystem system, BenchMetric metric) {
        return RECORDS.stream()
                .filter(entry ->
                        entry.caseName().equals(caseName) && entry.system() == system && entry.metric() == metric)
                .findFirst()
                .orElseThrow(() -> new AssertionError("not measured: " + caseName + " " + system + " " + metric))
                .median();
    }

    @Test
    void shouldMeasureEveryCase() {
        assertThat(RECORDS.stream().map(BenchRecord::caseName).collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(PagingScenario.CASES);
        assertThat(median("abandoned", BenchSystem.ANNEAL, BenchMetric.FILES_LEFT))
                .isZero();
        assertThat(median("scanners", BenchSystem.ANNEAL, BenchMetric.PEAK_MEMORY))
                .isLessThan(median("scanners", BenchSystem.ANNEAL, BenchMetric.MEMORY_BUDGET));
        assertThat(median("loopback", BenchSystem.ANNEAL, BenchMetric.ROWS_PER_SECOND))
                .isPositive();
        assertThat(median("pager", BenchSystem.LIMIT, BenchMetric.ROWS_PER_SECOND))
                .isPositive();
    }

    @Test
    void shouldReadEachByteAboutOnceWhenQueriersAreKept() {
        assertThat(BESIDE_THE_STATELESS_WAY)
                .allSatisfy(name -> assertThat(median(name, BenchSystem.ANNEAL, BenchMetric.READ_OPS))
                        .isLessThan(0.8 * median(name, BenchSystem.BASELINE, BenchMetric.READ_OPS)));
    }

    @Test
    void shouldPrintWhatWasPublishedBesideWhatWasMeasured() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        PagingSeed.print(RECORDS, new PrintStream(out, true, StandardCharsets.UTF_8));

        assertThat(out.toString(StandardCharsets.UTF_8).lines())
                .anySatisfy(line -> assertThat(line).matches("range-100-compacted( +[0-9.]+){3}"))
                .anySatisfy(line -> assertThat(line).matches("published, compacted +130.0 +61.0 +27.0"));
    }
}
