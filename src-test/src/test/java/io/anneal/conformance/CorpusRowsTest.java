package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.faults.Commands;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.store.SSTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The overlapping SSTables of each table, merged, against the rows that Cassandra itself read from them. */
class CorpusRowsTest {
    private static final Path CORPUS = Path.of("src/test/resources/corpus/nb");

    static List<String> tables() throws IOException {
        try (Stream<Path> directories = Files.list(CORPUS)) {
            return directories
                    .filter(directory -> Files.exists(directory.resolve("schema.cql")))
                    .map(directory -> directory.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void shouldLeaveNoTableAndNoRowOut() throws IOException {
        long rows = 0;
        for (String table : tables()) {
            rows += documents(table).size() - 1;
        }
        assertThat(tables()).hasSize(49);
        assertThat(rows).isEqualTo(3803);
    }

    @ParameterizedTest
    @MethodSource("tables")
    void shouldReadTheRowsThatCassandraReads(String table) throws IOException {
        List<String> documents = documents(table);
        long atSeconds = new ObjectMapper().readTree(documents.get(0)).get("at").asLong();

        List<String> found;
        try (SSTables sstables = SSTables.open(CORPUS.resolve(table));
                FragmentCursor merged = sstables.scan(TokenRange.Linear.ALL)) {
            assertThat(sstables.hasSchemaText()).isTrue();
            found = JsonRows.of(LiveRows.of(merged, atSeconds));
        }

        List<String> expected = JsonRows.ofDocuments(documents.subList(1, documents.size()));
        Differences.assertSame(table, JsonRows.sorted(found), JsonRows.sorted(expected));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void shouldFindEveryValueToBeOfItsType(String table) {
        Commands.Result result = Commands.run(
                "sstable", "verify", "--extended", CORPUS.resolve(table).toString());

        assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    }

    private static List<String> documents(String table) throws IOException {
        return Files.readAllLines(CORPUS.resolve(table).resolve("rows.jsonl"));
    }
}
