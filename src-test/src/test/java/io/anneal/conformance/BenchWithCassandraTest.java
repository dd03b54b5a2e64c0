package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.bench.scenario.SSTableScenario;
import io.anneal.faults.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code anneal bench sstable --peer cassandra} with few rows: that all sides are measured, not how fast they are. */
final class BenchWithCassandraTest {
    @TempDir
    private Path directory;

    @Test
    void shouldMeasureCassandraBesideInEveryCase() throws IOException {
        List<String> cases = SSTableScenario.CASES.stream()
                .filter(name -> !name.endsWith("-memory"))
                .toList();

        assertThat(measured()).isEqualTo(onAllSides(cases));
    }

    @ParameterizedTest
    @ValueSource(strings = {"oa", "da"})
    void shouldMeasureOtherFormats(String format) throws IOException {
        assertThat(measured("--format", format, "--case", "scan-small", "--case", "write-1k"))
                .isEqualTo(onAllSides(List.of("scan-small", "write-1k")));
    }

    /** Case and system of each rate that was measured. */
    private Set<String> measured(String... options) throws IOException {
        Path file = directory.resolve("records.json");
        List<String> arguments = new ArrayList<>(List.of("bench", "sstable", "--peer", "cassandra", "--rows", "2000"));
        arguments.addAll(List.of("--runs", "1", "--warm-up", "0", "--json", file.toString()));
        arguments.addAll(List.of(options));
        Commands.Result result = Commands.run(arguments.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.err()).isZero();

        Set<String> measured = new TreeSet<>();
        for (JsonNode entry : new ObjectMapper().readTree(file.toFile())) {
            if (entry.get("metric").textValue().equals("rows-per-second")) {
                assertThat(entry.get("median").doubleValue()).isPositive();
                measured.add(entry.get("case").textValue() + " "
                        + entry.get("system").textValue());
            }
        }
        return measured;
    }

    private static Set<String> onAllSides(List<String> cases) {
        Set<String> expected = new TreeSet<>();
        cases.forEach(name -> expected.addAll(Set.of(name + " anneal", name + " cassandra", name + " limit")));
        return expected;
    }
}
