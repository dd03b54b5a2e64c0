package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.faults.Commands;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.node.Ring;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.store.SSTableWriter;
import io.anneal.store.SSTables;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three real nodes that differ, with two replicas of each range and what is left of a third: repaired by what nodetool tells of the
 * ring, imported, and previewed by Cassandra. It costs 45 s of a processor, so that one token each is for {@code -Danneal.all=true}.
 */
final class RingOfCassandraTest {
    private static final int NODES = 3;
    private static final int TOKENS = 4;
    private static final int PARTITIONS = 60;
    private static final int ROWS_EACH = 10;
    private static final String SYNCED = "Previewed data was in sync";
    private static final Pattern IMPORT = Pattern.compile("nodetool (import ring t \\S+)");

    private final long seed = Long.getLong("anneal.seed", new Random().nextLong());
    private final Random random = new Random(seed);
    private final long micros = Instant.now().getEpochSecond() * 1_000_000 - 3_600_000_000L;
    private final List<CassandraPeer> nodes = new ArrayList<>();
    /** Of each node, of each row the time at which it was written, or its partition or itself deleted. */
    private final List<Map<Integer, Long>> written = new ArrayList<>();

    private final List<Map<Integer, Long>> deleted = new ArrayList<>();

    @TempDir
    private Path directory;

    @Test
    void shouldMakeNodesWithVnodesEqualWhereTheyOwnTheSame() throws IOException {
        repairsByRing(TOKENS);
    }

    @Test
    @EnabledIfSystemProperty(named = "anneal.all", matches = "true")
    void shouldMakeNodesOfOneTokenEqualWhereTheyOwnTheSame() throws IOException {
        repairsByRing(1);
    }

    private void repairsByRing(int tokensEach) throws IOException {
        try {
            start(tokensEach);
            writeDifferences();
            nodes.get(0)
                    .execute(
                            "ALTER KEYSPACE ring WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 2}");
            String described = nodes.get(0).nodetool("describering", "ring");
            Ring ring = Ring.parse(described);
            assertThat(ring.parts())
                    .hasSize(NODES * tokensEach)
                    .allMatch(part -> part.owners().size() == 2);
            assertThat(nodes.get(0).nodetool("repair", "--preview", "--full", "ring"))
                    .doesNotContain(SYNCED);

            imports(repair(Files.writeString(directory.resolve("ring"), described)));

            for (int i = 0; i < NODES; i++) {
                assertThat(nodes.get(i).nodetool("repair", "--preview", "--full", "ring"))
                        .contains(SYNCED);
                assertThat(rows(i)).as("node %d, seed %d", i, seed).isEqualTo(expected(ring, i));
            }
        } finally {
            for (int i = nodes.size() - 1; i >= 0; i--) {
                nodes.get(i).close();
            }
        }
    }

    private static String address(int node) {
        return "127.0.1." + (node + 1);
    }

    private void start(int tokensEach) {
        for (int i = 0; i < NODES; i++) {
            String tokens = random.longs(tokensEach).mapToObj(Long::toString).collect(Collectors.joining(","));
            String seedNode = i == 0 ? "" : address(0) + ":" + nodes.get(0).storagePort();
            nodes.add(CassandraPeer.start(Peers.shortLived(
                            directory.resolve("node" + i),
                            "num_tokens: " + tokensEach,
                            "initial_token: '" + tokens + "'",
                            "memtable_heap_space: 64MiB")
                    .withHeapMiB(512)
                    .withPlace(address(i), 0, seedNode)));
        }
        nodes.forEach(node -> node.awaitRing(NODES));
        nodes.get(0)
                .executeAll(List.of(
                        "CREATE KEYSPACE ring WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}",
                        "CREATE TABLE ring.t (p int, c int, v text, PRIMARY KEY (p, c)) WITH compaction ="
                                + " {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}"));
    }

    /** Each node gets what the others need not have; all of the keys, since each owns all of them still. */
    private void writeDifferences() throws IOException {
        TableSchema schema = CqlSchema.parse(nodes.get(0).describe("ring", "t"), "describe")
                .table("ring", "t")
                .orElseThrow();
        for (int i = 0; i < NODES; i++) {
            written.add(new TreeMap<>());
            deleted.add(new TreeMap<>());
            Path home = directory.resolve("written" + i);
            try (SSTableWriter writer = SSTableWriter.builder(schema).to(home).unsorted(1 << 20)) {
                for (int row = 0; row < PARTITIONS * ROWS_EACH; row++) {
                    if (random.nextInt(3) > 0) {
                        long at = micros + random.nextInt(100);
                        written.get(i).put(row, at);
                        writer.row()
                                .key("p", row / ROWS_EACH)
                                .clustering("c", row % ROWS_EACH)
                                .set("v", "at " + at)
                                .timestampMicros(at)
                                .insert();
                    }
                    if (random.nextInt(20) == 0) {
                        deleted.get(i).put(row, micros + 50);
                        writer.row()
                                .key("p", row / ROWS_EACH)
                                .clustering("c", row % ROWS_EACH)
                                .timestampMicros(micros + 50)
                                .deleteRow();
                    }
                }
                writer.finish();
            }
            nodes.get(i).importDirectory("ring", "t", home.resolve("ring").resolve("t"));
        }
    }

    private Commands.Result repair(Path ring) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(
                "repair", "--ring", ring.toString(), "--table", "ring.*", "--apply", "--out", directory + "/out"));
        for (int i = 0; i < NODES; i++) {
            Path snapshot = directory.resolve("snapshot" + i);
            nodes.get(i).copySSTables("ring", "t", Files.createDirectories(snapshot));
            arguments.addAll(List.of("--dir", snapshot.toString(), "--name", address(i)));
        }
        Commands.Result repaired = Commands.run(arguments.toArray(String[]::new));
        assertThat(repaired.exitCode()).as(repaired.err()).isZero();
        return repaired;
    }

    /** A node refuses SSTables with a token that it does not own. */
    private void imports(Commands.Result repaired) {
        for (int i = 0; i < NODES; i++) {
            int node = i;
            List<String> commands = repaired.out()
                    .lines()
                    .filter(line -> line.contains("on the node of " + address(node) + ":"))
                    .map(IMPORT::matcher)
                    .filter(Matcher::find)
                    .map(found -> found.group(1))
                    .toList();
            assertThat(commands).as(repaired.out()).hasSize(1);
            nodes.get(i).nodetool(commands.get(0).split(" "));
        }
    }

    private Map<Integer, String> rows(int node) throws IOException {
        Path after = Files.createDirectories(directory.resolve("after" + node));
        nodes.get(node).copySSTables("ring", "t", after);
        Map<Integer, String> found = new TreeMap<>();
        try (SSTables table = SSTables.open(after);
                TableRows rows = table.rows(TokenRange.FULL, Instant.now())) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                found.put(
                        row.value("p", Integer.class) * ROWS_EACH + row.value("c", Integer.class),
                        row.value("v", String.class));
            }
        }
        return found;
    }

    /** What all owners have together; of what a node does not own, what it has from before. */
    private Map<Integer, String> expected(Ring ring, int node) {
        Map<Integer, String> expected = new TreeMap<>();
        for (int row = 0; row < PARTITIONS * ROWS_EACH; row++) {
            List<String> owners = owners(ring, row / ROWS_EACH);
            boolean owns = owners.contains(address(node));
            List<Integer> holders = IntStream.range(0, NODES)
                    .filter(other -> owns ? owners.contains(address(other)) : other == node)
                    .boxed()
                    .toList();
            long at = newest(written, row, holders);
            if (at > newest(deleted, row, holders)) {
                expected.put(row, "at " + at);
            }
        }
        return expected;
    }

    private static long newest(List<Map<Integer, Long>> times, int row, List<Integer> nodes) {
        return nodes.stream()
                .mapToLong(node -> times.get(node).getOrDefault(row, 0L))
                .max()
                .orElseThrow();
    }

    private static List<String> owners(Ring ring, int partition) {
        long token = DecoratedKey.of(ByteBuffer.allocate(4).putInt(partition).array())
                .token();
        return ring.parts().stream()
                .filter(part -> part.range().contains(token))
                .findFirst()
                .orElseThrow()
                .owners();
    }
}
