package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.faults.Commands;
import io.anneal.fragment.FragmentCursor;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The overlapping SSTables that Cassandra wrote for a table of the corpus, each given to a replica of its own and repaired:
 * afterwards every replica shows the rows that Cassandra read from all of them.
 */
class CorpusRepairTest {
    private static final Path CORPUS = Path.of("src/test/resources/corpus/nb");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"compact_dense", "compact_static", "counters", "dropped", "readded", "udts", "collections"})
    void shouldGiveEveryReplicaAllRows(String table) throws IOException {
        Path text = CORPUS.resolve(table).resolve("schema.cql");
        TableSchema schema = CqlSchema.parse(Files.readString(text), text.toString())
                .table("corpus", table)
                .orElseThrow();
        List<String> arguments =
                new ArrayList<>(List.of("repair", "--table", "corpus." + table, "--full-replicas", "--apply"));
        List<Path> sstables = dataFiles(CORPUS.resolve(table));
        for (int i = 0; i < sstables.size(); i++) {
            arguments.addAll(
                    List.of("--dir", replica(schema, text, sstables.get(i), i).toString()));
        }
        arguments.addAll(List.of("--out", directory.resolve("out").toString()));

        Commands.Result result = Commands.run(arguments.toArray(String[]::new));

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(sstables).hasSizeGreaterThan(1);
        List<String> documents = Files.readAllLines(CORPUS.resolve(table).resolve("rows.jsonl"));
        long atSeconds = new ObjectMapper().readTree(documents.get(0)).get("at").asLong();
        List<String> expected = JsonRows.sorted(JsonRows.ofDocuments(documents.subList(1, documents.size())));
        for (int i = 0; i < sstables.size(); i++) {
            List<Path> files = new ArrayList<>(List.of(sstables.get(i)));
            files.addAll(dataFiles(directory
                    .resolve("out")
                    .resolve("replica-" + i)
                    .resolve("corpus")
                    .resolve(table)));
            assertThat(files).as("replica-" + i + " lacked nothing").hasSizeGreaterThan(1);
            try (FragmentCursor merged = Content.merged(schema, files).cursor()) {
                Differences.assertSame(table, JsonRows.sorted(JsonRows.of(LiveRows.of(merged, atSeconds))), expected);
            }
        }
    }

    private Path replica(TableSchema schema, Path schemaText, Path data, int number) throws IOException {
        Path replica = directory.resolve("replica-" + number);
        String id = schema.id().orElseThrow().replace("-", "");
        Path table = Files.createDirectories(replica.resolve("corpus").resolve(schema.name() + "-" + id));
        Files.copy(schemaText, table.resolve("schema.cql"));
        String prefix = data.getFileName().toString().replace(Component.DATA.fileSuffix(), "");
        try (Stream<Path> files = Files.list(data.resolveSibling(""))) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (name.startsWith(prefix) && !name.endsWith(".json")) {
                    Files.copy(file, table.resolve(name));
                }
            }
        }
        return replica;
    }

    private static List<Path> dataFiles(Path table) throws IOException {
        try (Stream<Path> files = Files.list(table)) {
            return files.filter(file -> file.getFileName().toString().endsWith(Component.DATA.fileSuffix()))
                    .sorted()
                    .toList();
        }
    }
}
