package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.DumpOptions;
import io.anneal.cli.SSTableDump;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.big.BigFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every SSTable of version {@code nb} that Cassandra wrote for the corpus, but for those compressed with Snappy, dumped,
 * against what Cassandra's own sstabledump printed for them.
 */
class CorpusDumpTest {
    private static final Path CORPUS = Path.of("src/test/resources/corpus/nb");
    private static final DumpOptions RAW_TIMES = new DumpOptions(false, false, true, List.of(), List.of());
    private static final Pattern AT = Pattern.compile("\"at\": ?(\\d+)");

    static List<String> sstables() throws IOException {
        try (Stream<Path> files = Files.walk(CORPUS)) {
            return files.filter(f -> f.getFileName().toString().endsWith(Component.DATA.fileSuffix()))
                    .map(f -> CORPUS.relativize(f).toString().replace("-" + Component.DATA.fileSuffix(), ""))
                    .sorted()
                    .toList();
        }
    }

    private static SSTableReader open(String sstable) throws IOException {
        return new BigFormat()
                .open(Descriptor.of(CORPUS.resolve(sstable + "-" + Component.DATA.fileSuffix()))
                        .orElseThrow());
    }

    /** When the rows were read and the dumps made, seconds since 1970. */
    private static long at(String sstable) throws IOException {
        Path rows = CORPUS.resolve(sstable).resolveSibling("rows.jsonl");
        try (Stream<String> lines = Files.lines(rows)) {
            Matcher matcher = AT.matcher(lines.findFirst().orElseThrow());
            assertThat(matcher.find()).isTrue();
            return Long.parseLong(matcher.group(1));
        }
    }

    @Test
    void shouldFindEverySSTable() throws IOException {
        assertThat(sstables()).hasSize(146);
    }

    @ParameterizedTest
    @MethodSource("sstables")
    void shouldPrintWhatCassandraPrints(String sstable) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SSTableReader reader = open(sstable)) {
            SSTableDump.dump(reader, RAW_TIMES, at(sstable), out);
        }
        assertThat(out.toString(StandardCharsets.UTF_8))
                .isEqualTo(Files.readString(CORPUS.resolve(sstable + ".dump.json")));
    }

    @ParameterizedTest
    @MethodSource("sstables")
    void shouldFitTheSchemaText(String sstable) throws IOException {
        Path text = CORPUS.resolve(sstable).resolveSibling("schema.cql");
        TableSchema schema = CqlSchema.parse(Files.readString(text), text.toString())
                .tables()
                .iterator()
                .next();
        try (SSTableReader reader = open(sstable);
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
    void shouldFindNothingWrong(String sstable) throws IOException {
        try (SSTableReader reader = open(sstable)) {
            reader.verify();
        }
    }
}
