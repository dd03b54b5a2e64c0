package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
import io.anneal.net.PeerException;
import io.anneal.node.Replicas;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** More repairs at once than servers have room for, both ways between two servers. */
@Timeout(120)
class ManyRepairsTest {
    private static final int REPAIRS = 64;
    /** Room for four sessions of the largest row buffer that it allows. */
    private static final long BUDGET_BYTES = 42 << 20;

    @TempDir
    private Path directory;

    private final List<StagingArea> stagings = new ArrayList<>();
    private final List<TestTable> tables = new ArrayList<>();
    private final List<Nodes> nodes = new ArrayList<>();
    private final ExecutorService callers = Executors.newCachedThreadPool();
    private Nodes client;

    @BeforeEach
    void start() throws IOException {
        for (int i = 0; i < 2; i++) {
            StagingArea staging = Sessions.staging(directory.resolve("replica" + i));
            TestTable table = new TestTable("replica" + i, Sessions.rows(KEYS.get(i), 3 - i), Optional.of(staging));
            int number = i;
            stagings.add(staging);
            tables.add(table);
            nodes.add(new Nodes((handlers, node) -> {
                Replicas replicas = Nodes.replicas(table.opener());
                RepairEnvironment environment = environment(node.executor(), number);
                new RepairService(replicas, node.executor(), environment.budget()).register(handlers);
                Connector followers = node.client().keepAll(5_000);
                new RepairRunner(node.id(), replicas, followers, node.waiting(), environment).register(handlers);
            }));
        }
        client = new Nodes((handlers, node) -> {});
    }

    @AfterEach
    void stop() throws IOException {
        callers.shutdownNow();
        client.close();
        nodes.forEach(Nodes::close);
        for (StagingArea staging : stagings) {
            staging.close();
        }
    }

    private static RepairEnvironment environment(Executor executor, int number) {
        // Patience counts what was asked for, the test need not wait so long.
        HostEnvironment host = HostEnvironment.system()
                .withTime(
                        () -> Instant.ofEpochSecond(100),
                        System::nanoTime,
                        nanos -> TimeUnit.NANOSECONDS.sleep(nanos / 20))
                .withRandom(new Random(number));
        return new RepairEnvironment(host, executor, ByteBudget.of(BUDGET_BYTES));
    }

    private Repair repair(Connector connector, int master) {
        return Repair.of("ks.t")
                .between(
                        RepairMember.at(
                                connector,
                                RepairRunner.address(nodes.get(master).address())),
                        RepairMember.at(
                                connector,
                                RepairRunner.address(nodes.get(1 - master).address())))
                .range(TokenRange.FULL)
                .allow(Set.of(Waiver.EMPTY_REPLICA))
                .bufferBytes(BUFFER_BYTES);
    }

    @Test
    void shouldEndAllWellWhenServersHaveRoomForFew() throws Exception {
        Connector connector = client.client().keepAll(5_000);
        CyclicBarrier together = new CyclicBarrier(REPAIRS);
        List<Future<RepairReport>> reports = new ArrayList<>();
        for (int i = 0; i < REPAIRS; i++) {
            int master = i % 2;
            reports.add(callers.submit(() -> {
                together.await();
                return repair(connector, master).run(environment(callers, 99));
            }));
        }

        for (Future<RepairReport> report : reports) {
            assertThat(report.get().rowsDiffering()).isEqualTo(5);
        }
        for (TestTable table : tables) {
            // A follower closes its table behind the last answer; until the time limit of the test.
            while (table.opened.get() != table.closed.get()) {
                assertThat(Thread.interrupted()).isFalse();
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldSayBusyWhenPatienceIsAtItsEnd() throws IOException {
        Connector connector = client.client().keepAll(5_000);
        List<RemoteParticipant> sessions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            RemoteParticipant session = new RemoteParticipant(
                    connector.open(RepairRunner.address(nodes.get(1).address())), Replicas.THE_ONLY_ONE, 2);
            session.open(Sessions.open(i, BUFFER_BYTES)).join();
            sessions.add(session);
        }

        Repair repair = repair(connector, 0).patience(Duration.ofMillis(20));
        assertThatThrownBy(() -> repair.run(environment(callers, 99)))
                .isInstanceOfSatisfying(
                        PeerException.class,
                        failure -> assertThat(failure.code()).isEqualTo(PeerException.BUSY));

        sessions.get(0).close();
        assertThat(repair(connector, 0).run(environment(callers, 99)).rowsDiffering())
                .isEqualTo(5);
    }
}
