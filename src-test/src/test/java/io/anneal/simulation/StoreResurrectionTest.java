package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was deleted, or has expired, does not come back: the sequences in which stores have brought it back. */
@Timeout(60)
class StoreResurrectionTest {
    private static final int GC_GRACE_SECONDS = 1_000;
    private static final String TABLE = "ks.t";
    private static final String OTHER = "ks.other";
    private static final String COLUMNS = " (k int, c int, v text, PRIMARY KEY (k, c)) WITH gc_grace_seconds = "
            + GC_GRACE_SECONDS
            + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '2',"
            + " 'min_sstable_size': '1024'}";
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    private Path directory;

    private final ManualClock clock = ManualClock.create();

    private FaultyDirectory disk;
    private Store store;
    private Table table;

    @BeforeEach
    void createStore() throws IOException {
        disk = FaultyDirectory.create(directory);
        open(2, 0);
        table = store.createTable("CREATE TABLE " + TABLE + COLUMNS);
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
        disk.close();
    }

    private void open(int shards, int compactionThreads) throws IOException {
        StoreConfig config = StoreConfig.defaults()
                .withShardCount(shards)
                .withCommitLogSegmentBytes(64 << 10)
                .withCompactionThreads(compactionThreads);
        store = Store.open(disk.path(), config, HostEnvironment.system().withClock(clock));
        table = store.tables().stream()
                .filter(t -> t.schema().qualifiedName().equals(TABLE))
                .findFirst()
                .orElse(null);
    }

    private void reopen(int shards, int compactionThreads) throws IOException {
        store.close();
        open(shards, compactionThreads);
    }

    /** As after a crash of the process. */
    private void killAndReopen(int shards) throws IOException {
        Store dead = store;
        disk.kill();
        closeDead(dead);
        open(shards, 0);
    }

    private static void closeDead(Store dead) {
        try {
            dead.close();
        } catch (IOException e) {
            // Its disk is gone.
        }
    }

    private void insert(int k, String v, long micros) throws IOException {
        table.row()
                .key("k", k)
                .clustering("c", 0)
                .set("v", v)
                .timestampMicros(micros)
                .insert();
    }

    private void delete(int k, long micros) throws IOException {
        table.row().key("k", k).clustering("c", 0).timestampMicros(micros).deleteRow();
    }

    private void passGcGrace() {
        clock.advance(Duration.ofSeconds(GC_GRACE_SECONDS + 10));
    }

    /** By key, what is there. */
    private Map<Integer, String> rows() throws IOException {
        Map<Integer, String> found = new HashMap<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                found.put(row.value("k", Integer.class), row.value("v", String.class));
            }
        }
        return found;
    }

    /** With tombstones and what has expired. */
    private List<String> fragments() throws IOException {
        try (FragmentCursor cursor = table.scan(TokenRange.Linear.ALL)) {
            return FragmentList.copyOf(cursor).lines();
        }
    }

    private Path tableDirectory() throws IOException {
        try (Stream<Path> found = Files.list(disk.path().resolve("data").resolve("ks"))) {
            return found.filter(path -> path.getFileName().toString().startsWith("t-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private List<Path> sstables() throws IOException {
        try (Stream<Path> files = Files.list(tableDirectory())) {
            return files.filter(file -> file.toString().endsWith("-Data.db")).toList();
        }
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition) throws IOException {
        long startNanos = System.nanoTime();
        while (!condition.holds()) {
            assertThat(System.nanoTime() - startNanos).as("waiting, nanos").isLessThan(DEADLINE_NANOS);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static String noise(int number, int length) {
        SplittableRandom random = new SplittableRandom(number);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('0' + random.nextInt(64)));
        }
        return text.toString();
    }

    /** Else what is deleted then would be older than what it is to hide: in a snapshot, say. The clock stands still. */
    @Test
    void shouldGoOnAfterTheLastTimestampWhenKilledTwiceWithNothingWrittenBetween() throws IOException {
        for (int i = 0; i < 10; i++) {
            table.row().key("k", 1).clustering("c", 0).set("v", "v" + i).insert();
        }
        long lastMicros = writeTimeMicros();
        store.dropTable(TABLE);
        killAndReopen(1);
        killAndReopen(1);
        table = store.createTable("CREATE TABLE " + TABLE + COLUMNS);
        table.row().key("k", 1).clustering("c", 0).set("v", "later").insert();
        assertThat(writeTimeMicros()).isGreaterThan(lastMicros);
    }

    private long writeTimeMicros() throws IOException {
        return table.row(Map.of("k", 1, "c", 0))
                .orElseThrow()
                .writeTimeMicros("v")
                .orElseThrow();
    }

    @Test
    void shouldForgetTombstonesWhenNothingIsLeftToHide() throws IOException {
        insert(1, "dead", 10);
        delete(1, 20);
        table.flush();
        table.compact();
        assertThat(fragments()).anyMatch(line -> line.contains("deleted@20"));
        clock.advance(Duration.ofSeconds(GC_GRACE_SECONDS));
        table.compact();
        assertThat(fragments()).as("at gc_grace to the second").anyMatch(line -> line.contains("deleted@20"));
        clock.advance(Duration.ofSeconds(10));
        table.compact();
        assertThat(fragments()).isEmpty();
        await(() -> sstables().isEmpty());
    }

    @Test
    void shouldKeepATombstoneWhenAnSSTableBesideTheCompactionHasWhatItHides() throws IOException {
        reopen(1, 1);
        for (int k = 0; k < 300; k++) {
            insert(k, noise(k, 1_000), 10);
        }
        table.flush();
        delete(1, 20);
        passGcGrace();
        for (int round = 0; round < 2; round++) {
            for (int k = 1_000; k < 1_020; k++) {
                insert(k, noise(k, 100), 30 + round);
            }
            table.flush();
        }
        // The small ones are compacted, the large one is not.
        await(() -> sstables().size() == 2);
        assertThat(rows()).doesNotContainKey(1).containsKeys(0, 2);
        table.compact();
        await(() -> sstables().size() == 1);
        assertThat(rows()).doesNotContainKey(1).containsKeys(0, 2);
        assertThat(fragments()).noneMatch(line -> line.contains("deleted@20"));
    }

    @Test
    void shouldKeepATombstoneWhenAMemtableHasWhatItHides() throws IOException {
        delete(1, 20);
        insert(2, "live", 20);
        table.flush();
        passGcGrace();
        insert(1, "dead", 10);
        table.compact();
        assertThat(rows()).isEqualTo(Map.of(2, "live"));
        table.flush();
        assertThat(rows()).isEqualTo(Map.of(2, "live"));
        table.compact();
        assertThat(rows()).isEqualTo(Map.of(2, "live"));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldKeepATombstoneWhenTheCommitLogHasWhatItHides(int shards) throws IOException {
        delete(1, 20);
        table.flush();
        passGcGrace();
        insert(1, "dead", 10);
        killAndReopen(shards);
        table.compact();
        assertThat(rows()).isEmpty();
    }

    /** The segment with the data outlives the one with its deletion, since another table still needs it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldNotReplayWhatWasFlushedWhenItsTombstoneIsPurged(int shards) throws IOException {
        Table other = store.createTable("CREATE TABLE " + OTHER + COLUMNS);
        other.row().key("k", 1).clustering("c", 0).set("v", "held").insert();
        insert(1, "dead", 10);
        table.flush();
        for (int k = 100; k < 300; k++) {
            insert(k, noise(k, 1_000), 15);
        }
        delete(1, 20);
        for (int k = 300; k < 500; k++) {
            insert(k, noise(k, 1_000), 15);
        }
        table.flush();
        passGcGrace();
        table.compact();
        assertThat(fragments()).noneMatch(line -> line.contains("deleted@20"));
        killAndReopen(shards);
        assertThat(rows()).doesNotContainKey(1).hasSize(400);
        table.compact();
        assertThat(rows()).doesNotContainKey(1).hasSize(400);
        try (TableRows held = store.table(OTHER).rows()) {
            assertThat(held.next().value("v")).isEqualTo("held");
        }
    }

    @Test
    void shouldNotTakeInputsOfACompactionForDataWhenTheirDeletionFailed() throws IOException {
        insert(1, "dead", 10);
        table.flush();
        delete(1, 20);
        table.flush();
        passGcGrace();
        disk.inject(Fault.on(Operation.DELETE));
        table.compact();
        assertThat(fragments()).isEmpty();
        Store dead = store;
        disk.crash();
        closeDead(dead);
        disk.heal();
        open(2, 0);
        assertThat(fragments()).isEmpty();
        table.compact();
        assertThat(fragments()).isEmpty();
    }

    /** What a disk brings back of a deletion that was not forced. */
    @Test
    void shouldMoveSSTablesAsideWhenNobodyKnowsThem() throws IOException {
        insert(1, "dead", 10);
        table.flush();
        Path kept = Files.createDirectories(disk.path().resolve("kept"));
        try (Stream<Path> files = Files.list(tableDirectory())) {
            for (Path file : files.filter(f -> f.getFileName().toString().startsWith("nb-"))
                    .toList()) {
                Files.createLink(kept.resolve(file.getFileName()), file);
            }
        }
        delete(1, 20);
        table.flush();
        passGcGrace();
        table.compact();
        await(() -> sstables().isEmpty());
        // So that the manifest has forgotten the old ones.
        insert(2, "live", 30);
        table.flush();
        insert(3, "live", 30);
        table.flush();
        table.compact();
        store.close();
        List<Path> back = new ArrayList<>();
        try (Stream<Path> files = Files.list(kept)) {
            for (Path file : files.toList()) {
                back.add(tableDirectory().resolve(file.getFileName()));
                Files.createLink(back.get(back.size() - 1), file);
            }
        }
        open(2, 0);
        assertThat(rows()).isEqualTo(Map.of(2, "live", 3, "live"));
        assertThat(back).noneMatch(Files::exists);
        try (Stream<Path> aside = Files.walk(tableDirectory().resolve("unlisted"))) {
            assertThat(aside.map(path -> path.getFileName().toString()))
                    .contains(back.stream()
                            .map(path -> path.getFileName().toString())
                            .filter(name -> name.endsWith("-Data.db"))
                            .findFirst()
                            .orElseThrow());
        }
    }

    @Test
    void shouldHideImportedDataAsLongAsTheTombstoneIsKept() throws IOException {
        Path old = oldData();
        delete(1, 20);
        table.flush();
        table.compact();
        assertThat(table.importSSTables(old)).isEqualTo(1);
        assertThat(rows()).isEmpty();
        passGcGrace();
        table.compact();
        assertThat(rows()).isEmpty();
        // What was imported belongs to a shard since then, and meets its tombstone now.
        table.compact();
        assertThat(fragments()).isEmpty();
    }

    /** As documented, and as in Cassandra: what is brought back by hand behind gc_grace is data like any other. */
    @Test
    void shouldShowImportedDataWhenItsTombstoneIsPurged() throws IOException {
        Path old = oldData();
        delete(1, 20);
        table.flush();
        passGcGrace();
        table.compact();
        assertThat(fragments()).isEmpty();
        assertThat(table.importSSTables(old)).isEqualTo(1);
        assertThat(rows()).isEqualTo(Map.of(1, "dead"));
    }

    /** A row in a snapshot; the table is empty again. */
    private Path oldData() throws IOException {
        insert(1, "dead", 10);
        table.flush();
        Path snapshot = table.snapshot("old");
        table.truncate();
        return snapshot;
    }

    @Test
    void shouldKeepWhatHasExpiredWhenItHidesOlderData() throws IOException {
        reopen(1, 1);
        for (int k = 0; k < 300; k++) {
            insert(k, noise(k, 1_000), 10);
        }
        table.flush();
        table.row()
                .key("k", 1)
                .clustering("c", 0)
                .set("v", "short")
                .timestampMicros(20)
                .ttlSeconds(60)
                .insert();
        table.flush();
        clock.advance(Duration.ofSeconds(60));
        passGcGrace();
        // Any flush has the strategy look again, which would like to drop what has expired.
        for (int round = 0; round < 2; round++) {
            for (int k = 1_000; k < 1_020; k++) {
                insert(k, noise(k, 100), 30 + round);
            }
            table.flush();
        }
        await(() -> sstables().size() <= 3);
        assertThat(rows().get(1)).isNull();
        table.compact();
        assertThat(rows().get(1)).isNull();
        assertThat(rows()).containsKeys(0, 2);
    }

    @Test
    void shouldDropAnSSTableAsItIsWhenAllInItHasExpired() throws IOException {
        reopen(1, 1);
        for (int k = 0; k < 50; k++) {
            table.row()
                    .key("k", k)
                    .clustering("c", 0)
                    .set("v", "short")
                    .timestampMicros(20)
                    .ttlSeconds(60)
                    .insert();
        }
        table.flush();
        List<Path> expired = sstables();
        assertThat(expired).hasSize(1);
        clock.advance(Duration.ofSeconds(60));
        passGcGrace();
        insert(1_000, "live", 30);
        table.flush();
        await(() -> !Files.exists(expired.get(0)));
        assertThat(rows()).isEqualTo(Map.of(1_000, "live"));
    }

    @Test
    void shouldKeepTombstonesUntilTheirRangeIsRepairedWhenTheTableSaysSo() throws IOException {
        store.dropTable(TABLE);
        table = store.createTable("CREATE TABLE " + TABLE + COLUMNS
                + " AND tombstone_gc = {'mode': 'repair', 'propagation_delay_in_seconds': '0'}");
        delete(1, 20);
        delete(2, 20);
        table.flush();
        long deletedSeconds = clock.instant().getEpochSecond();
        passGcGrace();
        table.compact();
        assertThat(tombstones()).isEqualTo(2);
        // Begun before the deletions: it may have missed them.
        table.repaired(List.of(TokenRange.FULL), deletedSeconds - 1);
        table.compact();
        assertThat(tombstones()).isEqualTo(2);
        long token = token(1);
        table.repaired(List.of(new TokenRange(token - 1, token)), deletedSeconds + 1);
        reopen(2, 0);
        table.compact();
        assertThat(tombstones()).isEqualTo(1);
        table.repaired(List.of(TokenRange.FULL), deletedSeconds + 1);
        table.compact();
        assertThat(tombstones()).isZero();
    }

    private long tombstones() throws IOException {
        return fragments().stream().filter(line -> line.contains("deleted@20")).count();
    }

    private static long token(int k) {
        return DecoratedKey.of(ByteBuffer.allocate(Integer.BYTES).putInt(k).array())
                .token();
    }
}
