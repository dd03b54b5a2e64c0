package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.Connector;
import io.anneal.net.CorruptFrameException;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.node.Waiver;
import io.anneal.schema.SchemaText;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.Fault;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas that can't keep what they received: the others keep theirs, and it is known who kept what. */
@Timeout(60)
class LastStepTest {
    private static final int ROWS = 5;
    private static final int REPLICAS = 3;

    @TempDir
    private Path directory;

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final List<StagingArea> stagings = new ArrayList<>();
    private final List<TestTable> tables = new ArrayList<>();
    private final List<Nodes> nodes = new ArrayList<>();
    private final List<RepairReport> unfinished = new ArrayList<>();
    private Nodes client;

    /** Each has the rows of a partition of its own. */
    @BeforeEach
    void start() throws IOException {
        for (int i = 0; i < REPLICAS; i++) {
            StagingArea staging = Sessions.staging(directory.resolve("staging-" + i));
            stagings.add(staging);
            TestTable table = new TestTable("replica-" + i, Sessions.rows(KEYS.get(i), ROWS), Optional.of(staging));
            tables.add(table);
            nodes.add(new Nodes((handlers, node) -> {
                new RepairService(Nodes.replicas(table.opener()), node.executor(), ByteBudget.of(64 << 20))
                        .register(handlers);
                new RepairRunner(
                                node.id(), Nodes.replicas(table.opener()), node.client(), node.waiting(), environment())
                        .register(handlers);
            }));
        }
        client = new Nodes((handlers, node) -> {});
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        for (Nodes node : nodes) {
            node.close();
        }
        executor.shutdownNow();
        for (StagingArea staging : stagings) {
            staging.close();
        }
    }

    /** Nobody waits before the next attempt. */
    private RepairEnvironment environment() {
        HostEnvironment host = HostEnvironment.system()
                .withTime(() -> Instant.ofEpochSecond(100), System::nanoTime, nanos -> {})
                .withRandom(new Random(1));
        return new RepairEnvironment(host, executor, ByteBudget.of(64 << 20));
    }

    private Repair repair(List<RepairMember> members) {
        return Repair.of("ks.t")
                .between(members)
                .range(TokenRange.FULL)
                .allow(Set.of(Waiver.EMPTY_REPLICA))
                .unfinishedReports((table, report) -> unfinished.add(report));
    }

    private List<RepairMember> here() {
        return tables.stream()
                .map(table -> RepairMember.here(table.name(), table.opener()))
                .toList();
    }

    /** The first is the master. */
    private List<RepairMember> overNodes() {
        Connector connector = client.client().keepAll(5_000);
        return nodes.stream()
                .map(node -> RepairMember.at(connector, RepairRunner.address(node.address())))
                .toList();
    }

    private static FragmentList all() {
        return Sessions.rows(KEYS.subList(0, REPLICAS), ROWS);
    }

    private void requireOthersKept(RepairReport report, int failed) throws IOException {
        for (int i = 0; i < REPLICAS; i++) {
            RepairReport.ReplicaReport replica = report.replicas().get(i);
            if (i != failed) {
                assertThat(replica.unkept()).as("replica=%d", i).isEmpty();
                assertThat(replica.rowsWritten()).as("replica=%d", i).isEqualTo((REPLICAS - 1L) * ROWS);
                assertThat(replica.sstables()).as("replica=%d", i).hasSize(1);
                assertThat(tables.get(i).stagedLines()).as("replica=%d", i).hasSizeGreaterThan((REPLICAS - 1) * ROWS);
            }
        }
    }

    private void requireUnkept(RepairReport report, int failed, boolean mayBeKept, String reason) throws IOException {
        assertThat(report.replicas().get(failed).unkept()).singleElement().satisfies(part -> {
            assertThat(part.ranges()).containsExactly(TokenRange.FULL);
            assertThat(part.items()).isEqualTo((REPLICAS - 1) * ROWS);
            assertThat(part.mayBeKept()).isEqualTo(mayBeKept);
            assertThat(part.reason()).contains(reason);
        });
        assertThat(report.replicas().get(failed).sstables()).isEmpty();
        requireOthersKept(report, failed);
    }

    private static void fullDisk() throws IOException {
        throw new IOException("No space left on device");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldSayWhatEachKeptWhenDiskOfOneIsFull(int failed) throws IOException {
        tables.get(failed).beforeComplete = LastStepTest::fullDisk;

        assertThatThrownBy(() -> repair(here()).run(environment())).hasMessageContaining("No space left");

        assertThat(unfinished).hasSize(1);
        requireUnkept(unfinished.get(0), failed, false, "No space left");
        assertThat(tables.get(failed).stagedFiles()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldSayTheSameOfReplicasOfOtherNodes(int failed) throws IOException {
        tables.get(failed).beforeComplete = LastStepTest::fullDisk;

        assertThatThrownBy(() -> repair(overNodes()).run(environment())).hasMessageContaining("No space left");

        assertThat(unfinished).hasSize(1);
        requireUnkept(unfinished.get(0), failed, false, "No space left");
    }

    /** What a replica kept is its data from then on. */
    private void keepsCount() {
        tables.forEach(table -> table.afterComplete = () -> table.rows = all());
    }

    @Test
    void shouldGiveTheOneWhatItLacksAndTellOfAllWhenItPassesTheNextTime() throws IOException {
        keepsCount();
        AtomicBoolean failed = new AtomicBoolean();
        tables.get(1).beforeComplete = () -> {
            if (failed.compareAndSet(false, true)) {
                throw new RepairException("truncated", (Throwable) null, Optional.of(RepairCode.TRUNCATED));
            }
        };

        RepairReport report = repair(here()).run(environment());

        assertThat(unfinished).isEmpty();
        assertThat(report.sessionIds()).hasSize(2);
        assertThat(report.rowsDiffering()).isEqualTo(REPLICAS * ROWS);
        assertThat(report.notes()).isEmpty();
        requireOthersKept(report, REPLICAS);
    }

    /** It kept nothing, or all, and its master can't tell which. */
    private void isLost(Connector connector, boolean hasKept, int timesMax) {
        TestTable lost = tables.get(REPLICAS - 1);
        AtomicInteger times = new AtomicInteger();
        lost.beforeComplete = () -> {
            if (times.incrementAndGet() > timesMax) {
                return;
            }
            if (hasKept) {
                lost.rows = all();
            }
            cutOff(connector);
            if (!hasKept) {
                throw new IOException("killed");
            }
        };
    }

    private void cutOff(Connector connector) throws IOException {
        Connection connection =
                connector.open(RepairRunner.address(nodes.get(REPLICAS - 1).address()));
        connection.close();
        // Else the answer may come first, and nothing is lost.
        while (connection.isOpen()) {
            Thread.onSpinWait();
        }
    }

    private List<RepairMember> lastBehind(Connector connector) {
        return List.of(
                here().get(0),
                here().get(1),
                RepairMember.at(
                        connector, RepairRunner.address(nodes.get(REPLICAS - 1).address())));
    }

    @Test
    void shouldSayOfAReplicaThatIsLostEachTimeThatItMayHaveKeptWhatItGot() throws IOException {
        keepsCount();
        Connector connector = client.client().keepAll(5_000);
        isLost(connector, false, Integer.MAX_VALUE);

        assertThatThrownBy(() -> repair(lastBehind(connector)).run(environment()))
                .isInstanceOf(IOException.class);

        assertThat(unfinished).hasSize(1);
        requireUnkept(unfinished.get(0), REPLICAS - 1, true, "");
        assertThat(unfinished.get(0).rowsDiffering()).isEqualTo(REPLICAS * ROWS);
    }

    @Test
    void shouldNotSayWhatAReplicaKeptWhoseAnswerWasLost() throws IOException {
        keepsCount();
        Connector connector = client.client().keepAll(5_000);
        isLost(connector, true, 1);

        RepairReport report = repair(lastBehind(connector)).run(environment());

        requireOthersKept(report, REPLICAS - 1);
        assertThat(report.replicas().get(REPLICAS - 1).unkept()).isEmpty();
        assertThat(report.replicas().get(REPLICAS - 1).sstables()).isEmpty();
        assertThat(report.notes())
                .singleElement()
                .asString()
                .contains("lost before it said whether it kept")
                .contains("replica=replica-2");
    }

    @Test
    void shouldTakeAnAnswerInABrokenFrameForLost() {
        assertThat(LastStep.mayBeKept(new CorruptFrameException("127.0.0.1:7000", 0, "payload checksum is wrong")))
                .isTrue();
        assertThat(LastStep.mayBeKept(new RepairException("refused", (Throwable) null, Optional.empty())))
                .isFalse();
    }

    @Test
    void shouldNotSayThatAReplicaLacksWhatALostAttemptMayHaveGivenIt() {
        AtomicInteger times = new AtomicInteger();
        tables.get(1).beforeComplete = () -> {
            if (times.incrementAndGet() == 1) {
                throw new RepairException("truncated", (Throwable) null, Optional.of(RepairCode.TRUNCATED));
            }
            // Nobody hears what the replicas keep from here on.
            client.close();
        };

        assertThatThrownBy(() -> repair(overNodes()).run(environment())).isInstanceOf(IOException.class);

        assertThat(unfinished).singleElement().satisfies(report -> {
            assertThat(report.notes()).anyMatch(note -> note.contains("an attempt was lost while replicas kept"));
            assertThat(report.replicas().get(1).unkept())
                    .singleElement()
                    .satisfies(part -> assertThat(part.mayBeKept()).isTrue());
        });
    }

    /** What it staged is no data of its own yet, so it is given the same again. */
    private void requireMayBeKept(List<RepairMember> members, int failed) throws IOException {
        assertThatThrownBy(() -> repair(members).run(environment())).hasMessageContaining("No space left");

        assertThat(unfinished)
                .singleElement()
                .satisfies(report -> assertThat(report.replicas().get(failed).unkept())
                        .singleElement()
                        .satisfies(part -> assertThat(part.mayBeKept()).isTrue()));
        assertThat(tables.get(failed).stagedFiles()).isNotEmpty();
    }

    @Test
    void shouldNotSayThatAReplicaOnAFullDiskLacksWhatItKeptWhenItsAnswerWasLost() throws IOException {
        Connector connector = client.client().keepAll(5_000);
        AtomicInteger times = new AtomicInteger();
        tables.get(REPLICAS - 1).beforeComplete = () -> {
            if (times.incrementAndGet() > 1) {
                fullDisk();
            }
            cutOff(connector);
        };

        requireMayBeKept(lastBehind(connector), REPLICAS - 1);
    }

    /** As after a master that was killed and came back. */
    @Test
    void shouldNotSayThatAReplicaOnAFullDiskLacksWhatAnAttemptMayHaveGivenItOfWhichNothingIsKnown() {
        tables.get(1).beforeComplete = LastStepTest::fullDisk;
        assertThatThrownBy(() -> repair(here()).run(environment())).hasMessageContaining("No space left");

        RepairReport report = unfinished.get(0).after(RepairReport.sum(List.of(), false));

        assertThat(report.replicas().get(1).unkept())
                .singleElement()
                .satisfies(part -> assertThat(part.mayBeKept()).isTrue());
    }

    @Test
    void shouldNotSayThatAReplicaOnAFullDiskLacksWhatItKeptWhenAnotherOneFailed() throws IOException {
        AtomicInteger times = new AtomicInteger();
        tables.get(1).beforeComplete = () -> {
            if (times.incrementAndGet() == 1) {
                throw new RepairException("truncated", (Throwable) null, Optional.of(RepairCode.TRUNCATED));
            }
        };
        AtomicInteger timesOfLast = new AtomicInteger();
        tables.get(REPLICAS - 1).beforeComplete = () -> {
            if (timesOfLast.incrementAndGet() > 1) {
                fullDisk();
            }
        };

        requireMayBeKept(here(), REPLICAS - 1);
    }

    @Test
    void shouldSayWhatAStoreOnAFullDiskDidNotKeep() throws IOException {
        HostEnvironment host = HostEnvironment.system().withClock(() -> Instant.ofEpochSecond(100));
        try (FaultyDirectory disk = FaultyDirectory.create(directory);
                Store store = Store.open(disk.path().resolve("store"), StoreConfig.defaults(), host)) {
            Table table = store.createTable(SchemaText.print(Sessions.SCHEMA));
            // What came is brought to the table's files by it, in the last step alone.
            disk.inject(Fault.on(Fault.Operation.LINK));
            List<RepairMember> members =
                    List.of(here().get(0), RepairMember.here("store", new StoreReplicas(store)), here().get(1));

            assertThatThrownBy(() -> repair(members).run(environment())).isInstanceOf(IOException.class);
            disk.heal();

            assertThat(unfinished).singleElement().satisfies(report -> {
                assertThat(report.replicas().get(0).rowsWritten()).isEqualTo(ROWS);
                assertThat(report.replicas().get(1).unkept()).hasSize(1);
                assertThat(report.replicas().get(2).rowsWritten()).isEqualTo(ROWS);
            });
            assertThat(table.sstableCount()).isZero();
        }
    }
}
