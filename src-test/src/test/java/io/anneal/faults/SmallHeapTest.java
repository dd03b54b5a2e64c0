package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.faults.SmallHeapChild.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever somebody writes to a store in a small heap, the store goes on. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SmallHeapTest {
    private static final String DONE = SmallHeapChild.DONE;
    private static final long MAX_BY_MEMORY = 0;
    private static final int TIMEOUT_SECONDS = 240;

    @TempDir
    private Path directory;

    private List<String> run(Scenario scenario, String heap, long mutationMaxBytes)
            throws IOException, InterruptedException {
        Path output = directory.resolve(scenario + ".out");
        Path log = directory.resolve(scenario + ".log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx" + heap,
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-ea",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SmallHeapChild.class.getName(),
                        directory.resolve("store").toString(),
                        scenario.name(),
                        Long.toString(mutationMaxBytes))
                .redirectOutput(output.toFile())
                .redirectError(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS))
                    .as("%s ends", scenario)
                    .isTrue();
            assertThat(process.exitValue()).as(Files.readString(log)).isZero();
            return Files.readAllLines(output);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void shouldRefuseWhatIsTooLargeForTheHeapAndGoOn() throws IOException, InterruptedException {
        List<String> lines = run(Scenario.TOO_LARGE, "256m", MAX_BY_MEMORY);
        assertThat(lines).hasSize(10);
        assertThat(lines.subList(0, 8))
                .allSatisfy(line -> assertThat(line)
                        .contains(
                                "IllegalArgumentException",
                                "is too large, write it in several",
                                "StoreConfig.withMutationMaxBytes",
                                "countedBytes=",
                                "maxBytes=32")
                        .doesNotContain("FAILURE"));
        assertThat(lines.get(4)).contains("batch is too large", "mutations=6", "lengthBytes=62914");
        assertThat(lines.get(5)).contains("table=ks.m", "cellsOfARow=400001");
        assertThat(lines.get(7)).contains("table=ks.t", "rows=400000, cellsOfARow=0");
        assertThat(lines.subList(8, 10)).containsExactly("small: " + DONE, "close: " + DONE);
    }

    @Test
    void shouldTakeTheLargestOverAndOver() throws IOException, InterruptedException {
        List<String> lines = run(Scenario.LARGEST, "384m", MAX_BY_MEMORY);
        assertThat(lines).hasSize(21).allSatisfy(line -> assertThat(line).endsWith(": " + DONE));
    }

    @Test
    void shouldRefuseABatchAloneWhenThereIsNoMemoryForItsRecord() throws IOException, InterruptedException {
        List<String> lines = run(Scenario.BATCH_WITHOUT_MEMORY, "256m", 100 << 20);
        assertThat(lines.get(0)).contains("batch: ", "memory is used up", "OutOfMemoryError");
        assertThat(lines.get(0)).doesNotContain("FAILURE");
        assertThat(lines.subList(1, 3)).containsExactly("small: " + DONE, "close: " + DONE);
    }

    /** Allocations fail wherever they may, on threads of the store, too. It may stop then; nobody waits for ever, and nothing is lost. */
    @Test
    void shouldAnswerEveryCallThoughMemoryIsUsedUpAllTheTime() throws IOException, InterruptedException {
        assertThat(run(Scenario.BESIDE, "64m", MAX_BY_MEMORY).get(0)).startsWith("acknowledged: " + DONE);
        assertThat(run(Scenario.READ_ACKNOWLEDGED, "384m", MAX_BY_MEMORY))
                .containsExactly("acknowledged: " + DONE, "small: " + DONE, "close: " + DONE);
    }

    @Test
    void shouldReplayWhatItWouldNotTakeAnyMore() throws IOException, InterruptedException {
        assertThat(run(Scenario.WRITE, "512m", 100 << 20)).containsExactly("row: " + DONE, "cells: " + DONE);
        assertThat(run(Scenario.READ, "256m", MAX_BY_MEMORY))
                .containsExactly("row: " + DONE, "cells: " + DONE, "small: " + DONE, "close: " + DONE);
    }
}
