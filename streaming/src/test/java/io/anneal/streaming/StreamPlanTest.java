package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Node;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.sstable.Component;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.LiveFiles;
import io.anneal.store.SSTableWriter;
import io.anneal.store.SSTables;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FaultyProxy;
import io.anneal.testkit.LinkFault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table goes from one node to another over a real socket. */
@Timeout(60)
class StreamPlanTest {
    private static final String SCHEMA = "CREATE TABLE ks.t (k int, c int, s text static, v text, PRIMARY KEY (k, c))"
            + " WITH id = 11111111-2222-3333-4444-555555555555";
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();
    private static final long LATER_MICROS = 2_000_000_000_000_000L;

    @TempDir
    private Path directory;

    private Store from;
    private Store to;
    private Node node;
    private InetSocketAddress address;

    @BeforeEach
    void start() throws IOException {
        from = Store.open(directory.resolve("from"));
        to = Store.open(directory.resolve("to"));
        node = Node.open(
                NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION)),
                4,
                new SecureRandom());
        node.replicas().add("from", (keyspace, name, schema) -> new StoreReplicas(from).open(keyspace, name, schema));
        StreamService.of(node, ENVIRONMENT).register(node.handlers());
        address = node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
        from.close();
        to.close();
    }

    private StreamSource source() {
        return StreamSource.at(node.peers(), address);
    }

    /** Rows, static rows, deletions of every kind, in two SSTables and the memtable. */
    private static Table fill(Store store) throws IOException {
        Table table = store.createTable(SCHEMA);
        for (int k = 0; k < 300; k++) {
            for (int c = 0; c < 5; c++) {
                table.row()
                        .key("k", k)
                        .clustering("c", c)
                        .set("s", "s" + k)
                        .set("v", "v" + k + "." + c)
                        .insert();
            }
            if (k == 100 || k == 200) {
                table.flush();
            }
        }
        table.row().key("k", 7).deletePartition();
        table.row().key("k", 8).clustering("c", 2).deleteRow();
        return table;
    }

    /** All that a cursor yields, as the bytes of items where there are any. */
    private static List<String> fragments(FragmentCursor cursor) throws IOException {
        CanonicalEncoder encoder = new CanonicalEncoder(cursor.schema(), CanonicalEncoder.UNCLAMPED);
        List<String> texts = new ArrayList<>();
        try (cursor) {
            while (cursor.advance() != null) {
                ByteWriter out = new ByteWriter(256);
                switch (cursor.kind()) {
                    case PARTITION_START ->
                        encoder.partitionDeletion(
                                cursor.key(),
                                cursor.partitionDeletionTimestampMicros(),
                                cursor.partitionDeletionLocalTimeSeconds(),
                                out);
                    case STATIC_ROW, CLUSTERING_ROW -> encoder.row(cursor.key(), cursor.row(), out);
                    case RANGE_TOMBSTONE_CHANGE -> {
                        out.writeByte(cursor.rangeTombstoneChange().weight());
                        out.writeLong(cursor.rangeTombstoneChange().timestampMicros());
                    }
                    case PARTITION_END -> out.writeByte(0);
                }
                texts.add(cursor.kind() + " " + HexFormat.of().formatHex(out.toByteArray()));
            }
        }
        return texts;
    }

    private static List<String> fragments(Table table) throws IOException {
        return fragments(table.scan(TokenRange.Linear.ALL));
    }

    @Test
    void shouldSendSSTablesAsTheyAreWhenAllIsWanted() throws IOException {
        Table source = fill(from);
        Table target = to.createTable(SCHEMA);

        StreamReport report = StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", source(), TokenRange.FULL)
                .run(ENVIRONMENT);

        assertThat(report.rows()).isZero();
        assertThat(report.sstables()).isGreaterThanOrEqualTo(3);
        assertThat(fragments(target)).isEqualTo(fragments(source)).hasSizeGreaterThan(1500);
    }

    @Test
    void shouldReportEachRunAlone() throws IOException {
        fill(from);
        to.createTable(SCHEMA);
        StreamPlan plan = StreamPlan.into(new StoreReplicas(to)).add("ks.t", source(), TokenRange.FULL);

        StreamReport first = plan.run(ENVIRONMENT);

        assertThat(plan.run(ENVIRONMENT)).isEqualTo(first);
    }

    @Test
    void shouldRefuseATableThatIsNoNameWhereItIsGiven() {
        StreamPlan plan = StreamPlan.into(new StoreReplicas(to));

        assertThatThrownBy(() -> plan.add("orders", source(), TokenRange.FULL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("table=orders");
    }

    @Test
    void shouldSendRowsWhereAnSSTableHasMoreThanIsWanted() throws IOException {
        Table source = fill(from);
        Table target = to.createTable(SCHEMA);
        TokenRange wanted = new TokenRange(0, 4_000_000_000_000_000_000L);

        StreamReport report = StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", source(), wanted)
                .run(ENVIRONMENT);

        assertThat(report.sstables()).isZero();
        assertThat(report.rows()).isPositive();
        assertThat(fragments(target))
                .isEqualTo(fragments(source.scan(wanted.unwrap().get(0))))
                .isNotEmpty();
    }

    /** As a repair cuts them, so that both sides come to the same. */
    @Test
    void shouldCutTimesThatTheTargetCannotWrite() throws IOException {
        Path owned = directory.resolve("owned");
        Path data = Files.createDirectories(owned.resolve("ks/t-11111111222233334444555555555555"));
        Files.writeString(data.resolve("schema.cql"), SCHEMA + ";");
        try (Store newer = Store.open(
                        directory.resolve("newer"), StoreConfig.defaults().withVersion(SSTableVersion.OA));
                StagingArea staging =
                        StagingArea.open(directory.resolve("staging"), owned.toString(), InstantSource.system())) {
            Table source = newer.createTable(SCHEMA);
            source.row()
                    .key("k", 1)
                    .clustering("c", 1)
                    .set("v", "for long")
                    .ttlSeconds(20 * 365 * 86_400)
                    .insert();
            node.replicas().add("newer", new StoreReplicas(newer));

            StreamPlan.into(new CassandraReplicas(List.of(owned), Optional.empty(), Optional.of(staging)))
                    .add("ks.t", StreamSource.at(node.peers(), address, "newer"), TokenRange.FULL)
                    .run(ENVIRONMENT);

            long ceilingSeconds = SSTableVersion.NB.localDeletionTimeMaxSeconds();
            try (SSTables staged = SSTables.open(directory.resolve("staging/ks/t"))) {
                assertThat(fragments(staged.scan(TokenRange.Linear.ALL)))
                        .isEqualTo(fragments(source.scan(TokenRange.Linear.ALL, ceilingSeconds)))
                        .isNotEqualTo(fragments(source));
            }
        }
    }

    @Test
    void shouldSendEachRowOnceWhenSeveralRangesAreWanted() throws IOException {
        Table source = fill(from);
        Table target = to.createTable(SCHEMA);
        List<TokenRange> parts = TokenRange.FULL.split(16);

        StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", source(), parts.get(3), parts.get(4), parts.get(15))
                .add("ks.t", StreamSource.at(node.peers(), address, "from"), parts.get(0), parts.get(9))
                .parallel(2)
                .run(ENVIRONMENT);

        List<String> wanted = new ArrayList<>();
        for (TokenRange part : parts) {
            if (List.of(0, 3, 4, 9, 15).contains(parts.indexOf(part))) {
                for (TokenRange.Linear range : part.unwrap()) {
                    wanted.addAll(fragments(source.scan(range)));
                }
            }
        }
        assertThat(fragments(target)).containsExactlyInAnyOrderElementsOf(wanted);
    }

    @Test
    void shouldLoseNothingWhenTheTargetHasNewerRows() throws IOException {
        fill(from);
        Table target = to.createTable(SCHEMA);
        target.row()
                .key("k", 1)
                .clustering("c", 1)
                .set("v", "newer")
                .timestampMicros(LATER_MICROS)
                .insert();

        StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", source(), TokenRange.FULL)
                .run(ENVIRONMENT);

        assertThat(target.row(Map.of("k", 1, "c", 1)).orElseThrow().value("v")).isEqualTo("newer");
        assertThat(target.row(Map.of("k", 1, "c", 2)).orElseThrow().value("v")).isEqualTo("v1.2");
        assertThat(target.row(Map.of("k", 7, "c", 1))).isEmpty();
    }

    @Test
    void shouldLeaveNothingWhenTheTablesDiffer() throws IOException {
        fill(from);
        to.createTable("CREATE TABLE ks.t (k int, c int, s text static, v int, PRIMARY KEY (k, c))");

        assertThatThrownBy(() -> StreamPlan.into(new StoreReplicas(to))
                        .add("ks.t", source(), TokenRange.FULL)
                        .run(ENVIRONMENT))
                .hasMessageContaining("schema differs from the target's")
                .hasMessageContaining("v");
        assertThat(to.table("ks.t").sstableCount()).isZero();
        try (var files = Files.walk(directory.resolve("to"))) {
            assertThat(files.filter(file -> file.toString().contains("/receiving/")))
                    .isEmpty();
        }
    }

    @Test
    void shouldStageForANodeThatImports() throws IOException {
        Table source = fill(from);
        Path owned = directory.resolve("owned");
        Path data = owned.resolve("ks/t-11111111222233334444555555555555");
        try (SSTableWriter writer = SSTableWriter.builder(source.schema())
                .to(directory.resolve("written"))
                .timestampMicros(1)
                .unsorted(1 << 20)) {
            writer.row().key("k", 5000).clustering("c", 1).set("v", "own").insert();
            writer.finish();
        }
        Files.createDirectories(data.getParent());
        Files.move(directory.resolve("written/ks/t"), data);
        Files.writeString(data.resolve("schema.cql"), SCHEMA + ";");
        try (StagingArea staging =
                StagingArea.open(directory.resolve("staging"), owned.toString(), InstantSource.system())) {
            StreamReport report = StreamPlan.into(
                            new CassandraReplicas(List.of(owned), Optional.empty(), Optional.of(staging)))
                    .add("ks.t", source(), TokenRange.FULL)
                    .run(ENVIRONMENT);

            assertThat(report.sstables()).isGreaterThanOrEqualTo(3);
            assertThat(report.importDeadlineSeconds()).isLessThan(Long.MAX_VALUE);
        }
        try (SSTables staged = SSTables.open(directory.resolve("staging/ks/t"))) {
            assertThat(fragments(staged.scan(TokenRange.Linear.ALL))).isEqualTo(fragments(source));
        }
    }

    @Test
    void shouldRefuseATableThatTheSourceDoesNotHave() throws IOException {
        to.createTable(SCHEMA);

        assertThatThrownBy(() -> StreamPlan.into(new StoreReplicas(to))
                        .add("ks.t", source(), TokenRange.FULL)
                        .run(ENVIRONMENT))
                .hasMessageContaining("store has no such table");
    }

    /** A million bytes, in one SSTable. */
    private Table large() throws IOException {
        Table table = from.createTable(SCHEMA);
        Random random = new Random(1);
        for (int k = 0; k < 1000; k++) {
            byte[] bytes = new byte[500];
            random.nextBytes(bytes);
            table.row()
                    .key("k", k)
                    .clustering("c", 1)
                    .set("v", HexFormat.of().formatHex(bytes))
                    .insert();
        }
        table.flush();
        return table;
    }

    /** Of all files but TOC. */
    private static long sentBytes(Table source) throws IOException {
        try (LiveFiles files = source.liveFiles()) {
            return files.sstables().stream()
                    .mapToLong(sstable -> sstable.lengthBytes()
                            - sstable.files().get(Component.TOC).lengthBytes())
                    .sum();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000, 30_000, 200_000, 400_000})
    void shouldGoOnInTheMiddleOfAFileWhenTheConnectionWasCut(long cutAt) throws IOException {
        Table source = large();
        Table target = to.createTable(SCHEMA);
        try (FaultyProxy proxy = FaultyProxy.to(address)) {
            proxy.inject(LinkFault.reset(LinkFault.Direction.TO_CLIENT, cutAt));
            AtomicInteger connects = new AtomicInteger();
            Connector healing = peer -> {
                if (connects.getAndIncrement() > 0) {
                    proxy.heal();
                }
                return node.peers().connect(peer);
            };

            StreamReport report = StreamPlan.into(new StoreReplicas(to))
                    .add("ks.t", StreamSource.at(healing, proxy.address()), TokenRange.FULL)
                    .run(ENVIRONMENT);

            assertThat(connects).hasValue(2);
            assertThat(report.bytes()).as("nothing twice").isEqualTo(sentBytes(source));
        }
        assertThat(fragments(target)).isEqualTo(fragments(source));
    }

    /** Keyspace and table in a directory as a Cassandra node has it, whose version is older than any store's. */
    private Path olderNode(String name) throws IOException {
        Path owned = directory.resolve(name);
        Path data = owned.resolve("ks/t-11111111222233334444555555555555");
        try (SSTableWriter writer = SSTableWriter.builder(from.table("ks.t").schema())
                .to(directory.resolve(name + "-written"))
                .format(SSTableVersion.NB)
                .timestampMicros(1)
                .unsorted(1 << 20)) {
            writer.row().key("k", 5000).clustering("c", 1).set("v", "own").insert();
            writer.finish();
        }
        Files.createDirectories(data.getParent());
        Files.move(directory.resolve(name + "-written/ks/t"), data);
        Files.writeString(data.resolve("schema.cql"), SCHEMA + ";");
        return owned;
    }

    /** A partition of many rows between others, with deletions. */
    private Table wide() throws IOException {
        from.close();
        from = Store.open(directory.resolve("from"), StoreConfig.defaults().withVersion(SSTableVersion.OA));
        Table table = from.createTable(SCHEMA);
        Random random = new Random(2);
        for (int k = 0; k < 20; k++) {
            table.row().key("k", k).deletePartition();
            for (int c = 0; c < (k == 7 ? 2000 : 20); c++) {
                byte[] bytes = new byte[200];
                random.nextBytes(bytes);
                table.row()
                        .key("k", k)
                        .clustering("c", c)
                        .set("s", "s" + k)
                        .set("v", HexFormat.of().formatHex(bytes))
                        .insert();
            }
        }
        table.flush();
        return table;
    }

    private record Staged(StreamReport report, List<String> fragments) {}

    private Staged staged(String name, StreamSource source) throws IOException {
        Path owned = olderNode(name);
        Path staged = directory.resolve(name + "-staging");
        StreamReport report;
        try (StagingArea staging = StagingArea.open(staged, owned.toString(), InstantSource.system())) {
            report = StreamPlan.into(new CassandraReplicas(List.of(owned), Optional.empty(), Optional.of(staging)))
                    .add("ks.t", source, TokenRange.FULL)
                    .run(ENVIRONMENT);
        }
        try (SSTables sstables = SSTables.open(staged.resolve("ks/t"))) {
            return new Staged(report, fragments(sstables.scan(TokenRange.Linear.ALL)));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {3_000, 300_000, 600_000, 900_000})
    void shouldGoOnInTheMiddleOfRowsWhenTheConnectionWasCut(long cutAt) throws IOException {
        Table source = wide();
        Staged uncut = staged("uncut", source());
        assertThat(uncut.report().sstables()).isZero();
        assertThat(uncut.fragments()).isEqualTo(fragments(source));
        try (FaultyProxy proxy = FaultyProxy.to(address)) {
            proxy.inject(LinkFault.reset(LinkFault.Direction.TO_CLIENT, cutAt));
            AtomicInteger connects = new AtomicInteger();
            Connector healing = peer -> {
                if (connects.getAndIncrement() > 0) {
                    proxy.heal();
                }
                return node.peers().connect(peer);
            };

            Staged cut = staged("cut", StreamSource.at(healing, proxy.address()));

            assertThat(connects).hasValue(2);
            assertThat(cut.report().bytes())
                    .as("nothing twice")
                    .isEqualTo(uncut.report().bytes());
            assertThat(cut.report().rows()).isEqualTo(uncut.report().rows());
            assertThat(cut.fragments()).isEqualTo(uncut.fragments());
        }
    }

    private static void compact(Table table) {
        try {
            table.compact();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldTakeRowsAnewWhenTheSourceHasCompactedThemMeanwhile() throws IOException {
        Table source = wide();
        source.row().key("k", 7).clustering("c", 1).set("v", "newer").insert();
        source.flush();
        try (FaultyProxy proxy = FaultyProxy.to(address)) {
            proxy.inject(LinkFault.reset(LinkFault.Direction.TO_CLIENT, 500_000));
            AtomicInteger connects = new AtomicInteger();
            Connector healing = peer -> {
                if (connects.getAndIncrement() > 0) {
                    compact(source);
                    proxy.heal();
                }
                return node.peers().connect(peer);
            };

            Staged cut = staged("cut", StreamSource.at(healing, proxy.address()));

            assertThat(connects).hasValue(2);
            assertThat(cut.fragments()).isEqualTo(fragments(source));
        }
    }
}
