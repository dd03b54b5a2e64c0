package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.bench.peer.ImportResult;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Node;
import io.anneal.node.StagingArea;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.SSTableWriter;
import io.anneal.store.directory.TableDirectories;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamReport;
import io.anneal.streaming.StreamRunner;
import io.anneal.streaming.StreamService;
import io.anneal.streaming.StreamSource;
import io.anneal.streaming.StreamTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What one node has goes to six others, each of which owns sixteen ranges of the ring, in all three ways: SSTables as they are, in
 * part, and as rows. A real Cassandra that owns what one of the six owns refuses what another one got, imports all of what is its
 * own, with tokens checked and an extended verification, and reads every key.
 */
@WithCassandra
class CassandraAcceptsStreamsTest {
    private static final int OWNERS = 6;
    private static final int TOKENS_EACH = 16;
    private static final List<String> COMPRESSORS = List.of("", "LZ4", "Snappy", "Deflate", "Zstd");
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();

    /** Of an SSTable that has less than 1 MiB of what an owner wants its rows are sent. */
    private static final int KEYS = 900;

    private static final int VALUE_RANDOM_BYTES = 1_250;
    private static final int VALUE_REPEATS = 4;
    private static final int KEYS_A_STATEMENT = 50;

    @TempDir
    private Path directory;

    private final List<String> values = values();
    private final long micros = System.currentTimeMillis() * 1000;
    private final Node giving = node();
    private final Node taking = node();
    private final List<StagingArea> areas = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        giving.replicas()
                .add(
                        "all",
                        new CassandraReplicas(List.of(directory.resolve("all")), Optional.empty(), Optional.empty()));
        StreamService.of(giving, ENVIRONMENT).register(giving.handlers());
        for (int owner = 0; owner < OWNERS; owner++) {
            Path data = directory.resolve("data" + owner);
            StagingArea area = StagingArea.open(staging(owner), data.toString(), InstantSource.system());
            areas.add(area);
            taking.replicas()
                    .add(name(owner), new CassandraReplicas(List.of(data), Optional.empty(), Optional.of(area)));
        }
        StreamRunner.of(taking, ENVIRONMENT, 0).register(taking.handlers());
    }

    @AfterEach
    void stop() throws IOException {
        taking.close();
        giving.close();
        for (StagingArea area : areas) {
            area.close();
        }
    }

    private static Node node() {
        return Node.open(
                NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION)),
                2,
                new SecureRandom());
    }

    private static String name(int owner) {
        return "owner" + owner;
    }

    private Path staging(int owner) {
        return directory.resolve("staging" + owner);
    }

    private static List<String> values() {
        Random random = new Random(1);
        List<String> values = new ArrayList<>();
        for (int k = 0; k < KEYS; k++) {
            byte[] bytes = new byte[VALUE_RANDOM_BYTES];
            random.nextBytes(bytes);
            values.add(HexFormat.of().formatHex(bytes).repeat(VALUE_REPEATS));
        }
        return values;
    }

    @ParameterizedTest
    @EnumSource
    void shouldImportAndReadAllThatEachOwnerGot(WrittenVersion version, Peers peers) throws IOException {
        Owners owners = Owners.draw(Long.getLong("anneal.seed", version.ordinal()));
        CassandraPeer cassandra = peers.of(version.peer());
        cassandra.execute(
                "CREATE KEYSPACE owned WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        List<TableSchema> tables = new ArrayList<>();
        for (String compressor : COMPRESSORS) {
            tables.add(createTable(compressor, cassandra));
        }
        for (TableSchema table : tables) {
            write(table, version.version(), owners);
        }
        showVersion(version.version());
        stream(tables, version.version(), owners);

        try {
            for (int owner = 0; owner < OWNERS; owner++) {
                cassandra.own(owners.tokens(owner), owners.tokensOfOthers(owner));
                requireRefusal(cassandra, staged((owner + 1) % OWNERS, tables.get(owner % tables.size())));
                for (TableSchema table : tables) {
                    Path staged = staged(owner, table);
                    int imported = cassandra.importDirectory(table.keyspace(), table.name(), staged);
                    assertThat(imported)
                            .as("%s of %s", table.name(), name(owner))
                            .isEqualTo(3);
                    List<Integer> keys = owners.keys(owner);
                    assertThat(rows(cassandra, table, keys))
                            .as("%s of %s", table.name(), name(owner))
                            .isEqualTo(expected(keys, owners));
                }
            }
        } finally {
            cassandra.own(List.of(cassandra.config().token()), List.of());
        }
        cassandra.execute("DROP KEYSPACE owned");
    }

    /** The same in Cassandra, at the node that gives, and at those that take, which have nothing but the system's tables. */
    private TableSchema createTable(String compressor, CassandraPeer cassandra) throws IOException {
        UUID id = UUID.randomUUID();
        String name = compressor.isEmpty() ? "plain" : compressor.toLowerCase(Locale.ROOT);
        String text = "CREATE TABLE owned." + name + " (k int, c int, s text static, v text, PRIMARY KEY (k, c))"
                + " WITH id = " + id
                + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}"
                + " AND compression = {"
                + (compressor.isEmpty() ? "'enabled': 'false'" : "'class': '" + compressor + "Compressor'") + "}";
        cassandra.execute(text);
        TableSchema table =
                CqlSchema.parse(text + ";", "test").table("owned", name).orElseThrow();
        List<Path> nodes = new ArrayList<>(List.of(directory.resolve("all")));
        for (int owner = 0; owner < OWNERS; owner++) {
            nodes.add(directory.resolve("data" + owner));
        }
        for (Path node : nodes) {
            Path data = Files.createDirectories(node.resolve(place(table)));
            Files.writeString(data.resolve("schema.cql"), text + ";");
        }
        return table;
    }

    private static Path place(TableSchema table) {
        return Path.of("owned", table.name() + "-" + TableDirectories.id(table).orElseThrow());
    }

    /** One SSTable with all keys, one for each owner that lies in one of its ranges, and one with little. */
    private void write(TableSchema table, SSTableVersion version, Owners owners) throws IOException {
        Path written = directory.resolve("written");
        write(table, version, written, k -> true, (writer, k) -> {
            writer.row()
                    .key("k", k)
                    .clustering("c", 0)
                    .set("v", values.get(k))
                    .timestampMicros(micros)
                    .insert();
        });
        for (int owner = 0; owner < OWNERS; owner++) {
            int each = owner;
            write(table, version, written, k -> owners.owner(k) == each && owners.isInItsLastRange(k), (writer, k) -> {
                writer.row()
                        .key("k", k)
                        .clustering("c", 1)
                        .set("v", "w" + k)
                        .timestampMicros(micros)
                        .insert();
            });
        }
        write(table, version, written, k -> true, this::writeLate);
        Path data = directory.resolve("all").resolve(place(table));
        try (Stream<Path> files = Files.list(written.resolve("owned").resolve(table.name()))) {
            for (Path file : files.toList()) {
                Files.move(file, data.resolve(file.getFileName()));
            }
        }
    }

    private interface Writes {
        void write(SSTableWriter writer, int k) throws IOException;
    }

    private static void write(
            TableSchema table, SSTableVersion version, Path directory, IntPredicate keys, Writes writes)
            throws IOException {
        try (SSTableWriter writer =
                SSTableWriter.builder(table).to(directory).format(version).unsorted(64 << 20)) {
            for (int k = 0; k < KEYS; k++) {
                if (keys.test(k)) {
                    writes.write(writer, k);
                }
            }
            assertThat(writer.finish()).hasSize(1);
        }
    }

    private void writeLate(SSTableWriter writer, int k) throws IOException {
        if (hasLate(k)) {
            writer.row()
                    .key("k", k)
                    .clustering("c", 2)
                    .set("v", "late")
                    .timestampMicros(micros + 2)
                    .insert();
        }
        if (hasStatic(k)) {
            writer.row()
                    .key("k", k)
                    .set("s", "s" + k)
                    .timestampMicros(micros + 2)
                    .update();
        }
        if (k % 11 == 0) {
            writer.row()
                    .key("k", k)
                    .clustering("c", 0)
                    .timestampMicros(micros + 1)
                    .deleteRow();
        }
        if (k % 7 == 3) {
            writer.rangeDeletion()
                    .key("k", k)
                    .from("c", 1, true)
                    .timestampMicros(micros + 1)
                    .delete();
        }
        if (k % 37 == 0) {
            writer.row().key("k", k).timestampMicros(micros + 1).deletePartition();
        }
    }

    private static boolean hasStatic(int k) {
        return k % 2 == 0;
    }

    private static boolean hasLate(int k) {
        return k % 5 == 0;
    }

    private TreeSet<String> expected(List<Integer> keys, Owners owners) {
        TreeSet<String> rows = new TreeSet<>();
        for (int k : keys) {
            List<String> own = new ArrayList<>();
            if (k % 11 != 0 && k % 37 != 0) {
                own.add(row(k, 0, values.get(k)));
            }
            if (owners.isInItsLastRange(k) && k % 7 != 3 && k % 37 != 0) {
                own.add(row(k, 1, "w" + k));
            }
            if (hasLate(k)) {
                own.add(row(k, 2, "late"));
            }
            if (own.isEmpty() && hasStatic(k)) {
                own.add(row(k, null, null));
            }
            rows.addAll(own);
        }
        return rows;
    }

    private static String row(int k, Integer c, String v) {
        return "{\"k\": " + k + ", \"c\": " + c + ", \"s\": " + quoted(hasStatic(k) ? "s" + k : null) + ", \"v\": "
                + quoted(v) + "}";
    }

    private static String quoted(String text) {
        return text == null ? "null" : '"' + text + '"';
    }

    private static TreeSet<String> rows(CassandraPeer cassandra, TableSchema table, List<Integer> keys) {
        TreeSet<String> rows = new TreeSet<>();
        for (int i = 0; i < keys.size(); i += KEYS_A_STATEMENT) {
            String some = keys.subList(i, Math.min(keys.size(), i + KEYS_A_STATEMENT)).stream()
                    .map(String::valueOf)
                    .collect(Collectors.joining(", "));
            rows.addAll(cassandra.selectJson(
                    "SELECT JSON k, c, s, v FROM " + table.qualifiedName() + " WHERE k IN (" + some + ")"));
        }
        return rows;
    }

    /** As on any node that has run, the system's tables show which versions it loads. */
    private void showVersion(SSTableVersion version) throws IOException {
        for (int owner = 0; owner < OWNERS; owner++) {
            Path system = directory.resolve("data" + owner).resolve("system/local-" + "0".repeat(32));
            Files.createDirectories(system);
            Files.createFile(system.resolve(version.text() + "-1-" + version.format() + "-Data.db"));
        }
    }

    private void stream(List<TableSchema> tables, SSTableVersion version, Owners owners) throws IOException {
        InetSocketAddress from = giving.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        InetSocketAddress to = taking.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        StreamPlan plan = StreamPlan.of();
        for (TableSchema table : tables) {
            for (int owner = 0; owner < OWNERS; owner++) {
                plan.add(
                        table.qualifiedName(),
                        StreamSource.at(giving.peers(), from),
                        StreamTarget.at(giving.peers(), to, name(owner)),
                        owners.ranges(owner));
            }
        }
        List<StreamReport> reports = new ArrayList<>();
        plan.reports((unit, report) -> reports.add(report)).run(ENVIRONMENT);
        assertThat(reports).hasSize(tables.size() * OWNERS).allSatisfy(report -> {
            assertThat(report.sstables()).as("came as they are, %s", report).isEqualTo(1);
            assertThat(report.parts()).as("came in part, %s", report).isEqualTo(1);
            assertThat(report.rows()).as("rows, %s", report).isPositive();
        });
        for (int owner = 0; owner < OWNERS; owner++) {
            for (TableSchema table : tables) {
                try (Stream<Path> files = Files.list(staged(owner, table))) {
                    assertThat(files.flatMap(file -> Descriptor.of(file).stream())
                                    .map(sstable -> SSTableVersion.of(sstable).orElseThrow()))
                            .containsOnly(version);
                }
            }
        }
    }

    private Path staged(int owner, TableSchema table) {
        return areas.get(owner).tableDirectory(table);
    }

    /** Tokens that another one owns. */
    private static void requireRefusal(CassandraPeer cassandra, Path staged) {
        String table = staged.getFileName().toString();
        ImportResult result = cassandra.tryImportDirectory("owned", table, staged);
        assertThat(result.imported()).isZero();
        assertThat(result.refusals())
                .hasSize(3)
                .allSatisfy(refusal -> assertThat(refusal).contains("is not contained in the given ranges"));
    }

    /** A ring of which each token belongs to one of the owners. */
    private record Owners(List<Long> tokens, List<Integer> owners) {
        static Owners draw(long seed) {
            System.out.println("seed=" + seed);
            Random random = new Random(seed);
            long width = Long.divideUnsigned(-1, (long) OWNERS * TOKENS_EACH);
            List<Long> tokens = new ArrayList<>();
            List<Integer> owners = new ArrayList<>();
            for (int i = 0; i < OWNERS * TOKENS_EACH; i++) {
                tokens.add(Long.MIN_VALUE + i * width + 1 + random.nextLong(width / 2));
                owners.add(i % OWNERS);
            }
            Collections.shuffle(owners, random);
            return new Owners(tokens, owners);
        }

        List<Long> tokens(int owner) {
            return IntStream.range(0, tokens.size())
                    .filter(i -> owners.get(i) == owner)
                    .mapToObj(tokens::get)
                    .toList();
        }

        List<Long> tokensOfOthers(int owner) {
            List<Long> others = new ArrayList<>(tokens);
            others.removeAll(tokens(owner));
            return others;
        }

        List<TokenRange> ranges(int owner) {
            return IntStream.range(0, tokens.size())
                    .filter(i -> owners.get(i) == owner)
                    .mapToObj(this::range)
                    .toList();
        }

        private TokenRange range(int i) {
            return new TokenRange(tokens.get(Math.floorMod(i - 1, tokens.size())), tokens.get(i));
        }

        int owner(int k) {
            return owners.get(index(k));
        }

        boolean isInItsLastRange(int k) {
            return index(k) == owners.lastIndexOf(owner(k));
        }

        private int index(int k) {
            long token = DecoratedKey.of(
                            ByteBuffer.allocate(Integer.BYTES).putInt(k).array())
                    .token();
            return IntStream.range(0, tokens.size())
                    .filter(i -> range(i).contains(token))
                    .findFirst()
                    .orElseThrow();
        }

        List<Integer> keys(int owner) {
            return IntStream.range(0, KEYS)
                    .filter(k -> owner(k) == owner)
                    .boxed()
                    .toList();
        }
    }
}
