package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.anneal.faults.Commands;
import io.anneal.key.TokenRange;
import io.anneal.node.Ring;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real cluster of four nodes with vnodes in two data centres: each node gets what it owns, from whoever owns it too. The tests share
 * the cluster, each has a keyspace of its own. It costs minutes, so that it is for {@code -Danneal.all=true}.
 */
@EnabledIfSystemProperty(named = "anneal.all", matches = "true")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClusterOfDataCentresTest {
    private static final List<String> CENTRES = List.of("east", "east", "west", "west");
    private static final int NODES = CENTRES.size();
    private static final int PARTITIONS = 200;
    private static final String SYNCED = "Previewed data was in sync";
    /** A partition of what {@code sstabledump} prints. */
    private static final Pattern KEY = Pattern.compile("\"key\"\\s*:\\s*\\[\\s*\"(-?\\d+)\"\\s*\\]");

    private final long seed = Long.getLong("anneal.seed", new Random().nextLong());
    private final Random random = new Random(seed);
    /** What stands of each partition of the table that is written to; none of what is deleted. */
    private final Map<Integer, String> model = new TreeMap<>();

    private long micros = Instant.now().getEpochSecond() * 1_000_000 - 3_600_000_000L;
    private LiveCluster cluster;

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        System.out.println("anneal.seed=" + seed);
        cluster = LiveCluster.start(
                LiveCluster.Shape.of("127.0.4", NODES, 8, random).withDataCentres(CENTRES), directory);
    }

    @AfterAll
    void stop() throws IOException {
        if (cluster != null) {
            cluster.close();
        }
    }

    private void createTable(String keyspace, String replication) {
        model.clear();
        cluster.session().execute("CREATE KEYSPACE " + keyspace + " WITH replication = " + replication);
        cluster.session()
                .execute("CREATE TABLE " + keyspace + ".t (p int PRIMARY KEY, v text) WITH compaction ="
                        + " {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        cluster.awaitAgreement();
    }

    /** Random partitions are written, and some deleted, by whoever is there. */
    private void write(String keyspace, ConsistencyLevel level, int count) {
        for (int i = 0; i < count; i++) {
            int p = random.nextInt(PARTITIONS);
            micros++;
            String statement;
            if (random.nextInt(5) == 0) {
                statement = "DELETE FROM " + keyspace + ".t USING TIMESTAMP " + micros + " WHERE p = " + p;
                model.remove(p);
            } else {
                statement = "INSERT INTO " + keyspace + ".t (p, v) VALUES (" + p + ", '" + micros
                        + "') USING TIMESTAMP " + micros;
                model.put(p, Long.toString(micros));
            }
            cluster.session().execute(SimpleStatement.newInstance(statement).setConsistencyLevel(level));
        }
    }

    private void writeWithout(int node, String keyspace, ConsistencyLevel level) {
        cluster.leave(node);
        write(keyspace, level, PARTITIONS);
        cluster.join(node);
    }

    private Commands.Result repair(String keyspace, String... more) {
        List<String> all = new ArrayList<>(List.of(keyspace));
        all.addAll(List.of(more));
        return cluster.command("repair", all.toArray(String[]::new));
    }

    private void assertRepairs(String keyspace, String... more) {
        Commands.Result repaired = repair(keyspace, more);
        assertThat(repaired.exitCode())
                .as("seed %d: %s%s", seed, repaired.err(), repaired.out())
                .isZero();
        assertThat(repaired.out()).contains("the replicas differed");
    }

    private Ring ring(String keyspace) {
        return Ring.parse(cluster.node(0).nodetool("describering", keyspace));
    }

    private long token(String keyspace, int p) {
        byte[] key = {(byte) (p >> 24), (byte) (p >> 16), (byte) (p >> 8), (byte) p};
        return cluster.node(0).token(keyspace, "t", key);
    }

    private List<Integer> owned(Ring ring, String keyspace, int node) {
        List<TokenRange> ranges = ring.parts().stream()
                .filter(part -> part.owners().contains(cluster.host(node)))
                .map(Ring.Part::range)
                .toList();
        List<Integer> owned = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            long token = token(keyspace, p);
            if (ranges.stream().anyMatch(range -> range.contains(token))) {
                owned.add(p);
            }
        }
        return owned;
    }

    private Map<Integer, String> rows(int node, String keyspace) throws IOException {
        Map<Integer, String> rows = new TreeMap<>();
        for (var row : cluster.rows(node, keyspace, "t", row -> row)) {
            rows.put(row.value("p", Integer.class), row.value("v", String.class));
        }
        return rows;
    }

    /** Each node has what it owns of the model, and its files hold nothing else, deletions neither. */
    private void assertEachHasItsOwn(String keyspace) throws IOException {
        Ring ring = ring(keyspace);
        for (int i = 0; i < NODES; i++) {
            List<Integer> owned = owned(ring, keyspace, i);
            Map<Integer, String> expected = new TreeMap<>(model);
            expected.keySet().retainAll(owned);
            assertThat(rows(i, keyspace)).as("node %d, seed %d", i, seed).isEqualTo(expected);
            List<Integer> keys = new ArrayList<>();
            for (Path sstable : cluster.node(i).sstables(keyspace, "t")) {
                Matcher key = KEY.matcher(cluster.node(i).dump(sstable));
                while (key.find()) {
                    keys.add(Integer.parseInt(key.group(1)));
                }
            }
            assertThat(keys).as("node %d", i).isNotEmpty().isSubsetOf(owned);
        }
        assertThat(cluster.node(0).nodetool("repair", "--preview", "--full", keyspace))
                .contains(SYNCED);
        cluster.assertNothingLeft(keyspace);
    }

    @Test
    void shouldGiveNoNodeWhatItDoesNotOwn() throws IOException {
        createTable("vnodes", "{'class': 'SimpleStrategy', 'replication_factor': 2}");
        for (int i = 0; i < NODES; i++) {
            writeWithout(i, "vnodes", ConsistencyLevel.ONE);
        }
        Ring ring = ring("vnodes");
        assertThat(ring.parts()).hasSize(NODES * 8);
        for (int i = 0; i < NODES; i++) {
            assertThat(owned(ring, "vnodes", i)).hasSizeLessThan(PARTITIONS);
        }

        assertRepairs("vnodes");

        assertEachHasItsOwn("vnodes");
    }

    @Test
    void shouldRepairAcrossDataCentresOrInOneOfThem() throws IOException {
        createTable("centres", "{'class': 'NetworkTopologyStrategy', 'east': 2, 'west': 2}");
        write("centres", ConsistencyLevel.ALL, PARTITIONS);
        writeWithout(3, "centres", ConsistencyLevel.QUORUM);
        writeWithout(0, "centres", ConsistencyLevel.QUORUM);
        Map<Integer, String> ofNode0 = rows(0, "centres");
        assertThat(ofNode0).isNotEqualTo(model);

        assertRepairs("centres", "--dc", "west");

        assertThat(rows(3, "centres")).isEqualTo(rows(2, "centres")).isEqualTo(model);
        assertThat(rows(0, "centres")).as("in the other data centre").isEqualTo(ofNode0);

        assertRepairs("centres");

        assertEachHasItsOwn("centres");
    }

    @Test
    void shouldRefuseADataCentreThatHasNothingToCompare() {
        createTable("uneven", "{'class': 'NetworkTopologyStrategy', 'east': 2, 'west': 1}");
        Commands.Result unknown = repair("uneven", "--dc", "north");
        assertThat(unknown.exitCode()).as(unknown.err()).isEqualTo(2);
        assertThat(unknown.err()).contains("keyspace has no replicas in the data centre", "north");

        Commands.Result alone = repair("uneven", "--dc", "west");

        assertThat(alone.exitCode()).as(alone.err() + alone.out()).isEqualTo(5);
        assertThat(alone.err()).contains("no range of the keyspace has two replicas");
        assertThat(alone.out()).doesNotContain("covered until");
        cluster.assertNothingLeft("uneven");
    }
}
