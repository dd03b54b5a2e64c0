package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.agent.LiveNode;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.PeerSSTableVersion;
import io.anneal.faults.Commands;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.SSTableWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Cassandra with three data directories is filled as {@code docs/streaming.md} says: with the boundaries that its log tells,
 * what it imports lies where it keeps it, and no SSTable has keys of two directories.
 */
class DisksOfCassandraTest {
    private static final int KEYS = 900;
    private static final int VALUE_BYTES = 4_000;
    private static final String SCHEMA = "CREATE TABLE disks.t (k int, c int, v text, PRIMARY KEY (k, c))"
            + " WITH id = 11111111-2222-3333-4444-555555555555"
            + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'};";
    /** What Cassandra 5.0 logs when it has found out what belongs where. */
    private static final Pattern BOUNDARIES =
            Pattern.compile("Updating boundaries from .* to .*positions=\\[(.*?)\\].* for disks\\.t$");

    private static final Pattern BOUNDARY = Pattern.compile("max\\((-?\\d+)\\)");
    /** The node owns what ends with one of these tokens, which is about half of the ring. */
    private static final List<Long> OWN =
            List.of(-7_000_000_000_000_000_000L, -2_000_000_000_000_000_000L, 8_000_000_000_000_000_000L);

    private static final List<Long> OTHERS = List.of(-5_000_000_000_000_000_000L, 3_000_000_000_000_000_000L);
    private static final List<String> OWNED = List.of(
            "8000000000000000000:-7000000000000000000",
            "-5000000000000000000:-2000000000000000000",
            "3000000000000000000:8000000000000000000");

    @TempDir
    private Path directory;

    private List<Path> disks;

    @BeforeEach
    void name() {
        disks = IntStream.range(0, 3)
                .mapToObj(disk -> directory.resolve("disk" + disk))
                .toList();
    }

    @Test
    void shouldImportWhatIsStagedIntoTheDirectoryOfItsTokens() throws IOException {
        Path source = write();
        String places = disks.stream().map(disk -> "'" + disk + "'").collect(Collectors.joining(", "));
        try (CassandraPeer cassandra = CassandraPeer.start(
                Peers.shortLived(directory.resolve("node"), "data_file_directories: [ " + places + " ]")
                        .withVersion(PeerSSTableVersion.DA))) {
            cassandra.own(OWN, OTHERS);
            // debug.log has it, which this node does not write.
            cassandra.nodetool("setlogginglevel", "org.apache.cassandra.db.DiskBoundaryManager", "DEBUG");
            cassandra.execute(
                    "CREATE KEYSPACE disks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            cassandra.execute(SCHEMA);
            // As on any node that has run for a while: its own tables show which versions it loads.
            cassandra.nodetool("flush", "system_schema");
            // The schema text comes with it.
            cassandra.nodetool("snapshot", "-t", "anneal", "-kt", "disks.t");
            List<Long> boundaries = boundaries(cassandra.systemLog());
            assertThat(boundaries).hasSize(disks.size()).endsWith(Long.MAX_VALUE);
            try (LiveNode node = LiveNodeTest.open(cassandra)) {
                assertThat(node.diskBoundaries("disks")).isEqualTo(boundaries.subList(0, disks.size() - 1));
            }

            Path staged = stream(source, boundaries);
            int imported = cassandra.importDirectory("disks", "t", staged);
            List<Path> sstables = cassandra.sstables("disks", "t");

            assertThat(sstables)
                    .hasSize(imported)
                    .hasSize(2 * disks.size())
                    .allMatch(sstable -> sstable.getFileName().toString().startsWith("da-"));
            assertThat(disks).allSatisfy(disk -> assertThat(sstables).anyMatch(sstable -> sstable.startsWith(disk)));
            for (Path sstable : sstables) {
                try (SSTableReader reader = Content.open(sstable)) {
                    int disk = disk(reader.keyRange().orElseThrow().first(), boundaries);
                    assertThat(sstable).startsWith(disks.get(disk));
                    assertThat(disk(reader.keyRange().orElseThrow().last(), boundaries))
                            .as("directory of the last key of %s", sstable)
                            .isEqualTo(disk);
                }
            }
            assertThat(rows(cassandra)).isEqualTo(ownedRows());
        }
    }

    /** A node with all keys: one large SSTable, and one with little. Returns its data directory. */
    private Path write() throws IOException {
        TableSchema table = CqlSchema.parse(SCHEMA, "test").table("disks", "t").orElseThrow();
        Path written = directory.resolve("written");
        long micros = System.currentTimeMillis() * 1000;
        Random random = new Random(1);
        for (int c = 0; c < 2; c++) {
            try (SSTableWriter writer = SSTableWriter.builder(table)
                    .to(written)
                    .format(SSTableVersion.DA)
                    .timestampMicros(micros)
                    .unsorted(64 << 20)) {
                for (int k = 0; k < KEYS; k++) {
                    byte[] bytes = new byte[c == 0 ? VALUE_BYTES : 1];
                    random.nextBytes(bytes);
                    writer.row()
                            .key("k", k)
                            .clustering("c", c)
                            .set("v", HexFormat.of().formatHex(bytes))
                            .insert();
                }
                writer.finish();
            }
        }
        Path source = directory.resolve("source");
        Path data = source.resolve("disks/t-11111111222233334444555555555555");
        Files.createDirectories(data.getParent());
        Files.move(written.resolve("disks/t"), data);
        Files.writeString(data.resolve("schema.cql"), SCHEMA);
        return source;
    }

    /** Of the last line, since they change with the ring. */
    static List<Long> boundaries(Path log) throws IOException {
        List<String> positions = Files.readAllLines(log).stream()
                .flatMap(line -> BOUNDARIES.matcher(line).results())
                .map(line -> line.group(1))
                .toList();
        assertThat(positions).isNotEmpty();
        return BOUNDARY.matcher(positions.get(positions.size() - 1))
                .results()
                .map((MatchResult boundary) -> Long.parseLong(boundary.group(1)))
                .toList();
    }

    /** Returns what is to be imported. */
    private Path stream(Path source, List<Long> boundaries) throws IOException {
        String token = Commands.tokenFile(directory).toString();
        Path staging = directory.resolve("staging");
        List<String> target = new ArrayList<>(List.of("--staging", staging.toString(), "--token-file", token));
        disks.forEach(disk -> target.addAll(List.of("--data", disk.toString())));
        String tokens = boundaries.stream().map(String::valueOf).collect(Collectors.joining(","));
        target.addAll(List.of("--disk-boundaries", "disks=" + tokens));
        try (Commands.Server from = Commands.Server.start(
                        directory.resolve("from.log"), "--data", source.toString(), "--token-file", token);
                Commands.Server to =
                        Commands.Server.start(directory.resolve("to.log"), target.toArray(String[]::new))) {
            List<String> transfer = new ArrayList<>(List.of("stream", "transfer", "--table", "disks.t"));
            OWNED.forEach(range -> transfer.add("--range=" + range));
            transfer.addAll(List.of("--from", "n1=" + from.address(), "--to", "n2=" + to.address()));
            transfer.addAll(List.of("--token-file", token));
            Commands.Result result = Commands.run(transfer.toArray(String[]::new));
            assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
        }
        return staging.resolve("disks").resolve("t");
    }

    private static int disk(byte[] key, List<Long> boundaries) {
        return (int) boundaries.stream()
                .filter(last -> DecoratedKey.of(key).token() > last)
                .count();
    }

    private static List<String> rows(CassandraPeer cassandra) {
        List<String> rows = new ArrayList<>();
        for (int k : ownedKeys()) {
            rows.addAll(cassandra.selectJson("SELECT JSON k, c FROM disks.t WHERE k = " + k));
        }
        return rows;
    }

    private static List<String> ownedRows() {
        List<String> rows = new ArrayList<>();
        for (int k : ownedKeys()) {
            for (int c = 0; c < 2; c++) {
                rows.add("{\"k\": " + k + ", \"c\": " + c + "}");
            }
        }
        return rows;
    }

    private static List<Integer> ownedKeys() {
        List<TokenRange> owned = OWNED.stream().map(TokenRange::parse).toList();
        return IntStream.range(0, KEYS)
                .filter(k -> owned.stream().anyMatch(range -> range.contains(token(k))))
                .boxed()
                .toList();
    }

    private static long token(int k) {
        return DecoratedKey.of(ByteBuffer.allocate(Integer.BYTES).putInt(k).array())
                .token();
    }
}
