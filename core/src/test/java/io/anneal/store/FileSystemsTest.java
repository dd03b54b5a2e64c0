package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Feature;
import com.google.common.jimfs.Jimfs;
import io.anneal.io.Directories;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.directory.CassandraFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SSTables on file systems that are no disks. */
final class FileSystemsTest {
    @TempDir
    private Path directory;

    private Path table;
    private List<String> expected;

    @BeforeEach
    void setUp() throws IOException {
        table = CassandraFiles.wholeTable(directory);
        try (SSTables sstables = SSTables.open(table)) {
            expected = SSTablesTest.fragments(sstables);
        }
    }

    private void copyTo(Path target) throws IOException {
        Files.createDirectories(target);
        for (Path file : Directories.list(table)) {
            Files.copy(file, target.resolve(file.getFileName().toString()));
        }
    }

    private void assertReads(Path copied) throws IOException {
        try (SSTables sstables = SSTables.open(copied)) {
            assertThat(sstables.schema().qualifiedName()).isEqualTo("corpus.deletions");
            assertThat(SSTablesTest.fragments(sstables)).isEqualTo(expected);
            for (SSTableReader reader : sstables.readers()) {
                reader.verify();
            }
        }
        try (SSTables one = SSTables.open(copied.resolve("nb-2-big-Data.db"))) {
            assertThat(one.readers()).hasSize(1);
        }
        Files.delete(copied.resolve("nb-3-big-Statistics.db"));
        assertThatThrownBy(() -> SSTables.open(copied))
                .isInstanceOf(CorruptSSTableException.class)
                .hasMessageContaining("nb-3-big-Statistics.db");
    }

    @Test
    void shouldReadOutOfAZipFile() throws IOException {
        URI zip = URI.create("jar:" + directory.resolve("snapshot.zip").toUri());
        try (FileSystem files = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
            copyTo(files.getPath("/"));
            copyTo(files.getPath("/corpus/" + table.getFileName()));
        }
        try (FileSystem files = FileSystems.newFileSystem(zip, Map.of())) {
            assertReads(files.getPath("/corpus/" + table.getFileName()));
            assertReads(files.getPath("/"));
        }
    }

    @Test
    void shouldReadOutOfMemory() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path copied = files.getPath("/data/corpus/" + table.getFileName());
            copyTo(copied);
            assertReads(copied);
        }
    }

    @Test
    void shouldReadWhereThereAreNoFileChannels() throws IOException {
        Configuration configuration = Configuration.unix().toBuilder()
                .setSupportedFeatures(Feature.LINKS)
                .build();
        try (FileSystem files = Jimfs.newFileSystem(configuration)) {
            Path copied = files.getPath("/data/corpus/" + table.getFileName());
            copyTo(copied);
            assertReads(copied);
        }
    }
}
