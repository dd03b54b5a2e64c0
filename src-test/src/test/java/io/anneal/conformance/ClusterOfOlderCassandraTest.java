package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.anneal.bench.peer.CassandraRelease;
import io.anneal.faults.Commands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Real clusters of Cassandra 4.0 and 4.1, repaired as those of 5.0 are. One node has lost files of its tables, and what was written
 * and deleted while it was down. It costs minutes, and the build fetches their jars: for {@code -Danneal.all=true}.
 */
@EnabledIfSystemProperty(named = "anneal.all", matches = "true")
final class ClusterOfOlderCassandraTest {
    private static final int NODES = 3;
    private static final int LOSER = 2;
    private static final List<String> TABLES = List.of("orders", "flat", "counts");
    private static final int COUNTERS = 60;
    private static final int INCREMENTS = 3;
    private static final String NOT_COMPACTED =
            "compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}";
    private static final String SYNCED = "Previewed data was in sync";

    private final long seed = Long.getLong("anneal.seed", new Random().nextLong());
    private final Map<Integer, Long> counts = new TreeMap<>();
    private LiveCluster cluster;

    @TempDir
    private Path directory;

    @AfterEach
    void stop() throws IOException {
        if (cluster != null) {
            cluster.close();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "V5_0")
    void shouldMakeNodesEqual(CassandraRelease release) throws Exception {
        System.out.println("anneal.seed=" + seed);
        cluster = LiveCluster.start(
                LiveCluster.Shape.of("127.0.6", NODES, 4, new Random(seed)).withRelease(release), directory);
        assertThat(cluster.command("status").out()).contains("Cassandra " + release.number() + ".");
        createTables();
        writeBeforeTheLoss();
        cluster.stop(LOSER);
        TABLES.forEach(this::loseNewestFiles);
        writeWhileItIsDown();
        cluster.restart(LOSER);
        List<List<String>> expected = rows(0);
        for (int i = 0; i < TABLES.size(); i++) {
            assertThat(rows(LOSER).get(i)).as(TABLES.get(i)).isNotEqualTo(expected.get(i));
        }
        assertThat(preview()).doesNotContain(SYNCED);

        Commands.Result dry = repair("--dry-run");
        assertThat(dry.exitCode()).as(dry.err() + dry.out()).isEqualTo(1);
        List<String> snapshots = new ArrayList<>();
        Commands.Result repaired = cluster.commandWatched(
                line -> {
                    if (line.contains("snapshots are taken")) {
                        snapshots.addAll(snapshots());
                    }
                },
                "repair",
                "shop",
                "--include-recent");

        assertThat(repaired.exitCode()).as(repaired.err() + repaired.out()).isZero();
        // The last column tells when the node removes it by itself.
        assertThat(snapshots)
                .hasSize(NODES * TABLES.size())
                .allMatch(snapshot -> release == CassandraRelease.V4_0 || snapshot.matches(".*Z\\s+\\S+Z\\s*"));
        for (String table : TABLES) {
            assertThat(repaired.out()).contains("shop." + table + ": covered until ");
        }
        for (int i = 0; i < NODES; i++) {
            assertThat(rows(i)).as("node " + i).isEqualTo(expected);
        }
        assertThat(preview()).contains(SYNCED);
        assertFindsNothing();
        countsGoOn();
        assertFindsNothing();
        assertThat(preview()).contains(SYNCED);
        cluster.assertNothingLeft("shop");
        if (release == CassandraRelease.V4_0) {
            leavesNothingWhenAnAgentDies();
        }
    }

    private void createTables() {
        for (String statement : List.of(
                "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}",
                "CREATE TYPE shop.place (street text, number int)",
                "CREATE TABLE shop.orders (p int, c int, s text static, v text, m map<text, text>, l list<int>, f frozen<place>,"
                        + " u place, x text, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC) AND "
                        + NOT_COMPACTED,
                "CREATE TABLE shop.flat (k text PRIMARY KEY, v int) WITH COMPACT STORAGE AND " + NOT_COMPACTED,
                "CREATE TABLE shop.counts (k int PRIMARY KEY, v counter) WITH " + NOT_COMPACTED)) {
            cluster.session().execute(statement);
        }
        cluster.awaitAgreement();
    }

    /** In two rounds, so that each node has two files of each table. */
    private void writeBeforeTheLoss() throws Exception {
        for (int p = 0; p < 20; p++) {
            insert(p, 0, "before");
            insert(p, 1, "before");
            write(ConsistencyLevel.ALL, "UPDATE shop.orders SET x = 'to be dropped' WHERE p = " + p + " AND c = 1");
            write(ConsistencyLevel.ALL, "INSERT INTO shop.flat (k, v) VALUES ('" + p + "', 1)");
        }
        count(0, COUNTERS * 2 / 3);
        flush();
        write(ConsistencyLevel.ALL, "ALTER TABLE shop.orders DROP x");
        cluster.awaitAgreement();
        for (int p = 10; p < 30; p++) {
            insert(p, 2, "before the loss");
            write(ConsistencyLevel.ALL, "INSERT INTO shop.flat (k, v) VALUES ('" + p + "', 2)");
        }
        write(ConsistencyLevel.ALL, "DELETE FROM shop.orders WHERE p = 2 AND c = 1");
        count(COUNTERS / 3, COUNTERS);
        flush();
        saveCaches();
    }

    private void writeWhileItIsDown() {
        for (int p = 0; p < 30; p += 3) {
            write(
                    ConsistencyLevel.QUORUM,
                    "INSERT INTO shop.orders (p, c, v) VALUES (" + p + ", 3, 'missed')",
                    "INSERT INTO shop.orders (p, c, v) VALUES (" + p + ", 4, 'expires') USING TTL 100000",
                    "INSERT INTO shop.orders (p, c, v) VALUES (" + p + ", 1, 'overwritten')",
                    "UPDATE shop.orders SET m['c'] = 'd', l = l + [3], u.number = 7 WHERE p = " + p + " AND c = 0",
                    "DELETE m['a'], f FROM shop.orders WHERE p = " + p + " AND c = 1",
                    "UPDATE shop.orders SET s = 'changed' WHERE p = " + p,
                    "INSERT INTO shop.flat (k, v) VALUES ('" + p + "', 3)");
        }
        write(
                ConsistencyLevel.QUORUM,
                "DELETE FROM shop.orders WHERE p = 1 AND c = 0",
                "DELETE FROM shop.orders WHERE p = 4 AND c > 0",
                "DELETE FROM shop.orders WHERE p = 5",
                "DELETE FROM shop.flat WHERE k = '7'");
        count(0, COUNTERS / 2, ConsistencyLevel.QUORUM);
    }

    private void insert(int p, int c, String value) {
        write(
                ConsistencyLevel.ALL,
                "INSERT INTO shop.orders (p, c, s, v, m, l, f, u) VALUES (" + p + ", " + c + ", 'static', '" + value
                        + "', {'a': 'b'}, [1, 2], {street: 'x', number: 1}, {street: 'y', number: 2})");
    }

    private void write(ConsistencyLevel level, String... statements) {
        for (String statement : statements) {
            cluster.session().execute(SimpleStatement.newInstance(statement).setConsistencyLevel(level));
        }
    }

    private void count(int first, int end) {
        count(first, end, ConsistencyLevel.ALL);
    }

    /** Each counter several times, since it is a node of chance that counts. */
    private void count(int first, int end, ConsistencyLevel level) {
        for (int k = first; k < end; k++) {
            for (int i = 0; i < INCREMENTS; i++) {
                write(level, "UPDATE shop.counts SET v = v + 1 WHERE k = " + k);
            }
            counts.merge(k, (long) INCREMENTS, Long::sum);
        }
    }

    private void flush() {
        for (int i = 0; i < NODES; i++) {
            cluster.node(i).nodetool("flush", "shop");
        }
    }

    /** A node that starts again knows its counters by the caches that it has saved. */
    private void saveCaches() throws IOException, JMException {
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(
                "service:jmx:rmi:///jndi/rmi://127.0.0.1:" + cluster.node(LOSER).jmxPort() + "/jmxrmi"))) {
            connector
                    .getMBeanServerConnection()
                    .invoke(new ObjectName("org.apache.cassandra.db:type=Caches"), "saveCaches", null, null);
        }
    }

    /** All but the oldest SSTable. */
    private void loseNewestFiles(String table) {
        try {
            for (Path of : cluster.tableDirectories(LOSER, "shop", table)) {
                List<Path> files;
                try (Stream<Path> all = Files.list(of)) {
                    files = all.filter(file -> file.getFileName().toString().matches("nb-\\d+-big-.*"))
                            .toList();
                }
                int oldest = files.stream()
                        .mapToInt(ClusterOfOlderCassandraTest::generation)
                        .min()
                        .orElseThrow();
                List<Path> lost =
                        files.stream().filter(file -> generation(file) > oldest).toList();
                assertThat(lost).as(table).isNotEmpty();
                for (Path file : lost) {
                    Files.delete(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int generation(Path file) {
        return Integer.parseInt(file.getFileName().toString().split("-")[1]);
    }

    private List<List<String>> rows(int node) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        for (String table : TABLES) {
            rows.add(cluster.rows(node, "shop", table, row -> row.values().toString()));
        }
        return rows;
    }

    private Commands.Result repair(String... more) {
        List<String> all = new ArrayList<>(List.of("shop", "--include-recent"));
        all.addAll(List.of(more));
        return cluster.command("repair", all.toArray(String[]::new));
    }

    private void assertFindsNothing() {
        Commands.Result again = repair("--dry-run");
        assertThat(again.exitCode()).as(again.err() + again.out()).isZero();
    }

    private String preview() {
        return cluster.node(0).nodetool("repair", "--preview", "--full", "shop");
    }

    /** What nodes list of the run's, a line for each table. */
    private List<String> snapshots() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            cluster.node(i)
                    .nodetool("listsnapshots")
                    .lines()
                    .filter(line -> line.startsWith("anneal-"))
                    .forEach(all::add);
        }
        return all;
    }

    private void countsGoOn() throws IOException {
        count(0, COUNTERS);
        Map<Integer, Long> found = new TreeMap<>();
        cluster.session()
                .execute(SimpleStatement.newInstance("SELECT k, v FROM shop.counts")
                        .setConsistencyLevel(ConsistencyLevel.ALL))
                .forEach(row -> found.put(row.getInt("k"), row.getLong("v")));
        assertThat(found).as("seed %d", seed).isEqualTo(counts);
        List<String> expected = rows(0).get(2);
        for (int i = 1; i < NODES; i++) {
            assertThat(rows(i).get(2)).as("node " + i).isEqualTo(expected);
        }
    }

    /** The agent that starts again takes away what the dead one left: a node of 4.0 would keep its snapshot for ever. */
    private void leavesNothingWhenAnAgentDies() throws IOException {
        Commands.Result broken = cluster.commandWatched(
                line -> {
                    if (line.contains("snapshots are taken")) {
                        cluster.killAgent(LOSER);
                    }
                },
                "repair",
                "shop",
                "--include-recent",
                "--lease",
                "5");
        assertThat(broken.exitCode()).as(broken.err() + broken.out()).isNotZero();
        assertThat(cluster.hasSnapshot(LOSER, "shop")).isTrue();

        cluster.restartAgent(LOSER);

        cluster.assertNothingLeft("shop");
    }
}
