package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.commitlog.CorruptCommitLogException;
import io.anneal.io.StorageException;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRows;
import io.anneal.table.SyncMode;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The disk fails: it is full, does not sync, takes writes by halves, loses what was not synced. Nothing acknowledged is
 * lost, nothing is there by halves, and who asks is told. {@code -Danneal.seeds=N} for more, {@code -Danneal.seed=N} for
 * others.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreFaultsTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final int CYCLES = 3;
    private static final int STEPS = 20;
    private static final Predicate<String> LOG = name -> name.startsWith("CommitLog");

    @TempDir
    private Path directory;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 12));
    }

    private static SyncMode mode(long seed) {
        return SyncMode.values()[(int) Long.remainderUnsigned(seed, SyncMode.values().length)];
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldKeepWhatItAcknowledgedWhenTheDiskLosesWhatWasNotSynced(long seed) throws IOException {
        try (StoreOnBadDisk store = new StoreOnBadDisk(directory, seed, mode(seed), "crash, seed=" + seed)) {
            for (int cycle = 0; cycle < CYCLES; cycle++) {
                store.open();
                steps(store);
                store.disk().crash(seed + cycle);
                store.close(true);
                store.open();
                store.verify(mode(seed) != SyncMode.PERIODIC);
                store.close(false);
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldKeepWhatItAcknowledgedWhenThePowerIsCutInAnyOperation(long seed) throws IOException {
        try (StoreOnBadDisk store = new StoreOnBadDisk(directory, seed, mode(seed), "power cut, seed=" + seed)) {
            for (int cycle = 0; cycle < CYCLES; cycle++) {
                // Some in the middle of an opening, and of bringing back what the one before left.
                long after = store.random().nextInt(cycle == 0 ? 400 : 100);
                EnumSet<Operation> changes = EnumSet.complementOf(EnumSet.of(Operation.READ, Operation.WRITE));
                store.disk()
                        .inject(Fault.on(Operation.WRITE, changes.toArray(Operation[]::new))
                                .after(after)
                                .times(1)
                                .cuttingPower(seed + cycle));
                store.maySuffer();
                if (store.open()) {
                    steps(store);
                }
                store.close(true);
                store.disk().crash(seed - cycle);
                store.disk().heal();
                assertThat(store.open()).isTrue();
                store.verify(mode(seed) != SyncMode.PERIODIC);
                store.close(false);
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldKeepWhatItAcknowledgedWhenAnyOperationFails(long seed) throws IOException {
        try (StoreOnBadDisk store = new StoreOnBadDisk(directory, seed, mode(seed), "failure, seed=" + seed)) {
            store.open();
            SplittableRandom random = store.random();
            Operation[] operations = {
                Operation.CREATE, Operation.WRITE, Operation.FORCE, Operation.RENAME, Operation.LINK, Operation.READ
            };
            Fault fault =
                    Fault.on(operations[random.nextInt(operations.length)]).after(random.nextInt(60));
            store.disk().inject(random.nextBoolean() ? fault : fault.times(1 + random.nextInt(3)));
            store.maySuffer();
            endBadly(store, seed);
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldKeepWhatItAcknowledgedWhenTheDiskIsFull(long seed) throws IOException {
        try (StoreOnBadDisk store = new StoreOnBadDisk(directory, seed, mode(seed), "full disk, seed=" + seed)) {
            store.open();
            store.disk().fillUpAfter(store.random().nextInt(store.random().nextBoolean() ? 20_000 : 400_000));
            store.maySuffer();
            endBadly(store, seed);
        }
    }

    private static void endBadly(StoreOnBadDisk store, long seed) throws IOException {
        steps(store);
        store.await();
        boolean crashes = store.random().nextBoolean();
        if (crashes) {
            store.disk().crash(seed);
        } else {
            store.disk().heal();
        }
        store.close(true);
        store.disk().heal();
        assertThat(store.open()).isTrue();
        store.verify(!crashes || mode(seed) != SyncMode.PERIODIC);
    }

    private static void steps(StoreOnBadDisk store) {
        for (int i = store.random().nextInt(STEPS); i >= 0; i--) {
            store.step();
        }
    }

    @ParameterizedTest
    @EnumSource(SyncMode.class)
    void shouldNotMindWhenWritesAreShort(SyncMode mode) throws IOException {
        try (StoreOnBadDisk store = new StoreOnBadDisk(directory, 7, mode, "short writes")) {
            store.disk().inject(Fault.on(Operation.WRITE).shortening(1_000));
            store.open();
            for (int i = 0; i < STEPS; i++) {
                store.step();
            }
            store.await();
            store.verifyAllIssued();
            store.close(false);
            store.open();
            store.verifyAllIssued();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SyncMode.class,
            names = {"BATCH", "GROUP"})
    void shouldTakeNoMoreWritesButServeReadsWhenASyncFails(SyncMode mode) throws IOException {
        try (StoreOnBadDisk store = new StoreOnBadDisk(directory, 11, mode, "failed sync")) {
            store.open();
            store.write(100);
            store.await();
            store.verifyAllIssued();
            store.disk().inject(Fault.on(Operation.FORCE).named(LOG).times(1));
            store.maySuffer();
            store.write(1);
            store.await();
            assertThat(store.hasSuffered()).isTrue();
            // The disk says that it is well again, which is nothing to rely on.
            store.disk().heal();
            NumberedWrites.Write late = new NumberedWrites(1, 1_700_000_000).write(1_000_000);
            assertThatThrownBy(() -> store.table("one.plain").apply(late.mutation()))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("CommitLog");
            assertThatThrownBy(() ->
                            store.table("one.plain").applyAsync(late.mutation()).join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(StorageException.class);
            // Nobody sees what the disk may not have.
            store.verifyAcknowledgedIsRead();
            store.disk().crash(3);
            store.close(true);
            store.open();
            store.verify(true);
        }
    }

    /** A group's window is open while the store is closed, and its sync is the first that fails. */
    @Test
    void shouldCloseAndRefuseWhatIsOnItsWayWhenTheLastSyncFails() throws IOException {
        try (StoreOnBadDisk store = new StoreOnBadDisk(directory, 13, SyncMode.GROUP, "last sync")) {
            store.openWithGroupWindow(Duration.ofSeconds(5));
            store.disk().inject(Fault.on(Operation.FORCE).named(LOG));
            store.maySuffer();
            store.write(10);
            store.close(false);
            assertThat(store.hasSuffered()).isTrue();
            store.disk().heal();
            store.open();
            store.verify(true);
        }
    }

    @Test
    void shouldKeepWhatWasAcknowledgedBeforeASyncWhenSyncsArePeriodic() throws Exception {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 10; seed++) {
            try (StoreOnBadDisk store =
                    new StoreOnBadDisk(directory, seed, SyncMode.PERIODIC, "periodic, seed=" + seed)) {
                store.open();
                store.write(100);
                store.await();
                store.markDurable();
                long before = store.syncCount();
                // One may be under way already and not know of all; the one behind it does.
                while (store.syncCount() < before + 2) {
                    LockSupport.parkNanos(1_000_000);
                }
                store.disk().crash(seed);
                store.close(true);
                store.open();
                store.verify(false);
            }
        }
    }

    @Test
    void shouldRefuseToOpenWhenTheCommitLogIsCorruptBeforeWhatWasSynced() throws IOException {
        try (StoreOnBadDisk store = new StoreOnBadDisk(directory, 5, SyncMode.BATCH, "corrupt commit log")) {
            store.open();
            for (int i = 0; i < 100; i++) {
                store.write(1);
                store.await();
            }
            store.disk().kill();
            store.close(true);
            Path log = firstSegment(store.disk().path().resolve("commitlog"));
            flip(log, 3_000);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> Store.open(store.disk().path(), store.config()))
                        .isInstanceOf(CorruptCommitLogException.class)
                        .hasMessageContaining(log.getFileName().toString());
            }
            try (Store told = Store.open(store.disk().path(), store.config().withSkipCorruptCommitLog(true))) {
                int found = 0;
                for (Table table : told.tables()) {
                    try (TableRows rows = table.rows()) {
                        while (rows.next() != null) {
                            found++;
                        }
                    }
                }
                assertThat(found).isGreaterThan(50);
            }
            // What was lost is lost, and the next opening finds nothing wrong.
            Store.open(store.disk().path(), store.config()).close();
        }
    }

    private static Path firstSegment(Path commitLog) throws IOException {
        try (Stream<Path> files = Files.list(commitLog)) {
            return files.filter(file -> LOG.test(file.getFileName().toString()))
                    .min(Comparator.comparing(file ->
                            Long.parseLong(file.getFileName().toString().replaceAll("\\D*(\\d+)\\D*(\\d+).*", "$2"))))
                    .orElseThrow();
        }
    }

    private static void flip(Path file, long position) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, position);
            one.put(0, (byte) ~one.get(0)).rewind();
            channel.write(one, position);
        }
    }
}
