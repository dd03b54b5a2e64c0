package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
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
}
