package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.faults.Commands;
import io.anneal.store.TableRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real cluster of three nodes that is repaired while clients use it, nodes miss what is written, are killed, and schemas change: what
 * clients were told stays true, and nothing is left of any run. The tests share the cluster, each has tables of its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClusterUnderLoadTest {
    private static final int NODES = 3;
    private static final int ROUNDS = Integer.getInteger("anneal.cluster.rounds", 2);

    private static final int ROWS_EACH = 20;
    private static final int CLIENTS = 2;
    private static final int WRITES_MISSED = 300;
    /** What a process exits with that is killed. */
    private static final int KILLED = 128 + 9;

    private final long seed = Long.getLong("anneal.seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private LiveCluster cluster;

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        cluster = LiveCluster.start(LiveCluster.Shape.of("127.0.3", NODES, 4, random), directory);
        cluster.session()
                .execute("CREATE KEYSPACE load WITH replication ="
                        + " {'class': 'SimpleStrategy', 'replication_factor': 3}");
    }

    @AfterAll
    void stop() throws IOException {
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void tellSeed() {
        System.out.println("anneal.seed=" + seed);
    }

    private void createTable(String name, boolean compacted) {
        QuorumLoad.createTable(
                cluster.session(),
                "load." + name,
                "compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '2', 'enabled': '" + compacted
                        + "'}");
        cluster.awaitAgreement();
    }

    private Commands.Result repair(String table, String... more) {
        return repairWatched(line -> {}, table, more);
    }

    private Commands.Result repairWatched(Consumer<String> lines, String table, String... more) {
        String[] all = new String[more.length + 1];
        all[0] = "load." + table;
        System.arraycopy(more, 0, all, 1, more.length);
        return cluster.commandWatched(lines, "repair", all);
    }

    private void miss(QuorumLoad load, int node) {
        cluster.leave(node);
        load.writeOwn();
        load.awaitWrites(WRITES_MISSED);
        cluster.join(node);
    }

    /** Repairs while deletions come late, and are compacted before anything is imported. */
    private Commands.Result repairWhileDeletionsPurge(QuorumLoad load, String table, String... more) {
        AtomicBoolean purged = new AtomicBoolean();
        Commands.Result repaired = repairWatched(
                line -> {
                    if (line.contains(Moment.REPAIR.line) && purged.compareAndSet(false, true)) {
                        deleteAndPurge(load, table);
                    }
                },
                table,
                more);
        assertThat(purged).as(repaired.err() + repaired.out()).isTrue();
        return repaired;
    }

    private void deleteAndPurge(QuorumLoad load, String table) {
        load.deleteOwnLongAgo();
        for (int i = 0; i < NODES; i++) {
            // A compaction leaves what is in memory there.
            cluster.node(i).flush("load", table);
            cluster.node(i).compact("load", table);
        }
    }

    private void assertRepairs(QuorumLoad load, String table, String... more) throws IOException {
        Commands.Result repaired = repairWhileDeletionsPurge(load, table, more);
        assertThat(repaired.exitCode())
                .as("%s, seed %d: %s%s", load, seed, repaired.err(), repaired.out())
                .isZero();
        assertThat(load.wrong()).as("seed %d", seed).isEmpty();
        // Now: the next deletion would hide what has come back.
        for (int i = 0; i < NODES; i++) {
            assertThat(load.wrongInOwn(values(i, table)))
                    .as("node %d, %s, seed %d", i, load, seed)
                    .isEmpty();
        }
    }

    /** On a fast machine all of the table may have been written within the last seconds. */
    private void assertRepairsButTheRecent(QuorumLoad load) {
        Commands.Result repaired = repairWhileDeletionsPurge(load, "used");
        assertThat(repaired.exitCode())
                .as("%s, seed %d: %s%s", load, seed, repaired.err(), repaired.out())
                .isEqualTo(repaired.out().contains("nothing was compared") ? 5 : 0);
        assertThat(load.wrong()).as("seed %d", seed).isEmpty();
    }

    /** With no client left: by reads, and in each node's own files. */
    private void assertAllStands(QuorumLoad load, String table) throws IOException {
        assertRepairs(load, table, "--include-recent");
        assertThat(load.readAll()).as("%s, seed %d", load, seed).isEmpty();
        Commands.Result again = repair(table, "--dry-run", "--include-recent");
        assertThat(again.exitCode()).as(again.err() + again.out()).isZero();
        for (int i = 0; i < NODES; i++) {
            assertThat(load.wrongIn(values(i, table)))
                    .as("node %d, %s, seed %d", i, load, seed)
                    .isEmpty();
        }
        cluster.assertNothingLeft("load");
    }

    private Map<QuorumLoad.Cell, Object> values(int node, String table) throws IOException {
        Map<QuorumLoad.Cell, Object> values = new HashMap<>();
        for (TableRow row : cluster.rows(node, "load", table, row -> row)) {
            for (String column : List.of("v", "w")) {
                values.put(
                        new QuorumLoad.Cell(row.value("p", Integer.class), row.value("c", Integer.class), column),
                        row.value(column));
            }
        }
        return values;
    }

    @Test
    void shouldLoseNothingAndBringNothingBackWhileClientsWrite() throws IOException {
        createTable("used", true);
        try (QuorumLoad load = QuorumLoad.start(cluster.session(), "load.used", CLIENTS, seed)) {
            for (int round = 0; round < ROUNDS; round++) {
                miss(load, random.nextInt(NODES));
                if (random.nextBoolean()) {
                    cluster.node(random.nextInt(NODES)).compact("load", "used");
                }
                if (round % 2 == 0) {
                    assertRepairs(load, "used", "--include-recent");
                } else {
                    assertRepairsButTheRecent(load);
                }
            }
            int last = random.nextInt(NODES);
            cluster.leave(last);
            load.awaitWrites(WRITES_MISSED);
            // Clients that go on would give it by their reads what it has missed.
            load.stop();
            assertThat(load.wrongIn(values(last, "used")))
                    .as("what the node has missed, seed %d", seed)
                    .isNotEmpty();
            cluster.join(last);
            assertAllStands(load, "used");
        }
    }

    /** When a node is killed, by what the command has said just before. */
    private enum Moment {
        /** It has a part of its snapshot at least. */
        SNAPSHOT("holding load."),
        REPAIR("snapshots are taken"),
        /** It has some of the files that it is to import. */
        IMPORT(": the replicas differed");

        private final String line;

        Moment(String line) {
            this.line = line;
        }
    }

    /** It costs minutes of a busy machine. */
    @Test
    @EnabledIfSystemProperty(named = "anneal.all", matches = "true")
    void shouldConvergeAfterANodeWasKilledAndLeaveNothingBehind() throws Exception {
        createTable("killed", false);
        try (QuorumLoad load = QuorumLoad.start(cluster.session(), "load.killed", CLIENTS, seed)) {
            for (Moment moment : drawn(Moment.values())) {
                int victim = random.nextInt(NODES);
                miss(load, victim);

                Commands.Result interrupted = repairKilling(victim, moment, "killed", cluster.node(victim)::kill);

                assertThat(interrupted.exitCode())
                        .as("%s, node %d, seed %d: %s%s", moment, victim, seed, interrupted.err(), interrupted.out())
                        .isIn(moment == Moment.REPAIR ? List.of(1) : List.of(0, 1, 5));
                if (interrupted.exitCode() != 0) {
                    assertThat(interrupted.err()).contains(cluster.agent(victim));
                }
                for (int i = 0; i < NODES; i++) {
                    if (i != victim && interrupted.exitCode() == 1) {
                        assertThat(interrupted.out())
                                .as("who lives imports: %s", interrupted.err())
                                .contains(cluster.agent(i) + ": imported ");
                    }
                }
                cluster.restart(victim);
                if (interrupted.err().contains("go on before ")) {
                    goOnAfterRestart(victim);
                }
                cluster.assertNothingLeft("load");
                assertRepairs(load, "killed", "--include-recent");
            }
            load.stop();
            assertAllStands(load, "killed");
        }
    }

    /** The node has forgotten that deletions are held: it refuses, and all let go. */
    private void goOnAfterRestart(int restarted) {
        Commands.Result resumed = cluster.resume();
        String said = "node " + restarted + ", seed " + seed + ": " + resumed.err() + resumed.out();
        assertThat(resumed.exitCode()).as(said).isEqualTo(1);
        assertThat(resumed.err()).as(said).contains("node was restarted");
        assertThat(resumed.out()).as(said).contains(cluster.agent(restarted) + ": did not import");
    }

    /** It costs minutes of a busy machine. */
    @Test
    @EnabledIfSystemProperty(named = "anneal.all", matches = "true")
    void shouldConvergeAfterTheCommandWasKilledAndResumed(@TempDir Path directory) throws Exception {
        createTable("steered", false);
        try (QuorumLoad load = QuorumLoad.start(cluster.session(), "load.steered", CLIENTS, seed)) {
            for (Moment moment : drawn(Moment.values())) {
                int lacking = random.nextInt(NODES);
                miss(load, lacking);
                Course course = new Course(moment, lacking, "steered");
                Path log = Files.createFile(directory.resolve(moment.name()));
                Process command = cluster.start(log, "repair", "load.steered", "--include-recent");
                while (command.isAlive() && !(course.hears(text(log)) && course.comes())) {
                    LockSupport.parkNanos(1_000_000);
                }
                command.destroyForcibly();
                String said = moment + ", node " + lacking + ", seed " + seed + ": " + text(log);
                assertThat(command.waitFor()).as("it was killed: %s", said).isEqualTo(KILLED);

                // The agents hold on without it.
                deleteAndPurge(load, "steered");
                Commands.Result resumed = cluster.resume();

                assertThat(resumed.exitCode())
                        .as(said + resumed.err() + resumed.out())
                        .isZero();
                assertThat(resumed.err()).as(said).contains("going on with run ");
                assertThat(resumed.out()).as(said).contains("load.steered: covered until ");
                cluster.assertNothingLeft("load");
                assertOwnStands(load, "steered", said);
            }
            load.stop();
            assertAllStands(load, "steered");
        }
    }

    private static String text(Path log) {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In each node's own files, while clients go on. */
    private void assertOwnStands(QuorumLoad load, String table, String said) throws IOException {
        assertThat(load.wrong()).as(said).isEmpty();
        for (int i = 0; i < NODES; i++) {
            assertThat(load.wrongInOwn(values(i, table)))
                    .as("node %d, %s", i, said)
                    .isEmpty();
        }
    }

    /** It costs minutes of a busy machine. */
    @Test
    @EnabledIfSystemProperty(named = "anneal.all", matches = "true")
    void shouldConvergeAfterAnAgentWasKilledAndStartedAgain() throws Exception {
        createTable("watched", false);
        try (QuorumLoad load = QuorumLoad.start(cluster.session(), "load.watched", CLIENTS, seed)) {
            for (Moment moment : drawn(Moment.values())) {
                int victim = random.nextInt(NODES);
                miss(load, victim);

                Commands.Result interrupted = repairKilling(victim, moment, "watched", () -> cluster.killAgent(victim));

                String said =
                        moment + ", agent " + victim + ", seed " + seed + ": " + interrupted.err() + interrupted.out();
                assertThat(interrupted.exitCode()).as(said).isIn(1, 5);
                assertThat(interrupted.err()).as(said).contains(cluster.agent(victim));
                cluster.restartAgent(victim);
                if (interrupted.err().contains("go on before ")) {
                    Commands.Result resumed = cluster.resume();
                    said += resumed.err() + resumed.out();
                    assertThat(resumed.exitCode()).as(said).isEqualTo(5);
                    assertThat(resumed.err()).as(said).contains("an agent has let go of the run", "start another run");
                } else {
                    assertThat(moment).as(said).isEqualTo(Moment.SNAPSHOT);
                }
                cluster.assertNothingLeft("load");
                assertRepairs(load, "watched", "--include-recent");
                assertOwnStands(load, "watched", said);
            }
            load.stop();
            assertAllStands(load, "watched");
        }
    }

    private <T> List<T> drawn(T[] all) {
        List<T> drawn = new ArrayList<>(List.of(all));
        Collections.shuffle(drawn, random);
        return drawn;
    }

    /** How far a run has come with a node, by what is said and by the node's files: so a kill comes in the midst of a step. */
    private final class Course {
        private final Moment moment;
        private final int node;
        private final Path directory;
        /** With what was flushed for the snapshot: what comes after that is imported. */
        private volatile Set<Path> before = Set.of();

        Course(Moment moment, int node, String table) {
            this.moment = moment;
            this.node = node;
            cluster.node(node).flush("load", table);
            directory = cluster.node(node).sstables("load", table).get(0).getParent();
        }

        /** Whether the moment may come from now on, by what was said. */
        boolean hears(String said) {
            if (before.isEmpty() && said.contains(Moment.REPAIR.line)) {
                before = files(directory);
            }
            return said.contains(moment.line);
        }

        boolean comes() {
            return switch (moment) {
                case SNAPSHOT -> cluster.hasSnapshot(node, "load");
                case REPAIR -> true;
                case IMPORT -> !before.containsAll(files(directory));
            };
        }
    }

    /** @param kill ends the node, or what stands beside it */
    private Commands.Result repairKilling(int victim, Moment moment, String table, Runnable kill) {
        Course course = new Course(moment, victim, table);
        AtomicReference<CompletableFuture<Boolean>> killing = new AtomicReference<>();
        AtomicBoolean ended = new AtomicBoolean();
        Commands.Result result;
        try {
            result = cluster.commandWatched(
                    line -> {
                        if (course.hears(line) && killing.get() == null) {
                            killing.set(CompletableFuture.supplyAsync(() -> kill(kill, course::comes, ended)));
                            if (moment == Moment.REPAIR) {
                                killing.get().join();
                            }
                        }
                    },
                    "repair",
                    "load." + table,
                    "--include-recent");
        } finally {
            ended.set(true);
        }
        String said = moment + ", seed " + seed + ": " + result.err() + result.out();
        assertThat(killing.get()).as("the command came so far: %s", said).isNotNull();
        assertThat(killing.get().join())
                .as("it was killed before the end: %s", said)
                .isTrue();
        return result;
    }

    /** Kills as soon as something comes; false if the command ends before. */
    private static boolean kill(Runnable kill, BooleanSupplier comes, AtomicBoolean ended) {
        while (!comes.getAsBoolean()) {
            if (ended.get()) {
                return false;
            }
            LockSupport.parkNanos(100_000);
        }
        kill.run();
        return true;
    }

    private static Set<Path> files(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.collect(Collectors.toSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What happens to a table between its snapshot and its import, and what is said of it. */
    private enum Change {
        TRUNCATE("table was truncated", "TRUNCATE load.%s"),
        ADD_COLUMN("schema has changed", "ALTER TABLE load.%s ADD x text"),
        DROP_COLUMN("schema has changed", "ALTER TABLE load.%s DROP w"),
        DROP("table was dropped", "DROP TABLE load.%s"),
        MAKE_AGAIN(
                "table was dropped and made again",
                "DROP TABLE load.%s",
                "CREATE TABLE load.%s (p int, c int, v text, w text, PRIMARY KEY (p, c))"),
        CREATE_ANOTHER("schema has changed", "CREATE TABLE load.%s_other (p int PRIMARY KEY)"),
        /** Of the node that lacks the rows. */
        RESTART("node was restarted");

        private final String reason;
        private final List<String> statements;

        Change(String reason, String... statements) {
            this.reason = reason;
            this.statements = List.of(statements);
        }

        private boolean keepsRows() {
            return this == ADD_COLUMN || this == DROP_COLUMN || this == CREATE_ANOTHER || this == RESTART;
        }
    }

    /** It costs minutes of a busy machine. */
    @Test
    @EnabledIfSystemProperty(named = "anneal.all", matches = "true")
    void shouldRefuseWhatChangedBetweenSnapshotAndImportOrBeRight() throws IOException {
        List<Change> changes = drawn(Change.values());
        for (Change change : changes) {
            createTable(table(change), false);
        }
        cluster.leave(2);
        for (Change change : changes) {
            for (int p = 0; p < ROWS_EACH; p++) {
                cluster.session()
                        .execute("INSERT INTO load." + table(change) + " (p, c, v, w) VALUES (" + p + ", 0, 'v', 'w')");
            }
        }
        cluster.join(2);
        for (Change change : changes) {
            refusesOrIsRight(change, random.nextBoolean() ? Moment.REPAIR : Moment.IMPORT);
        }
        cluster.assertNothingLeft("load");
    }

    private static String table(Change change) {
        return "change_" + change.name().toLowerCase(Locale.ROOT);
    }

    private void refusesOrIsRight(Change change, Moment moment) throws IOException {
        String table = table(change);
        AtomicBoolean changed = new AtomicBoolean();
        Commands.Result refused = cluster.commandWatched(
                line -> {
                    if (line.contains(moment.line) && changed.compareAndSet(false, true)) {
                        change.statements.forEach(statement -> cluster.session().execute(statement.formatted(table)));
                        if (change == Change.RESTART) {
                            cluster.node(2).kill();
                            cluster.restart(2);
                        }
                    }
                },
                "repair",
                "load." + table,
                "--include-recent");

        String said = change + " at " + moment + ", seed " + seed + ": " + refused.err() + refused.out();
        assertThat(refused.exitCode()).as(said).isIn(1, 5);
        assertThat(refused.err()).as(said).contains("nothing is imported", change.reason);
        assertThat(refused.out()).as(said).contains(cluster.agent(2) + ": did not import");
        cluster.awaitAgreement();
        if (change == Change.DROP) {
            return;
        }
        if (change.keepsRows()) {
            // It has what it was given as the clients' own.
            assertThat(rows(2, table)).as(said).hasSizeLessThan(ROWS_EACH);
            Commands.Result again = repair(table, "--include-recent");
            assertThat(again.exitCode()).as(said + again.err()).isZero();
        }
        for (int i = 0; i < NODES; i++) {
            assertThat(rows(i, table)).as("node " + i + ", " + said).hasSize(change.keepsRows() ? ROWS_EACH : 0);
        }
    }

    private List<String> rows(int node, String table) throws IOException {
        return cluster.rows(node, "load", table, row -> row.values().toString());
    }
}
