package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.anneal.agent.FenceLease;
import io.anneal.agent.GuardedTables;
import io.anneal.agent.LiveNode;
import io.anneal.agent.LiveNodeException;
import io.anneal.agent.LiveTable;
import io.anneal.bench.peer.BoundStatement;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.environment.HostEnvironment;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What may happen to a real node between its snapshot and an import: each would bring a deleted row back, which two of the tests
 * show by an import without a guard, and each is refused or harmless with one.
 */
@WithCassandra
final class GuardedTablesTest {
    private static final String KEYSPACE = "guarded_tables";
    private static final String TABLE = KEYSPACE + ".t";
    private static final String TAG = "anneal-guarded";
    private static final int GC_GRACE_SECONDS = 864_000;

    @TempDir
    private Path directory;

    private CassandraPeer peer;
    private LiveNode node;
    private LiveTable table;
    private FenceLease lease;

    @BeforeEach
    void createTable(CassandraPeer given) throws IOException {
        peer = given;
        peer.executeAll(List.of(
                "DROP KEYSPACE IF EXISTS " + KEYSPACE,
                "CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"));
        createTable();
        node = LiveNodeTest.open(peer);
        table = table("t");
        lease = FenceLease.open(node, directory.resolve("agent"));
    }

    private void createTable() {
        peer.executeAll(List.of(
                "CREATE TABLE " + TABLE + " (k int PRIMARY KEY, v text) WITH gc_grace_seconds = " + GC_GRACE_SECONDS
                        + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}",
                "INSERT INTO " + TABLE + " (k, v) VALUES (1, 'old') USING TIMESTAMP 1000"));
    }

    private LiveTable table(String name) throws LiveNodeException {
        return node.table(KEYSPACE, name).orElseThrow();
    }

    @AfterEach
    void disconnect() throws IOException {
        lease.close();
        node.close();
    }

    private GuardedTables hold() throws IOException {
        return GuardedTables.hold(node, List.of(table), lease, InstantSource.system(), TAG);
    }

    private Instant deadline(GuardedTables guarded, Instant snapshotAt) {
        return guarded.deadline(snapshotAt, Duration.ofSeconds(10));
    }

    /** What a repair stages, as far as this table goes: the rows of a snapshot, from whatever replica. */
    private Path stage() throws IOException {
        return stage(table);
    }

    private Path stage(LiveTable some) throws IOException {
        Path snapshot = node.snapshotDirectories(TAG, some).get(0);
        Path staged = Files.createDirectories(
                directory.resolve("staged").resolve(KEYSPACE).resolve(some.name()));
        try (Stream<Path> files = Files.list(snapshot)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".db")
                            || file.toString().endsWith(".crc32")
                            || file.toString().endsWith(".txt"))
                    .toList()) {
                Files.copy(file, staged.resolve(file.getFileName()));
            }
        }
        return staged;
    }

    private List<String> values() {
        return peer.execute("SELECT v FROM " + TABLE).column("v");
    }

    /** So long ago that a compaction drops it, and with it what it deletes. */
    private void deleteLongAgoAndCompact() {
        long at = Instant.now().getEpochSecond() - GC_GRACE_SECONDS - 3_600;
        peer.executeBound(
                at,
                List.of(new BoundStatement("DELETE FROM " + TABLE + " USING TIMESTAMP 2000 WHERE k = 1", List.of())));
        peer.flush(KEYSPACE, "t");
        peer.compact(KEYSPACE, "t");
    }

    private void assertRefused(GuardedTables guarded, Path staged, Instant deadline, String reason) {
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> guarded.importAll(node, Map.of(table, staged), deadline))
                .withMessageContaining("nothing is imported")
                .withMessageContaining(reason);
        assertThat(staged).isDirectoryContaining(file -> file.toString().endsWith("-Data.db"));
    }

    @Test
    void shouldImportWhatIsStagedAndLeaveNothingBehind() throws IOException {
        try (GuardedTables guarded = hold()) {
            assertThat(node.neverPurges(table)).isTrue();
            assertThat(lease.tables()).containsExactly(TABLE);
            Instant deadline = deadline(guarded, guarded.takeSnapshot());
            Path staged = stage();
            int before = peer.sstables(KEYSPACE, "t").size();

            guarded.importAll(node, Map.of(table, staged), deadline);

            assertThat(peer.sstables(KEYSPACE, "t")).hasSize(before + 1);
            assertThat(values()).containsExactly("old");
        }
        assertThat(node.neverPurges(table)).isFalse();
        assertThat(lease.tables()).isEmpty();
        assertThat(node.snapshotDirectories(TAG, table)).isEmpty();
    }

    @Test
    void shouldNotBringBackWhatWasTruncated() throws IOException {
        try (GuardedTables guarded = hold()) {
            Instant deadline = deadline(guarded, guarded.takeSnapshot());
            Path staged = stage();
            peer.truncate(KEYSPACE, "t");

            assertRefused(guarded, staged, deadline, "table was truncated");

            assertThat(values()).isEmpty();
            peer.importDirectory(KEYSPACE, "t", staged);
            assertThat(values()).as("without a guard").containsExactly("old");
        }
    }

    @Test
    void shouldGoByTheTableThatKeepsDeletionsForTheShortestTime() throws IOException {
        peer.execute("CREATE TABLE " + KEYSPACE + ".brief (k int PRIMARY KEY) WITH gc_grace_seconds = 3600");
        try (GuardedTables guarded =
                GuardedTables.hold(node, List.of(table, table("brief")), lease, InstantSource.system(), TAG)) {
            Instant at = guarded.takeSnapshot();

            assertThat(guarded.deadline(at, Duration.ZERO)).isEqualTo(at.plusSeconds(3_600));
        }
    }

    @Test
    void shouldSayWhatHasChangedWhileItImported() throws IOException {
        try (JmxGate gate = JmxGate.watched(peer, operation -> {
                    if (operation.equals("importNewSSTables")) {
                        peer.execute("ALTER TABLE " + TABLE + " WITH gc_grace_seconds = 1");
                    }
                });
                LiveNode watched = LiveNode.open(gate.config(), HostEnvironment.system());
                GuardedTables guarded = hold()) {
            Instant deadline = deadline(guarded, guarded.takeSnapshot());
            Path staged = stage();

            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> guarded.importAll(watched, Map.of(table, staged), deadline))
                    .withMessageContaining("rows were imported while the node changed")
                    .withMessageContaining("schema has changed");
        }
    }

    /** Before anybody is told that the snapshot is taken. */
    @Test
    void shouldNotBringBackWhatWasTruncatedRightAfterTheSnapshot() throws IOException {
        Instant start = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        Instant[] now = {start};
        try (JmxGate gate = JmxGate.watched(peer, operation -> {
                    if (operation.equals("takeSnapshot")) {
                        now[0] = start.plusSeconds(60);
                        peer.truncate(KEYSPACE, "t");
                    }
                });
                LiveNode watched = LiveNode.open(gate.config(), HostEnvironment.system());
                GuardedTables guarded = GuardedTables.hold(watched, List.of(table), lease, () -> now[0], TAG)) {
            Instant at = guarded.takeSnapshot();

            assertThat(at).as("since then deletions may be missing in it").isEqualTo(start);
            assertRefused(guarded, stage(), deadline(guarded, at), "table was truncated");
        }
    }

    @Test
    void shouldNotBringBackWhatWasDeletedAndPurged() throws IOException {
        try (GuardedTables guarded = hold()) {
            Instant deadline = deadline(guarded, guarded.takeSnapshot());
            Path staged = stage();
            deleteLongAgoAndCompact();

            guarded.importAll(node, Map.of(table, staged), deadline);

            assertThat(values()).isEmpty();
        }
    }

    @Test
    void shouldBringBackWhatWasPurgedWhereNothingHoldsIt() throws IOException {
        node.takeSnapshot(TAG, List.of(table), Duration.ofDays(1));
        Path staged = stage();
        node.clearSnapshot(TAG, Set.of(KEYSPACE));
        deleteLongAgoAndCompact();

        peer.importDirectory(KEYSPACE, "t", staged);

        assertThat(values()).as("this is why there is a fence").containsExactly("old");
    }

    @Test
    void shouldRefuseWhenDeletionsAreNoLongerHeld() throws IOException {
        try (GuardedTables guarded = hold()) {
            Instant deadline = deadline(guarded, guarded.takeSnapshot());
            Path staged = stage();
            lease.reset(node);

            assertRefused(guarded, staged, deadline, "deletions are no longer held");
        }
    }

    @Test
    void shouldRefuseAnAlteredTable() throws IOException {
        try (GuardedTables guarded = hold()) {
            Instant deadline = deadline(guarded, guarded.takeSnapshot());
            Path staged = stage();
            peer.execute("ALTER TABLE " + TABLE + " WITH gc_grace_seconds = 1");

            assertRefused(guarded, staged, deadline, "schema has changed");
        }
    }

    @Test
    void shouldRefuseATableThatWasMadeAgain() throws IOException {
        try (GuardedTables guarded = hold()) {
            Instant deadline = deadline(guarded, guarded.takeSnapshot());
            Path staged = stage();
            peer.execute("DROP TABLE " + TABLE);
            createTable();

            assertRefused(guarded, staged, deadline, "table was dropped and made again");
        }
    }

    @Test
    void shouldRefuseADroppedTable() throws IOException {
        try (GuardedTables guarded = hold()) {
            Instant deadline = deadline(guarded, guarded.takeSnapshot());
            Path staged = stage();
            peer.execute("DROP TABLE " + TABLE);

            assertRefused(guarded, staged, deadline, "table was dropped");
        }
    }

    @Test
    void shouldRefuseAfterTheDeadline() throws IOException {
        Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        InstantSource[] clock = {InstantSource.fixed(now.plusNanos(999_999))};
        try (GuardedTables guarded = GuardedTables.hold(node, List.of(table), lease, () -> clock[0].instant(), TAG)) {
            Instant deadline = deadline(guarded, guarded.takeSnapshot());
            assertThat(deadline).isEqualTo(now.plusSeconds(GC_GRACE_SECONDS - 10));
            assertThat(guarded.deadline(now.minusSeconds(7), Duration.ZERO))
                    .as("another replica's snapshot is earlier")
                    .isEqualTo(now.plusSeconds(GC_GRACE_SECONDS - 7));
            assertThat(guarded.deadline(now.plusSeconds(7), Duration.ZERO))
                    .as("it is later")
                    .isEqualTo(now.plusSeconds(GC_GRACE_SECONDS));
            Path staged = stage();
            clock[0] = InstantSource.fixed(deadline);

            assertRefused(guarded, staged, deadline, "deletions written since the snapshot may be purged");
        }
    }

    @Test
    void shouldLetGoWhatAKilledRunLeftHeld() throws IOException {
        // Nobody closes it, as after a kill.
        hold();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> FenceLease.open(node, directory.resolve("agent")))
                .withMessageContaining("node has an agent that runs");
        lease.close();
        lease = FenceLease.open(node, directory.resolve("agent"));
        assertThat(lease.tables()).containsExactly(TABLE);
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(this::hold)
                .withMessageContaining("has left them held");

        lease.reset(node);

        assertThat(node.neverPurges(table)).isFalse();
        hold().close();
    }

    /** It goes on in the node: were deletions purged meanwhile, its rows would come after that. */
    @Test
    void shouldHoldDeletionsUntilTheImportHasEndedThatAKilledRunHadAskedFor() throws Exception {
        GuardedTables guarded = hold();
        Instant deadline = deadline(guarded, guarded.takeSnapshot());
        Path staged = stage();
        // A file that nobody writes to: the node's import waits when it opens it.
        Path pipe = staged.resolve(peer.sstables(KEYSPACE, "t").get(0).getFileName());
        Files.delete(pipe);
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        CompletableFuture<Void> importing = run(() -> guarded.importAll(node, Map.of(table, staged), deadline));
        try (LiveNode next = LiveNodeTest.open(peer)) {
            boolean held;
            CompletableFuture<Void> reset;
            try (LiveNode asked = LiveNodeTest.open(peer)) {
                LiveCluster.await("the node imports", () -> importsUnderWay() == 1);
                reset = run(() -> lease.reset(next));
                LiveCluster.await("it waits for that", () -> importsUnderWay() == 2 || reset.isDone());
                held = asked.neverPurges(table);
            } finally {
                // It opens while somebody may write to it, and is no SSTable.
                RandomAccessFile written = new RandomAccessFile(pipe.toFile(), "rw");
                assertThat(importing).failsWithin(Duration.ofMinutes(1));
                written.close();
            }
            assertThat(held).isTrue();
            assertThat(reset).succeedsWithin(Duration.ofMinutes(1));
        }
        assertThat(node.neverPurges(table)).isFalse();
    }

    private interface Step {
        void run() throws IOException;
    }

    private static CompletableFuture<Void> run(Step step) {
        return CompletableFuture.runAsync(() -> {
            try {
                step.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** How many the node does, or has been asked to do. */
    private long importsUnderWay() {
        try (JMXConnector connector = JMXConnectorFactory.connect(JmxGate.url(peer.jmxPort()))) {
            ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(
                    connector.getMBeanServerConnection(), ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
            return Stream.of(threads.dumpAllThreads(false, false))
                    .filter(thread -> Stream.of(thread.getStackTrace())
                            .anyMatch(frame -> frame.getClassName().endsWith(".SSTableImporter")
                                    && frame.getMethodName().equals("importNewSSTables")))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Else a crash in between would leave them held. */
    @Test
    void shouldWriteDownWhatItIsToHoldBeforeItDoes() throws IOException {
        List<String> written = new ArrayList<>();
        try (JmxGate gate = JmxGate.open(peer, name -> {
                    if (name.equals("NeverPurgeTombstones")) {
                        written.add(heldTables().toString());
                    }
                    return false;
                });
                LiveNode watched = LiveNode.open(gate.config(), HostEnvironment.system())) {
            GuardedTables.hold(watched, List.of(table), lease, InstantSource.system(), TAG)
                    .close();
        }
        assertThat(written).as("set, and set back").containsExactly("[" + TABLE + "]", "[" + TABLE + "]");
        assertThat(lease.tables()).isEmpty();
    }

    private List<String> heldTables() {
        try {
            return lease.tables();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldHoldNothingOfWhatSomebodyElseHolds() throws IOException {
        hold();
        // An agent held it that was killed, and whose directory is lost; an operator's hold looks the same.
        Files.delete(directory.resolve("agent").resolve("fence"));

        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(this::hold)
                .withMessageContaining("somebody else holds deletions")
                .withMessageContaining("--no-fence")
                .withMessageContaining("table=" + TABLE);

        assertThat(lease.tables()).isEmpty();
        lease.reset(node);
        assertThat(node.neverPurges(table)).as("it is not ours").isTrue();
    }

    @Test
    void shouldHaveOneLeaseOfANode() throws IOException {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> FenceLease.open(node, directory.resolve("other")))
                .withMessageContaining("node has an agent that runs")
                .withMessageContaining("pid=" + ProcessHandle.current().pid());
        lease.close();

        FenceLease.open(node, directory.resolve("other")).close();
    }

    @Test
    void shouldHaveHalfOfTheTimeWithoutAFence() throws IOException {
        try (GuardedTables guarded = GuardedTables.hold(
                node, List.of(table), lease, InstantSource.system(), TAG, GuardedTables.Fence.NONE)) {
            assertThat(node.neverPurges(table)).isFalse();
            assertThat(lease.tables()).isEmpty();
            Instant snapshotAt = guarded.takeSnapshot();
            Instant deadline = deadline(guarded, snapshotAt);
            assertThat(deadline).isEqualTo(snapshotAt.plusSeconds(GC_GRACE_SECONDS / 2 - 10));
            Path staged = stage();

            assertThat(guarded.importAll(node, Map.of(table, staged), deadline)).isEqualTo(1);

            assertThat(values()).containsExactly("old");
        }
        assertThat(node.snapshotDirectories(TAG, table)).isEmpty();
    }

    @Test
    void shouldNameTheWayOnWhereDeletionsMayNotBeHeld() throws IOException {
        try (JmxGate gate = JmxGate.open(peer, "NeverPurgeTombstones"::equals);
                LiveNode refused = LiveNode.open(gate.config(), HostEnvironment.system())) {
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> GuardedTables.hold(refused, List.of(table), lease, InstantSource.system(), TAG))
                    .withMessageContaining("deletions could not be held")
                    .withMessageContaining("--no-fence")
                    .withMessageContaining("Access Denied");
            GuardedTables.hold(refused, List.of(table), lease, InstantSource.system(), TAG, GuardedTables.Fence.NONE)
                    .close();
        }
        assertThat(node.neverPurges(table)).isFalse();
    }

    @Test
    void shouldHoldNoneOfTheTablesWhereOneMayNotBeHeld() throws IOException {
        peer.execute("CREATE TABLE " + KEYSPACE + ".second (k int PRIMARY KEY)");
        AtomicInteger sets = new AtomicInteger();
        try (JmxGate gate =
                        JmxGate.open(peer, name -> name.equals("NeverPurgeTombstones") && sets.incrementAndGet() == 2);
                LiveNode refused = LiveNode.open(gate.config(), HostEnvironment.system())) {
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> GuardedTables.hold(
                            refused, List.of(table, table("second")), lease, InstantSource.system(), TAG))
                    .withMessageContaining("deletions could not be held");
        }
        assertThat(node.neverPurges(table)).isFalse();
        assertThat(lease.tables()).isEmpty();
    }

    private static String counters(String name) {
        return "CREATE TABLE " + KEYSPACE + "." + name + " (k int PRIMARY KEY, v counter)"
                + " WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}";
    }

    private void createCounters() throws IOException {
        peer.executeAll(List.of("DROP TABLE " + TABLE, counters("t"), counters("later")));
        table = table("t");
    }

    /** The table's one counter is 10 in its files and in the node's cache; answers a file in which the same node has 15 later. */
    private Path count() throws IOException {
        peer.executeAll(List.of(
                "UPDATE " + TABLE + " SET v = v + 10 WHERE k = 1",
                "UPDATE " + KEYSPACE + ".later SET v = v + 15 WHERE k = 1"));
        peer.flush(KEYSPACE, "t");
        Path staged = directory.resolve("staged").resolve(KEYSPACE).resolve("t");
        peer.copySSTables(KEYSPACE, "later", staged);
        return staged;
    }

    private List<String> countOneMore() {
        peer.execute("UPDATE " + TABLE + " SET v = v + 1 WHERE k = 1");
        return values();
    }

    @Test
    void shouldCountOnFromWhatWasImported() throws IOException {
        createCounters();
        try (GuardedTables guarded = hold()) {
            Path staged = count();
            Instant deadline = deadline(guarded, guarded.takeSnapshot());

            guarded.importAll(node, Map.of(table, staged), deadline);

            assertThat(values()).containsExactly("15");
            assertThat(countOneMore()).containsExactly("16");
        }
    }

    /** Some of it may be, of which nothing is known. */
    @Test
    void shouldCountOnFromWhatWasImportedThoughNotAllWas() throws IOException {
        createCounters();
        Path[] staged = new Path[1];
        try (JmxGate gate = JmxGate.watched(peer, operation -> {
                    if (operation.equals("importNewSSTables")) {
                        leave(staged[0]);
                    }
                });
                LiveNode watched = LiveNode.open(gate.config(), HostEnvironment.system());
                GuardedTables guarded = hold()) {
            staged[0] = count();
            Instant deadline = deadline(guarded, guarded.takeSnapshot());

            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> guarded.importAll(watched, Map.of(table, staged[0]), deadline))
                    .withMessageContaining("Cassandra did not import all SSTables")
                    .withMessageContaining("left-Data.db");

            assertThat(countOneMore()).containsExactly("16");
        }
    }

    private static void leave(Path staged) {
        try {
            Files.createFile(staged.resolve("left-Data.db"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldCountOnFromTheCacheWhereNothingEmptiesIt() throws IOException {
        createCounters();
        Path staged = count();

        peer.importDirectory(KEYSPACE, "t", staged);

        assertThat(values()).containsExactly("15");
        assertThat(countOneMore()).as("this is why the cache is emptied").containsExactly("11");
    }

    @Test
    void shouldRefuseCountersWhoseCacheMayNotBeEmptied() throws IOException {
        createCounters();
        AtomicBoolean refuses = new AtomicBoolean(true);
        try (JmxGate gate = JmxGate.open(peer, name -> refuses.get() && name.equals("invalidateCounterCache"));
                LiveNode refused = LiveNode.open(gate.config(), HostEnvironment.system())) {
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(() -> GuardedTables.hold(refused, List.of(table), lease, InstantSource.system(), TAG))
                    .withMessageContaining("may not be emptied")
                    .withMessageContaining("EXECUTE on mbean:org.apache.cassandra.db:type=Caches");
            assertThat(node.neverPurges(table)).isFalse();

            refuses.set(false);
            try (GuardedTables guarded =
                    GuardedTables.hold(refused, List.of(table), lease, InstantSource.system(), TAG)) {
                Path staged = count();
                Instant deadline = deadline(guarded, guarded.takeSnapshot());
                refuses.set(true);
                assertThatExceptionOfType(LiveNodeException.class)
                        .isThrownBy(() -> guarded.importAll(refused, Map.of(table, staged), deadline))
                        .withMessageContaining("nodetool invalidatecountercache")
                        .withMessageContaining("counters were imported");
            }
        }
    }

    /** Where nothing is going to be imported the node is asked what it knows, and does nothing but its snapshot. */
    @Test
    void shouldChangeNothingOfANodeThatIsOnlyLookedAt() throws IOException {
        createCounters();
        try (JmxGate gate = JmxGate.open(peer, name -> false);
                LiveNode looked = LiveNode.open(gate.config(), HostEnvironment.system())) {
            try (GuardedTables guarded = GuardedTables.hold(
                    looked, List.of(table), lease, InstantSource.system(), TAG, GuardedTables.Fence.UNNEEDED)) {
                Path staged = count();
                Instant snapshotAt = guarded.takeSnapshot();
                Instant deadline = deadline(guarded, snapshotAt);
                assertThat(deadline).isEqualTo(snapshotAt.plusSeconds(GC_GRACE_SECONDS - 10));

                assertRefused(guarded, staged, deadline, "it was said that nothing would be imported");
            }
            assertThat(gate.asked())
                    .contains("invoke takeSnapshot of org.apache.cassandra.db:type=StorageService")
                    .noneMatch(what -> what.startsWith("set ") || what.contains("CounterCache"));
        }
        assertThat(lease.tables()).isEmpty();
        assertThat(node.snapshotDirectories(TAG, table)).isEmpty();
    }

    /** All of each table at the imports of all would be asked as often as there are tables. */
    @Test
    void shouldAskOfOtherTablesNothingAtTheImportOfOne() throws IOException {
        List<String> names = List.of("t", "t1", "t2", "t3", "t4", "t5");
        for (String name : names.subList(1, names.size())) {
            peer.executeAll(List.of(
                    "CREATE TABLE " + KEYSPACE + "." + name + " (k int PRIMARY KEY, v text)",
                    "INSERT INTO " + KEYSPACE + "." + name + " (k, v) VALUES (1, 'old')"));
        }
        List<LiveTable> tables = new ArrayList<>();
        for (String name : names) {
            tables.add(table(name));
        }
        try (JmxGate gate = JmxGate.open(peer, name -> false);
                LiveNode now = LiveNode.open(gate.config(), HostEnvironment.system());
                GuardedTables guarded = GuardedTables.hold(node, tables, lease, InstantSource.system(), TAG)) {
            Instant deadline = deadline(guarded, guarded.takeSnapshot());
            Map<LiveTable, Path> staged = new LinkedHashMap<>();
            for (LiveTable some : tables) {
                staged.put(some, stage(some));
            }
            // To connect by CQL it asks whom, once.
            assertThat(now.tables(KEYSPACE)).containsAll(names);
            gate.asked();

            assertThat(guarded.importAll(now, staged, deadline)).isEqualTo(tables.size());

            List<String> asked = gate.asked();
            String fence = "get NeverPurgeTombstones of org.apache.cassandra.db:type=Tables,keyspace=" + KEYSPACE;
            List<String> ofTables = asked.stream()
                    .filter(what -> what.startsWith(fence) || what.startsWith("invoke importNewSSTables"))
                    .toList();
            assertThat(ofTables).hasSize(3 * tables.size());
            for (int i = 0; i < tables.size(); i++) {
                String bean = "table=" + names.get(i);
                assertThat(ofTables.subList(3 * i, 3 * i + 3))
                        .as("its fence, its import, and its fence again")
                        .allMatch(what -> what.endsWith(bean))
                        .element(1)
                        .asString()
                        .startsWith("invoke importNewSSTables");
            }
            assertThat(asked.size() % tables.size())
                    .as("as much of each as of every other, asked=" + asked)
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gc_grace", "view", "transient"})
    void shouldRefuseByName(String what) throws IOException {
        switch (what) {
            case "gc_grace" -> peer.execute("ALTER TABLE " + TABLE + " WITH gc_grace_seconds = 0");
            case "view" ->
                peer.execute("CREATE MATERIALIZED VIEW " + KEYSPACE + ".w AS SELECT * FROM " + TABLE
                        + " WHERE v IS NOT NULL AND k IS NOT NULL PRIMARY KEY (v, k)");
            default ->
                peer.executeAll(List.of(
                        "DROP KEYSPACE " + KEYSPACE,
                        "CREATE KEYSPACE " + KEYSPACE
                                + " WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': '2/1'}",
                        "CREATE TABLE " + TABLE + " (k int PRIMARY KEY, v text) WITH read_repair = 'NONE'"));
        }
        table = table("t");

        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(this::hold)
                .withMessageContaining("rows must not be imported into the table")
                .withMessageContaining(what);
        assertThat(node.neverPurges(table)).isFalse();
        assertThat(lease.tables()).isEmpty();
    }
}
