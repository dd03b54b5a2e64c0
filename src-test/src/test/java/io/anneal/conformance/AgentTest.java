package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.anneal.agent.Agent;
import io.anneal.agent.AgentKeyspace;
import io.anneal.agent.AgentStatus;
import io.anneal.agent.ClusterHold;
import io.anneal.agent.LiveNode;
import io.anneal.agent.LiveNodeConfig;
import io.anneal.agent.LiveNodeException;
import io.anneal.agent.LiveTable;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.PeerSSTableVersion;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.Directories;
import io.anneal.io.DirectoryLock;
import io.anneal.net.PeerException;
import io.anneal.net.Waiting;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaSource;
import io.anneal.sstable.SSTableVersion;
import io.anneal.testkit.FaultyProxy;
import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent beside a real node, asked over loopback as another process would. */
@WithCassandra
final class AgentTest {
    private static final String KEYSPACE = "agent_test";
    private static final String TABLE = KEYSPACE + ".t";
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final UUID RUN = new UUID(7, 8);

    /** On the file system of the node's data. */
    private Path directory;

    private final ManualClock time = ManualClock.create();
    /** The clock of the agent's machine. */
    private volatile Duration ahead = Duration.ZERO;

    private CassandraPeer peer;
    /** What the agent does each second. */
    private Runnable look;

    private AgentBeside beside;
    private Agent agent;

    @BeforeEach
    void open(CassandraPeer given) throws IOException {
        peer = given;
        directory = Files.createTempDirectory(Path.of("target"), "agent");
        peer.executeAll(List.of(
                "DROP KEYSPACE IF EXISTS " + KEYSPACE,
                "CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE " + TABLE + " (k int PRIMARY KEY, v text)",
                "INSERT INTO " + TABLE + " (k, v) VALUES (1, 'one')"));
        // Only what measures leases stands still: clocks of machines go on.
        HostEnvironment system = HostEnvironment.system();
        HostEnvironment.Threads threads = system.threads();
        HostEnvironment host = system.withTime(
                        () -> system.clock().instant().plus(ahead), time::nanoTime, system.sleeper())
                .withThreads(name -> name.equals("agent") ? looking() : threads.single(name));
        beside = new AgentBeside(peer, directory, host);
        agent = beside.agent();
    }

    /** The agent's own thread, but what it does each second is known. */
    private ScheduledExecutorService looking() {
        return new ScheduledThreadPoolExecutor(1) {
            @Override
            public ScheduledFuture<?> scheduleWithFixedDelay(
                    Runnable command, long initialDelay, long delay, TimeUnit unit) {
                look = command;
                return super.scheduleWithFixedDelay(command, initialDelay, delay, unit);
            }
        };
    }

    @Test
    void shouldSayWhetherAnAgentCouldStart() throws IOException {
        Path other = directory.resolve("other");
        // The one that stands there.
        assertThatThrownBy(() ->
                        Agent.check(LiveNodeTest.config(peer), directory.resolve("agent"), HostEnvironment.system()))
                .hasMessageContaining("node has an agent that runs");
        agent.close();

        AgentStatus node = Agent.check(LiveNodeTest.config(peer), other, HostEnvironment.system());

        assertThat(other).doesNotExist();
        assertThat(node.version()).startsWith("5.0.");
        assertThat(node.run()).isEmpty();
        // Nothing was left that keeps one from starting.
        Agent.open(LiveNodeTest.config(peer), other, HostEnvironment.system()).close();
    }

    @Test
    void shouldBeTheOnlyAgentOfItsNode() throws IOException {
        Path other = directory.resolve("other");
        assertThatThrownBy(() -> Agent.check(LiveNodeTest.config(peer), other, HostEnvironment.system()))
                .hasMessageContaining("node has an agent that runs");
        assertThatThrownBy(() -> Agent.open(LiveNodeTest.config(peer), other, HostEnvironment.system()))
                .hasMessageContaining("node has an agent that runs");
        agent.close();
        try (LiveNode node = LiveNodeTest.open(peer)) {
            assertThat(node.dataDirectories().get(0))
                    .as("nothing of ours stays among the node's data")
                    .isDirectoryNotContaining(AgentTest::isOurs);
        }
    }

    @Test
    void shouldRefuseADirectoryAmongTheNodesData() throws IOException {
        agent.close();
        try (LiveNode node = LiveNodeTest.open(peer)) {
            Path data = node.dataDirectories().get(0);
            Path link = Files.createSymbolicLink(directory.resolve("link"), data.toRealPath());
            for (Path inside : List.of(data, data.resolve("anneal").resolve("agent"), link.resolve("anneal"))) {
                assertThatExceptionOfType(LiveNodeException.class)
                        .isThrownBy(() -> Agent.open(LiveNodeTest.config(peer), inside, HostEnvironment.system()))
                        .withMessageContaining("directory of the agent lies in the node's data")
                        .withMessageContaining(inside.toString());
            }
            assertThat(data).isDirectoryNotContaining(AgentTest::isOurs);
        }
    }

    /** By the file's own name: the directories above it may have any. */
    private static boolean isOurs(Path file) {
        return file.getFileName().toString().contains("anneal");
    }

    private void assertRefusedEitherWay(Path place, String reason) {
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> Agent.check(LiveNodeTest.config(peer), place, HostEnvironment.system()))
                .withMessageContaining(reason)
                .withMessageContaining("directory=" + place);
        assertThatExceptionOfType(LiveNodeException.class)
                .isThrownBy(() -> Agent.open(LiveNodeTest.config(peer), place, HostEnvironment.system()))
                .withMessageContaining(reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {"commitlog_directory", "saved_caches_directory", "hints_directory", "cdc_raw_directory"})
    void shouldRefuseADirectoryAmongTheNodesOtherFiles(String setting) throws IOException {
        agent.close();
        Path there = Path.of(peer.execute("SELECT value FROM system_views.settings WHERE name = '" + setting + "'")
                .column("value")
                .get(0));
        boolean wasThere = Files.isDirectory(there);
        Files.createDirectories(there);

        assertRefusedEitherWay(there.resolve("anneal"), "directory of the agent lies in the node's data");

        assertThat(there.resolve("anneal")).doesNotExist();
        if (!wasThere) {
            Files.delete(there);
        }
    }

    @Test
    void shouldRefuseADirectoryAmongTheDataOfAnotherNode() throws IOException {
        agent.close();
        Path data = directory.resolve("data");
        Files.createDirectories(data.resolve("system_schema").resolve("tables-afddfb9dbc1e30688056eed6c302ba09"));
        Path inside = data.resolve("anneal").resolve("agent");

        assertRefusedEitherWay(inside, "directory of the agent lies in the data of another node");
        assertThat(data.resolve("anneal")).doesNotExist();
        assertRefusedEitherWay(data, "directory of the agent lies in the data of another node");
    }

    @Test
    void shouldForgetTablesThatAreGoneWhenItStarts() throws IOException {
        agent.close();
        Path kept = directory.resolve("agent").resolve("kept");
        // Of system_schema.tables, of all nodes the same.
        Path there = Files.createFile(kept.resolve("afddfb9dbc1e30688056eed6c302ba09.kept"));
        Path gone = Files.createFile(kept.resolve("afddfb9dbc1e30688056eed6c302ba08.kept"));
        Path seed = kept.resolve("seed");
        String secret = Files.readString(seed);

        Agent.open(LiveNodeTest.config(peer), directory.resolve("agent"), HostEnvironment.system())
                .close();

        assertThat(there).exists();
        assertThat(gone).doesNotExist();
        assertThat(seed).hasContent(secret);
    }

    @Test
    void shouldTakeADirectoryThatIsEmptyOrAnAgentsAndNoOther() throws IOException {
        agent.close();
        Path mounted = Files.createDirectories(directory.resolve("mounted"));
        Files.createDirectory(mounted.resolve("lost+found"));
        Agent.open(LiveNodeTest.config(peer), mounted, HostEnvironment.system()).close();
        Files.createFile(mounted.resolve("operators-note"));
        Agent.open(LiveNodeTest.config(peer), mounted, HostEnvironment.system()).close();
        Path others = Files.createDirectories(directory.resolve("others"));
        Files.createFile(others.resolve("CommitLog-7-1.log"));

        assertRefusedEitherWay(others, "directory of the agent has files of others");

        assertThat(others).isDirectoryNotContaining(AgentTest::isOurs);
    }

    @Test
    void shouldMakeNothingWhereItRefusesAnotherFileSystem() throws IOException {
        agent.close();
        Path elsewhere = Path.of("/dev/shm");
        assumeTrue(
                Files.isDirectory(elsewhere) && !Files.getFileStore(elsewhere).equals(Files.getFileStore(directory)),
                "no other file system here");

        assertRefusedEitherWay(elsewhere.resolve("anneal-agent-test"), "is on another file system");

        assertThat(elsewhere.resolve("anneal-agent-test")).doesNotExist();
    }

    @Test
    void shouldSayThatAnotherHasTheDirectory() throws IOException {
        agent.close();
        Path place = directory.resolve("agent");
        try (DirectoryLock other = DirectoryLock.take(place, ".anneal.lock", "directory", Optional.empty())) {
            assertThat(other).isNotNull();
            assertThatThrownBy(() -> Agent.check(LiveNodeTest.config(peer), place, HostEnvironment.system()))
                    .hasMessageContaining("directory of an agent is in use");
        }
    }

    @Test
    void shouldRefuseTheCqlOfAnotherCluster(Peers peers) throws IOException {
        agent.close();
        CassandraPeer other = peers.of(PeerSSTableVersion.DA);
        LiveNodeConfig two = LiveNodeConfig.of(
                LiveNodeTest.config(peer).jmx(),
                LiveNodeTest.config(other).cql().orElseThrow());
        Path place = directory.resolve("agent");
        for (ThrowingCallable begins : List.<ThrowingCallable>of(
                () -> Agent.check(two, place, HostEnvironment.system()),
                () -> Agent.open(two, place, HostEnvironment.system()),
                () -> {
                    try (LiveNode node = LiveNode.open(two, HostEnvironment.system())) {
                        node.tables(KEYSPACE);
                    }
                })) {
            assertThatExceptionOfType(LiveNodeException.class)
                    .isThrownBy(begins)
                    .withMessageContaining("CQL and JMX are of two nodes")
                    .withMessageContaining("cql=" + other.config().address() + ":" + other.cqlPort())
                    .withMessageContaining("cql-host-id=" + hostId(other))
                    .withMessageContaining("jmx=127.0.0.1:" + peer.jmxPort())
                    .withMessageContaining("jmx-host-id=" + hostId(peer));
        }
    }

    private static String hostId(CassandraPeer peer) {
        return peer.execute("SELECT host_id FROM system.local")
                .column("host_id")
                .get(0);
    }

    @ParameterizedTest
    @CsvSource({"alter,schema has changed", "truncate,table was truncated", "drop,table was dropped"})
    void shouldSayWhatHasChangedThoughNothingIsToBeImported(String what, String reason) throws IOException {
        try (ClusterHold hold = take(RUN, TABLE)) {
            hold.takeSnapshots();
            switch (what) {
                case "alter" -> peer.execute("ALTER TABLE " + TABLE + " ADD w text");
                case "truncate" -> peer.truncate(KEYSPACE, "t");
                default -> peer.execute("DROP TABLE " + TABLE);
            }

            assertThat(hold.importAll())
                    .singleElement()
                    .satisfies(imported -> assertThat(imported.failure().orElseThrow())
                            .hasMessageContaining(reason)
                            .matches(ClusterHold::isOver, "no other try changes it"));
            assertThat(hold.look())
                    .singleElement()
                    .satisfies(looked -> assertThat(looked.failure().orElseThrow())
                            .hasMessageContaining(reason)
                            .matches(ClusterHold::isOver, "no other try changes it"));
        }
    }

    @Test
    void shouldSayWhatHasChangedThoughALookFoundNothingBefore() throws IOException {
        try (ClusterHold hold = take(RUN, TABLE)) {
            hold.takeSnapshots();
            assertThat(hold.look().get(0).failure()).isEmpty();
            peer.truncate(KEYSPACE, "t");

            assertThat(hold.look().get(0).failure().orElseThrow()).hasMessageContaining("table was truncated");

            assertThatThrownBy(() -> agentImports()).hasMessageContaining("table was truncated");
        }
    }

    /** Of the agent alone: who holds remembers a look that failed. */
    private void agentImports() throws IOException {
        try (ClusterHold resumed =
                ClusterHold.resume(List.of(beside.asked()), RUN, Duration.ZERO, LEASE, HostEnvironment.system())) {
            resumed.takeSnapshots();
            Throwable failure = resumed.importAll().get(0).failure().orElseThrow();
            throw new IOException(failure.getMessage(), failure);
        }
    }

    private void openBeside(LiveNodeConfig config) throws IOException {
        beside.close();
        beside = new AgentBeside(config, directory, HostEnvironment.system());
    }

    @Test
    void shouldAskNothingAfterALookThatFoundNothingStaged() throws IOException {
        try (JmxGate gate = JmxGate.open(peer, name -> false)) {
            openBeside(gate.config());
            try (ClusterHold hold = take(RUN, TABLE)) {
                hold.takeSnapshots();
                assertThat(hold.look().get(0).failure()).isEmpty();
                gate.asked();

                assertThat(hold.importAll().get(0).failure()).isEmpty();

                assertThat(gate.asked()).isEmpty();
            }
            beside.close();
        }
    }

    @Test
    void shouldGoOnByANewConnectionWhereTheOldOneHasBroken() throws IOException {
        LiveNodeConfig direct = LiveNodeTest.config(peer);
        try (FaultyProxy between = FaultyProxy.to(direct.cql().orElseThrow())) {
            openBeside(LiveNodeConfig.of(direct.jmx(), between.address()));
            try (ClusterHold hold = take(RUN, TABLE)) {
                hold.takeSnapshots();

                between.resetAll();
                assertThat(hold.importAll().get(0).failure()).isEmpty();

                between.resetAll();
            }
            assertThat(holdsNothing()).isTrue();
            beside.close();
        }
    }

    @AfterEach
    void close() throws IOException {
        beside.close();
        Directories.deleteTree(directory);
    }

    private ClusterHold take(UUID run, String... tables) throws IOException {
        return ClusterHold.take(List.of(beside.asked()), run, List.of(tables), LEASE, HostEnvironment.system());
    }

    private AgentStatus status() throws IOException {
        return Waiting.result(beside.asked().status(List.of()));
    }

    private boolean holdsNothing() {
        try (LiveNode node = LiveNodeTest.open(peer);
                Stream<Path> runs = Files.list(directory.resolve("agent").resolve("runs"))) {
            LiveTable table = node.table(KEYSPACE, "t").orElseThrow();
            return !node.neverPurges(table)
                    && node.snapshotDirectories("anneal-" + RUN, table).isEmpty()
                    && runs.findAny().isEmpty()
                    && status().heldTables().isEmpty()
                    && status().run().isEmpty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(50_000_000);
        }
    }

    @Test
    void shouldTellOfItsNodeAndOfKeyspaces() throws IOException {
        AgentStatus status = Waiting.result(beside.asked().status(List.of(KEYSPACE)));

        try (LiveNode node = LiveNodeTest.open(peer)) {
            assertThat(status.hostId()).isEqualTo(node.hostId());
            assertThat(status.endpoint()).isEqualTo(node.endpoint());
            AgentKeyspace keyspace = status.keyspaces().get(0);
            assertThat(keyspace.ring()).isEqualTo(node.ring(KEYSPACE));
            assertThat(keyspace.tables()).containsExactly("t");
            assertThat(keyspace.dataCentres())
                    .isEqualTo(Map.of(keyspace.ring().owners().iterator().next(), node.dataCentre()));
        }
        assertThatExceptionOfType(PeerException.class)
                .isThrownBy(() -> Waiting.result(beside.asked().status(List.of("none"))))
                .withMessageContaining("keyspace is not there")
                .satisfies(refused -> assertThat(refused.code()).isEqualTo("refused"));
        peer.execute("CREATE KEYSPACE IF NOT EXISTS bare WITH replication = {'class': 'SimpleStrategy',"
                + " 'replication_factor': 1}");
        assertThatExceptionOfType(PeerException.class)
                .isThrownBy(() -> Waiting.result(beside.asked().status(List.of("bare"))))
                .withMessageContaining("keyspace has no tables");
    }

    @Test
    void shouldHoldTablesOfferTheirSnapshotAndLetGo() throws IOException {
        ReplicaSource replicas = agent.replicas("live");
        assertThatExceptionOfType(ReplicaException.class)
                .isThrownBy(() -> replicas.open(KEYSPACE, "t", Optional.empty()))
                .withMessageContaining("no run holds tables here");
        try (ClusterHold hold = take(RUN, TABLE)) {
            assertThat(status().run()).contains(RUN);
            assertThat(status().heldTables()).containsExactly(TABLE);
            assertThatExceptionOfType(ReplicaException.class)
                    .isThrownBy(() -> replicas.open(KEYSPACE, "t", Optional.empty()))
                    .withMessageContaining("no snapshot");

            assertThat(hold.takeSnapshots()).isEqualTo(hold.takeSnapshots());

            try (Replica replica = replicas.open(KEYSPACE, "t", Optional.empty())) {
                assertThat(replica.schema().name()).isEqualTo("t");
            }
            assertThat(replicas.tables(KEYSPACE)).containsExactly("t");
            assertThat(hold.importAll()).singleElement().satisfies(imported -> {
                assertThat(imported.failure()).isEmpty();
                assertThat(imported.sstables()).isZero();
            });
        }
        assertThat(holdsNothing()).isTrue();
    }

    @Test
    void shouldHoldForOneRunAtATime() throws IOException {
        try (ClusterHold hold = take(RUN, TABLE)) {
            assertThatExceptionOfType(PeerException.class)
                    .isThrownBy(() -> take(new UUID(1, 1), TABLE))
                    .withMessageContaining("another run holds tables here")
                    .withMessageContaining("run=" + RUN);
            assertThat(status().run())
                    .as("asked twice, and the other one has let go")
                    .contains(RUN);
            take(RUN, TABLE);
            hold.takeSnapshots();
        }
        assertThat(holdsNothing()).isTrue();
    }

    @Test
    void shouldLetGoWhenTheLeaseEnds() throws IOException {
        ClusterHold hold = take(RUN, TABLE);
        hold.takeSnapshots();

        time.advance(LEASE);

        await(this::holdsNothing);
        assertThat(hold.importAll())
                .singleElement()
                .satisfies(imported -> assertThat(imported.failure().orElseThrow())
                        .hasMessageContaining("nothing is held for the run here"));
    }

    /** Its lease goes on for as long as its process does. */
    @Test
    void shouldLetGoWhenNothingMayBeImportedAnyMore() throws IOException {
        ClusterHold hold = take(RUN, TABLE);
        hold.takeSnapshots();
        assertThat(holdsNothing()).isFalse();

        ahead = Duration.ofDays(10);

        await(this::holdsNothing);
        assertThat(hold.stands()).isFalse();
        hold.close();
    }

    @Test
    void shouldSayOnceAfterEachRunThatItIsIdle() throws IOException {
        AtomicInteger idle = new AtomicInteger();
        AtomicInteger busy = new AtomicInteger();
        agent.whenIdle(idle::incrementAndGet);
        agent.whenBusy(busy::incrementAndGet);
        time.advance(Duration.ofSeconds(6));
        look.run();
        look.run();
        assertThat(idle).hasValue(1);
        assertThat(busy).hasValue(0);
        try (ClusterHold hold = take(RUN, TABLE)) {
            assertThat(busy).hasValue(1);
            hold.takeSnapshots();
            time.advance(Duration.ofSeconds(6));
            look.run();
        }
        assertThat(busy).hasValue(1);
        look.run();
        assertThat(idle).as("it has held, and let go just now").hasValue(1);

        time.advance(Duration.ofSeconds(6));
        look.run();
        look.run();
        assertThat(idle).hasValue(2);
    }

    @Test
    void shouldGoOnWithItsOwnRunAloneAndNotAfterItsLease() throws IOException {
        try (ClusterHold hold = take(RUN, TABLE)) {
            hold.takeSnapshots();
            for (UUID run : List.of(new UUID(1, 1), RUN)) {
                if (run == RUN) {
                    time.advance(LEASE);
                }
                assertThatExceptionOfType(PeerException.class)
                        .isThrownBy(() -> ClusterHold.resume(
                                List.of(beside.asked()), run, Duration.ZERO, LEASE, HostEnvironment.system()))
                        .withMessageContaining("nothing is held for the run here, or its lease has ended")
                        .satisfies(refused ->
                                assertThat(ClusterHold.isOver(refused)).isTrue());
            }
        }
    }

    @Test
    void shouldImportNothingWhileASessionWrites() throws IOException {
        try (ClusterHold hold = take(RUN, TABLE)) {
            hold.takeSnapshots();
            try (Replica replica = agent.replicas("live").open(KEYSPACE, "t", Optional.empty());
                    Receiving receiving = replica.receive(new UUID(1, 2), Receiving.NO_DEADLINE)) {
                receiving.newSSTable(SSTableVersion.NB);

                assertThat(hold.importAll().get(0).failure().orElseThrow())
                        .hasMessageContaining("nothing is imported: a session of the run is writing still");
            }
        }
    }

    @Test
    void shouldHoldNothingAfterARefusal() throws IOException {
        assertThatThrownBy(() -> take(RUN, TABLE, KEYSPACE + ".none")).hasMessageContaining("table is not there");
        assertThat(holdsNothing()).isTrue();
        peer.execute("ALTER TABLE " + TABLE + " WITH gc_grace_seconds = 0");
        assertThatThrownBy(() -> take(RUN, TABLE)).hasMessageContaining("gc_grace is 0");
        assertThat(holdsNothing()).isTrue();
    }

    @Test
    void shouldTellHowLongItHoldsAndSinceWhen() throws IOException {
        try (ClusterHold hold = take(RUN, TABLE)) {
            assertThat(status().snapshotAt()).isEmpty();
            assertThat(hold.importBefore()).isEmpty();
            Instant at = hold.takeSnapshots();
            time.advance(Duration.ofMinutes(4));

            assertThat(status().leaseLeft()).contains(LEASE.minus(Duration.ofMinutes(4)));
            assertThat(status().snapshotAt()).contains(at);
            assertThat(hold.importBefore())
                    .contains(at.plus(Duration.ofDays(10)).minus(hold.skew()).truncatedTo(ChronoUnit.SECONDS));
        }
        assertThat(status().leaseLeft()).isEmpty();
    }

    @Test
    void shouldLeaveFilesAloneThatAreNoRuns() throws IOException {
        take(RUN, TABLE).takeSnapshots();
        Path strange =
                Files.createFile(directory.resolve("agent").resolve("runs").resolve("lost+found"));

        agent.close();
        Agent.open(LiveNodeTest.config(peer), directory.resolve("agent"), HostEnvironment.system())
                .close();

        assertThat(directory.resolve("agent").resolve("runs")).isDirectoryContaining(strange::equals);
        try (Stream<Path> runs = Files.list(strange.getParent())) {
            assertThat(runs).containsExactly(strange);
        }
    }

    @Test
    void shouldLetGoWhenItIsClosed() throws IOException {
        take(RUN, TABLE).takeSnapshots();

        agent.close();

        try (LiveNode node = LiveNodeTest.open(peer)) {
            LiveTable table = node.table(KEYSPACE, "t").orElseThrow();
            assertThat(node.neverPurges(table)).isFalse();
            assertThat(node.snapshotDirectories("anneal-" + RUN, table)).isEmpty();
        }
        assertThat(directory.resolve("agent").resolve("runs")).isEmptyDirectory();
    }
}
