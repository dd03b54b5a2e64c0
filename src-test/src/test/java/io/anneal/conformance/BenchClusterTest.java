package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.faults.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code anneal bench cluster} with few rows, agents and commands started by the launcher: that both sides are measured, not how fast
 * they are; and what a user would care about in each case that no busy machine changes. Runs with {@code -Danneal.all=true}.
 */
final class BenchClusterTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path JAR = ROOT.resolve("cli/target/anneal.jar");
    private static final String LAUNCHER = "anneal.launcher";
    private static final String[] SIDES = {"anneal", "cassandra"};
    /** After a repair; 96 MB would be wanted. */
    private static final double IDLE_BYTES_MAX = 128e6;

    @TempDir
    private Path directory;

    private Map<String, Double> medians;
    private Map<String, Double> most;

    @Test
    void shouldMeasureBothSidesAndAgentsThatWait() throws IOException {
        measure("synced-100", "synced-99.9");

        for (String name : new String[] {"synced-100", "synced-99.9"}) {
            requireBothSides(name);
        }
        for (String system : SIDES) {
            assertThat(median("synced-100", system, "sstables")).as(system).isZero();
            assertThat(median("synced-99.9", system, "bytes-sent"))
                    .as(system)
                    .isGreaterThan(median("synced-99.9", "anneal", "bytes-lacking"));
            assertThat(median("synced-99.9", system, "sstables")).as(system).isGreaterThanOrEqualTo(3);
        }
        assertThat(median("synced-99.9", "anneal", "bytes-sent"))
                .as("rows are moved, and not ranges")
                .isLessThan(median("synced-99.9", "cassandra", "bytes-sent"));
        assertThat(median("synced-99.9", "anneal", "sstables"))
                .as("some a node")
                .isLessThanOrEqualTo(24);
        assertThat(most.get("synced-99.9 anneal idle-memory")).isLessThan(IDLE_BYTES_MAX);
    }

    /** What is written while snapshots are taken is in some of them: that it is not moved is no gift. */
    @Test
    void shouldMoveNothingOfWhatIsWrittenMeanwhile() throws IOException {
        measure("live-writes");

        assertThat(median("live-writes", "anneal", "rows-in-skew")).isPositive();
        assertThat(median("live-writes", "anneal", "rows-left-out")).isPositive();
        assertThat(median("live-writes", "anneal", "moved-share")).isLessThanOrEqualTo(0.01);
        assertThat(median("live-writes", "anneal", "rows-written"))
                .isGreaterThanOrEqualTo(median("live-writes", "anneal", "rows-in-skew"));
        assertThat(median("live-writes-recent", "anneal", "rows-moved")).isPositive();
    }

    /** Of 768 ranges and up to 20 tables, half of which hold a few rows. */
    @Test
    void shouldTakeLittleWhereThereIsNothingToDo() throws IOException {
        measure("empty-vnodes", "empty-vnodes-1");

        for (String name : new String[] {"empty-vnodes", "empty-vnodes-1"}) {
            requireBothSides(name);
            assertThat(median(name, "anneal", "sstables")).isZero();
        }
        assertThat(median("empty-vnodes", "anneal", "bytes-sent"))
                .as("no trees of 768 ranges for each table")
                .isLessThan(median("empty-vnodes", "cassandra", "bytes-sent"));
    }

    private void requireBothSides(String name) {
        for (String system : SIDES) {
            assertThat(median(name, system, "cpu")).as(system).isPositive();
            assertThat(median(name, system, "nodes-cpu")).as(system).isPositive();
            assertThat(median(name, system, "command-cpu")).as(system).isPositive();
        }
        assertThat(median(name, "anneal", "agents-cpu")).isPositive();
        assertThat(median(name, "cassandra", "agents-cpu")).isZero();
    }

    private double median(String name, String system, String metric) {
        return medians.get(name + " " + system + " " + metric);
    }

    private void measure(String... cases) throws IOException {
        // Minutes on a busy machine: among campaigns.
        assumeThat(Boolean.getBoolean("anneal.all")).isTrue();
        // The jar is made by the package phase of cli: there under verify, not under test.
        assumeThat(JAR).exists();
        Path records = directory.resolve("records.json");
        List<String> words = new ArrayList<>(
                List.of("bench", "cluster", "--peer", "cassandra", "--rows", "2000", "--runs", "1", "--warm-up", "0"));
        for (String name : cases) {
            words.addAll(List.of("--case", name));
        }
        words.addAll(List.of("--json", records.toString()));
        System.setProperty(LAUNCHER, install().toString());
        Commands.Result result;
        try {
            result = Commands.run(words.toArray(String[]::new));
        } finally {
            System.clearProperty(LAUNCHER);
        }

        assertThat(result.exitCode()).as(result.err()).isZero();
        medians = new HashMap<>();
        most = new HashMap<>();
        for (JsonNode entry : new ObjectMapper().readTree(records.toFile())) {
            String name =
                    entry.get("case").textValue() + " " + entry.get("system").textValue() + " "
                            + entry.get("metric").textValue();
            medians.put(name, entry.get("median").doubleValue());
            most.put(name, entry.get("max").doubleValue());
        }
    }

    /** As the tarball is unpacked. */
    private Path install() throws IOException {
        Path launcher = directory.resolve("bin").resolve("anneal");
        Files.createDirectories(launcher.getParent());
        Files.createDirectories(directory.resolve("lib"));
        Files.copy(JAR, directory.resolve("lib").resolve("anneal.jar"));
        return Files.copy(ROOT.resolve("cli/src/main/dist/bin/anneal"), launcher);
    }
}
