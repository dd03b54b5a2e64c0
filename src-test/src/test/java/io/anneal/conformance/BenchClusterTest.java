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
import org.junit.jupiter.api.BeforeAll;
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

    /** Enough of them that what others send over the loopback device meanwhile counts little. */
    private static final int ROWS = 20_000;
    /** Of a thousand one on each of three nodes, which two others lack. */
    private static final double ROWS_LACKING = 6.0 * ROWS / 1000;

    private static final double ROW_BYTES = 1000;
    private static final String[] SYNCED = {"synced-100", "synced-100-read", "synced-99.9", "synced-99.9-read"};

    @TempDir
    private static Path directory;

    private static final Map<String, Double> MEDIANS = new HashMap<>();
    private static final Map<String, Double> MOST = new HashMap<>();

    /** All at once: half of the time nodes and agents start. */
    @BeforeAll
    static void measure() throws IOException {
        // Minutes on a busy machine: among campaigns.
        assumeThat(Boolean.getBoolean("anneal.all")).isTrue();
        // The jar is made by the package phase of cli: there under verify, not under test.
        assumeThat(JAR).exists();
        Path records = directory.resolve("records.json");
        List<String> words = new ArrayList<>(List.of("bench", "cluster", "--peer", "cassandra", "--rows"));
        words.addAll(List.of(Integer.toString(ROWS), "--runs", "1", "--warm-up", "0"));
        for (String name : SYNCED) {
            words.addAll(List.of("--case", name));
        }
        for (String name : new String[] {"live-writes", "empty-vnodes", "empty-vnodes-1"}) {
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
        for (JsonNode entry : new ObjectMapper().readTree(records.toFile())) {
            String name =
                    entry.get("case").textValue() + " " + entry.get("system").textValue() + " "
                            + entry.get("metric").textValue();
            MEDIANS.put(name, entry.get("median").doubleValue());
            MOST.put(name, entry.get("max").doubleValue());
        }
    }

    @Test
    void shouldMeasureBothSidesAndAgentsThatWait() {
        for (String name : SYNCED) {
            requireBothSides(name);
            assertThat(MOST.get(name + " anneal idle-memory")).as(name).isLessThan(IDLE_BYTES_MAX);
        }
    }

    @Test
    void shouldMoveNothingBetweenNodesThatAreAlike() {
        for (String name : new String[] {"synced-100", "synced-100-read"}) {
            for (String system : SIDES) {
                assertThat(median(name, system, "sstables")).as(name + system).isZero();
            }
            assertThat(median(name, "anneal", "bytes-lacking")).as(name).isZero();
        }
    }

    /** What agents have kept is used where a user would have it, and only there. */
    @Test
    void shouldReadAllOnlyWhereACaseSaysSo() {
        double all = 3.0 * ROWS * ROW_BYTES;

        assertThat(median("synced-100", "anneal", "bytes-read")).isZero();
        assertThat(median("synced-99.9", "anneal", "bytes-read")).isPositive().isLessThan(all / 2);
        for (String name : new String[] {"synced-100-read", "synced-99.9-read"}) {
            assertThat(median(name, "anneal", "bytes-read")).as(name).isGreaterThan(all);
        }
    }

    /** The same damage for both sides, whatever agents have kept. */
    @Test
    void shouldMoveWhatNodesLackInEachRun() {
        for (String name : new String[] {"synced-99.9", "synced-99.9-read"}) {
            double lacking = median(name, "anneal", "bytes-lacking");
            assertThat(lacking).as(name).isBetween(ROWS_LACKING * ROW_BYTES, 1.1 * ROWS_LACKING * ROW_BYTES);
            for (String system : SIDES) {
                assertThat(median(name, system, "bytes-sent")).as(name + system).isGreaterThan(lacking);
                assertThat(median(name, system, "sstables")).as(name + system).isGreaterThanOrEqualTo(3);
            }
            assertThat(median(name, "anneal", "bytes-sent"))
                    .as("rows are moved, and not ranges")
                    .isLessThan(median(name, "cassandra", "bytes-sent"));
            assertThat(median(name, "anneal", "sstables")).as("some a node").isLessThanOrEqualTo(24);
        }
    }

    /** What is written while snapshots are taken is in some of them: that it is not moved is no gift. */
    @Test
    void shouldMoveNothingOfWhatIsWrittenMeanwhile() {
        assertThat(median("live-writes", "anneal", "rows-in-skew")).isPositive();
        assertThat(median("live-writes", "anneal", "rows-left-out")).isPositive();
        assertThat(median("live-writes", "anneal", "moved-share")).isLessThanOrEqualTo(0.01);
        assertThat(median("live-writes", "anneal", "rows-written"))
                .isGreaterThanOrEqualTo(median("live-writes", "anneal", "rows-in-skew"));
        assertThat(median("live-writes-recent", "anneal", "rows-moved")).isPositive();
    }

    /** Of 768 ranges and up to 20 tables, half of which hold a few rows. */
    @Test
    void shouldTakeLittleWhereThereIsNothingToDo() {
        for (String name : new String[] {"empty-vnodes", "empty-vnodes-1"}) {
            requireBothSides(name);
            assertThat(median(name, "anneal", "sstables")).isZero();
        }
        assertThat(median("empty-vnodes", "anneal", "bytes-sent"))
                .as("no trees of 768 ranges for each table")
                .isLessThan(median("empty-vnodes", "cassandra", "bytes-sent"));
    }

    private static void requireBothSides(String name) {
        for (String system : SIDES) {
            assertThat(median(name, system, "cpu")).as(system).isPositive();
            assertThat(median(name, system, "nodes-cpu")).as(system).isPositive();
            assertThat(median(name, system, "command-cpu")).as(system).isPositive();
        }
        assertThat(median(name, "anneal", "agents-cpu")).isPositive();
        assertThat(median(name, "cassandra", "agents-cpu")).isZero();
    }

    private static double median(String name, String system, String metric) {
        return MEDIANS.get(name + " " + system + " " + metric);
    }

    /** As the tarball is unpacked. */
    private static Path install() throws IOException {
        Path launcher = directory.resolve("bin").resolve("anneal");
        Files.createDirectories(launcher.getParent());
        Files.createDirectories(directory.resolve("lib"));
        Files.copy(JAR, directory.resolve("lib").resolve("anneal.jar"));
        return Files.copy(ROOT.resolve("cli/src/main/dist/bin/anneal"), launcher);
    }
}
