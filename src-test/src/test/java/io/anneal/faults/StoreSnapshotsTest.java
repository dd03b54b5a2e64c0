package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.StorageException;
import io.anneal.store.Store;
import io.anneal.store.StoreSnapshot;
import io.anneal.store.Table;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.TemporaryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Snapshots of all tables together, of which a crash or a failing disk leaves all or none. */
class StoreSnapshotsTest {
    private TemporaryStore temporary;
    private Store store;

    @BeforeEach
    void openStore() throws IOException {
        temporary = TemporaryStore.open();
        store = temporary.store();
        for (String name : List.of("a", "b", "c")) {
            insert(store.createTable("CREATE TABLE ks." + name + " (k int PRIMARY KEY, v text)"), 1);
        }
    }

    @AfterEach
    void closeStore() throws IOException {
        temporary.close();
    }

    private static void insert(Table table, int k) throws IOException {
        table.row().key("k", k).set("v", "value " + k).insert();
    }

    private List<String> names() throws IOException {
        return store.snapshots().stream().map(StoreSnapshot::name).toList();
    }

    /** Files and directories of snapshots that are no listed snapshot's. */
    private List<Path> leavings() throws IOException {
        try (Stream<Path> all = Files.walk(temporary.directory().path())) {
            return all.filter(path -> path.getFileName() != null
                            && path.getFileName().toString().startsWith(".making"))
                    .toList();
        }
    }

    @Test
    void shouldTakeListAndDelete() throws IOException {
        List<Path> taken = store.snapshot("first");
        assertThat(taken).hasSize(3).allMatch(Files::isDirectory);
        StoreSnapshot first = store.snapshots().get(0);
        assertThat(first.name()).isEqualTo("first");
        assertThat(first.tables()).containsExactly("ks.a", "ks.b", "ks.c");
        assertThat(first.createdAt()).isEqualTo(temporary.clock().instant());
        assertThat(first.sizeBytes()).isPositive();
        long shared = first.ownBytes();
        assertThat(shared).isLessThan(first.sizeBytes());

        store.table("ks.a").truncate();
        temporary.reopen();
        store = temporary.store();
        assertThat(store.snapshots().get(0).ownBytes()).isGreaterThan(shared);
        try (Store read = Store.openReadOnly(taken.get(0))) {
            assertThat(read.tables()).hasSize(1);
        }

        store.table("ks.b").deleteSnapshot("first");
        assertThat(store.snapshots().get(0).tables()).containsExactly("ks.a", "ks.c");
        assertThat(store.table("ks.b").snapshots()).isEmpty();
        assertThat(store.table("ks.c").snapshots())
                .extracting(StoreSnapshot::name)
                .containsExactly("first");
        store.deleteSnapshot("first");
        assertThat(store.snapshots()).isEmpty();
        assertThat(taken).noneMatch(Files::exists);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> store.deleteSnapshot("first"))
                .withMessageContaining("name=first");
    }

    @Test
    void shouldListAndDeleteThoseOfDroppedTables() throws IOException {
        store.snapshot("kept");
        store.dropTable("ks.a");
        assertThat(store.snapshots().get(0).tables()).containsExactly("ks.a", "ks.b", "ks.c");
        assertThatIllegalStateException()
                .isThrownBy(() -> store.snapshot("kept"))
                .withMessageContaining("ks.a");
        Path dropped = store.directory().resolve("data/ks");
        store.deleteSnapshot("kept");
        assertThat(store.snapshots()).isEmpty();
        try (Stream<Path> tables = Files.list(dropped)) {
            assertThat(tables).hasSize(2);
        }
    }

    @Test
    void shouldRefuseANameThatOneTableHasBeforeAnythingIsTaken() throws IOException {
        store.table("ks.c").snapshot("mine");
        assertThatIllegalStateException()
                .isThrownBy(() -> store.snapshot("mine"))
                .withMessageContaining("name=mine")
                .withMessageContaining("table=ks.c");
        assertThat(store.snapshots().get(0).tables()).containsExactly("ks.c");
        for (String name : List.of("", ".", "..", "a/b", ".hidden", "a b", "x".repeat(248))) {
            assertThatIllegalArgumentException().isThrownBy(() -> store.snapshot(name));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> store.table("ks.a").snapshot(name));
        }
        store.snapshot("x".repeat(247));
        store.deleteSnapshot("x".repeat(247));
        assertThat(leavings()).isEmpty();
    }

    @Test
    void shouldLeaveNothingWhenTheDiskFailsAtAnyStep() throws IOException {
        store.flush();
        boolean taken = false;
        int failures = 0;
        for (int step = 0; !taken; step++) {
            temporary
                    .directory()
                    .inject(Fault.on(Operation.CREATE, Operation.RENAME)
                            .named(name -> !name.startsWith("CommitLog"))
                            .after(step)
                            .times(1));
            try {
                store.snapshot("all");
                taken = true;
            } catch (StorageException e) {
                failures++;
                assertThat(store.snapshots()).as("step=%d", step).isEmpty();
            }
            temporary.directory().heal();
        }
        assertThat(failures).isGreaterThan(5);
        assertThat(store.snapshots().get(0).tables()).hasSize(3);
        assertThat(store.failure()).isEmpty();
    }

    @Test
    void shouldHaveAllOrNothingAfterAPowerCutAtAnyStep() throws IOException {
        int none = 0;
        boolean taken = false;
        for (int step = 0; !taken; step++) {
            store.flush();
            temporary
                    .directory()
                    .inject(Fault.on(
                                    Operation.LINK,
                                    Operation.CREATE,
                                    Operation.RENAME,
                                    Operation.FORCE,
                                    Operation.DELETE)
                            .after(step)
                            .cuttingPower(step));
            try {
                store.snapshot("all");
                taken = true;
            } catch (IOException | RuntimeException e) {
                none++;
            }
            temporary.directory().crash(step);
            temporary.directory().heal();
            temporary.reopen();
            store = temporary.store();
            List<StoreSnapshot> there = store.snapshots();
            if (taken) {
                assertThat(there).hasSize(1);
            }
            if (!there.isEmpty()) {
                assertThat(there.get(0).tables()).as("step=%d", step).hasSize(3);
                store.deleteSnapshot("all");
            }
            assertThat(leavings()).as("step=%d", step).isEmpty();
        }
        assertThat(none).isGreaterThan(20);
    }

    @Test
    void shouldKeepATablesOwnSnapshotThatIsTakenBesideOneOfAllWhenThePowerIsCut() throws Exception {
        CompletableFuture<Path> own = new CompletableFuture<>();
        AtomicReference<Store> shared = new AtomicReference<>();
        AtomicBoolean first = new AtomicBoolean(true);
        HostEnvironment system = HostEnvironment.system();
        HostEnvironment environment = system.withClock(() -> {
            // The one of all is begun, and its first table's is being taken.
            if (shared.get() != null
                    && Thread.currentThread().getName().contains("care-of-ks.a")
                    && first.getAndSet(false)) {
                startOwn(shared.get(), own);
            }
            return system.clock().instant();
        });
        temporary.store().close();
        store = Store.open(temporary.directory().path(), temporary.config(), environment);
        shared.set(store);
        temporary
                .directory()
                .inject(Fault.on(Operation.DELETE)
                        .named(name -> name.equals(".making-snapshot"))
                        .cuttingPower(3));
        assertThatThrownBy(() -> store.snapshot("mine")).isInstanceOf(Exception.class);
        Path taken = own.handle((path, failure) -> path).get();
        assertThat(first).isFalse();
        temporary.directory().heal();
        temporary.reopen();
        store = temporary.store();
        assertThat(taken == null || Files.isDirectory(taken))
                .as("acknowledged, so there, taken=%s", taken)
                .isTrue();
        assertThat(leavings()).isEmpty();
    }

    /** Returns when the table's own snapshot is taken, or cannot be before that of all has ended. */
    private static void startOwn(Store store, CompletableFuture<Path> own) {
        Thread thread = new Thread(() -> {
            try {
                own.complete(store.table("ks.c").snapshot("mine"));
            } catch (IOException | RuntimeException e) {
                own.completeExceptionally(e);
            }
        });
        thread.start();
        try {
            own.get(1, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            // It waits, as it should.
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldFinishTheDeletionThatAPowerCutEnded() throws IOException {
        store.snapshot("all");
        store.dropTable("ks.a");
        temporary.directory().inject(Fault.on(Operation.DELETE).after(2).cuttingPower(1));
        assertThatThrownBy(() -> store.deleteSnapshot("all")).isInstanceOf(Exception.class);
        temporary.directory().crash();
        temporary.directory().heal();
        temporary.reopen();
        store = temporary.store();
        if (!names().isEmpty()) {
            store.deleteSnapshot("all");
        }
        assertThat(leavings()).isEmpty();
        assertThat(names()).isEmpty();
    }
}
