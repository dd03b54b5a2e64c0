package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.schema.SchemaException;
import io.anneal.store.SSTables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The overlapping SSTables of each table, merged, against the rows that Cassandra itself read from them. */
class CorpusRowsTest {
    private static final String COUNTERS = "counters";
    /** Their schema text is in a comment, since their storage has no CQL any more. */
    private static final Set<String> COMPACT = Set.of("compact_dense", "compact_static");

    private static final int TABLES_OF_A_VERSION = 46;
    private static final int ROWS_OF_A_VERSION = 3762;

    static List<Path> tables() throws IOException {
        return Corpus.tables().stream()
                .filter(table -> !isNamed(COUNTERS, table) && !COMPACT.contains(name(table)))
                .toList();
    }

    private static String name(Path table) {
        return table.getFileName().toString();
    }

    private static boolean isNamed(String name, Path table) {
        return name(table).equals(name);
    }

    private static SSTables open(Path table) throws IOException {
        return SSTables.open(Corpus.ROOT.resolve(table));
    }

    @Test
    void shouldLeaveNoTableAndNoRowOut() throws IOException {
        for (String version : Corpus.VERSIONS) {
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

    @Test
    void shouldRefuseToMergeCounters() throws IOException {
        for (Path table : Corpus.tables()) {
            if (isNamed(COUNTERS, table)) {
                try (SSTables sstables = open(table)) {
                    assertThatThrownBy(() -> sstables.scan(TokenRange.Linear.ALL))
                            .isInstanceOf(UnsupportedOperationException.class)
                            .hasMessageContaining("table=corpus.counters, column=");
                }
            }
        }
    }

    @Test
    void shouldRefuseTablesThatTheirSchemaTextDoesNotDescribe() throws IOException {
        assertThat(Corpus.tables())
                .filteredOn(table -> COMPACT.contains(name(table)))
                .isNotEmpty()
                .allSatisfy(table -> assertThatThrownBy(() -> open(table))
                        .isInstanceOf(SchemaException.class)
                        .hasMessageContaining("schema text does not describe the table"));
    }

    @ParameterizedTest
    @MethodSource("tables")
    void shouldReadTheRowsThatCassandraReads(Path table) throws IOException {
        List<String> found;
        try (SSTables sstables = open(table);
                FragmentCursor merged = sstables.scan(TokenRange.Linear.ALL)) {
            assertThat(sstables.hasSchemaText()).isTrue();
            found = JsonRows.of(LiveRows.of(merged, Corpus.atSeconds(table)));
        }

        List<String> expected = JsonRows.ofDocuments(Corpus.rows(table));
        Differences.assertSame(table.toString(), JsonRows.sorted(found), JsonRows.sorted(expected));
    }
}
