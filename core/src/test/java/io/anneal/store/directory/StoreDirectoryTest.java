package io.anneal.store.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.Directories;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreDirectoryTest {
    @TempDir
    private Path directory;

    /** The places are the engine's. */
    @Test
    void shouldFindWhatAStoreWrote() throws IOException {
        Path store = directory.resolve("store");
        try (Store open = Store.open(store, StoreConfig.defaults().withShardCount(3))) {
            assertThat(StoreDirectory.of(store).shardCount()).isEmpty();
            open.createTable("CREATE TABLE ks.t (id int PRIMARY KEY, v text)")
                    .row()
                    .key("id", 1)
                    .set("v", "x")
                    .insert();
            StoreDirectory found = StoreDirectory.of(store);
            assertThat(found.owner()).isPresent();
            assertThat(found.tables()).singleElement().matches(Files::isDirectory);
            assertThat(found.shardCount()).hasValue(3);
            assertThat(found.commitLog()).isNotEmptyDirectory();
        }
        assertThat(StoreDirectory.of(store).owner()).isEmpty();
    }

    @Test
    void shouldNameWhatIsNoStore() throws IOException {
        assertThatThrownBy(() -> StoreDirectory.of(directory))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("no store");
        assertThatThrownBy(() -> StoreDirectory.of(directory.resolve("absent")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("absent");
        Path file = Files.writeString(directory.resolve("file"), "");
        assertThatThrownBy(() -> StoreDirectory.of(file)).isInstanceOf(NotDirectoryException.class);
    }

    private Path closedStore() throws IOException {
        Path store = directory.resolve("store");
        try (Store open = Store.open(store, StoreConfig.defaults())) {
            Table table = open.createTable("CREATE TABLE ks.t (id int PRIMARY KEY, v text)");
            for (int id = 0; id < 10; id++) {
                table.row().key("id", id).set("v", "x").insert();
            }
        }
        return store;
    }

    private static void shouldRefuse(Path store) {
        assertThatThrownBy(() -> CassandraDirectory.of(store).table("ks", "t").liveSSTables())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("commit log")
                .hasMessageContaining("ks.t");
    }

    @Test
    void shouldReadAStoreThatWasClosed() throws IOException {
        Path store = closedStore();
        assertThat(CassandraDirectory.of(store).table("ks", "t").liveSSTables()).isNotEmpty();
        // Its last segment now has a larger id than any that was flushed.
        Store.open(store, StoreConfig.defaults()).close();
        assertThat(CassandraDirectory.of(store).table("ks", "t").liveSSTables()).isNotEmpty();
    }

    @Test
    void shouldRefuseAStoreWithoutItsCommitLog() throws IOException {
        Path store = closedStore();
        Path commitLog = StoreDirectory.of(store).commitLog();
        for (Path segment : Directories.list(commitLog)) {
            Files.delete(segment);
        }
        shouldRefuse(store);
        Files.delete(commitLog);
        shouldRefuse(store);
    }

    @Test
    void shouldRefuseAStoreWhoseCommitLogEndsBeforeWhatWasFlushed() throws IOException {
        Path store = closedStore();
        for (Path segment : Directories.list(StoreDirectory.of(store).commitLog())) {
            Files.write(segment, Arrays.copyOf(Files.readAllBytes(segment), 60));
        }
        shouldRefuse(store);
    }
}
