package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Stores on file systems that are no disks. */
final class StoreFileSystemsTest {
    private static final StoreConfig CONFIG =
            StoreConfig.defaults().withShardCount(2).withCompactionThreads(0).withCommitLogSegmentBytes(64 << 10);

    @Test
    void shouldLiveInMemory() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path directory = files.getPath("/store");
            try (Store store = Store.open(directory, CONFIG)) {
                Table table = store.createTable("CREATE TABLE ks.t (id int PRIMARY KEY, v text)");
                for (int id = 0; id < 100; id++) {
                    table.row().key("id", id).set("v", "value " + id).insert();
                    if (id % 30 == 0) {
                        table.flush();
                    }
                }
                table.compact();
                table.snapshot("s");
                assertThatThrownBy(() -> Store.open(directory, CONFIG)).isInstanceOf(IllegalStateException.class);
            }
            try (Store store = Store.open(directory, CONFIG)) {
                Table table = store.table("ks.t");
                assertThat(table.row(Map.of("id", 99))).isPresent();
                assertThat(table.importSSTables(
                                table.liveTable().directory().directory().resolve("snapshots/s")))
                        .isPositive();
                store.dropTable("ks.t");
                assertThat(store.tables()).isEmpty();
            }
        }
    }
}
