package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.sstable.DumpOptions;
import io.anneal.cli.sstable.SSTableDump;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every SSTable of the corpus dumped, against what Cassandra's own sstabledump printed for it, and verified. */
class CorpusDumpTest {
    private static final DumpOptions RAW_TIMES = new DumpOptions(false, false, true, List.of(), List.of());
    private static final int SSTABLES = 149;
    private static final int LEGACY_SSTABLES = 45;

    static List<Path> sstables() throws IOException {
        return Corpus.sstables();
    }

    static List<Path> sstablesWithSchemaText() throws IOException {
        return sstables().stream().filter(data -> !Corpus.isLegacy(data)).toList();
    }

    @Test
    void shouldFindEverySSTable() throws IOException {
        for (String version : Corpus.VERSIONS) {
            assertThat(sstables())
                    .filteredOn(data -> data.startsWith(version))
                    .hasSize(version.equals("legacy") ? LEGACY_SSTABLES : SSTABLES);
        }
    }

    @ParameterizedTest
    @MethodSource("sstables")
    void shouldPrintWhatCassandraPrints(Path data) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SSTableReader reader = Corpus.open(data)) {
            SSTableDump.dump(reader, RAW_TIMES, Corpus.atSeconds(data.getParent()), out);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(Corpus.cassandrasDump(data));
    }

    @ParameterizedTest
    @MethodSource("sstablesWithSchemaText")
    void shouldFitTheSchemaText(Path data) throws IOException {
        Path text = Corpus.schemaText(data.getParent());
        TableSchema schema = CqlSchema.parse(Files.readString(text), text.toString())
                .tables()
                .iterator()
                .next();
        try (SSTableReader reader = Corpus.open(data);
                SSTableCursor byHeader = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL);
                SSTableCursor byText = reader.scan(schema, TokenRange.Linear.ALL)) {
            FragmentKind kind;
            do {
                kind = byHeader.advance();
                assertThat(byText.advance()).isEqualTo(kind);
                if (kind == FragmentKind.STATIC_ROW || kind == FragmentKind.CLUSTERING_ROW) {
                    assertThat(columns(byText)).isEqualTo(columns(byHeader));
                }
            } while (kind != null);
        }
    }

    private static List<String> columns(SSTableCursor cursor) {
        Row row = cursor.row();
        List<Column> columns = row.isStatic()
                ? cursor.schema().staticColumns()
                : cursor.schema().regularColumns();
        return IntStream.range(0, row.entryCount())
                .mapToObj(i -> columns.get(row.columnIndex(i)).name())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("sstables")
    void shouldFindNothingWrong(Path data) throws IOException {
        try (SSTableReader reader = Corpus.open(data)) {
            reader.verify();
        }
    }
}
