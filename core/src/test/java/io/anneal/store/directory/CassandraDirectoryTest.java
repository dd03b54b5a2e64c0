package io.anneal.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CassandraDirectoryTest {
    @TempDir
    private Path data;

    @Test
    void shouldFindTableFromEveryLevel() throws IOException {
        Path table = CassandraFiles.wholeTable(data);
        for (Path given : new Path[] {data, table.getParent(), table}) {
            TableDirectories found = CassandraDirectory.of(given).table("corpus", "deletions");
            assertThat(found.id()).contains(CassandraFiles.ID);
            assertThat(CassandraFiles.generations(found)).containsExactly("1", "2", "3");
        }
    }

    @Test
    void shouldListEveryTable() throws IOException {
        CassandraFiles.wholeTable(data);
        Files.createDirectories(data.resolve("other/kv-" + CassandraFiles.OTHER_ID));
        assertThat(CassandraDirectory.of(data).tables())
                .extracting(TableDirectories::qualifiedName)
                .containsExactlyInAnyOrder("corpus.deletions", "other.kv");
    }

    @Test
    void shouldLeaveOutSnapshotsBackupsAndSecondaryIndexes() throws IOException {
        Path table = CassandraFiles.tableDirectory(data, CassandraFiles.ID);
        CassandraFiles.copySSTable(1, table);
        CassandraFiles.copySSTable(2, table.resolve("snapshots/before"));
        CassandraFiles.copySSTable(3, table.resolve("backups"));
        CassandraFiles.copySSTable(3, table.resolve(".by_v"));
        assertThat(CassandraDirectory.of(data).tables()).hasSize(1);
        assertThat(CassandraFiles.generations(CassandraDirectory.of(data).onlyTable()))
                .containsExactly("1");
    }

    @Test
    void shouldFindATableOfWhichOnlyOldSSTablesAreThere() throws IOException {
        Path table = Files.createDirectories(data.resolve("corpus/deletions"));
        Files.createFile(table.resolve("corpus-deletions-ka-1-Data.db"));
        TableDirectories found = CassandraDirectory.of(data).onlyTable();
        assertThat(found.qualifiedName()).isEqualTo("corpus.deletions");
        assertThat(found.liveSSTables()).hasSize(1);
    }

    @Test
    void shouldNotTakeAKeyspacesDirectoryForATablesByAFileThatTellsNoVersion() throws IOException {
        Path table = CassandraFiles.wholeTable(data);
        Files.createFile(table.resolveSibling("x-Data.db"));
        Files.createDirectory(table.resolveSibling("ks-t-ka-1-Data.db"));
        assertThat(CassandraFiles.generations(CassandraDirectory.of(data).onlyTable()))
                .containsExactly("1", "2", "3");
    }

    @Test
    void shouldReadSnapshotWhenItIsGiven() throws IOException {
        Path table = CassandraFiles.tableDirectory(data, CassandraFiles.ID);
        CassandraFiles.copySSTable(1, table);
        CassandraFiles.copySSTable(2, table.resolve("snapshots/before"));
        TableDirectories found =
                CassandraDirectory.of(table.resolve("snapshots/before")).table("corpus", "deletions");
        assertThat(CassandraFiles.generations(found)).containsExactly("2");
        assertThatThrownBy(() -> CassandraDirectory.of(table.resolve("snapshots")))
                .isInstanceOf(AmbiguousTableException.class)
                .hasMessageContaining("before");
    }

    @Test
    void shouldJoinDisksOfOneNode() throws IOException {
        CassandraFiles.copySSTable(1, CassandraFiles.tableDirectory(data.resolve("disk1"), CassandraFiles.ID));
        CassandraFiles.copySSTable(2, CassandraFiles.tableDirectory(data.resolve("disk2"), CassandraFiles.ID));
        TableDirectories found = CassandraDirectory.of(data.resolve("disk1"), data.resolve("disk2"))
                .table("corpus", "deletions");
        assertThat(found.directories()).hasSize(2);
        assertThat(CassandraFiles.generations(found)).containsExactly("1", "2");
    }

    @Test
    void shouldTellTheNewestVersionOfAllTables() throws IOException {
        Path table = CassandraFiles.wholeTable(data);
        assertThat(CassandraDirectory.of(data).newestWrittenVersion()).contains(SSTableVersion.NB);
        Path other = Files.createDirectories(data.resolve("system/local-" + CassandraFiles.OTHER_ID));
        Files.createFile(other.resolve("da-1-bti-Data.db"));
        assertThat(CassandraDirectory.of(data).newestWrittenVersion()).contains(SSTableVersion.DA);
        assertThat(CassandraDirectory.of(table).newestWrittenVersion()).contains(SSTableVersion.NB);
        assertThat(CassandraDirectory.of(Files.createDirectory(data.resolve("empty")))
                        .newestWrittenVersion())
                .isEmpty();
    }

    @Test
    void shouldRefuseTableUnderTwoIds() throws IOException {
        CassandraFiles.copySSTable(1, CassandraFiles.tableDirectory(data, CassandraFiles.ID));
        CassandraFiles.copySSTable(2, CassandraFiles.tableDirectory(data, CassandraFiles.OTHER_ID));
        assertThatThrownBy(() -> CassandraDirectory.of(data).table("corpus", "deletions"))
                .isInstanceOf(AmbiguousTableException.class)
                .hasMessageContaining(CassandraFiles.ID)
                .hasMessageContaining(CassandraFiles.OTHER_ID)
                .hasMessageContaining("give the table's own directory");
    }

    @Test
    void shouldPassOverDirectoryOfDroppedTable() throws IOException {
        CassandraFiles.copySSTable(1, CassandraFiles.tableDirectory(data, CassandraFiles.ID));
        CassandraFiles.copySSTable(
                2, CassandraFiles.tableDirectory(data, CassandraFiles.OTHER_ID).resolve("snapshots/dropped-1"));
        assertThat(CassandraDirectory.of(data).table("corpus", "deletions").id())
                .contains(CassandraFiles.ID);
    }

    @Test
    void shouldNameLooseDirectoryByItsSchemaText() throws IOException {
        Path loose = data.resolve("copied");
        CassandraFiles.copySSTable(1, loose);
        assertThat(CassandraDirectory.of(loose).onlyTable().table()).isEqualTo("copied");
        CassandraFiles.copySchema(loose);
        assertThat(CassandraDirectory.of(loose).onlyTable().qualifiedName()).isEqualTo("corpus.deletions");
    }

    @Test
    void shouldPreferSchemaBesideTheSSTablesThenOfTheNewestSnapshot() throws IOException {
        Path table = CassandraFiles.tableDirectory(data.toRealPath(), CassandraFiles.ID);
        Path old = table.resolve("snapshots/a");
        Path recent = table.resolve("snapshots/b");
        CassandraFiles.copySchema(old);
        CassandraFiles.copySchema(recent);
        Files.setLastModifiedTime(old.resolve("schema.cql"), FileTime.fromMillis(1_000_000));
        TableDirectories found = CassandraDirectory.of(data).onlyTable();
        assertThat(found.schemaFile()).contains(recent.resolve("schema.cql"));
        CassandraFiles.copySchema(table);
        assertThat(found.schemaFile()).contains(table.resolve("schema.cql"));
    }

    @Test
    void shouldSayWhatIsMissing() throws IOException {
        CassandraFiles.wholeTable(data);
        assertThatThrownBy(() -> CassandraDirectory.of(data).table("corpus", "absent"))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("corpus.absent");
        assertThatThrownBy(() -> CassandraDirectory.of(data.resolve("nowhere")))
                .isInstanceOf(NoSuchFileException.class);
        Path file = Files.writeString(data.resolve("file"), "");
        assertThatThrownBy(() -> CassandraDirectory.of(file)).isInstanceOf(NotDirectoryException.class);
    }

    @Test
    void shouldNameTableThatWasCopiedWithoutItsKeyspaceByItsSchemaText() throws IOException {
        Path alone = data.resolve("alone/deletions-" + CassandraFiles.ID);
        CassandraFiles.copySSTable(1, alone);
        CassandraFiles.copySSTable(2, alone.resolve("snapshots/tag"));
        CassandraFiles.copySchema(alone.resolve("snapshots/tag"));

        for (Path given : new Path[] {alone, alone.getParent(), alone.resolve("snapshots/tag")}) {
            TableDirectories found = CassandraDirectory.of(given).table("corpus", "deletions");
            assertThat(found.id()).contains(CassandraFiles.ID);
            assertThat(found.holdsSSTables()).isTrue();
        }
    }

    @Test
    void shouldFindTablesBelowASchemaTextThatDescribesThem() throws IOException {
        Path table = data.resolve("corpus/deletions-" + CassandraFiles.ID);
        CassandraFiles.copySSTable(1, table);
        for (Path above : new Path[] {data, data.resolve("corpus")}) {
            CassandraFiles.copySchema(above);
            assertThat(CassandraDirectory.of(data).onlyTable().directories()).containsExactly(table.toRealPath());
        }
    }

    @Test
    void shouldNameTableByItsKeyspacesDirectoryWhenTheSchemaTextIsOfAnotherTable() throws IOException {
        Path restored = data.resolve("other/deletions-" + CassandraFiles.OTHER_ID);
        CassandraFiles.copySSTable(1, restored);
        CassandraFiles.copySchema(restored);
        assertThat(CassandraDirectory.of(data).onlyTable().qualifiedName()).isEqualTo("other.deletions");
    }

    @Test
    void shouldNameTableByItsKeyspacesDirectoryInANodesData() throws IOException {
        Path restored = data.resolve("other/deletions-" + CassandraFiles.ID);
        CassandraFiles.copySSTable(1, restored);
        CassandraFiles.copySchema(restored);
        Files.createDirectories(data.resolve("system_schema"));
        assertThat(CassandraDirectory.of(restored).onlyTable().qualifiedName()).isEqualTo("other.deletions");
    }
}
