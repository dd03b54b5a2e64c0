package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.key.TokenRange;
import io.anneal.schema.SchemaException;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.store.directory.AmbiguousTableException;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.CassandraFiles;
import io.anneal.store.directory.TableDirectories;
import io.anneal.store.directory.TableSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SSTablesTest {
    @TempDir
    private Path data;

    /** Kinds, keys and sizes of rows: enough to tell two streams apart. */
    static List<String> fragments(SSTables sstables) throws IOException {
        List<String> fragments = new ArrayList<>();
        try (FragmentCursor cursor = sstables.scan(TokenRange.Linear.ALL)) {
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                String key = HexFormat.of()
                        .formatHex(
                                cursor.key().buffer(),
                                cursor.key().offset(),
                                cursor.key().offset() + cursor.key().lengthBytes());
                int cells = kind == FragmentKind.CLUSTERING_ROW ? cursor.row().entryCount() : 0;
                fragments.add(kind + " " + key + " " + cells);
            }
        }
        return fragments;
    }

    @Test
    void shouldGiveTheSameStreamHoweverFilesAreSpread() throws IOException {
        CassandraFiles.wholeTable(data.resolve("whole"));
        CassandraFiles.copySSTable(1, CassandraFiles.tableDirectory(data.resolve("disk1"), CassandraFiles.ID));
        Path second = CassandraFiles.tableDirectory(data.resolve("disk2"), CassandraFiles.ID);
        CassandraFiles.copySSTable(2, second);
        CassandraFiles.copySSTable(3, second);
        CassandraFiles.copySchema(second);
        TableDirectories disks = CassandraDirectory.of(data.resolve("disk1"), data.resolve("disk2"))
                .onlyTable();
        try (SSTables whole = SSTables.open(data.resolve("whole"));
                SSTables spread = SSTables.open(TableSource.of(disks, Optional.empty()))) {
            assertThat(whole.readers()).hasSize(3);
            assertThat(whole.hasSchemaText()).isTrue();
            assertThat(fragments(whole)).isNotEmpty().isEqualTo(fragments(spread));
            assertThat(whole.estimatedPartitionCount()).isPositive();
            assertThat(whole.dataLengthBytes()).isPositive();
        }
    }

    @Test
    void shouldOpenOneSSTableByAnyComponent() throws IOException {
        Path table = CassandraFiles.wholeTable(data);
        try (SSTables sstables = SSTables.open(table.resolve("nb-2-big-Index.db"))) {
            assertThat(sstables.readers()).hasSize(1);
            assertThat(sstables.readers().get(0).descriptor().generation()).isEqualTo("2");
            assertThat(sstables.hasSchemaText()).isTrue();
            assertThat(sstables.schema().qualifiedName()).isEqualTo("corpus.deletions");
        }
    }

    @Test
    void shouldMakeSchemaUpFromHeadersAndSaySo() throws IOException {
        Path table = CassandraFiles.tableDirectory(data, CassandraFiles.ID);
        CassandraFiles.copySSTable(1, table);
        CassandraFiles.copySSTable(2, table);
        try (SSTables sstables = SSTables.open(table)) {
            assertThat(sstables.hasSchemaText()).isFalse();
            assertThat(sstables.schema().column("v")).isPresent();
            assertThat(fragments(sstables)).isNotEmpty();
        }
    }

    @Test
    void shouldTakeSchemaFileBeforeTheOneOfTheSnapshot() throws IOException {
        Path table = CassandraFiles.wholeTable(data);
        Path file = Files.writeString(
                data.resolve("mine.cql"),
                Files.readString(table.resolve("schema.cql"))
                        .replace("gc_grace_seconds = 864000", "gc_grace_seconds = 7"));
        try (SSTables sstables = SSTables.open(TableSource.of(List.of(table), Optional.of(file)))) {
            assertThat(sstables.schema().options().gcGraceSeconds()).isEqualTo(7);
        }
    }

    @Test
    void shouldRefuseSchemaOfAnotherTable() throws IOException {
        Path table = CassandraFiles.wholeTable(data);
        Path file = Files.writeString(data.resolve("mine.cql"), "CREATE TABLE a.b (k int PRIMARY KEY);");
        assertThatThrownBy(() -> TableSource.of(List.of(table), Optional.of(file)))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("corpus.deletions")
                .hasMessageContaining("a.b");
    }

    @Test
    void shouldNameMissingComponent() throws IOException {
        Path table = CassandraFiles.wholeTable(data);
        Files.delete(table.resolve("nb-2-big-CompressionInfo.db"));
        assertThatThrownBy(() -> SSTables.open(table))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("nb-2-big-CompressionInfo.db");
    }

    @Test
    void shouldNameMissingData() throws IOException {
        Path table = CassandraFiles.wholeTable(data);
        Files.delete(table.resolve("nb-3-big-Data.db"));
        assertThatThrownBy(() -> SSTables.open(table))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("nb-3-big-Data.db");
    }

    /** The last two are what Cassandra 6 writes. */
    @ParameterizedTest
    @ValueSource(strings = {"zz-1-bti", "pa-1-big", "ea-1-bti"})
    void shouldNameFileOfUnknownFormat(String sstable) throws IOException {
        Path table = CassandraFiles.tableDirectory(data, CassandraFiles.ID);
        Files.writeString(table.resolve(sstable + "-Data.db"), "");
        assertThatThrownBy(() -> SSTables.open(table))
                .isInstanceOf(UnsupportedVersionException.class)
                .hasMessageContaining(sstable)
                .hasMessageContaining(table.getFileName().toString());
    }

    @Test
    void shouldNameFileThatIsNoSSTable() throws IOException {
        Path file = Files.writeString(data.resolve("notes.txt"), "");
        assertThatThrownBy(() -> SSTables.open(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("notes.txt");
        assertThatThrownBy(() -> SSTables.open(data.resolve("nb-1-big-Data.db")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void shouldRefuseFilesOfTwoTables() throws IOException {
        Path first = CassandraFiles.wholeTable(data);
        Path second = data.resolve("other/kv-" + CassandraFiles.OTHER_ID);
        CassandraFiles.copySSTable(1, second);
        assertThatThrownBy(() -> SSTables.open(first, second)).isInstanceOf(AmbiguousTableException.class);
    }

    @Test
    void shouldSayThatAnEmptyTableHasNoSchema() throws IOException {
        Path table = CassandraFiles.tableDirectory(data, CassandraFiles.ID);
        assertThatThrownBy(() -> SSTables.open(table))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("corpus.deletions");
    }
}
