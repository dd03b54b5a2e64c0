package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.table.LiveTable;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a store keeps in memory, and what it lets go. */
@Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StoreMemoryTest {
    private static final String CREATE = "CREATE TABLE ks.t (k int PRIMARY KEY, v text)";

    @TempDir
    private Path directory;

    private static <T> void awaitCollected(ReferenceQueue<T> collected) throws InterruptedException {
        do {
            System.gc();
        } while (collected.remove(10) == null);
    }

    private static WeakReference<LiveTable> drop(Store store, ReferenceQueue<LiveTable> collected) throws IOException {
        Table table = store.createTable(CREATE);
        table.row().key("k", 1).set("v", "value").insert();
        table.flush();
        table.compact();
        WeakReference<LiveTable> live = new WeakReference<>(table.liveTable(), collected);
        store.dropTable("ks.t");
        return live;
    }

    @Test
    void shouldLetGoOfATableThatIsDropped() throws IOException, InterruptedException {
        try (Store store = Store.open(directory, StoreConfig.defaults().withShardCount(2))) {
            ReferenceQueue<LiveTable> collected = new ReferenceQueue<>();
            WeakReference<LiveTable> dropped = drop(store, collected);
            awaitCollected(collected);
            assertThat(dropped.get()).isNull();
        }
    }
}
