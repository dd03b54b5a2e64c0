package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.bench.scenario.SSTableScenario;
import io.anneal.faults.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code anneal bench sstable --peer cassandra} with few rows: that all sides are measured, not how fast they are. */
final class BenchWithCassandraTest {
    @TempDir
    private Path directory;

    @Test
    void shouldMeasureCassandraBesideInEveryCase() throws IOException {
        Path file = directory.resolve("records.json");
        Commands.Result result = Commands.run(
                "bench",
                "sstable",
                "--peer",
                "cassandra",
                "--rows",
                "2000",
                "--runs",
                "1",
                "--warm-up",
                "0",
                "--json",
                file.toString());

        assertThat(result.exitCode()).as(result.err()).isZero();
        Set<String> measured = new TreeSet<>();
        for (JsonNode entry : new ObjectMapper().readTree(file.toFile())) {
            if (entry.get("metric").textValue().equals("rows-per-second")) {
                measured.add(entry.get("case").textValue() + " "
                        + entry.get("system").textValue());
                assertThat(entry.get("median").doubleValue()).isPositive();
            }
        }
        Set<String> expected = new TreeSet<>();
        for (String name : SSTableScenario.CASES) {
            if (!name.endsWith("-memory")) {
                expected.addAll(Set.of(name + " anneal", name + " cassandra", name + " limit"));
            }
        }
        assertThat(measured).isEqualTo(expected);
    }
}
