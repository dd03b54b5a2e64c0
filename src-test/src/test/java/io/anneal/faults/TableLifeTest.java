package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.StorageException;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.table.StoreListener;
import io.anneal.table.SyncMode;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is done with a store or a table as a whole is done or not, whoever is interrupted and whatever the disk does. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TableLifeTest {
    private static final String CREATE =
            "CREATE TABLE ks.t (k int PRIMARY KEY, v int) WITH ID = 2d987f40-e54c-11f1-9953-9ddbc8d5a59d";
    private static final StoreConfig CONFIG = StoreConfig.defaults().withShardCount(2);

    @TempDir
    private Path directory;

    private final HeldThreads threads = new HeldThreads();
    private FaultyDirectory disk;

    @BeforeEach
    void start() throws IOException {
        disk = FaultyDirectory.create(directory);
    }

    private Store open() throws IOException {
        return Store.open(disk.path(), CONFIG, threads.environment());
    }

    private static void insert(Table table, int k) throws IOException {
        table.row().key("k", k).set("v", k).insert();
    }

    private static List<Integer> keys(Table table) throws IOException {
        List<Integer> keys = new ArrayList<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                keys.add(row.value("k", Integer.class));
            }
        }
        keys.sort(null);
        return keys;
    }

    @Test
    void shouldChangeNothingWhenTheCallerIsInterruptedAlready() throws IOException {
        try (Store store = open()) {
            Table table = store.createTable(CREATE);
            insert(table, 1);
            Path snapshot = table.snapshot("s");
            insert(table, 2);
            Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
            calls.put("truncate", table::truncate);
            calls.put("drop", () -> store.dropTable("ks.t"));
            calls.put("snapshot", () -> table.snapshot("late"));
            calls.put("import", () -> table.importSSTables(snapshot));
            calls.put("create", () -> store.createTable("CREATE TABLE ks.late (k int PRIMARY KEY)"));
            calls.put("open", () -> Store.open(disk.path().resolve("other")));
            calls.forEach((name, call) -> {
                Thread.currentThread().interrupt();
                assertThatThrownBy(call).as(name).isInstanceOf(InterruptedIOException.class);
                assertThat(Thread.interrupted()).as(name).isTrue();
            });
            assertThat(keys(table)).containsExactly(1, 2);
            assertThat(store.tables()).hasSize(1);
            assertThat(disk.path().resolve("other")).doesNotExist();
            insert(table, 3);
        }
        try (Store store = open()) {
            assertThat(keys(store.table("ks.t"))).containsExactly(1, 2, 3);
        }
    }

    private interface Action {
        void run() throws IOException;
    }

    /** Interrupts the caller while the thread of this name stands still; then lets it go on. */
    private void interruptWhileHeld(String held, Action action) throws Exception {
        CountDownLatch goOn = threads.hold(held);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                action.run();
                interrupted.complete(Thread.currentThread().isInterrupted());
            } catch (IOException | RuntimeException e) {
                interrupted.completeExceptionally(e);
            }
        });
        caller.start();
        while (caller.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        caller.interrupt();
        goOn.countDown();
        assertThat(interrupted.get()).isTrue();
    }

    @Test
    void shouldFinishWhatItBeganWhenTheCallerIsInterruptedMeanwhile() throws Exception {
        try (Store store = open()) {
            Table table = store.createTable(CREATE);
            insert(table, 1);
            interruptWhileHeld("flush-0", () -> table.snapshot("s"));
            assertThat(table.snapshot("t").resolveSibling("s")).isDirectory();
            interruptWhileHeld("log", table::truncate);
            assertThat(keys(table)).isEmpty();
            insert(table, 2);
            interruptWhileHeld("log", () -> store.dropTable("ks.t"));
            assertThat(store.tables()).isEmpty();
            assertThat(store.failure()).isEmpty();
        }
        disk.crash();
        try (Store store = open()) {
            assertThat(store.tables()).isEmpty();
        }
    }

    @Test
    void shouldOpenAllTheSameWhenTheCallerIsInterruptedMeanwhile() throws IOException {
        open().close();
        Thread caller = Thread.currentThread();
        HostEnvironment environment = threads.environment();
        HostEnvironment interrupting = environment.withThreads(name -> {
            if (name.equals("care")) {
                caller.interrupt();
            }
            return environment.threads().single(name);
        });
        Store store = Store.open(disk.path(), CONFIG, interrupting);
        assertThat(Thread.interrupted()).isTrue();
        try (store) {
            Table table = store.createTable(CREATE);
            insert(table, 1);
            assertThat(keys(table)).containsExactly(1);
            assertThat(store.failure()).isEmpty();
        }
    }

    @Test
    void shouldKeepItsLockUntilAllIsDoneWhenItIsClosedByAnInterruptedThread() throws Exception {
        Store store = open();
        insert(store.createTable(CREATE), 1);
        CountDownLatch flushing = threads.hold("flush-0");
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            Thread.currentThread().interrupt();
            try {
                store.close();
                closed.complete(Thread.currentThread().isInterrupted());
            } catch (IOException | RuntimeException e) {
                closed.completeExceptionally(e);
            }
        });
        caller.start();
        while (caller.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertThatThrownBy(() -> Store.open(disk.path(), CONFIG))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in use");
        flushing.countDown();
        assertThat(closed.get()).isTrue();
        try (Store again = open()) {
            assertThat(keys(again.table("ks.t"))).containsExactly(1);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"RENAME", "DELETE", "FORCE"})
    void shouldDropOrNotWhenTheDiskFails(Operation operation) throws IOException {
        Store store = open();
        Table table = store.createTable(CREATE);
        insert(table, 1);
        table.flush();
        insert(table, 2);
        disk.inject(Fault.on(operation)
                .named(name -> name.equals("ks") || name.startsWith("t-") || name.startsWith(".dropped")));
        try {
            store.dropTable("ks.t");
        } catch (StorageException e) {
            assertThat(e.file()).isNotNull();
        }
        disk.heal();
        boolean dropped = store.findTable("ks.t").isEmpty();
        if (!dropped) {
            assertThat(keys(table)).containsExactly(1, 2);
            insert(table, 3);
            table.flush();
            table.compact();
            insert(table, 4);
        }
        disk.kill();
        try {
            store.close();
        } catch (IOException e) {
            assertThat(e).as("the process is dead").isNotNull();
        }
        assertThat(dropped).isEqualTo(operation != Operation.RENAME);
        try (Store again = open()) {
            assertThat(again.findTable("ks.t").isEmpty()).isEqualTo(dropped);
            if (!dropped) {
                assertThat(keys(again.table("ks.t"))).containsExactly(1, 2, 3, 4);
            }
        }
    }

    /** Its files cannot be read any more by then, which says nothing of the disk. */
    @Test
    void shouldSayThatATableIsDroppedToWhoReadsItJustThen() throws Exception {
        AtomicReference<Store> dropping = new AtomicReference<>();
        HostEnvironment environment = threads.environment();
        Thread reader = Thread.currentThread();
        HostEnvironment dropsOnRead = environment.withTime(
                environment.clock(),
                () -> {
                    Store store = Thread.currentThread() == reader ? dropping.getAndSet(null) : null;
                    if (store != null) {
                        new Throwable("HOOK").printStackTrace();
                        drop(store);
                        disk.inject(Fault.on(Operation.READ));
                    }
                    return System.nanoTime();
                },
                environment.sleeper());
        List<String> corrupt = new CopyOnWriteArrayList<>();
        StoreListener listener = new StoreListener() {
            @Override
            public void sstableCorrupt(String table, CorruptSSTableException reason) {
                corrupt.add(table);
            }
        };
        try (Store store = Store.open(disk.path(), CONFIG.withListener(listener), dropsOnRead)) {
            Table table = store.createTable(CREATE);
            insert(table, 1);
            table.flush();
            dropping.set(store);
            assertThatThrownBy(() -> table.row(Map.of("k", 1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("dropped, table=ks.t")
                    .hasCauseInstanceOf(StorageException.class);
            disk.heal();
            assertThat(store.tables()).isEmpty();
        }
        assertThat(corrupt).isEmpty();
    }

    private static void drop(Store store) {
        try {
            store.dropTable("ks.t");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(SyncMode.class)
    void shouldNotBringBackWhatWasDroppedWhenATableOfItsIdIsMade(SyncMode mode) throws IOException {
        for (boolean crashes : new boolean[] {false, true}) {
            for (boolean reopens : new boolean[] {false, true}) {
                StoreConfig config = CONFIG.withSyncMode(mode);
                Store store = Store.open(disk.path(), config);
                insert(store.createTable(CREATE), 1);
                store.dropTable("ks.t");
                if (reopens) {
                    store = again(store, config, crashes);
                }
                Table table = store.createTable(CREATE);
                assertThat(keys(table)).isEmpty();
                insert(table, 2);
                table.flush();
                store = again(store, config, crashes);
                assertThat(keys(store.table("ks.t"))).containsExactly(2);
                store.dropTable("ks.t");
                store.close();
            }
        }
    }

    private Store again(Store store, StoreConfig config, boolean crashes) throws IOException {
        if (crashes) {
            disk.crash(1);
            try {
                store.close();
            } catch (IOException e) {
                assertThat(e).isNotNull();
            }
        } else {
            store.close();
        }
        return Store.open(disk.path(), config);
    }

    @Test
    void shouldTakeASnapshotBackWhenItsTableWasDropped() throws IOException {
        for (int round = 0; round < 3; round++) {
            try (Store store = open()) {
                Table table = store.createTable(CREATE);
                assertThat(keys(table)).isEmpty();
                insert(table, round);
                Path snapshot = table.snapshot("s" + round);
                insert(table, 9);
                store.dropTable("ks.t");
                Table restored = store.createTable(CREATE);
                restored.importSSTables(snapshot);
                assertThat(keys(restored)).containsExactly(round);
                store.dropTable("ks.t");
                for (int earlier = 0; earlier <= round; earlier++) {
                    assertThat(snapshot.resolveSibling("s" + earlier)).isDirectory();
                }
            }
        }
    }

    /** Each reads all, again and again, while others are interrupted in the middle of it. */
    @ParameterizedTest
    @ValueSource(strings = {"{'class': 'LZ4Compressor'}", "{'enabled': 'false'}"})
    void shouldReadOnWhenOtherReadersAreInterrupted(String compression) throws Exception {
        Path place = directory.resolve("plain");
        try (Store store = Store.open(place, CONFIG)) {
            Table table = store.createTable(CREATE + " AND compression = " + compression);
            for (int k = 0; k < 500; k++) {
                insert(table, k);
            }
            table.flush();
            List<CompletableFuture<Void>> readers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                boolean interrupts = i % 2 == 0;
                readers.add(CompletableFuture.runAsync(
                        () -> {
                            try {
                                for (int round = 0; round < 20; round++) {
                                    if (interrupts) {
                                        Thread.currentThread().interrupt();
                                    }
                                    assertThat(keys(table)).hasSize(500);
                                    assertThat(table.row(Map.of("k", round))).isPresent();
                                    assertThat(Thread.interrupted()).isEqualTo(interrupts);
                                }
                            } catch (IOException e) {
                                throw new CompletionException(e);
                            }
                        },
                        work -> new Thread(work).start()));
            }
            readers.forEach(CompletableFuture::join);
        }
    }
}
