package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.key.DecoratedKey;
import io.anneal.key.ShardRule;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableMutation;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table is truncated while everything else goes on: exactly what was written before is gone, at once, and for ever. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TruncateTest {
    private static final String CREATE = "CREATE TABLE ks.t (k int PRIMARY KEY, v blob)";
    private static final StoreConfig CONFIG =
            StoreConfig.defaults().withShardCount(2).withMemtableBudgetBytes(4 << 20);
    private static final ShardRule SHARDS = new ShardRule(2, ShardRule.IGNORED_BITS_DEFAULT);

    @TempDir
    private Path directory;

    private final HeldThreads threads = new HeldThreads();
    private Store store;
    private Table table;

    @BeforeEach
    void open() throws IOException {
        store = Store.open(directory, CONFIG, threads.environment());
        table = store.findTable("ks.t").isPresent() ? store.table("ks.t") : store.createTable(CREATE);
    }

    private void reopen() throws IOException {
        store.close();
        open();
    }

    /** The n-th key of a shard. */
    private static int key(int shard, int n) {
        return IntStream.iterate(0, k -> k + 1)
                .filter(k -> SHARDS.shardOf(DecoratedKey.of(ByteBuffer.allocate(Integer.BYTES)
                                        .putInt(k)
                                        .array())
                                .token())
                        == shard)
                .skip(n)
                .findFirst()
                .orElseThrow();
    }

    private CompletableFuture<Void> write(int k) throws IOException {
        TableMutation mutation = table.mutation();
        mutation.row().key("k", k).set("v", ByteBuffer.allocate(1_000)).insert();
        return mutation.applyAsync();
    }

    private List<Integer> keys() throws IOException {
        List<Integer> keys = new ArrayList<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                keys.add(row.value("k", Integer.class));
            }
        }
        return keys;
    }

    private static CompletableFuture<Void> beside(Action action) {
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        action.run();
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                },
                work -> new Thread(work).start());
    }

    private interface Action {
        void run() throws IOException;
    }

    @Test
    void shouldTakeWritesWhenTruncatedUnderAFlush() throws Exception {
        for (int n = 0; n < 100; n++) {
            write(key(0, n)).join();
        }
        CountDownLatch flushing = threads.hold("flush-0");
        CompletableFuture<Void> flushed = table.flushAsync();
        table.truncate();
        assertThat(keys()).isEmpty();
        for (int n = 100; n < 200; n++) {
            write(key(0, n)).join();
        }
        flushing.countDown();
        flushed.join();
        assertThat(store.failure()).isEmpty();
        assertThat(keys()).hasSize(100);
        table.flush();
        reopen();
        assertThat(keys()).hasSize(100);
        store.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldKeepWhatIsWrittenToAShardThatIsTruncatedBeforeTheOthers(boolean flushes) throws Exception {
        write(key(0, 0)).join();
        write(key(1, 0)).join();
        table.flush();
        write(key(0, 1)).join();
        write(key(1, 1)).join();
        CountDownLatch other = threads.hold("shard-1");
        long before = threads.doneCount("shard-0");
        CompletableFuture<Void> truncated = beside(table::truncate);
        threads.awaitMoreThan("shard-0", before);
        // All is there until all is gone.
        assertThat(keys()).hasSize(4);
        write(key(0, 2)).join();
        assertThat(keys()).hasSize(5);
        long flushCount = threads.doneCount("shard-0");
        CompletableFuture<Void> flushed = flushes ? table.flushAsync() : CompletableFuture.completedFuture(null);
        if (flushes) {
            threads.awaitMoreThan("shard-0", flushCount);
        }
        write(key(0, 3)).join();
        CompletableFuture<Void> late = write(key(1, 2));
        other.countDown();
        truncated.join();
        late.join();
        flushed.join();
        Integer[] written = {key(0, 2), key(0, 3), key(1, 2)};
        assertThat(keys()).containsExactlyInAnyOrder(written);
        assertThat(store.failure()).isEmpty();
        reopen();
        assertThat(keys()).containsExactlyInAnyOrder(written);
        table.flush();
        table.compact();
        assertThat(keys()).containsExactlyInAnyOrder(written);
        store.close();
    }

    /** Whoever writes while he reads would wait for himself. */
    @Test
    void shouldTakeWritesWhenOpenCursorsHoldWhatWasTruncated() throws Exception {
        List<TableRows> open = new ArrayList<>();
        int k = 0;
        // Several times the budget.
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < 1_000; i++) {
                write(k++).join();
            }
            TableRows rows = table.rows();
            assertThat(rows.next()).isNotNull();
            open.add(rows);
            table.truncate();
        }
        for (TableRows rows : open) {
            assertThat(rows.next()).isNotNull();
            rows.close();
        }
        store.close();
    }

    @Test
    void shouldRefuseWhatWaitsForATableThatIsBeingDropped() throws Exception {
        write(key(0, 0)).join();
        Path snapshot = Files.move(table.snapshot("before"), directory.resolve("before"));
        CountDownLatch log = threads.hold("log");
        CompletableFuture<Void> dropped = beside(() -> store.dropTable("ks.t"));
        awaitRefusal();
        List<CompletableFuture<Void>> late = List.of(
                beside(table::truncate),
                beside(() -> table.snapshot("late")),
                beside(() -> table.importSSTables(snapshot)));
        log.countDown();
        dropped.join();
        for (CompletableFuture<Void> call : late) {
            assertThatThrownBy(call::join)
                    .hasCauseInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("table is closed or dropped, table=ks.t");
        }
        assertThat(store.failure()).isEmpty();
        table = store.createTable(CREATE);
        write(1).join();
        reopen();
        assertThat(keys()).containsExactly(1);
        store.close();
    }

    private void awaitRefusal() throws IOException {
        try {
            while (true) {
                table.row(Map.of("k", 0));
            }
        } catch (IllegalStateException e) {
            assertThat(e).hasMessageContaining("closed");
        }
    }

    @Test
    void shouldTruncateThenDropWhenBothAreAskedFor() throws Exception {
        write(key(0, 0)).join();
        CountDownLatch other = threads.hold("shard-1");
        long before = threads.doneCount("shard-0");
        CompletableFuture<Void> truncated = beside(table::truncate);
        threads.awaitMoreThan("shard-0", before);
        CompletableFuture<Void> dropped = beside(() -> store.dropTable("ks.t"));
        other.countDown();
        truncated.join();
        dropped.join();
        assertThat(store.failure()).isEmpty();
        assertThat(store.tables()).isEmpty();
        store.close();
    }
}
