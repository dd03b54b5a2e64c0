package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.StorageException;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When a store compacts, and when it does not: idle tables, full and broken disks, and what somebody asks for. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreCompactionsTest {
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int LARGE_BYTES = 20_000;
    private static final int SMALL_BYTES = 1;
    private static final int ROW_BYTES = 200;
    private static final int SEGMENT_BYTES = 64 << 10;
    private static final int GC_GRACE_SECONDS = 1_000;
    private static final String COLUMNS = " (k int, c int, v text, PRIMARY KEY (k, c)) WITH gc_grace_seconds = "
            + GC_GRACE_SECONDS + " AND compression = {'enabled': 'false'}"
            + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'unchecked_tombstone_compaction': 'true'}";

    @TempDir
    private Path directory;

    // SSTables are as old as their files.
    private final ManualClock clock = ManualClock.at(Instant.now());
    private final SplittableRandom random = new SplittableRandom(1);
    private final CountDownLatch isHeld = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicBoolean isTaken = new AtomicBoolean();

    private FaultyDirectory disk;
    private Store store;
    private Runnable minute = () -> {};
    /** The thread whose compactions the rate holds until they are released; the first one when null. */
    private String heldThread;

    @BeforeEach
    void createDisk() throws IOException {
        disk = FaultyDirectory.create(directory);
    }

    @AfterEach
    void closeStore() throws IOException {
        released.countDown();
        disk.heal();
        store.close();
        disk.close();
    }

    /** @param bytesPerSecond 0 when nothing is held */
    private void open(int threads, long bytesPerSecond) throws IOException {
        StoreConfig config = StoreConfig.defaults()
                .withShardCount(1)
                .withCommitLogSegmentBytes(SEGMENT_BYTES)
                .withCompactionThreads(threads)
                .withCompactionBytesPerSecond(bytesPerSecond);
        store = Store.open(
                disk.path(),
                config,
                HostEnvironment.system()
                        .withTime(clock, clock::nanoTime, this::sleep)
                        .withThreads(this::executor));
    }

    private void sleep(long nanos) throws InterruptedException {
        String thread = Thread.currentThread().getName();
        boolean isFirst = heldThread == null && isTaken.compareAndSet(false, true);
        if (isFirst) {
            heldThread = thread;
        }
        if (thread.equals(heldThread) && released.getCount() > 0) {
            isHeld.countDown();
            released.await();
        }
        clock.advance(Duration.ofNanos(nanos));
    }

    /** What is to be done every minute is done when the test says so. */
    private ScheduledExecutorService executor(String name) {
        return new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        }) {
            @Override
            public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
                if (unit.toSeconds(delay) != 60) {
                    return super.scheduleWithFixedDelay(task, first, delay, unit);
                }
                minute = task;
                return super.schedule(() -> {}, 0, unit);
            }
        };
    }

    private Table createTable(String name) throws IOException {
        return store.createTable("CREATE TABLE ks." + name + COLUMNS);
    }

    /** SSTables of one partition each, of rows that all of them have. */
    private void flush(Table table, int count, int lengthBytes) throws IOException {
        for (int i = 0; i < count; i++) {
            write(table, lengthBytes, clock.instant());
        }
    }

    private void write(Table table, int lengthBytes, Instant time) throws IOException {
        for (int c = 0; c * ROW_BYTES < lengthBytes; c++) {
            StringBuilder value = new StringBuilder();
            random.ints(ROW_BYTES, 'a', 'z').forEach(letter -> value.append((char) letter));
            table.row()
                    .key("k", 1)
                    .clustering("c", c)
                    .set("v", value.toString())
                    .timestampMicros(TimeUnit.SECONDS.toMicros(time.getEpochSecond()))
                    .insert();
        }
        table.flush();
    }

    private long metric(Table table, String name) {
        return store.metrics().get(table.schema().qualifiedName() + "." + name).longValue();
    }

    private void await(Table table, String name, long value) {
        long startNanos = System.nanoTime();
        while (metric(table, name) != value) {
            if (System.nanoTime() - startNanos > DEADLINE_NANOS) {
                String prefix = table.schema().qualifiedName() + ".compact";
                throw new AssertionError("metrics=" + store.metrics().subMap(prefix, prefix + "z"));
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Waits until all that was considered before has been: the only thread takes tables in turn. */
    private void passCompactions(String name) throws IOException {
        Table other = createTable(name);
        flush(other, 4, SMALL_BYTES);
        await(other, "compactions", 1);
    }

    private Path directory(Table table) throws IOException {
        try (Stream<Path> tables = Files.list(disk.path().resolve("data/ks"))) {
            return tables.filter(path -> path.getFileName()
                            .toString()
                            .startsWith(table.schema().name() + "-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private List<String> files(Table table, String part) throws IOException {
        try (Stream<Path> found = Files.list(directory(table))) {
            return found.map(file -> file.getFileName().toString())
                    .filter(file -> file.contains(part))
                    .toList();
        }
    }

    // Idle tables.

    @Test
    void shouldDropWhatHasExpiredOfATableThatNobodyWritesTo() throws IOException {
        open(1, 0);
        Table table = createTable("t");
        table.row().key("k", 1).clustering("c", 0).set("v", "x").ttlSeconds(60).insert();
        table.flush();
        clock.advance(Duration.ofSeconds(60 + GC_GRACE_SECONDS + 10));
        assertThat(metric(table, "sstables")).isEqualTo(1);
        minute.run();
        await(table, "sstables", 0);
    }

    @Test
    void shouldRewriteAnSSTableOfTombstonesOnceItIsOldEnough() throws IOException {
        open(1, 0);
        Table table = createTable("t");
        for (int c = 0; c < 100; c++) {
            table.row().key("k", 1).clustering("c", c).set("v", "x").insert();
            if (c % 2 == 0) {
                table.row().key("k", 1).clustering("c", c).deleteRow();
            }
        }
        table.flush();
        clock.advance(Duration.ofDays(2));
        minute.run();
        await(table, "compactions", 1);
    }

    // Disks.

    @Test
    void shouldNotBeginWhatDoesNotFitAndGoOnOnceThereIsRoom() throws IOException {
        open(1, 0);
        Table table = createTable("t");
        flush(table, 3, LARGE_BYTES);
        disk.fillUpAfter(SEGMENT_BYTES + 4 * LARGE_BYTES);
        flush(table, 1, LARGE_BYTES);
        await(table, "compactions-refused", 1);
        long created = disk.count(Operation.CREATE);
        for (int i = 2; i < 20; i++) {
            minute.run();
            await(table, "compactions-refused", i);
        }
        assertThat(disk.count(Operation.CREATE)).isEqualTo(created);
        disk.heal();
        minute.run();
        await(table, "compactions", 1);
        assertThat(metric(table, "sstables")).isEqualTo(1);
        assertThat(metric(table, "compactions-failed")).isZero();
    }

    @Test
    void shouldCompactWhatFitsBesideWhatDoesNot() throws IOException {
        open(1, 0);
        Table table = store.createTable("CREATE TABLE ks.t" + COLUMNS.replace("SizeTiered", "TimeWindow"));
        Instant lastWeek = clock.instant().minus(Duration.ofDays(7));
        write(table, SMALL_BYTES, lastWeek);
        flush(table, 3, LARGE_BYTES);
        disk.fillUpAfter(SEGMENT_BYTES + 6 * LARGE_BYTES);
        flush(table, 1, LARGE_BYTES);
        await(table, "compactions-refused", 1);
        // The newest window is still what the strategy wants first.
        write(table, SMALL_BYTES, lastWeek);
        await(table, "compactions", 1);
        assertThat(metric(table, "sstables")).isEqualTo(5);
        assertThat(metric(table, "compactions-failed")).isZero();
    }

    @Test
    void shouldRefuseToCompactBeforeAnythingIsWrittenWhenItDoesNotFit() throws IOException {
        open(0, 0);
        Table table = createTable("t");
        flush(table, 3, LARGE_BYTES);
        disk.fillUpAfter(SEGMENT_BYTES + LARGE_BYTES);
        long created = disk.count(Operation.CREATE);
        assertThatThrownBy(table::compact)
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("table=ks.t, neededBytes=")
                .hasMessageContaining("freeBytes=");
        assertThat(disk.count(Operation.CREATE)).isEqualTo(created);
        assertThat(metric(table, "compactions-refused")).isEqualTo(1);
        assertThat(store.failure()).isEmpty();
        table.row().key("k", 9).clustering("c", 0).set("v", "still taken").insert();
        disk.heal();
        table.compact();
        assertThat(metric(table, "sstables")).isEqualTo(1);
    }

    @Test
    void shouldLeaveNothingOfACompactionThatFailedAndTryItAgainOnceItHasRested() throws IOException {
        open(1, 0);
        Table table = createTable("t");
        disk.inject(Fault.on(Operation.FORCE)
                .named(name -> name.contains("nb-5-big-Data"))
                .times(1));
        flush(table, 4, LARGE_BYTES);
        await(table, "compactions-failed", 1);
        passCompactions("one");
        assertThat(files(table, "nb-5-")).isEmpty();
        // Another one does not bring it back, though the disk is well.
        flush(table, 1, LARGE_BYTES);
        assertThat(Files.readString(directory(table).resolve("MANIFEST"))).doesNotContain("writing 5");
        passCompactions("two");
        minute.run();
        passCompactions("three");
        assertThat(metric(table, "compactions")).isZero();
        assertThat(store.failure()).isEmpty();
        clock.advance(Duration.ofMinutes(1));
        minute.run();
        await(table, "compactions", 1);
        assertThat(metric(table, "sstables")).isEqualTo(1);
    }

    @Test
    void shouldCompactWhatRestsWhenSomebodyAsks() throws IOException {
        open(1, 0);
        Table table = createTable("t");
        disk.inject(Fault.on(Operation.FORCE)
                .named(name -> name.contains("nb-5-big-Data"))
                .times(1));
        flush(table, 4, LARGE_BYTES);
        await(table, "compactions-failed", 1);
        table.compact();
        assertThat(metric(table, "sstables")).isEqualTo(1);
    }

    /** The disk is full when the last byte is written, of the file that would bring the outputs into force. */
    @Test
    void shouldTakeWritesWhenAManifestCouldNotBeReplacedByACompaction() throws IOException {
        open(1, 0);
        Table table = createTable("t");
        AtomicBoolean isWritten = new AtomicBoolean();
        disk.inject(Fault.on(Operation.CREATE)
                .named(name -> {
                    if (name.contains("nb-5-big-Data")) {
                        isWritten.set(true);
                    }
                    return isWritten.get() && name.contains("MANIFEST");
                })
                .times(1));
        flush(table, 4, LARGE_BYTES);
        await(table, "compactions-failed", 1);
        assertThat(store.failure()).isEmpty();
        table.row().key("k", 9).clustering("c", 0).set("v", "taken").insert();
        table.flush();
        table.compact();
        assertThat(metric(table, "sstables")).isEqualTo(1);
        store.close();
        assertThat(files(table, "nb-5-")).isEmpty();
    }

    // What somebody asks for.

    @Test
    void shouldNotLetWhatIsAskedForWaitForOtherTables() throws Exception {
        open(1, 1_000);
        Table other = createTable("other");
        Table table = createTable("t");
        flush(other, 4, LARGE_BYTES);
        isHeld.await();
        flush(table, 2, SMALL_BYTES);
        table.compact();
        assertThat(metric(table, "sstables")).isEqualTo(1);
        assertThat(metric(other, "sstables")).isEqualTo(4);
        released.countDown();
        await(other, "sstables", 1);
    }

    @Test
    void shouldTakeThePlaceOfWhatRunsOfTheSameTable() throws Exception {
        open(1, 1_000);
        Table table = createTable("t");
        flush(table, 4, LARGE_BYTES);
        isHeld.await();
        flush(table, 1, SMALL_BYTES);
        table.compact();
        assertThat(metric(table, "sstables")).isEqualTo(1);
        assertThat(metric(table, "compactions")).isEqualTo(1);
        assertThat(metric(table, "compactions-failed")).isZero();
    }

    @Test
    void shouldCompactTwiceWhenAskedTwice() throws Exception {
        open(0, 0);
        Table table = createTable("t");
        CompletableFuture<Void> empty = table.compactAsync();
        empty.get();
        flush(table, 3, SMALL_BYTES);
        CompletableFuture<Void> first = table.compactAsync();
        CompletableFuture<Void> second = table.compactAsync();
        first.get();
        second.get();
        assertThat(metric(table, "sstables")).isEqualTo(1);
        store.close();
        assertThatThrownBy(table::compactAsync).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldEndWhatTheRateHoldsWhenTheTableIsDropped() throws Exception {
        open(1, 1_000);
        Table table = createTable("t");
        flush(table, 3, LARGE_BYTES);
        CompletableFuture<Void> asked = table.compactAsync();
        CompletableFuture<Void> next = table.compactAsync();
        isHeld.await();
        store.dropTable("ks.t");
        assertThatThrownBy(asked::get).isInstanceOf(ExecutionException.class);
        assertThatThrownBy(next::get).hasCauseInstanceOf(IllegalStateException.class);
        Table again = createTable("t");
        flush(again, 4, SMALL_BYTES);
        await(again, "compactions", 1);
    }

    @Test
    void shouldEndWhatTheRateHoldsWhenTheStoreIsClosed() throws Exception {
        open(1, 1_000);
        Table table = createTable("t");
        flush(table, 4, LARGE_BYTES);
        isHeld.await();
        store.close();
        assertThat(files(table, "nb-5-")).isEmpty();
        open(0, 0);
        assertThat(metric(store.table("ks.t"), "sstables")).isEqualTo(4);
    }

    // Several at once.

    @Test
    void shouldKeepAThreadForWhatDoesNotTakeLong() throws Exception {
        open(2, 1_000);
        Table large = createTable("large");
        Table larger = createTable("larger");
        Table small = createTable("small");
        flush(large, 4, LARGE_BYTES);
        isHeld.await();
        flush(larger, 4, LARGE_BYTES);
        flush(small, 4, SMALL_BYTES);
        await(small, "compactions", 1);
        assertThat(metric(larger, "compactions")).isZero();
        released.countDown();
        await(large, "compactions", 1);
        minute.run();
        await(larger, "compactions", 1);
    }
}
