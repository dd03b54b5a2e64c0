package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a store has opened it closes, and what nobody needs any more it lets go. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreLeaksTest {
    private static final StoreConfig CONFIG = StoreConfig.defaults()
            .withShardCount(2)
            .withMemtableBudgetBytes(1 << 20)
            .withCommitLogSegmentBytes(64 << 10)
            .withCommitLogBudgetBytes(256 << 10)
            .withCompactionThreads(0);

    @TempDir
    private Path parent;

    private final List<ScheduledExecutorService> threads = new CopyOnWriteArrayList<>();

    private Store open(FaultyDirectory directory) throws IOException {
        HostEnvironment system = HostEnvironment.system();
        return Store.open(directory.path(), CONFIG, system.withThreads(name -> {
            ScheduledExecutorService thread = system.threads().single(name);
            threads.add(thread);
            return thread;
        }));
    }

    /** What deletes files runs behind the store's end. */
    private void awaitThreads() throws InterruptedException {
        for (ScheduledExecutorService thread : threads) {
            assertThat(thread.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void insert(Table table, int k) throws IOException {
        table.row().key("k", k).set("v", "value " + k).insert();
    }

    @Test
    void shouldCloseWhatItOpenedWhenItWasKilledBefore() throws IOException, InterruptedException {
        try (FaultyDirectory directory = FaultyDirectory.create(parent)) {
            Store store = open(directory);
            Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY, v text)");
            for (int k = 0; k < 20; k++) {
                insert(table, k);
            }
            directory.kill();
            threads.forEach(ScheduledExecutorService::shutdownNow);
            threads.clear();

            try (Store again = open(directory)) {
                // What recovery has written is compacted away, too.
                insert(again.table("ks.t"), 20);
                again.flush();
                again.compact();
                assertThat(again.metrics().get("ks.t.sstables").longValue()).isEqualTo(2);
            }
            awaitThreads();
            assertThat(directory.openFileCount()).isZero();
        }
    }
}
