package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReadOnlyTablesTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

    @TempDir
    private Path data;

    private Path write(String table, String id, String value) throws IOException {
        TableSchema schema = CqlSchema.parse("CREATE TABLE ks." + table + " (id int PRIMARY KEY, v text)", "text")
                .tables()
                .iterator()
                .next();
        Descriptor written;
        Path staging = data.resolveSibling("staging-" + table + id);
        try (SSTableWriter writer =
                SSTableWriter.builder(schema).to(staging).timestampMicros(1).unsorted(1 << 20)) {
            writer.row().key("id", 1).set("v", value).insert();
            written = writer.finish().get(0);
        }
        Path directory = data.resolve("ks").resolve(table + "-" + id.repeat(32));
        Files.createDirectories(directory.getParent());
        Files.move(written.directory(), directory);
        Files.writeString(directory.resolve("schema.cql"), SchemaText.print(schema));
        return directory;
    }

    @Test
    void shouldReadEveryTableOfADataDirectory() throws IOException {
        write("a", "0", "first");
        write("b", "1", "second");
        try (ReadOnlyTables tables = ReadOnlyTables.open(data)) {
            assertThat(tables.names()).containsExactly("ks.a", "ks.b");
            SSTables b = tables.find("ks.b").orElseThrow();
            assertThat(b.row(Map.of("id", 1), NOW).orElseThrow().value("v")).isEqualTo("second");
            assertThat(tables.find("ks.b")).containsSame(b);
            assertThat(tables.find("ks.c")).isEmpty();
        }
    }

    @Test
    void shouldReadTheOthersWhenOneTableIsDamaged() throws IOException {
        write("a", "0", "first");
        Path damaged = write("b", "1", "second");
        Descriptor descriptor =
                Descriptor.of(damaged.resolve("nb-1-big-Data.db")).orElseThrow();
        Files.write(descriptor.file(Component.STATISTICS), new byte[3]);
        try (ReadOnlyTables tables = ReadOnlyTables.open(data)) {
            assertThat(tables.find("ks.a")).isPresent();
            assertThatExceptionOfType(CorruptSSTableException.class).isThrownBy(() -> tables.find("ks.b"));
        }
    }

    @Test
    void shouldNotChooseBetweenTwoTablesOfOneName() throws IOException {
        write("a", "0", "first");
        write("a", "1", "second");
        try (ReadOnlyTables tables = ReadOnlyTables.open(data)) {
            assertThat(tables.names()).containsExactly("ks.a");
            assertThatExceptionOfType(AmbiguousTableException.class).isThrownBy(() -> tables.find("ks.a"));
        }
    }

    @Test
    void shouldRefuseTheDirectoryOfAStore() throws IOException {
        Path directory = write("a", "0", "first");
        Files.createFile(directory.resolve("MANIFEST"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ReadOnlyTables.open(data))
                .withMessageContaining("directory is that of a store")
                .withMessageContaining(directory.toRealPath().toString());
    }

    @Test
    void shouldGiveNothingOnceClosed() throws IOException {
        write("a", "0", "first");
        ReadOnlyTables tables = ReadOnlyTables.open(data);
        tables.find("ks.a");
        tables.close();
        tables.close();
        assertThatIllegalStateException().isThrownBy(() -> tables.find("ks.a")).withMessageContaining("ks.a");
    }
}
