package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.bench.scenario.DualDaoScenario;
import io.anneal.bench.scenario.LimitsScenario;
import io.anneal.bench.scenario.SSTableScenario;
import io.anneal.bench.scenario.StoreScenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BenchCommandTest {
    private static final String PEER_PROPERTY = "anneal.peer.directory";

    @TempDir
    private Path directory;

    @Test
    void shouldPrintALineForEachLimit() {
        CommandRun run = CommandRun.of("bench", "limits", "--rows", "1000", "--runs", "1", "--warm-up", "0");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(LimitsScenario.CASES)
                .allSatisfy(name -> assertThat(run.out()).contains("limits " + name + " "));
        assertThat(run.err().lines()).contains("limits crc32: measuring");
    }

    @Test
    void shouldWriteRecordsOfAnnealAndItsLimits() throws IOException {
        Path file = directory.resolve("records.json");
        CommandRun run = CommandRun.of(
                "bench", "sstable", "--rows", "2000", "--runs", "2", "--warm-up", "0", "--quiet", "--json", file);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).isEmpty();
        Set<String> cases = new TreeSet<>();
        Set<String> metrics = new TreeSet<>();
        for (JsonNode entry : new ObjectMapper().readTree(file.toFile())) {
            assertThat(entry.get("scenario").textValue()).isEqualTo("sstable");
            assertThat(entry.get("system").textValue()).isIn("anneal", "limit");
            assertThat(entry.get("runs").intValue()).isEqualTo(2);
            cases.add(entry.get("case").textValue());
            metrics.add(entry.get("metric").textValue());
        }
        assertThat(cases)
                .containsExactlyInAnyOrder(
                        "scan-1k",
                        "encode-hash-1k",
                        "write-1k",
                        "merge-4",
                        "scan-small",
                        "encode-hash-small",
                        "write-small",
                        "merge-4-small");
        assertThat(metrics).containsExactly("allocated-per-row", "bytes-per-second", "cpu", "rows-per-second", "wall");
    }

    @Test
    void shouldRunNamedCasesOnlyAndDrawThem() {
        Path pictures = directory.resolve("pictures");
        CommandRun run = CommandRun.of(
                "bench",
                "all",
                "--case",
                "crc32",
                "--case",
                "scan-small",
                "--rows",
                "1000",
                "--runs",
                "1",
                "--warm-up",
                "0",
                "--plot",
                pictures);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("limits crc32", "sstable scan-small").doesNotContain("xxh64", "scan-1k");
        assertThat(pictures.resolve("sstable-rows-per-second.png")).isNotEmptyFile();
        assertThat(pictures.resolve("limits-bytes-per-second.png")).isNotEmptyFile();
    }

    @Test
    void shouldWriteRecordsOfAStore() throws IOException {
        Path file = directory.resolve("records.json");
        CommandRun run = CommandRun.of(
                "bench",
                "store",
                "--case",
                "write-burst",
                "--case",
                "compact-4-half",
                "--rows",
                "1000",
                "--runs",
                "2",
                "--warm-up",
                "0",
                "--sstable-size",
                "1MiB",
                "--quiet",
                "--json",
                file);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(new ObjectMapper().readTree(file.toFile()))
                .extracting(entry -> entry.get("scenario").textValue() + " "
                        + entry.get("case").textValue() + " "
                        + entry.get("system").textValue() + " "
                        + entry.get("runs").intValue())
                .contains("store write-burst anneal 2", "store compact-4-half anneal 2");
    }

    @Test
    void shouldPayOneSyncForEachWriteOfASingleWriter() {
        CommandRun run = CommandRun.of(
                "bench", "store", "--case", "write-batch-1", "--rows", "1000", "--runs", "1", "--warm-up", "0");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .containsPattern("store write-batch-1 +anneal .* 1.0 writes a sync")
                .contains("in medians of limit");
    }

    @Test
    void shouldTellTheHeapOfCommandsInProcessesOfTheirOwn() {
        CommandRun run = CommandRun.of(
                "bench",
                "sstable",
                "--rows",
                "2000",
                "--case",
                "dump-memory",
                "--case",
                "verify-memory",
                "--case",
                "rewrite-memory");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out().lines().filter(line -> line.contains("-memory")))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).containsPattern("peak heap [1-9][0-9]* MB"));
    }

    @Test
    void shouldPrintWhatWasPublishedOfPagingBesideWhatWasMeasured() {
        CommandRun run = CommandRun.of(
                "bench", "paging", "--case", "range-100", "--rows", "5000", "--runs", "1", "--warm-up", "0");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("paging range-100", "of the reads of baseline:", "range scans, before = 100", "published");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bench",
                "bench nonsense",
                "bench limits --rows 10",
                "bench limits --runs 0",
                "bench limits --warm-up -1",
                "bench limits --case scan-1k",
                "bench sstable --case nonsense",
                "bench sstable --peer scylla",
                "bench repair --case whole",
                "bench repair --parallel 0",
                "bench repair --system scylla",
                "bench repair --system cassandra",
                "bench store --seconds 0",
                "bench store --sstable-size 100KiB",
                "bench store --case scan-1k",
                "bench sstable --format zz",
                "bench sstable --format ma"
            })
    void shouldTellUsageErrorInOneLine(String commandLine) {
        CommandRun run = CommandRun.of((Object[]) commandLine.split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).singleElement().asString().startsWith("anneal: error ANL-4001: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--json", "--plot"})
    void shouldTellBeforeItMeasuresThatAFileCannotBeWritten(String option) throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "no directory");
        CommandRun run = CommandRun.of("bench", "limits", "--rows", "1000", option, file.resolve("in it"));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).singleElement().asString().contains("anneal: error ANL-1");
    }

    @Test
    void shouldTellInOneLineThatThereIsNoCassandra() {
        String before = System.getProperty(PEER_PROPERTY);
        System.setProperty(PEER_PROPERTY, directory.resolve("absent").toString());
        try {
            CommandRun run = CommandRun.of("bench", "sstable", "--rows", "1000", "--quiet", "--peer", "cassandra");

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("anneal: error ANL-3004: no Cassandra in the directory")
                    .contains("absent", "mvn -f bench/peer/pom.xml process-classes");
        } finally {
            if (before == null) {
                System.clearProperty(PEER_PROPERTY);
            } else {
                System.setProperty(PEER_PROPERTY, before);
            }
        }
    }

    @Test
    void shouldNameEveryCaseInItsHelp() {
        String help = CommandRun.of("bench", "--help").out().replaceAll("\\s+", " ");

        assertThat(List.of(LimitsScenario.CASES, SSTableScenario.CASES, StoreScenario.CASES, DualDaoScenario.CASES))
                .allSatisfy(cases ->
                        assertThat(cases).allSatisfy(name -> assertThat(help).contains(name)));
    }
}
