package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.agent.AgentPeer;
import io.anneal.agent.ClusterHold;
import io.anneal.agent.LiveNode;
import io.anneal.agent.LiveTable;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.faults.Commands;
import io.anneal.io.ByteBudget;
import io.anneal.io.Directories;
import io.anneal.net.PeerAddress;
import io.anneal.net.TokenFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command {@code anneal agent} beside a real node. */
@WithCassandra
final class AgentProcessTest {
    private static final String KEYSPACE = "agent_process";
    private static final String TABLE = KEYSPACE + ".t";
    private static final UUID RUN = new UUID(9, 8);

    /** On the file system of the node's data. */
    private Path directory;

    private Path token;
    private CassandraPeer peer;

    @BeforeEach
    void createTable(CassandraPeer given) throws IOException {
        peer = given;
        directory = Files.createTempDirectory(Path.of("target"), "agent-process");
        token = Commands.tokenFile(directory);
        peer.executeAll(List.of(
                "DROP KEYSPACE IF EXISTS " + KEYSPACE,
                "CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE " + TABLE + " (k int PRIMARY KEY, v text)",
                "INSERT INTO " + TABLE + " (k, v) VALUES (1, 'one')"));
    }

    @AfterEach
    void delete() throws IOException {
        Directories.deleteTree(directory);
    }

    private String[] arguments(int jmxPort, String... more) {
        List<String> all = new ArrayList<>(List.of(
                "--jmx",
                "127.0.0.1:" + jmxPort,
                "--directory",
                directory.resolve("agent").toString(),
                "--token-file",
                token.toString()));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    /** Starts an agent, has it hold the table for a run, and ends it in good order; answers what it logged. */
    private String endDuringARun(int jmxPort, Runnable before) throws IOException, InterruptedException {
        Path log = directory.resolve("log");
        try (CommandNode asking = CommandNode.open(CommandNode.config(
                        UUID.randomUUID(), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)));
                Commands.Server agent = start(log, jmxPort)) {
            ClusterHold.take(
                            List.of(new AgentPeer(asking.node().peers(), PeerAddress.parse(agent.address()))),
                            RUN,
                            List.of(TABLE),
                            Duration.ofMinutes(10),
                            HostEnvironment.system())
                    .takeSnapshots();
            before.run();
            agent.end();
        }
        return Files.readString(log);
    }

    private Commands.Server start(Path log, int jmxPort) throws IOException {
        return Commands.Server.startAgent(log, arguments(jmxPort, "--listen", "127.0.0.1:0"));
    }

    private void assertHoldsNothing() throws IOException {
        try (LiveNode node = LiveNodeTest.open(peer)) {
            LiveTable table = node.table(KEYSPACE, "t").orElseThrow();
            assertThat(node.neverPurges(table)).isFalse();
            assertThat(node.snapshotDirectories("anneal-" + RUN, table)).isEmpty();
        }
        assertThat(directory.resolve("agent").resolve("runs")).isEmptyDirectory();
    }

    @Test
    void shouldLetGoWhenItIsEndedDuringARun() throws Exception {
        String log = endDuringARun(peer.jmxPort(), () -> {});

        assertThat(log)
                .contains("agent ends during a run, and what it held is let go")
                .contains("run=" + RUN)
                .contains(TABLE);
        assertHoldsNothing();
    }

    @ParameterizedTest
    @CsvSource({"false,what a run held is not let go", "true,could not be let go in time"})
    void shouldSayWhatItCouldNotLetGo(boolean hangs, String said) throws Exception {
        AtomicBoolean isEnding = new AtomicBoolean();
        CountDownLatch ended = new CountDownLatch(1);
        Predicate<String> refused = name -> {
            if (!isEnding.get() || !name.equals("NeverPurgeTombstones")) {
                return false;
            }
            if (hangs) {
                awaitUninterrupted(ended);
            }
            return true;
        };
        try (JmxGate gate = JmxGate.open(peer, refused)) {
            String log = endDuringARun(gate.config().jmx().getPort(), () -> isEnding.set(true));

            assertThat(log).contains(said).contains("the next agent that starts here lets go");
        } finally {
            ended.countDown();
        }
        start(directory.resolve("next"), peer.jmxPort()).close();
        assertHoldsNothing();
    }

    private static void awaitUninterrupted(CountDownLatch ended) {
        try {
            ended.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Commands.Result check(String listen) {
        List<String> all = new ArrayList<>(List.of("agent", "--check"));
        all.addAll(List.of(arguments(peer.jmxPort(), "--listen", listen)));
        return Commands.run(all.toArray(String[]::new));
    }

    @Test
    void shouldRefuseInACheckWhatItRefusesAtItsStart() throws IOException {
        Commands.Result yes = check("127.0.0.1:0");
        assertThat(yes.exitCode()).as(yes.err()).isZero();
        assertThat(yes.out()).contains("an agent can start here");

        try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Commands.Result inUse = check("127.0.0.1:" + used.getLocalPort());
            assertThat(inUse.exitCode()).isNotZero();
            assertThat(inUse.err()).contains("127.0.0.1:" + used.getLocalPort());
        }

        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        Commands.Result readable = check("127.0.0.1:0");
        assertThat(readable.exitCode()).isNotZero();
        assertThat(readable.err()).contains(token.toString());

        assertThat(directory.resolve("agent")).as("a check makes nothing").doesNotExist();
    }

    @Test
    void shouldSayInOneLineThatNobodyAnswersByCql() throws Exception {
        Path log = directory.resolve("log");
        List<String> all = new ArrayList<>(List.of("agent", "--check", "--cql", "127.0.0.1:1"));
        all.addAll(List.of(arguments(peer.jmxPort(), "--listen", "127.0.0.1:0")));
        Process command = Commands.start(log, all.toArray(String[]::new));
        assertThat(command.waitFor()).isNotZero();

        assertThat(log)
                .content()
                .contains("Cassandra did not answer by CQL, address=127.0.0.1:1", "java.net.ConnectException");
        assertThat(Files.readAllLines(log)).hasSize(1);
    }
}
