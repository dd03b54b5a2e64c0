package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.faults.Commands;
import io.anneal.fragment.FragmentCursor;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compact tables as Cassandra 3.0 stored them, counters of before 2.1 among them, read by the text that made them. */
class LegacyCompactTest {
    private static final Path CORPUS = Path.of("src/test/resources/corpus/legacy/mb");
    private static final String DATA = "mb-1-big-Data.db";

    @TempDir
    private Path directory;

    private static TableSchema schema(String table, String type) {
        return CqlSchema.parse(text(table, type), "legacy.cql")
                .tables()
                .iterator()
                .next();
    }

    private static String text(String table, String type) {
        return "CREATE TABLE legacy_tables." + table + " (pk text PRIMARY KEY, val " + type + ") WITH COMPACT STORAGE;";
    }

    @ParameterizedTest
    @CsvSource({"legacy_mb_simple_compact, text, foo bar baz", "legacy_mb_simple_counter_compact, counter, 1"})
    void shouldReadRowsByTheTextOfACompactTable(String table, String type, String value) throws IOException {
        TableSchema schema = schema(table, type);
        try (FragmentCursor merged = Content.merged(
                        schema, List.of(CORPUS.resolve(table).resolve(DATA)))
                .cursor()) {
            List<String> rows = JsonRows.of(LiveRows.of(merged, 0));

            assertThat(rows)
                    .hasSize(5)
                    .allSatisfy(row -> assertThat(row)
                            .doesNotContain("column1")
                            .doesNotContain("value")
                            .contains(value));
        }
    }

    @Test
    void shouldRefuseOldShardsInARepair() throws IOException {
        String table = "legacy_mb_simple_counter_compact";
        List<Path> replicas = new ArrayList<>();
        for (String node : List.of("one", "two")) {
            Path replica = Files.createDirectories(
                    directory.resolve(node).resolve("legacy_tables").resolve(table));
            try (Stream<Path> files = Files.list(CORPUS.resolve(table))) {
                for (Path file : files.toList()) {
                    Files.copy(file, replica.resolve(file.getFileName()));
                }
            }
            Files.writeString(replica.resolve("schema.cql"), text(table, "counter"));
            replicas.add(replica);
        }

        Commands.Result repaired = Commands.run(
                "repair",
                "--table",
                "legacy_tables." + table,
                "--full-replicas",
                "--dry-run",
                "--dir",
                replicas.get(0).toString(),
                "--dir",
                replicas.get(1).toString());

        try (SSTableReader reader = Content.open(replicas.get(0).resolve(DATA))) {
            assertThat(reader.statistics().hasLegacyCounterShards()).isTrue();
        }
        assertThat(repaired.exitCode()).isEqualTo(5);
        assertThat(repaired.err())
                .contains("shards of Cassandra 2.0 or earlier")
                .contains(table);
    }
}
