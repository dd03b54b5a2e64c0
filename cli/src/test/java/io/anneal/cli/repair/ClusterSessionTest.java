package io.anneal.cli.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.agent.AgentKeyspace;
import io.anneal.agent.StandInAgent;
import io.anneal.cli.AnnealCommand;
import io.anneal.cli.command.Environment;
import io.anneal.cli.command.ExitCode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.io.Directories;
import io.anneal.io.DirectoryLock;
import io.anneal.io.RateLimiter;
import io.anneal.key.TokenRange;
import io.anneal.net.PeerAddress;
import io.anneal.net.TokenFile;
import io.anneal.node.Ring;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.testkit.ManualClock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code anneal cluster repair} does when it is interrupted, gone on with, changed, or may not work: over stores that two servers
 * offer, with what agents do beside a node noted and no more.
 */
@Timeout(60)
final class ClusterSessionTest {
    private static final String ONE = "10.0.0.1";
    private static final String TWO = "10.0.0.2";
    private static final int ROWS = 2_000;
    private static final long MICROS = 1_700_000_000_000_000L;
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Stores go by the machine's clock: what they tell must not be of the future. */
    private final LocalDate day = LocalDate.now(ZoneId.systemDefault()).plusDays(1);

    private final ManualClock time = ManualClock.at(instant(day, "12:00"));
    private final List<Store> stores = new ArrayList<>();
    private final List<CommandNode> nodes = new ArrayList<>();
    private final List<StandInAgent> agents = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();

    @TempDir
    private Path directory;

    private Path token;
    private Path state;

    /** What a command ended with. */
    private record Ended(int exitCode, String out, String err) {}

    /** Windows are by the machine's zone. */
    private static Instant instant(LocalDate day, String local) {
        return day.atTime(LocalTime.parse(local)).atZone(ZoneId.systemDefault()).toInstant();
    }

    /**
     * @param rowsLost of the first ones, which the second node lacks
     * @param options of the table
     */
    private void start(Duration gcGrace, int rowsLost, String options) throws IOException {
        AgentKeyspace keyspace = new AgentKeyspace(
                "ks", List.of("t"), Ring.of(List.of(TokenRange.FULL), Set.of(ONE, TWO)), Map.of(ONE, "dc", TWO, "dc"));
        prepare();
        addNode(ONE, new InetSocketAddress("127.0.0.1", 0), keyspace, gcGrace, 0, options);
        addNode(TWO, new InetSocketAddress("127.0.0.1", 0), keyspace, gcGrace, rowsLost, options);
    }

    private void prepare() throws IOException {
        token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret of more than sixteen bytes\n");
        state = directory.resolve("state");
    }

    private void addNode(
            String endpoint,
            InetSocketAddress address,
            AgentKeyspace keyspace,
            Duration gcGrace,
            int rowsLost,
            String options)
            throws IOException {
        Store store = Store.open(directory.resolve("store" + stores.size()));
        stores.add(store);
        Table table = store.createTable("CREATE TABLE ks.t (id int PRIMARY KEY, name text) WITH id ="
                + " 2e52ce90-e54c-11f1-9953-9ddbc8d5a510" + options);
        for (int id = rowsLost; id < ROWS; id++) {
            table.row().key("id", id).set("name", "Ada").timestampMicros(MICROS).insert();
        }
        StandInAgent agent = new StandInAgent(endpoint, time, keyspace, gcGrace);
        agents.add(agent);
        CommandNode node = CommandNode.serve(
                address,
                new StoreReplicas(store).named(endpoint),
                CommandNode.config(UUID.randomUUID(), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                HostEnvironment.system(),
                RateLimiter.UNLIMITED,
                agent::register);
        nodes.add(node);
        addresses.add(PeerAddress.text(node.address()));
    }

    @BeforeEach
    void start() throws IOException {
        start(Duration.ofDays(10), 3, "");
    }

    @AfterEach
    void close() throws IOException {
        for (CommandNode node : nodes) {
            node.close();
        }
        for (Store store : stores) {
            store.close();
        }
        nodes.clear();
        stores.clear();
        agents.clear();
        addresses.clear();
    }

    private void startAgain(Duration gcGrace, int rowsLost, String options) throws IOException {
        clear();
        start(gcGrace, rowsLost, options);
    }

    private void clear() throws IOException {
        close();
        Directories.deleteTree(directory.resolve("store0"));
        Directories.deleteTree(directory.resolve("store1"));
        Files.delete(token);
    }

    private Ended anneal(Object... words) {
        return anneal(new ByteArrayOutputStream(), words);
    }

    private Ended anneal(OutputStream out, Object... words) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Clock clock = time;
        Environment environment = new Environment(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                clock,
                System::nanoTime,
                false,
                directory);
        String[] texts = new String[words.length];
        for (int i = 0; i < words.length; i++) {
            texts[i] = words[i].toString();
        }
        int exitCode = AnnealCommand.commandLine(environment, texts).execute(texts);
        return new Ended(exitCode, out.toString(), err.toString(StandardCharsets.UTF_8));
    }

    private Ended cluster(Object... more) {
        List<Object> words = new ArrayList<>(List.of("cluster", "repair", "--state", state));
        words.addAll(List.of(more));
        return anneal(words.toArray());
    }

    private Ended repair(Object... more) {
        List<Object> words = new ArrayList<>(
                List.of("ks", "--agent", addresses.get(0), "--agent", addresses.get(1), "--token-file", token));
        words.addAll(List.of(more));
        return cluster(words.toArray());
    }

    /** A command on a thread of its own. */
    private final class Running {
        private final FutureTask<Ended> task;
        private final Thread thread;

        Running(Object... more) {
            task = new FutureTask<>(() -> repair(more));
            thread = new Thread(task, "command");
            thread.start();
        }

        Ended ended() throws Exception {
            return task.get(30, TimeUnit.SECONDS);
        }

        void await(Predicate<JsonNode> condition) throws Exception {
            for (int i = 0; i < 3_000; i++) {
                if (home() != null && Files.exists(home().resolve("run.json")) && condition.test(run())) {
                    return;
                }
                if (task.isDone()) {
                    throw new AssertionError("it has ended, command=" + task.get());
                }
                LockSupport.parkNanos(10_000_000);
            }
            throw new AssertionError("it did not come to that, run=" + run());
        }
    }

    private Path home() {
        try {
            List<Path> homes = Files.exists(state) ? Directories.list(state) : List.of();
            return homes.isEmpty() ? null : homes.get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private JsonNode run() throws IOException {
        return JSON.readTree(Files.readAllBytes(home().resolve("run.json")));
    }

    private static boolean isAt(JsonNode run, String step) {
        return run.get("cluster").get("step").asText().equals(step);
    }

    /** Whether a part of the comparison is in the checkpoint. */
    private boolean hasPart() {
        Path checkpoint = home().resolve("checkpoint-ks");
        try {
            return Files.exists(checkpoint)
                    && Files.readAllLines(checkpoint).stream().anyMatch(line -> line.startsWith("done "));
        } catch (IOException e) {
            return false;
        }
    }

    private long rows(int store) throws IOException {
        Ended scan =
                anneal("scan", "--data", directory.resolve("store" + store), "--table", "ks.t", "--format", "count");
        return Long.parseLong(scan.out().strip());
    }

    @Test
    void shouldRepairLetGoAndSayUntilWhenTablesAreCovered() {
        Ended ended = repair();

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("3 rows", "ks.t: covered until ");
        assertThat(ended.err())
                .contains("snapshots are taken, the first began at ", ", the last was there 700 ms later");
        for (StandInAgent agent : agents) {
            assertThat(agent.steps()).containsExactly("hold", "snapshot", "import", "release");
        }
        assertThat(cluster("--status").exitCode()).isZero();
        Ended history = cluster("--history", "ks");
        assertThat(history.exitCode()).as(history.out()).isZero();
        assertThat(history.out()).contains("repaired in", "ks.t between " + ONE + ", " + TWO);
        Ended same = anneal("cluster", "history", "--state", state, "ks.t");
        assertThat(same.exitCode()).isZero();
        assertThat(same.out()).isEqualTo(history.out());
        assertThat(anneal("cluster", "history", "--state", state, "ks.other").exitCode())
                .isEqualTo(1);
        assertUsage("KS.TABLE, given=.t", anneal("cluster", "history", "--state", state, ".t"));
        Ended mistyped = anneal("cluster", "history", "--state", directory.resolve("mistyped"));
        assertThat(mistyped.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(mistyped.err()).contains("no run was ever recorded there");
        assertThat(home().resolve("checkpoint-ks")).doesNotExist();
        assertThat(cluster("--resume").err()).contains("there is no such run");
        assertThat(cluster("--resume", home().getFileName()).err()).contains("run has ended, start another one");
    }

    /** Rows that come meanwhile are found in what is still to be compared alone: a snapshot would not have them. */
    @Test
    void shouldTellAllNodesOfTheEarliestSnapshotAndHowFarClocksAreApart() {
        Duration apart = Duration.ofSeconds(3);
        agents.get(0).runAhead(apart);

        Ended ended = repair();

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        for (StandInAgent agent : agents) {
            assertThat(agent.importedOf()).contains(time.instant().truncatedTo(ChronoUnit.MILLIS));
            assertThat(agent.importedSkew()).isGreaterThanOrEqualTo(apart);
        }
    }

    @Test
    void shouldRenewLeasesWhileItWorks() throws Exception {
        Running running = new Running("--rate", 500, "--lease", 5);

        running.await(run -> agents.stream().allMatch(agent -> agent.renewals() > 1));

        assertThat(running.ended().exitCode()).isZero();
    }

    @Test
    void shouldHoldNothingWhereClocksAreTooFarApart() {
        agents.get(1).runAhead(Duration.ofSeconds(11));

        Ended ended = repair();

        assertThat(ended.exitCode()).as(ended.out()).isEqualTo(5);
        assertThat(ended.err()).contains("clocks of the nodes may be too far apart");
        assertThat(agents.get(0).steps()).isEmpty();
    }

    @Test
    void shouldGoOnWhereItWasInterrupted() throws Exception {
        Running running = new Running("--rate", "200", "--parallel", "1");
        running.await(run -> isAt(run, "repair") && hasPart());
        running.thread.interrupt();
        Ended interrupted = running.ended();
        assertThat(interrupted.exitCode()).as(interrupted.err()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(interrupted.err())
                .contains("agents hold on", "anneal cluster repair --state=" + state + " --resume ");
        assertThat(agents.get(0).steps()).containsExactly("hold", "snapshot");
        Ended status = cluster("--status", "--agent", addresses.get(0), "--token-file", token);
        assertThat(status.exitCode()).isEqualTo(1);
        assertThat(status.out()).contains("has stopped, and is not finished", "snapshots of ", "holds no deletions");
        Table table = stores.get(0).table("ks.t");
        for (int id = ROWS; id < ROWS + 200; id++) {
            table.row().key("id", id).set("name", "new").timestampMicros(MICROS).insert();
        }

        Ended resumed = cluster("--resume", "--rate", "0");

        assertThat(resumed.exitCode()).as(resumed.err()).isZero();
        assertThat(resumed.err()).contains("which all 2 agents hold still");
        assertThat(resumed.out()).contains("ks.t: covered until ");
        assertThat(agents.get(0).steps()).containsExactly("import", "release");
        close();
        assertThat(rows(1)).isBetween(ROWS + 1L, ROWS + 199L);
    }

    @Test
    void shouldTryImportsAgainThatMayPassAndNothingElse() throws IOException {
        agents.get(1).failImports(false);
        Ended failed = repair();
        assertThat(failed.exitCode()).as(failed.err()).isEqualTo(1);
        assertThat(failed.out()).contains(addresses.get(1) + ": did not import", "go on with: anneal cluster repair ");
        assertThat(failed.out()).doesNotContain("covered until");
        assertThat(cluster("--history", "ks").exitCode()).isEqualTo(1);
        assertThat(agents.get(1).lease()).isEqualTo(Duration.ofMinutes(15));
        Ended other = repair();
        assertThat(other.err())
                .contains("ANL-3010", "another run holds tables here", "'anneal cluster repair --resume'", "--abandon");
        assertThat(agents.get(1).steps()).containsExactly("hold", "snapshot");
        agents.get(1).doImport();

        Ended resumed = cluster("--resume");

        assertThat(resumed.exitCode()).as(resumed.err()).isZero();
        assertThat(resumed.out()).contains("3 rows", "ks.t: covered until ");
        assertThat(agents.get(1).steps()).containsExactly("import", "release");
        assertThat(cluster("--history", "ks").exitCode()).isZero();
    }

    @Test
    void shouldLetGoWhereAnotherTryIsInVain() throws IOException {
        agents.get(1).failImports(true);

        Ended failed = repair();

        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.out()).contains("next: mend what was told, and repair again");
        assertThat(agents.get(0).run()).isEmpty();
        assertThat(agents.get(1).run()).isEmpty();
        assertThat(cluster("--resume", home().getFileName()).err()).contains("run has ended, start another one");
        assertThat(cluster("--history", "ks").out()).contains("ended before all was done, and was let go");
    }

    @Test
    void shouldNotGoOnWhereAnAgentHasLetGo() throws IOException {
        agents.get(1).failImports(false);
        repair();
        agents.get(1).letGo();
        agents.forEach(StandInAgent::steps);

        Ended resumed = cluster("--resume");

        assertThat(resumed.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(resumed.err()).contains("an agent has let go of the run", "peer=" + addresses.get(1));
        assertThat(agents.get(0).steps()).containsExactly("release");
        assertThat(agents.get(1).steps()).isEmpty();
        assertThat(cluster("--resume", home().getFileName()).err()).contains("run has ended, start another one");
    }

    @Test
    void shouldNotGoOnWhereAnAgentDoesNotAnswerButLater() throws IOException {
        agents.get(1).failImports(false);
        repair();
        agents.get(1).doImport();
        agents.forEach(StandInAgent::steps);
        String run = home().getFileName().toString();
        InetSocketAddress address = nodes.get(1).address();
        nodes.get(1).close();

        Ended resumed = cluster("--resume");

        assertThat(resumed.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(agents.get(0).run()).isPresent();
        serveAgain(address);
        assertThat(cluster("--resume", run).exitCode()).isZero();
    }

    @Test
    void shouldNotGoOnWhenTheLeaseIsOver() {
        agents.get(1).failImports(false);
        repair();
        time.advance(Duration.ofMinutes(15));

        Ended resumed = cluster("--resume", home().getFileName());

        assertThat(resumed.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(resumed.err()).contains("agents have let go of the run by now");
        assertThat(cluster("--status").out()).contains("is too old to go on with");
    }

    @Test
    void shouldGoOnInOneProcessAtATime() throws IOException {
        agents.get(1).failImports(false);
        repair();
        DirectoryLock other = DirectoryLock.take(home(), ".run.lock", "run of a repair", Optional.empty());
        try {
            Ended resumed = cluster("--resume", home().getFileName());
            assertThat(resumed.exitCode()).isEqualTo(ExitCode.UNANSWERED);
            assertThat(resumed.err()).contains("run is going on");
            assertThat(cluster("--abandon", home().getFileName()).err()).contains("run is going on");
        } finally {
            other.close();
        }
        assertThat(agents.get(0).run()).isPresent();
    }

    /** Killed before all agents held: no snapshot can be there. */
    @Test
    void shouldHoldAnewWhereNoSnapshotCanBeTaken() throws IOException {
        agents.get(1).failImports(false);
        repair();
        agents.forEach(StandInAgent::steps);
        Path file = home().resolve("run.json");
        Files.writeString(file, Files.readString(file).replace("\"step\" : \"import\"", "\"step\" : \"hold\""));
        Files.delete(home().resolve("checkpoint-ks"));
        agents.get(0).letGo();
        agents.get(1).doImport();

        Ended resumed = cluster("--resume");

        assertThat(resumed.exitCode()).as(resumed.err()).isZero();
        assertThat(agents.get(0).steps()).containsExactly("release", "hold", "snapshot", "import", "release");
    }

    @Test
    void shouldNotGoOnWhereRangesHaveOtherOwners() throws IOException {
        agents.get(1).failImports(false);
        repair();
        Ring ring = new Ring(List.of(
                new Ring.Part(new TokenRange(0, 10), List.of(ONE, TWO)),
                new Ring.Part(new TokenRange(10, 0), List.of(ONE))));
        AgentKeyspace changed = new AgentKeyspace("ks", List.of("t"), ring, Map.of(ONE, "dc", TWO, "dc"));
        agents.forEach(agent -> agent.tells(changed));

        Ended resumed = cluster("--resume");

        assertThat(resumed.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(resumed.err())
                .contains(
                        "nodes, agents or ranges have changed since the run began",
                        "were=[" + ONE + " by " + addresses.get(0) + ", " + TWO + " by " + addresses.get(1) + "]")
                .doesNotContain("RecordedReplica", "go on before");
        assertLetGo("nodes, agents or ranges have changed");
    }

    /** Of a run that is held in vain. */
    private void assertLetGo(String reason) {
        agents.forEach(agent -> assertThat(agent.run()).isEmpty());
        assertThat(cluster("--status").exitCode()).isZero();
        assertThat(cluster("--history", "ks").out()).contains("ended before all was done, and was let go", reason);
        assertThat(cluster("--abandon").err()).contains("there is no such run, state=held, runs=[]");
    }

    @Test
    void shouldNotGoOnWhereTheTableIsNotThereAnyMore() {
        agents.get(1).failImports(false);
        repair();
        AgentKeyspace changed = new AgentKeyspace(
                "ks",
                List.of("other"),
                Ring.of(List.of(TokenRange.FULL), Set.of(ONE, TWO)),
                Map.of(ONE, "dc", TWO, "dc"));
        agents.forEach(agent -> agent.tells(changed));

        Ended resumed = cluster("--resume");

        assertThat(resumed.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(resumed.err()).contains("tables are not there, keyspace=ks, tables=[t], known=[other]");
        assertLetGo("tables are not there");
    }

    @Test
    void shouldNotGoOnWhereTheDataCentreIsNotThereAnyMore() {
        agents.get(1).failImports(false);
        repair("--dc", "dc");
        AgentKeyspace changed = new AgentKeyspace(
                "ks",
                List.of("t"),
                Ring.of(List.of(TokenRange.FULL), Set.of(ONE, TWO)),
                Map.of(ONE, "far", TWO, "far"));
        agents.forEach(agent -> agent.tells(changed));

        Ended resumed = cluster("--resume");

        assertThat(resumed.err()).contains("keyspace has no replicas in the data centre");
        assertLetGo("keyspace has no replicas in the data centre");
    }

    /** The deadline of imports is over before the lease: agents may hold in vain. */
    @Test
    void shouldAbandonARunThatIsTooOldToGoOn() throws IOException {
        startAgain(Duration.ofSeconds(40), 3, "");
        agents.get(1).failImports(false);
        repair();
        time.advance(Duration.ofSeconds(50));

        Ended resumed = cluster("--resume");
        assertThat(resumed.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(resumed.err())
                .contains("nothing of the run may be imported any more: have agents let go of it with --abandon");
        Ended status = cluster("--status");
        assertThat(status.exitCode()).as(status.out()).isEqualTo(ExitCode.NO);
        assertThat(status.out())
                .contains(
                        "is too old to go on with",
                        "start another run, but first have agents let go with: anneal cluster repair ",
                        "--abandon");
        assertThat(cluster("--status", "--json").out()).contains("\"abandon\":\"anneal cluster repair ");

        Ended abandoned = cluster("--abandon");

        assertThat(abandoned.exitCode()).as(abandoned.err()).isZero();
        assertLetGo("it was abandoned");
    }

    /** By its id agents of any run are asked: a record may be wrong about what they hold. */
    @Test
    void shouldAbandonARunThatHasEnded() {
        assertThat(repair().exitCode()).isZero();
        String run = home().getFileName().toString();
        String covered = cluster("--history", "ks").out();

        Ended abandoned = cluster("--abandon", run);

        assertThat(abandoned.exitCode()).as(abandoned.err()).isZero();
        assertThat(abandoned.out()).contains("is let go");
        assertThat(cluster("--history", "ks").out()).isEqualTo(covered);
    }

    /** A dead agent lets nothing go. */
    @Test
    void shouldKeepInMindWhichAgentsHaveNotLetGo() throws IOException {
        agents.get(1).failImports(false);
        repair();
        InetSocketAddress address = nodes.get(1).address();
        nodes.get(1).close();

        Ended abandoned = cluster("--abandon");

        assertThat(abandoned.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(abandoned.out())
                .contains(
                        addresses.get(1) + ": could not be asked; it lets go when its lease ends, or, if it is not"
                                + " running, when it is started again",
                        "is not let go by all; ask again with: anneal cluster repair ")
                .doesNotContain("is let go");
        assertThat(agents.get(0).run()).isEmpty();
        time.advance(Duration.ofDays(1));
        Ended status = cluster("--status");
        assertThat(status.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(status.out())
                .contains("has ended, and agents may hold for it still", "not let go by " + addresses.get(1));
        assertThat(cluster("--history", "ks").out())
                .contains("ended before all was done, and was not let go by " + addresses.get(1));
        assertThat(cluster("--resume").err()).contains("run has ended, start another one");
        serveAgain(address);

        assertThat(cluster("--abandon").exitCode()).isZero();

        assertLetGo("it was abandoned");
    }

    private void serveAgain(InetSocketAddress address) throws IOException {
        nodes.set(
                1,
                CommandNode.serve(
                        address,
                        new StoreReplicas(stores.get(1)).named(TWO),
                        CommandNode.config(
                                UUID.randomUUID(), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                        HostEnvironment.system(),
                        RateLimiter.UNLIMITED,
                        agents.get(1)::register));
    }

    /** It is done: what is covered is so whoever lets go. */
    @Test
    void shouldKeepInMindWhichAgentHasNotLetGoOfARunThatIsDone() throws IOException {
        agents.get(1).failReleases(true);

        Ended ended = repair();

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("ks.t: covered until ");
        assertThat(cluster("--history", "ks").exitCode()).isZero();
        Ended status = cluster("--status");
        assertThat(status.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(status.out()).contains("not let go by " + addresses.get(1));
        agents.get(1).failReleases(false);
        assertThat(cluster("--abandon").exitCode()).isZero();
        assertThat(cluster("--status").exitCode()).isZero();
        assertThat(run().get("outcome").asText()).isEqualTo("done");
    }

    /** As where another run holds: why is asked for days later. */
    @Test
    void shouldKeepInMindWhyARunHeldNothing() {
        agents.get(1).failImports(false);
        repair();

        assertThat(repair().exitCode()).isEqualTo(ExitCode.UNANSWERED);

        assertThat(cluster("--history", "ks").out())
                .contains("failed before anything was held", "another run holds tables here, run=");
    }

    @Test
    void shouldTellOfWhatWasNeverRepaired() {
        assertThat(repair("--dry-run").exitCode()).isEqualTo(ExitCode.NO);
        Ended looked = anneal("cluster", "history", "--state", state);
        assertThat(looked.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(looked.out()).contains("ks.t: never");
        assertThat(repair().exitCode()).isZero();
        assertThat(anneal("cluster", "history", "--state", state).exitCode()).isZero();

        Ended others = anneal("cluster", "history", "--state", state, "ks", "a", "nope");

        assertThat(others.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(others.out()).contains("ks.t between ", "a.*: never", "nope.*: never");
    }

    /** A record that can't be read makes nothing less covered. */
    @Test
    void shouldAnswerForWhatIsNamedWhereAnotherRecordCannotBeRead() throws IOException {
        assertThat(repair().exitCode()).isZero();
        Path torn = Files.createDirectory(state.resolve(UUID.randomUUID().toString()));
        Files.writeString(torn.resolve("run.json"), "{ torn");

        Ended named = anneal("cluster", "history", "--state", state, "ks");

        assertThat(named.exitCode()).as(named.err()).isZero();
        assertThat(named.err()).contains("warning: ", torn.toString());
        assertThat(anneal("cluster", "history", "--state", state).exitCode()).isEqualTo(ExitCode.NO);
        assertThat(cluster("--status", "ks").exitCode())
                .as("it may be of a run that is not finished")
                .isEqualTo(ExitCode.NO);
        assertThat(anneal("cluster", "history", "--state", state, "nope").exitCode())
                .isEqualTo(ExitCode.NO);
    }

    @Test
    void shouldIgnoreHowAgentsAreReachedWhereNoneIsAsked() throws Exception {
        Running running = new Running("--rate", "20", "--parallel", "1");
        running.await(run -> isAt(run, "repair"));

        Ended changed = cluster("--change", "--rate", "0", "--token-file", token);

        assertThat(changed.exitCode()).as(changed.err()).isZero();
        assertThat(running.ended().exitCode()).isZero();
    }

    @Test
    void shouldNotGoOnWithOtherSnapshots() throws IOException {
        agents.get(1).failImports(false);
        repair();
        Path file = home().resolve("run.json");
        String snapshot = run().get("cluster").get("snapshot").asText();
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("\"snapshot\" : \"" + snapshot, "\"snapshot\" : \"2026-01-01T00:00:00Z"));

        Ended resumed = cluster("--resume");

        assertThat(resumed.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(resumed.err()).contains("snapshots are not those of the run").doesNotContain("go on before");
        agents.forEach(agent -> assertThat(agent.run()).isEmpty());
    }

    @Test
    void shouldLetGoWhenItIsAbandoned() throws IOException {
        agents.get(1).failImports(false);
        repair();

        Ended abandoned = cluster("--abandon");

        assertThat(abandoned.exitCode()).as(abandoned.err()).isZero();
        assertThat(agents.get(0).run()).isEmpty();
        assertThat(agents.get(1).run()).isEmpty();
        assertThat(cluster("--status").exitCode()).isZero();
        assertThat(cluster("--resume").err()).contains("there is no such run");
    }

    @Test
    void shouldNotGoOnWithTheOtherCommandsRun() throws IOException {
        agents.get(1).failImports(false);
        repair();

        Ended other = anneal("repair", "--state", state, "--resume", home().getFileName());

        assertThat(other.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(other.err()).contains("go on with it by: anneal cluster repair ");
    }

    @Test
    void shouldHoldNothingBeforeItsWindowOpens() throws Exception {
        Running running = new Running("--window", "22:00-06:00");
        running.await(run -> !run.get("cluster").get("waits-until").isNull());
        assertThat(run().get("cluster").get("waits-until").asText())
                .isEqualTo(instant(day, "22:00").toString());
        assertThat(cluster("--status").out()).contains("is running since", "waits until ");
        assertThat(agents.get(0).steps()).isEmpty();

        time.advance(Duration.ofHours(10));

        Ended ended = running.ended();
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(agents.get(0).steps()).containsExactly("hold", "snapshot", "import", "release");
    }

    @Test
    void shouldEndItsWaitWhenItIsInterrupted() throws Exception {
        Running running = new Running("--window", "22:00-06:00");
        running.await(run -> !run.get("cluster").get("waits-until").isNull());

        running.thread.interrupt();

        assertThat(running.ended().exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        assertThat(cluster("--status").exitCode()).isZero();
    }

    @Test
    void shouldPauseWhenItsWindowClosesAndGoOnAsItIsChanged() throws Exception {
        Running running = new Running("--rate", "200", "--parallel", "1", "--window", "06:00-12:30");
        running.await(run -> isAt(run, "repair") && hasPart());

        time.advance(Duration.ofMinutes(30));

        running.await(run -> !run.get("cluster").get("waits-until").isNull());
        assertThat(agents.get(0).run()).isPresent();
        assertThat(cluster("--status").out()).contains("200 rows/s, from 06:00 to 12:30; waits until ");
        assertThat(cluster("--change", "--rate", "0").out()).contains("as fast as it goes, from 06:00 to 12:30");
        Ended changed = cluster("--change", home().getFileName(), "--window", "all-day", "--parallel", "2");
        assertThat(changed.out()).contains("2 parts at once at most, as fast as it goes, all day");
        Ended ended = running.ended();
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("3 rows", "ks.t: covered until ");
        assertThat(agents.get(0).steps()).containsExactly("hold", "snapshot", "import", "release");
    }

    @Test
    void shouldWorkAsItIsChangedWhileItCompares() throws Exception {
        Running running = new Running("--rate", "20", "--parallel", "1");
        running.await(run -> isAt(run, "repair"));

        cluster("--change", "--rate", "0");

        Ended ended = running.ended();
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(run().get("cluster").get("rows-per-second").asLong()).isZero();
        assertThat(cluster("--change", home().getFileName(), "--rate", "1").err())
                .contains("run is not going on");
    }

    /** They are read each second, and at each step of the comparison. */
    @Test
    void shouldSayOnceThatItsSettingsCannotBeRead() throws Exception {
        Running running = new Running("--window", "22:00-06:00");
        running.await(run -> !run.get("cluster").get("waits-until").isNull());
        Files.writeString(home().resolve("settings.json"), "{ torn");

        time.advance(Duration.ofHours(10));

        Ended ended = running.ended();
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.err()).containsOnlyOnce("how the run is to work can't be read, it works as before");
    }

    @Test
    void shouldNotWaitForAWindowThatOpensTooLate() throws Exception {
        startAgain(Duration.ofHours(2), 3, "");
        Running running = new Running("--rate", "200", "--parallel", "1", "--window", "06:00-12:30");
        running.await(run -> isAt(run, "repair") && hasPart());

        time.advance(Duration.ofMinutes(30));

        Ended ended = running.ended();
        assertThat(ended.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(ended.err())
                .contains(
                        "run can't wait for its window",
                        "opens=" + instant(day.plusDays(1), "06:00"),
                        "start another run, with a --window that opens before imports end")
                .doesNotContain("go on before", "--status");
        assertThat(agents.get(0).steps())
                .as("what was compared is right, and nothing is held in vain")
                .containsExactly("hold", "snapshot", "import", "release");
        assertThat(cluster("--status").exitCode()).isZero();
    }

    /** The second agent is found by its node's address in the ring. */
    @Test
    void shouldRepairNodesWhoseAddressesAreOfIpv6() throws IOException {
        assumeTrue(NetworkInterface.getByInetAddress(InetAddress.getByName("::1")) != null, "no IPv6 here");
        clear();
        prepare();
        AgentKeyspace keyspace = new AgentKeyspace(
                "ks",
                List.of("t"),
                Ring.of(List.of(TokenRange.FULL), Set.of("127.0.0.1", "::1")),
                Map.of("127.0.0.1", "dc", "::1", "dc"));
        addNode("127.0.0.1:7000", new InetSocketAddress("127.0.0.1", 0), keyspace, Duration.ofDays(10), 0, "");
        InetSocketAddress samePort =
                new InetSocketAddress("::1", nodes.get(0).address().getPort());
        addNode("[::1]:7000", samePort, keyspace, Duration.ofDays(10), 3, "");
        String there = "[::1]:" + samePort.getPort();
        assertThat(addresses.get(1)).isEqualTo(there);

        Ended ended = cluster("ks", "--agent", addresses.get(0), "--token-file", token);

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out())
                .contains(
                        "  [::1]:7000: read 1,997 rows, received 3 rows",
                        there + ": imported 1 SSTable",
                        "covered until");
        assertThat(cluster("--history", "ks").out()).contains("ks.t between 127.0.0.1, ::1: ");
        Ended again = cluster("ks", "--agent=" + there, "--agent", addresses.get(0), "--token-file", token);
        assertThat(again.exitCode()).as(again.err()).isZero();
        Ended status = anneal("cluster", "status", "--agent", there, "--token-file", token);
        assertThat(status.out()).contains(there + ": node [::1]:7000, ");
    }

    /** What a node holds is what its own snapshot has: no directory can be the wrong one, and the node receives alone. */
    @Test
    void shouldGiveANodeThatHoldsNothingOfATableAllOfIt() throws IOException {
        startAgain(Duration.ofDays(10), ROWS, "");

        Ended ended = repair();

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("ks.t: covered until ");
        close();
        assertThat(rows(1)).isEqualTo(ROWS);
    }

    @Test
    void shouldHoldNothingOfAKeyspaceWithOneReplicaOfEachRange() {
        Ring ring = new Ring(List.of(
                new Ring.Part(new TokenRange(0, 10), List.of(TWO)),
                new Ring.Part(new TokenRange(10, 0), List.of(ONE))));
        AgentKeyspace alone = new AgentKeyspace("ks", List.of("t"), ring, Map.of(ONE, "dc", TWO, "dc"));
        agents.forEach(agent -> agent.tells(alone));

        Ended refused = repair();

        assertRefused("no range of the keyspace has two replicas, keyspace=ks", refused);
        assertThat(refused.err()).doesNotContain("--status", "go on");
    }

    @Test
    void shouldHoldNothingOfADataCentreWithOneReplicaOfEachRange() {
        AgentKeyspace apart = new AgentKeyspace(
                "ks", List.of("t"), Ring.of(List.of(TokenRange.FULL), Set.of(ONE, TWO)), Map.of(ONE, "dc", TWO, "far"));
        agents.forEach(agent -> agent.tells(apart));

        assertRefused("no range of the keyspace has two replicas, keyspace=ks", repair("--dc", "far"));
    }

    @Test
    void shouldHoldNothingOfATableThatIsNotThere() {
        assertRefused(
                "tables are not there, keyspace=ks, tables=[other], known=[t]",
                cluster("ks.other", "--agent", addresses.get(0), "--agent", addresses.get(1), "--token-file", token));
    }

    private void assertRefused(String message, Ended refused) {
        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err()).contains("ANL-3010: " + message);
        agents.forEach(agent -> assertThat(agent.steps()).isEmpty());
        assertThat(home()).isNull();
    }

    @Test
    void shouldLetGoAfterAnErrorThatNoTryChanges() throws IOException {
        startAgain(Duration.ofDays(10), 3, " AND gc_grace_seconds = 0");

        Ended refused = repair();

        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err()).contains("gc_grace").doesNotContain("go on before", "--allow-");
        assertThat(agents.get(0).run()).isEmpty();
        assertThat(agents.get(1).run()).isEmpty();
        assertThat(cluster("--history", "ks").out()).contains("ended before all was done, and was let go");
    }

    @Test
    void shouldRecordWhatADryRunFound() throws IOException {
        Ended ended = repair("--dry-run");
        assertThat(agents.get(0).steps())
                .as("a dry run changes nothing")
                .containsExactly("look", "snapshot", "release");
        assertThat(ended.err()).contains("looking at ks.t on 2 nodes");

        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(ExitCode.NO);
        Ended history = cluster("--history", "ks");
        assertThat(history.out()).contains("compared in", "3 rows and 0 deletions differed");
        assertThat(run().get("outcome").asText()).isEqualTo("done");
    }

    /** As by {@code | head -5}. */
    @Test
    void shouldNotCallADryRunDoneWhoseAnswerWasCutOff() throws IOException {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                throw new IOException("Broken pipe");
            }
        };

        Ended ended = anneal(
                closed,
                "cluster",
                "repair",
                "--state",
                state,
                "ks",
                "--dry-run",
                "--agent",
                addresses.get(0),
                "--agent",
                addresses.get(1),
                "--token-file",
                token);

        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(run().get("outcome").asText()).isEqualTo("failed");
        assertThat(agents.get(0).run()).isEmpty();
    }

    @Test
    void shouldSayWhereARunIsLookedFor() {
        assertThat(cluster("--abandon").err()).contains("'anneal cluster repair --state=" + state + " --status'");
        assertThat(cluster("--change", "--rate", "1").err())
                .contains("'anneal cluster repair --state=" + state + " --status'");
        assertThat(cluster("--resume").err()).contains("'anneal cluster repair --state=" + state + " --status'");
    }

    @Test
    void shouldSayThatThereAreNoRecordsWhereThereIsNoDirectory() {
        Ended ended = cluster("--status");

        assertThat(ended.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(ended.err()).contains("ANL-1003", "path=" + state);
    }

    @Test
    void shouldTakeATableOnceThatIsNamedTwice() {
        Ended ended = repair("ks", "ks.t", "ks.t", "--dc", "dc", "--dc", "dc");

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.err()).containsOnlyOnce("ks.t");
        assertThat(ended.out()).containsOnlyOnce("ks.t: covered until ");
        assertThat(agents.get(0).steps()).containsExactly("hold", "snapshot", "import", "release");
    }

    /** Values at the edges of what they may be: nobody is asked anything. */
    @Test
    void shouldRefuseValuesThatSayNothing() {
        assertUsage("given=", repair(""));
        assertUsage("given=ks.t.", repair("ks.t."));
        assertUsage("given=ks.t.u", repair("ks.t.u"));
        for (String address : List.of("", ":7280", "127.0.0.1", "127.0.0.1:", "127.0.0.1:-1", "127.0.0.1:65536")) {
            assertUsage("--agent: ", repair("--agent", address));
            assertUsage("--agent: ", repair("--agent=" + address));
            assertUsage("--agent: ", cluster("--status", "--agent", address, "--token-file", token));
            assertUsage("--agent: ", anneal("cluster", "status", "--agent", address, "--token-file", token));
        }
        assertUsage("an IPv6 address stands in brackets", repair("--agent", "::1:7280"));
        assertUsage("nobody listens at port 0", repair("--agent", "127.0.0.1:0"));
        assertUsage("keyspace has no replicas in the data centre", repair("--dc", ""));
        for (String parallel : List.of("0", "-1", "257", "x", "", "99999999999")) {
            assertUsage("--parallel", repair("--parallel", parallel));
            assertUsage("--parallel", repair("--parallel=" + parallel));
        }
        for (String rate : List.of("-1", "x", "", "9223372036854775808")) {
            assertUsage("--rate", repair("--rate", rate));
        }
        for (String lease : List.of("0", "-1", "4", "3601", "", "9223372036854775808")) {
            assertUsage("--lease", repair("--lease", lease));
        }
        for (String ghosts : List.of("-1", "", "9223372036854775808")) {
            assertUsage("--ghosts-max", repair("--ghosts-max", ghosts));
        }
        assertUsage("--older-than-gc-grace", repair("--older-than-gc-grace", ""));
        assertUsage("--older-than-gc-grace", repair("--older-than-gc-grace", "ignore"));
        assertUsage("--window", repair("--window", ""));
        assertUsage("'--rate'", repair("--rate", "1", "--rate", "2"));
        assertUsage("path is empty", anneal("cluster", "repair", "ks", "--state", ""));
        assertUsage("path is empty", anneal("cluster", "history", "--state="));
        assertUsage("path is empty", repair("--tls-cert", ""));
        assertUsage("--agent", anneal("cluster", "status", "--token-file", token));
        assertUsage("leave out --json", cluster("--json", "--change", "--rate", "1"));
        assertUsage("leave out --json", cluster("--json", "--abandon"));
        assertUsage("leave out --json", repair("--json", "--rows"));
        agents.forEach(agent -> assertThat(agent.steps()).isEmpty());
        assertThat(home()).isNull();
    }

    @Test
    void shouldTakeTheLargestValues() {
        Ended ended = repair(
                "--rate", Long.MAX_VALUE, "--parallel", "256", "--ghosts-max", Long.MAX_VALUE, "--lease", "3600");

        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(agents.get(0).steps()).containsExactly("hold", "snapshot", "import", "release");
    }

    @Test
    void shouldRefuseCommandLinesThatSayNothing() {
        assertUsage("keyspace has no replicas in the data centre", repair("--dc", "nowhere"));
        assertUsage("two agents stand beside one node", repair("--agent", addresses.get(0)));
        assertUsage("without quotes", repair("\"Mixed\".\"Case\""));
        assertUsage("hours have two digits", repair("--window", "9:00-17:00"));
        assertUsage("24:00 is 00:00", repair("--window", "22:00-24:00"));
        assertUsage("a window is HH:MM-HH:MM", repair("--window", "22-06"));
        assertUsage("two ends apart", repair("--window", "22:00-22:00"));
        assertUsage("say what to repair", cluster("--agent", addresses.get(0), "--token-file", token));
        assertUsage("name an agent", cluster("ks", "--token-file", token));
        assertUsage("leave out [ks]", cluster("ks", "--resume=" + UUID.randomUUID()));
        assertUsage("leave out --dry-run", cluster("--resume=" + UUID.randomUUID(), "--dry-run"));
        assertUsage("leave out --rate", cluster("--status", "--rate", "1"));
        assertUsage("exclude each other", cluster("--status", "--history"));
        assertUsage("--change goes with", cluster("--change"));
        assertUsage("leave out --dc", cluster("--change", "--rate", "1", "--dc", "x"));
        assertUsage("at least 0", cluster("--change", "--rate", "-1"));
        assertUsage("leave out --rate", cluster("--abandon", "--rate", "1"));
        assertThat(cluster("--change", "--rate", "1").err()).contains("there is no such run");
    }

    private static void assertUsage(String message, Ended ended) {
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(ExitCode.USAGE);
        assertThat(ended.err()).contains(message);
    }
}
