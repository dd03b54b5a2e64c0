package io.anneal.sstable.big;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.Row;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.data.DataWriterContract;
import io.anneal.sstable.data.ScriptCursor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BigWriterTest extends DataWriterContract {
    private static final long NOW_MICROS = 1_700_000_000_000_000L;
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .column("k", CqlTypes.TEXT, Column.Kind.PARTITION_KEY)
            .column("c", CqlTypes.TEXT, Column.Kind.CLUSTERING)
            .column("v", CqlTypes.INT, Column.Kind.REGULAR)
            .build();

    BigWriterTest() {
        super(SSTableVersion.NB, BigIndexWriter::open, List.of(Component.INDEX, Component.SUMMARY));
    }

    private static void assertRefused(Path directory, ScriptCursor cursor, String... words) throws IOException {
        try (FragmentWriter writer = new BigFormat().write(directory, "1", SCHEMA, SSTableWriterConfig.defaults(10))) {
            assertThatThrownBy(() -> writer.append(cursor))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll(words);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {Integer.MAX_VALUE, 4_294_967_290L, -1})
    void shouldRefuseATombstoneTimeThatDoesNotFit(long seconds, @TempDir Path directory) throws IOException {
        ScriptCursor cursor = new ScriptCursor(SCHEMA).partition(1, "k");
        cursor.row(new byte[] {'b'}, row -> row.addCell(0, NOW_MICROS, Row.NO_TTL, seconds));
        assertRefused(
                directory,
                cursor,
                "does not fit format nb",
                "localDeletionTimeSeconds=" + seconds,
                "column=v",
                "key=6b");
    }

    @Test
    void shouldRefuseAPartitionDeletionTimeThatDoesNotFit(@TempDir Path directory) throws IOException {
        ScriptCursor cursor = new ScriptCursor(SCHEMA)
                .partition(1, "k", NOW_MICROS, 4_000_000_000L)
                .end();
        assertRefused(directory, cursor, "does not fit format nb", "key=6b");
    }
}
