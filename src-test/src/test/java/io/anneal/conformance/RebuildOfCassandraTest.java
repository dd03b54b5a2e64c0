package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.faults.Commands;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.sstable.SSTableReader;
import io.anneal.store.SSTables;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A node that lost its data is rebuilt from two others, as {@code docs/streaming.md} says: each serves what a real Cassandra
 * wrote, and a real Cassandra imports what was staged, all of it, and reads every key that the node owns.
 */
@WithCassandra
class RebuildOfCassandraTest {
    private static final int KEYS = 220;
    private static final int VALUE_BYTES = 6_000;
    /** The first data directory of the rebuilt node ends here. */
    private static final long DISK_BOUNDARY = 0;

    private static final TokenRange FOREIGN = new TokenRange(4_000_000_000_000_000_000L, 7_000_000_000_000_000_000L);
    private static final TokenRange OF_FIRST = new TokenRange(-6_000_000_000_000_000_000L, -1_000_000_000_000_000_000L);
    private static final String RING = """
            TokenRange:
            	TokenRange(start_token:-6000000000000000000, end_token:-1000000000000000000, endpoints:[n1, n3], rpc_endpoints:[])
            	TokenRange(start_token:-1000000000000000000, end_token:4000000000000000000, endpoints:[n2, n3], rpc_endpoints:[])
            	TokenRange(start_token:4000000000000000000, end_token:7000000000000000000, endpoints:[n1, n2], rpc_endpoints:[])
            	TokenRange(start_token:7000000000000000000, end_token:-6000000000000000000, endpoints:[n1, n2, n3], rpc_endpoints:[])
            """;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource
    void shouldImportAndReadAllThatANodeOwnsAfterItWasRebuilt(WrittenVersion version, Peers peers) throws IOException {
        CassandraPeer cassandra = peers.of(version.peer());
        cassandra.execute(
                "CREATE KEYSPACE rebuilt WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        cassandra.execute("CREATE TABLE rebuilt.t (k int, c int, v text, PRIMARY KEY (k, c))"
                + " WITH compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        Path third = lostNode(cassandra);
        fill(cassandra);
        List<Path> nodes = List.of(directory.resolve("n1"), directory.resolve("n2"));
        for (Path node : nodes) {
            cassandra.copySSTables("rebuilt", "t", Files.createDirectories(node));
        }
        TreeSet<String> expected = owned(cassandra);

        Path staged = rebuild(nodes.get(0), nodes.get(1), third);
        int sstables = requireDisks(staged);
        cassandra.truncate("rebuilt", "t");
        int imported = cassandra.importDirectory("rebuilt", "t", staged);

        assertThat(imported).isEqualTo(sstables).isGreaterThan(3);
        assertThat(new TreeSet<>(cassandra.selectJson("SELECT JSON k, c, v, writetime(v) AS w FROM rebuilt.t")))
                .isEqualTo(expected)
                .hasSizeGreaterThan(KEYS);
        TreeSet<String> byKey = new TreeSet<>();
        for (int k = 0; k < KEYS; k++) {
            byKey.addAll(cassandra.selectJson("SELECT JSON k, c, v, writetime(v) AS w FROM rebuilt.t WHERE k = " + k));
        }
        assertThat(byKey).isEqualTo(expected);
        cassandra.execute("DROP KEYSPACE rebuilt");
    }

    /** One that has a row that it wrote since, so that its version of SSTables is known. */
    private Path lostNode(CassandraPeer cassandra) throws IOException {
        cassandra.execute("INSERT INTO rebuilt.t (k, c, v) VALUES (-1, 0, 'own')");
        Path node = Files.createDirectories(directory.resolve("n3"));
        cassandra.copySSTables("rebuilt", "t", node);
        cassandra.truncate("rebuilt", "t");
        return node;
    }

    /** An SSTable over the whole ring, and one that lies in one range. */
    private static void fill(CassandraPeer cassandra) {
        Random random = new Random(1);
        List<String> statements = new ArrayList<>();
        for (int k = 0; k < KEYS; k++) {
            for (int c = 0; c < 2; c++) {
                byte[] value = new byte[VALUE_BYTES];
                random.nextBytes(value);
                statements.add(insert(k, c, HexFormat.of().formatHex(value)));
            }
        }
        cassandra.executeAll(statements);
        cassandra.flush("rebuilt", "t");
        statements.clear();
        for (int k = 0; k < KEYS; k++) {
            if (OF_FIRST.contains(token(k))) {
                statements.add(insert(k, 2, "late"));
            }
        }
        cassandra.executeAll(statements);
        cassandra.flush("rebuilt", "t");
    }

    private static String insert(int k, int c, String value) {
        return "INSERT INTO rebuilt.t (k, c, v) VALUES (" + k + ", " + c + ", '" + value + "')";
    }

    private static long token(int k) {
        return DecoratedKey.of(ByteBuffer.allocate(Integer.BYTES).putInt(k).array())
                .token();
    }

    /** Rows of the node that was lost, as Cassandra shows them. */
    private static TreeSet<String> owned(CassandraPeer cassandra) {
        TreeSet<String> rows = new TreeSet<>();
        for (int k = 0; k < KEYS; k++) {
            if (!FOREIGN.contains(token(k))) {
                rows.addAll(
                        cassandra.selectJson("SELECT JSON k, c, v, writetime(v) AS w FROM rebuilt.t WHERE k = " + k));
            }
        }
        return rows;
    }

    /** Returns what is to be imported. */
    private Path rebuild(Path first, Path second, Path third) throws IOException {
        Path token = Commands.tokenFile(directory);
        Path staging = directory.resolve("staging");
        Path ring = Files.writeString(directory.resolve("ring"), RING);
        try (Commands.Server n1 = serve(first, token);
                Commands.Server n2 = serve(second, token);
                Commands.Server n3 = serve(
                        third,
                        token,
                        "--staging",
                        staging.toString(),
                        "--disk-boundaries",
                        "rebuilt=" + DISK_BOUNDARY + "," + Long.MAX_VALUE)) {
            Commands.Result rebuilt = Commands.run(
                    "stream",
                    "rebuild",
                    "--table",
                    "rebuilt.t",
                    "--token-file",
                    token.toString(),
                    "--ring",
                    ring.toString(),
                    "--from",
                    "n1=" + n1.address(),
                    "--from",
                    "n2=" + n2.address(),
                    "--to",
                    "n3=" + n3.address());
            assertThat(rebuilt.exitCode()).as(rebuilt.out() + rebuilt.err()).isZero();
            assertThat(rebuilt.out()).as("of both sources").containsOnlyOnce("nodetool import rebuilt t ");
        }
        return staging.resolve("rebuilt").resolve("t");
    }

    private static Commands.Server serve(Path node, Path token, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--data", node.toString(), "--token-file", token.toString()));
        arguments.addAll(List.of(more));
        return Commands.Server.start(
                node.resolveSibling(node.getFileName() + ".log"), arguments.toArray(String[]::new));
    }

    /** No SSTable lies in two data directories; returns how many there are. */
    private static int requireDisks(Path staged) throws IOException {
        try (SSTables sstables = SSTables.open(staged)) {
            for (SSTableReader reader : sstables.readers()) {
                assertThat(token(reader.keyRange().orElseThrow().first()) <= DISK_BOUNDARY)
                        .as("disk of %s", reader.descriptor())
                        .isEqualTo(token(reader.keyRange().orElseThrow().last()) <= DISK_BOUNDARY);
            }
            return sstables.readers().size();
        }
    }

    private static long token(byte[] key) {
        return DecoratedKey.of(key).token();
    }
}
