package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.faults.Commands;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.store.SSTables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The overlapping SSTables of each table, merged, against the rows that Cassandra itself read from them. */
class CorpusRowsTest {
    private static final int TABLES_OF_A_VERSION = 50;
    private static final int ROWS_OF_A_VERSION = 3953;

    static List<Path> tables() throws IOException {
        return Corpus.tables();
    }

    @Test
    void shouldLeaveNoTableAndNoRowOut() throws IOException {
        for (String version : Corpus.VERSIONS) {
            if (version.equals("legacy")) {
                continue;
            }
            long rows = 0;
            long count = 0;
            for (Path table : tables()) {
                if (table.startsWith(version)) {
                    rows += Corpus.rows(table).size();
                    count++;
                }
            }
            assertThat(count).isEqualTo(TABLES_OF_A_VERSION);
            assertThat(rows).isEqualTo(ROWS_OF_A_VERSION);
        }
    }

    @ParameterizedTest
    @MethodSource("tables")
    void shouldReadTheRowsThatCassandraReads(Path table) throws IOException {
        List<String> found;
        try (SSTables sstables = SSTables.open(Corpus.ROOT.resolve(table));
                FragmentCursor merged = sstables.scan(TokenRange.Linear.ALL)) {
            assertThat(sstables.hasSchemaText()).isTrue();
            found = JsonRows.of(LiveRows.of(merged, Corpus.atSeconds(table)));
        }

        List<String> expected = JsonRows.ofDocuments(Corpus.rows(table));
        Differences.assertSame(table.toString(), JsonRows.sorted(found), JsonRows.sorted(expected));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void shouldFindEveryValueToBeOfItsType(Path table) {
        Commands.Result result = Commands.run(
                "sstable", "verify", "--extended", Corpus.ROOT.resolve(table).toString());

        assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
    }
}
