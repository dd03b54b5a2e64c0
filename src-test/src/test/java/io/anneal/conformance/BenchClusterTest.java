package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.faults.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code anneal bench cluster} with few rows, agents and commands started by the launcher: that both sides are measured, not how fast
 * they are; and that an agent takes little memory when it waits after a repair. Runs with {@code -Danneal.all=true}.
 */
final class BenchClusterTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path JAR = ROOT.resolve("cli/target/anneal.jar");
    private static final String LAUNCHER = "anneal.launcher";
    /** After a repair; 96 MB would be wanted. */
    private static final double IDLE_BYTES_MAX = 128e6;

    @TempDir
    private Path directory;

    @Test
    void shouldMeasureBothSidesAndAgentsThatWait() throws IOException {
        // Minutes on a busy machine: among campaigns.
        assumeThat(Boolean.getBoolean("anneal.all")).isTrue();
        // The jar is made by the package phase of cli: there under verify, not under test.
        assumeThat(JAR).exists();
        Path records = directory.resolve("records.json");
        System.setProperty(LAUNCHER, install().toString());
        Commands.Result result;
        try {
            result = Commands.run(
                    "bench",
                    "cluster",
                    "--peer",
                    "cassandra",
                    "--rows",
                    "2000",
                    "--runs",
                    "1",
                    "--warm-up",
                    "0",
                    "--case",
                    "synced-99.9",
                    "--json",
                    records.toString());
        } finally {
            System.clearProperty(LAUNCHER);
        }

        assertThat(result.exitCode()).as(result.err()).isZero();
        Map<String, Double> medians = new HashMap<>();
        Map<String, Double> most = new HashMap<>();
        for (JsonNode entry : new ObjectMapper().readTree(records.toFile())) {
            String name =
                    entry.get("system").textValue() + " " + entry.get("metric").textValue();
            medians.put(name, entry.get("median").doubleValue());
            most.put(name, entry.get("max").doubleValue());
        }
        for (String system : new String[] {"anneal", "cassandra"}) {
            assertThat(medians.get(system + " cpu")).as(system).isPositive();
            assertThat(medians.get(system + " nodes-cpu")).as(system).isPositive();
            assertThat(medians.get(system + " command-cpu")).as(system).isPositive();
            assertThat(medians.get(system + " bytes-sent"))
                    .as(system)
                    .isGreaterThan(medians.get("anneal bytes-lacking"));
            assertThat(medians.get(system + " sstables")).as(system).isGreaterThanOrEqualTo(3);
        }
        assertThat(medians.get("anneal sstables")).as("some a node").isLessThanOrEqualTo(24);
        assertThat(medians.get("anneal agents-cpu")).isPositive();
        assertThat(medians.get("cassandra agents-cpu")).isZero();
        assertThat(most.get("anneal idle-memory")).isLessThan(IDLE_BYTES_MAX);
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
