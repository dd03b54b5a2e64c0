package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.Directories;
import io.anneal.io.StorageException;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.directory.CassandraFiles;
import io.anneal.store.directory.StagingDirectory;
import io.anneal.store.directory.TableSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StagedWriterTest {
    @TempDir
    private Path directory;

    private SSTables source;
    private StagingDirectory staging;
    private Path tableDirectory;

    @BeforeEach
    void setUp() throws IOException {
        source = SSTables.open(CassandraFiles.wholeTable(directory.resolve("data")));
        staging = StagingDirectory.open(directory.resolve("staging"));
        tableDirectory = staging.tableDirectory(source.schema());
    }

    @AfterEach
    void tearDown() throws IOException {
        staging.close();
        source.close();
    }

    private StagedWriter writer(long sizeLimitBytes) {
        return new StagedWriter(staging.target(source.schema()), SSTableWriterConfig.defaults(100), sizeLimitBytes);
    }

    private List<Descriptor> writeAll(long sizeLimitBytes) throws IOException {
        try (FragmentCursor cursor = source.scan(TokenRange.Linear.ALL);
                StagedWriter writer = writer(sizeLimitBytes)) {
            writer.append(cursor);
            return writer.finish();
        }
    }

    private List<String> reread(Path schemaFile) throws IOException {
        try (SSTables written = SSTables.open(TableSource.of(List.of(tableDirectory), Optional.of(schemaFile)))) {
            for (SSTableReader reader : written.readers()) {
                reader.verify();
            }
            return SSTablesTest.fragments(written);
        }
    }

    private Path schemaFile() {
        return CassandraFiles.resources().resolve("schema.cql");
    }

    @Test
    void shouldWriteOneSSTableThatReadsTheSame() throws IOException {
        List<Descriptor> written = writeAll(StagedWriter.SIZE_LIMIT_DEFAULT_BYTES);
        assertThat(written).hasSize(1);
        assertThat(written.get(0).directory()).isEqualTo(tableDirectory);
        assertThat(reread(schemaFile())).isEqualTo(SSTablesTest.fragments(source));
    }

    @Test
    void shouldSplitAtPartitionsWhenSizeLimitIsReached() throws IOException {
        List<Descriptor> written = writeAll(1);
        assertThat(written)
                .hasSizeGreaterThan(2)
                .extracting(Descriptor::generation)
                .contains("1", "2", "3");
        assertThat(reread(schemaFile())).isEqualTo(SSTablesTest.fragments(source));
    }

    @Test
    void shouldHoldNothingButSSTableFiles() throws IOException {
        writeAll(1);
        assertThat(Directories.list(tableDirectory))
                .allSatisfy(file -> assertThat(Descriptor.of(file)).isPresent());
    }

    @Test
    void shouldGoOnAfterGenerationsThatAreThere() throws IOException {
        Files.createDirectories(tableDirectory);
        CassandraFiles.copySSTable(3, tableDirectory);
        assertThat(writeAll(StagedWriter.SIZE_LIMIT_DEFAULT_BYTES))
                .extracting(Descriptor::generation)
                .containsExactly("4");
    }

    @Test
    void shouldRemoveAllWhenNotFinished() throws IOException {
        try (FragmentCursor cursor = source.scan(TokenRange.Linear.ALL);
                StagedWriter writer = writer(1)) {
            writer.append(cursor);
            assertThat(Directories.list(tableDirectory)).isNotEmpty();
        }
        assertThat(Directories.list(tableDirectory)).isEmpty();
    }

    @Test
    void shouldWriteNothingWhenThereIsNothing() throws IOException {
        try (StagedWriter writer = writer(1)) {
            assertThat(writer.finish()).isEmpty();
        }
        assertThat(tableDirectory).doesNotExist();
    }

    @Test
    void shouldSweepWhatCrashLeft() throws IOException {
        Files.createDirectories(tableDirectory);
        CassandraFiles.copySSTable(1, tableDirectory);
        Path leftover = Files.writeString(tableDirectory.resolve(".anneal-staged.nb-2-big-Data.db.part"), "x");
        writeAll(StagedWriter.SIZE_LIMIT_DEFAULT_BYTES);
        assertThat(leftover).doesNotExist();
        assertThat(CassandraFiles.data(tableDirectory, 1)).exists();
    }

    @Test
    void shouldBelongToOneOwnerAtATime() throws IOException {
        assertThatThrownBy(() -> StagingDirectory.open(directory.resolve("staging")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in use");
        staging.close();
        staging = StagingDirectory.open(directory.resolve("staging"));
    }

    @Test
    void shouldNameDirectoryThatCannotBeMade() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> StagingDirectory.open(file))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void shouldRefuseUseAfterFinish() throws IOException {
        try (StagedWriter writer = writer(1)) {
            writer.finish();
            assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
        }
        assertThatThrownBy(() -> writer(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sizeLimitBytes=0");
    }
}
