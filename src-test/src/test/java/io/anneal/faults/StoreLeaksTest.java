package io.anneal.faults;

import static io.anneal.testkit.Fault.Operation.CREATE;
import static io.anneal.testkit.Fault.Operation.DELETE;
import static io.anneal.testkit.Fault.Operation.FORCE;
import static io.anneal.testkit.Fault.Operation.READ;
import static io.anneal.testkit.Fault.Operation.RENAME;
import static io.anneal.testkit.Fault.Operation.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.Fault;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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

    /** Whatever fails while a store is opened that was killed with writes in its commit log alone. */
    @Test
    void shouldCloseWhatItOpenedWhenItCannotBeOpened() throws IOException, InterruptedException {
        long operations = openWithFailure(Long.MAX_VALUE);
        assertThat(operations).isGreaterThan(20);
        int refused = 0;
        for (long before = 0; before < operations; before++) {
            refused += openWithFailure(before) == 0 ? 1 : 0;
        }
        assertThat(refused).isGreaterThan(10);
    }

    /** @return how many operations opening and closing took; 0 when it failed */
    private long openWithFailure(long operationsBefore) throws IOException, InterruptedException {
        try (FaultyDirectory directory = FaultyDirectory.create(parent)) {
            Store store = open(directory);
            Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY, v text)");
            insert(table, 1);
            store.flush();
            insert(table, 2);
            directory.kill();
            threads.forEach(ScheduledExecutorService::shutdownNow);
            threads.clear();

            long before = operations(directory);
            directory.inject(Fault.on(CREATE, READ, WRITE, FORCE, RENAME, DELETE)
                    .after(operationsBefore)
                    .times(1));
            long taken = 0;
            try {
                open(directory).close();
                taken = operations(directory) - before;
            } catch (IOException e) {
                assertThat(operationsBefore).as("fails: %s", e).isLessThan(Long.MAX_VALUE);
            }
            awaitThreads();
            assertThat(directory.openFileCount())
                    .as("operations before the failure=%d", operationsBefore)
                    .isZero();
            return taken;
        }
    }

    private static long operations(FaultyDirectory directory) {
        return Stream.of(CREATE, READ, WRITE, FORCE, RENAME, DELETE)
                .mapToLong(directory::count)
                .sum();
    }
}
