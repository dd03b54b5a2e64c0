package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.SSTables;
import io.anneal.store.directory.StagingDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of {@code docs/embed.md}: they compile, they run, and the page quotes them as they stand here. */
class EmbedSnippetsTest {
    private static final Path TABLE = Path.of("src/test/resources/corpus/nb/clustered");

    @TempDir
    private Path directory;

    private static long countRows(Path directory) throws IOException {
        // snippet: read
        long rows = 0;
        try (SSTables sstables = SSTables.open(directory);
                FragmentCursor cursor = sstables.scan(TokenRange.Linear.ALL)) {
            while (cursor.advance() != null) {
                if (cursor.kind() == FragmentKind.CLUSTERING_ROW) {
                    rows++;
                }
            }
        }
        // end
        return rows;
    }

    private static List<String> print(Path directory, TokenRange range) throws IOException {
        List<String> lines = new ArrayList<>();
        // snippet: scan
        try (SSTables sstables = SSTables.open(directory)) {
            List<Column> columns = sstables.schema().regularColumns();
            for (TokenRange.Linear part : range.unwrap()) {
                try (FragmentCursor cursor = sstables.scan(part)) {
                    while (cursor.advance() != null) {
                        if (cursor.kind() == FragmentKind.CLUSTERING_ROW) {
                            lines.add(cursor.key().token() + describe(cursor.row(), columns));
                        }
                    }
                }
            }
        }
        // end
        return lines;
    }

    // snippet: row
    static String describe(Row row, List<Column> columns) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < row.entryCount(); i++) {
            Column column = columns.get(row.columnIndex(i));
            if (column.isComplex() || row.isTombstone(i)) {
                continue;
            }
            CqlType type = column.type();
            String value = type.toText(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i));
            text.append(' ').append(column.name()).append('=').append(value);
        }
        return text.toString();
    }
    // end

    private static List<Descriptor> rewrite(Path source, Path target) throws IOException {
        // snippet: write
        List<Descriptor> written;
        try (SSTables sstables = SSTables.open(source);
                FragmentCursor cursor = sstables.scan(TokenRange.Linear.ALL);
                StagingDirectory staging = StagingDirectory.open(target);
                StagedWriter writer = new StagedWriter(
                        staging.target(sstables.schema()),
                        SSTableWriterConfig.defaults(sstables.estimatedPartitionCount()),
                        StagedWriter.SIZE_LIMIT_DEFAULT_BYTES)) {
            writer.append(cursor);
            written = writer.finish();
        }
        // end
        return written;
    }

    @Test
    void shouldCountRows() throws IOException {
        assertThat(countRows(TABLE)).isPositive();
    }

    @Test
    void shouldPrintEveryRowOfARangeOnce() throws IOException {
        List<String> all = print(TABLE, TokenRange.FULL);

        assertThat(all).hasSize((int) countRows(TABLE)).anyMatch(line -> line.contains("="));
        assertThat(print(TABLE, new TokenRange(0, Long.MAX_VALUE)))
                .hasSizeBetween(1, all.size() - 1)
                .isSubsetOf(all);
    }

    @Test
    void shouldWriteOneSSTableOfMany() throws IOException {
        List<Descriptor> written = rewrite(TABLE, directory);

        assertThat(written).hasSize(1);
        Files.copy(TABLE.resolve("schema.cql"), written.get(0).directory().resolve("schema.cql"));
        assertThat(print(written.get(0).directory(), TokenRange.FULL)).isEqualTo(print(TABLE, TokenRange.FULL));
    }

    @Test
    void shouldBeQuotedByThePage() throws IOException {
        Snippets.assertQuoted(EmbedSnippetsTest.class, "embed.md", 4);
    }
}
