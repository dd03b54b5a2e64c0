package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.store.RowRange;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many keys at once, and reads that nobody waits for. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MultiGetTest {
    private static final int KEYS = 200;
    private static final StoreConfig CONFIG =
            StoreConfig.defaults().withShardCount(2).withReadThreads(3);

    @TempDir
    private Path parent;

    private static Table fill(Store store) throws IOException {
        Table table = store.createTable("CREATE TABLE ks.t (k int, c int, s text static, PRIMARY KEY (k, c))"
                + " WITH compression = {'enabled': 'false'}");
        for (int k = 0; k < KEYS; k += 2) {
            insert(table, k);
        }
        table.flush();
        return table;
    }

    private static void insert(Table table, int k) throws IOException {
        for (int c = 0; c < 3; c++) {
            table.row().key("k", k).clustering("c", c).set("s", "s" + k).insert();
        }
    }

    private static List<Map<String, Object>> keys() {
        List<Map<String, Object>> keys = new ArrayList<>();
        for (int k = KEYS - 1; k >= 0; k--) {
            keys.add(Map.of("k", k, "c", 1));
        }
        return keys;
    }

    private static void assertRows(List<Optional<TableRow>> rows) {
        assertThat(rows).hasSize(KEYS);
        for (int i = 0; i < KEYS; i++) {
            int k = KEYS - 1 - i;
            assertThat(rows.get(i).map(row -> row.value("s")))
                    .isEqualTo(k % 2 == 0 ? Optional.of("s" + k) : Optional.empty());
        }
    }

    @Test
    void shouldGiveRowsAndPartitionsInTheOrderOfTheKeys() throws Exception {
        try (Store store = Store.open(parent, CONFIG)) {
            Table table = fill(store);
            assertRows(table.rows(keys()));
            assertRows(table.rowsAsync(keys()).join());
            assertThat(table.rows(List.<Map<String, Object>>of())).isEmpty();
            assertThat(table.rowAsync(Map.of("k", 4, "c", 2)).join()).isPresent();
            assertThat(table.rowAsync(Map.of("k", 5, "c", 2)).join()).isEmpty();
            assertThat(table.rows(List.of(Map.of("k", 4))).get(0).orElseThrow().value("s"))
                    .isEqualTo("s4");

            List<List<TableRow>> partitions =
                    table.partitions(RowRange.ALL.reversed().limit(2), List.of(List.of(6), List.of(7), List.of(8)));
            assertThat(partitions).extracting(List::size).containsExactly(2, 0, 2);
            assertThat(partitions.get(0)).extracting(row -> row.value("c")).containsExactly(2, 1);
            assertThat(table.partitionsAsync(RowRange.ALL, List.of(List.of(6)))
                            .join()
                            .get(0))
                    .hasSize(3);
        }
    }

    @Test
    void shouldRefuseAKeyThatIsNoneBeforeItReads() throws Exception {
        try (Store store = Store.open(parent, CONFIG)) {
            Table table = fill(store);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> table.rows(List.of(Map.of("k", 4, "c", 1), Map.of("k", "four", "c", 1))))
                    .withMessageContaining("column=k");
            assertThatIllegalStateException()
                    .isThrownBy(() -> table.rowAsync(Map.of("c", 1)))
                    .withMessageContaining("column=k");
        }
    }

    @Test
    void shouldNameTheKeyWhoseReadFailed() throws Exception {
        try (FaultyDirectory disk = FaultyDirectory.create(parent);
                Store store = Store.open(disk.path().resolve("store"), CONFIG)) {
            Table table = fill(store);
            disk.inject(Fault.on(Operation.READ).named(name -> name.contains("Data.db")));
            List<Map<String, Integer>> one = List.of(Map.of("k", 4, "c", 1));
            assertThatThrownBy(() -> table.rows(one))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("table=ks.t")
                    .hasMessageContaining("k=4");
            assertThatThrownBy(() -> table.rowsAsync(keys()).join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("table=ks.t, key={");
            disk.heal();
            assertRows(table.rows(keys()));
        }
    }

    @Test
    void shouldReadFromCallbacksWithoutWaitingForThemselves() throws Exception {
        try (Store store = Store.open(parent, CONFIG.withReadThreads(1))) {
            Table table = fill(store);
            List<CompletableFuture<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                all.add(table.rowAsync(Map.of("k", 0, "c", 0)).thenApply(row -> {
                    try {
                        return table.rows(keys()).size();
                    } catch (IOException e) {
                        throw new CompletionException(e);
                    }
                }));
            }
            for (CompletableFuture<Integer> one : all) {
                assertThat(one.join()).isEqualTo(KEYS);
            }
        }
    }

    @Test
    void shouldGiveUpWhatIsCancelled() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (Store store = Store.open(parent, CONFIG.withReadThreads(1), withHeldReads(go))) {
            Table table = fill(store);
            CompletableFuture<List<Optional<TableRow>>> cancelled = table.rowsAsync(keys());
            assertThat(cancelled.cancel(false)).isTrue();
            go.countDown();
            assertThatThrownBy(cancelled::join).isInstanceOf(CancellationException.class);
            assertThat(table.rowAsync(Map.of("k", 2, "c", 0)).join()).isPresent();
        }
    }

    @Test
    void shouldFailWhatTheClosedStoreCannotRead() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Store store = Store.open(parent, CONFIG.withReadThreads(1), withHeldReads(go));
        Table table = fill(store);
        CompletableFuture<List<Optional<TableRow>>> reading = table.rowsAsync(keys());
        store.close();
        go.countDown();
        assertThatThrownBy(() -> reading.get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> table.rows(keys())).withMessageContaining("closed");
        assertThatIllegalStateException().isThrownBy(() -> table.rowAsync(Map.of("k", 2, "c", 0)));
    }

    /** Threads for reading that do nothing before they are told to. */
    private static HostEnvironment withHeldReads(CountDownLatch go) {
        HostEnvironment system = HostEnvironment.system();
        return system.withThreads(new HostEnvironment.Threads() {
            @Override
            public ScheduledExecutorService single(String name) {
                ScheduledExecutorService executor = system.threads().single(name);
                if (name.startsWith("read-")) {
                    executor.execute(() -> awaitQuietly(go));
                }
                return executor;
            }
        });
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
