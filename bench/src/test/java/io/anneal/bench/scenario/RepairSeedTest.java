package io.anneal.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RepairSeedTest {
    private static BenchRecord of(
            String caseName, BenchSystem system, BenchMetric metric, double min, double median, double max) {
        return new BenchRecord(RepairScenario.NAME, caseName, system, metric, 3, min, median, max);
    }

    private static String printed(BenchRecord... records) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RepairSeed.print(List.of(records), new PrintStream(out, false, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldPrintBothPublishedTablesBesideOurs() {
        double mebibyte = 1 << 20;

        assertThat(printed(
                        of("synced-0", BenchSystem.ANNEAL, BenchMetric.CPU, 3, 3, 3),
                        of("synced-0", BenchSystem.BASELINE, BenchMetric.CPU, 6, 6, 6),
                        of("synced-99.9", BenchSystem.ANNEAL, BenchMetric.CPU, 2, 2, 2),
                        of("synced-99.9", BenchSystem.BASELINE, BenchMetric.CPU, 17, 17, 17),
                        of("synced-99.9", BenchSystem.ANNEAL, BenchMetric.WALL, 1, 1, 1),
                        of("synced-99.9", BenchSystem.BASELINE, BenchMetric.WALL, 9, 9, 9),
                        bytes(BenchSystem.ANNEAL, BenchMetric.BYTES_SENT, 6.5 * mebibyte),
                        bytes(BenchSystem.ANNEAL, BenchMetric.BYTES_LACKING, 6.25 * mebibyte),
                        bytes(BenchSystem.BASELINE, BenchMetric.BYTES_SENT, 650 * mebibyte)))
                .containsPattern("0 % +\\| +49.0 +37.1 +1.32 \\| +6.00 +3.00 +2.00 \\|")
                .containsPattern("99.9 % +\\| +96.4 +14.2 +6.78 \\| +17.00 +2.00 +8.50 \\| +9.00 +1.00 +9.00")
                .containsPattern("published +184944.6 +6574.1 +3.55%")
                .containsPattern("this machine +650.0 +6.5 +1.00%")
                .contains("anneal sent 1.0400 times what replicas lacked");
    }

    private static BenchRecord bytes(BenchSystem system, BenchMetric metric, double value) {
        return of("synced-99.9", system, metric, value, value, value);
    }

    @Test
    void shouldPrintNoRatioOfRunsThatDifferByMoreThanAQuarter() {
        assertThat(printed(
                        of("synced-100", BenchSystem.ANNEAL, BenchMetric.CPU, 1.9, 2, 2.3),
                        of("synced-100", BenchSystem.CASSANDRA, BenchMetric.CPU, 15, 16, 19),
                        of("synced-100", BenchSystem.ANNEAL, BenchMetric.WALL, 1.9, 2, 2.5),
                        of("synced-100", BenchSystem.CASSANDRA, BenchMetric.WALL, 16, 16, 16)))
                .containsPattern("synced-100 +cassandra +8.00 +- \\(\\+-30%\\)")
                .doesNotContain("published");
    }

    @Test
    void shouldPrintNothingOfOtherScenarios() {
        assertThat(printed(new BenchRecord("net", "one-stream", BenchSystem.ANNEAL, BenchMetric.CPU, 1, 1, 1, 1)))
                .isEmpty();
    }
}
