package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.io.StorageException;
import io.anneal.store.Store;
import io.anneal.table.FailedSync;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A sync that failed is not forgotten with the process, but only when somebody says so. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RememberedSyncTest {
    private static final StoreConfig CONFIG =
            StoreConfig.defaults().withShardCount(1).withCompactionThreads(0).withCommitLogSegmentBytes(64 << 10);
    private static final String WARNING = "nobody has acknowledged it";

    @TempDir
    private Path parent;

    private FaultyDirectory disk;

    @BeforeEach
    void setUp() throws IOException {
        disk = FaultyDirectory.create(parent);
    }

    @AfterEach
    void tearDown() throws IOException {
        disk.close();
    }

    /** On the machine that runs now. */
    private Path directory() {
        return disk.path().resolve("store");
    }

    private Store open() throws IOException {
        return Store.open(directory(), CONFIG);
    }

    private static void write(Store store, int k) throws IOException {
        store.table("ks.t").row().key("k", k).insert();
    }

    private static boolean isLog(String name) {
        return name.startsWith("CommitLog");
    }

    private static boolean isMarker(String name) {
        return name.equals(FailedSync.FILE);
    }

    private static long gauge(Store store) {
        return store.metrics().get("store.failed-sync").longValue();
    }

    /** A store whose commit log could not be synced; what else shall fail is given. */
    private void fail(Fault... faults) throws IOException {
        try (Store store = open()) {
            store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY)");
            write(store, 1);
            assertThat(store.failedSync()).isEmpty();
            assertThat(gauge(store)).isZero();
            disk.inject(
                    Fault.on(Operation.FORCE).named(RememberedSyncTest::isLog).times(1));
            for (Fault fault : faults) {
                disk.inject(fault);
            }
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> write(store, 2));
            assertThat(store.failure()).isPresent();
        }
        disk.heal();
    }

    @Test
    void shouldWarnAtEachStartUntilItIsAcknowledged() throws IOException {
        fail();
        disk.crash();
        for (int i = 0; i < 2; i++) {
            String log = CapturedLog.of(() -> {
                try (Store store = open()) {
                    assertThat(store.failure()).isEmpty();
                    assertThat(gauge(store)).isOne();
                    assertThat(store.failedSync().orElseThrow()).contains("time=2", "CommitLog", "reason=");
                    write(store, 3);
                }
            });
            assertThat(log)
                    .contains(WARNING, "restart", "acknowledgeFailedSync", "anneal store acknowledge", "CommitLog");
        }
        try (Store store = open()) {
            store.acknowledgeFailedSync();
            assertThat(store.failedSync()).isEmpty();
            assertThat(gauge(store)).isZero();
            store.acknowledgeFailedSync();
        }
        disk.crash();
        String log = CapturedLog.of(() -> {
            try (Store store = open()) {
                assertThat(store.failedSync()).isEmpty();
                assertThat(store.table("ks.t").row(Map.of("k", 3))).isPresent();
            }
        });
        assertThat(log).doesNotContain(WARNING);
    }

    @Test
    void shouldNotBeAcknowledgedByTheOpeningThatHasFailed() throws IOException {
        try (Store store = open()) {
            store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY)");
            disk.inject(Fault.on(Operation.FORCE).named(RememberedSyncTest::isLog));
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> write(store, 1));
            // Before anybody heard of it.
            assertThat(gauge(store)).isOne();
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(store::acknowledgeFailedSync)
                    .withMessageContaining("open the store again");
            assertThat(store.failedSync()).isPresent();
        }
    }

    @Test
    void shouldBeNotedBesideTheCommitLogWhereTheStoresDirectoryTakesNothing() throws IOException {
        fail(Fault.on(Operation.CREATE).named(RememberedSyncTest::isMarker).times(1));
        assertThat(directory().resolve(FailedSync.FILE)).doesNotExist();
        assertThat(directory().resolve("commitlog").resolve(FailedSync.FILE)).exists();
        try (Store store = open()) {
            assertThat(store.failedSync().orElseThrow()).contains("CommitLog");
            store.acknowledgeFailedSync();
            assertThat(store.failedSync()).isEmpty();
        }
        assertThat(directory().resolve("commitlog").resolve(FailedSync.FILE)).doesNotExist();
    }

    @Test
    void shouldOutlastTheProcessWhereNothingCanBeSynced() throws IOException {
        fail(Fault.on(Operation.FORCE));
        disk.kill();
        try (Store store = open()) {
            assertThat(store.failedSync().orElseThrow()).contains("CommitLog");
            store.acknowledgeFailedSync();
        }
        assertThat(directory().resolve(FailedSync.FILE)).doesNotExist();
        assertThat(directory().resolve("commitlog").resolve(FailedSync.FILE)).doesNotExist();
    }

    @Test
    void shouldFailAsBeforeWhereItCannotBeNoted() throws IOException {
        String log = CapturedLog.of(() -> fail(Fault.on(Operation.CREATE).named(RememberedSyncTest::isMarker)));
        assertThat(log).contains("could not be noted", "takes no writes any more");
        try (Store store = open()) {
            assertThat(store.failedSync()).isEmpty();
        }
    }

    @Test
    void shouldCountThatTheFileIsThereWhateverItHolds() throws IOException {
        fail();
        Files.write(directory().resolve(FailedSync.FILE), new byte[0]);
        try (Store store = open()) {
            assertThat(store.failedSync().orElseThrow()).contains("nothing is known", FailedSync.FILE);
        }
    }

    @Test
    void shouldRememberTheSyncThatAnOpeningOrAClosingFailedBy() throws IOException {
        fail();
        try (Store store = open()) {
            store.acknowledgeFailedSync();
        }
        int step = 0;
        while (failsAt(step, directory())) {
            disk.crash();
            try (Store store = open()) {
                assertThat(store.failedSync()).as("step=" + step).isPresent();
                store.acknowledgeFailedSync();
                write(store, step);
            }
            step++;
        }
        assertThat(step).isGreaterThan(2);
    }

    @Test
    void shouldRememberASyncThatFailedWhileTheStoreWasMade() throws IOException {
        int step = 0;
        while (failsAt(step, disk.path().resolve("made-" + step))) {
            try (Store store = Store.open(disk.path().resolve("made-" + step), CONFIG)) {
                assertThat(store.failedSync()).as("step=" + step).isPresent();
            }
            step++;
        }
        assertThat(step).isGreaterThan(5);
    }

    /** Opens and closes a store with a sync that fails; returns whether there was such a sync. */
    private boolean failsAt(int step, Path store) throws IOException {
        long before = disk.count(Operation.FORCE);
        disk.inject(Fault.on(Operation.FORCE).after(step).times(1));
        try (Store opened = Store.open(store, CONFIG)) {
            assertThat(opened.directory()).isEqualTo(store);
        } catch (StorageException e) {
            assertThat(StorageException.failedSync(e)).isPresent();
        }
        disk.heal();
        return disk.count(Operation.FORCE) > before + step;
    }
}
