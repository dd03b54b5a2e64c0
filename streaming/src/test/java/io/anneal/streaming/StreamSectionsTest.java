package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteWriter;
import io.anneal.key.LinearRanges;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Node;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StoreReplicas;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.LiveFiles;
import io.anneal.store.LiveFiles.PinnedSSTable;
import io.anneal.store.SSTableWriter;
import io.anneal.store.SSTables;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FaultyProxy;
import io.anneal.testkit.LinkFault;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Of SSTables that hold more than is wanted the chunks go, and what the target makes of them is what their rows are. */
@Timeout(120)
class StreamSectionsTest {
    private static final String SCHEMA = "CREATE TABLE ks.t (k int, c int, s text static, v text, PRIMARY KEY (k, c))"
            + " WITH id = 11111111-2222-3333-4444-555555555555";
    private static final TokenRange HALF = new TokenRange(-1L << 62, 1L << 62);
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();

    @TempDir
    private Path directory;

    private Path data;
    private Store to;
    private Table target;
    private Node node;
    private InetSocketAddress address;

    @BeforeEach
    void start() throws IOException {
        data = directory.resolve("data");
        to = Store.open(directory.resolve("to"));
        target = to.createTable(SCHEMA);
    }

    @AfterEach
    void stop() throws IOException {
        node.close();
        to.close();
    }

    /** Two SSTables: many small partitions, some wide ones, deletions. */
    private void write(SSTableVersion version, Compression compression) throws IOException {
        TableSchema schema = target.schema();
        Random random = new Random(1);
        for (int part = 0; part < 2; part++) {
            try (SSTableWriter writer = SSTableWriter.builder(schema)
                    .to(directory.resolve("written"))
                    .format(version)
                    .compression(compression)
                    .columnIndexSizeBytes(1024)
                    .timestampMicros(2_000_000_000_000_000L + part)
                    .unsorted(64 << 20)) {
                for (int k = part * 200; k < part * 200 + 300; k++) {
                    for (int c = 0; c < (k % 50 == 0 ? 150 : 1 + k % 3); c++) {
                        byte[] bytes = new byte[10 + random.nextInt(30)];
                        random.nextBytes(bytes);
                        writer.row()
                                .key("k", k)
                                .clustering("c", c)
                                .set("s", "s" + k)
                                .set("v", HexFormat.of().formatHex(bytes))
                                .insert();
                    }
                }
                for (int k = 0; k < 300; k += 7) {
                    writer.row().key("k", k).clustering("c", 0).deleteRow();
                }
                writer.finish();
            }
        }
        Path table = data.resolve("ks/t-11111111222233334444555555555555");
        Files.createDirectories(table.getParent());
        Files.move(directory.resolve("written/ks/t"), table);
        Files.writeString(table.resolve("schema.cql"), SCHEMA + ";");
        node = Node.open(
                NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION)),
                4,
                new SecureRandom());
        node.replicas().add("from", new CassandraReplicas(List.of(data), Optional.empty(), Optional.empty()));
        new StreamService(node.replicas(), node.executor(), ENVIRONMENT, 1).register(node.handlers());
        address = node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private List<Descriptor> descriptors() throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            return files.flatMap(file -> Descriptor.of(file).stream())
                    .distinct()
                    .toList();
        }
    }

    private StreamReport stream(StreamSource source, TokenRange... ranges) throws IOException {
        return StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", source, ranges)
                .run(ENVIRONMENT);
    }

    private StreamSource source() {
        return StreamSource.at(node.peers(), address);
    }

    /** All rows of the source in some ranges, as bytes. */
    private List<String> wanted(TokenRange... ranges) throws IOException {
        List<String> rows = new ArrayList<>();
        try (SSTables all = SSTables.open(data.resolve("ks/t-11111111222233334444555555555555"))) {
            for (TokenRange.Linear range : LinearRanges.of(List.of(ranges)).ranges()) {
                rows.addAll(fragments(all.scan(range)));
            }
        }
        return rows;
    }

    private static List<String> fragments(FragmentCursor cursor) throws IOException {
        CanonicalEncoder encoder = new CanonicalEncoder(cursor.schema(), CanonicalEncoder.UNCLAMPED);
        List<String> texts = new ArrayList<>();
        try (cursor) {
            while (cursor.advance() != null) {
                ByteWriter out = new ByteWriter(256);
                switch (cursor.kind()) {
                    case STATIC_ROW, CLUSTERING_ROW -> encoder.row(cursor.key(), cursor.row(), out);
                    case PARTITION_START ->
                        out.writeBytes(cursor.key().toDecoratedKey().bytes());
                    default -> out.writeByte(0);
                }
                texts.add(cursor.kind() + " " + HexFormat.of().formatHex(out.toByteArray()));
            }
        }
        return texts;
    }

    private void assertReceived(TokenRange... ranges) throws IOException {
        assertThat(fragments(target.scan(TokenRange.Linear.ALL)))
                .isEqualTo(wanted(ranges))
                .isNotEmpty();
        try (LiveFiles files = target.liveFiles()) {
            for (PinnedSSTable sstable : files.sstables()) {
                try (SSTableReader reader = Formats.open(sstable.descriptor())) {
                    assertThat(reader.verify()).isEmpty();
                }
            }
        }
    }

    @Test
    void shouldTakeTheSameFromAReplicaOfItsOwnProcess() throws IOException {
        write(SSTableVersion.NB, Compression.LZ4);
        ReplicaSource replicas = new CassandraReplicas(List.of(data), Optional.empty(), Optional.empty());

        StreamReport part = stream(new StreamSource.Here(replicas, 1), HALF);

        assertThat(part.parts()).isEqualTo(2);
        assertReceived(HALF);
        target.truncate();
        StreamReport rows = stream(StreamSource.here(replicas), HALF);
        assertThat(rows.parts()).isZero();
        assertThat(rows.rows()).isPositive();
        assertReceived(HALF);
        target.truncate();
        StreamReport whole = stream(StreamSource.here(replicas), TokenRange.FULL);
        assertThat(whole.sstables()).isEqualTo(2);
        assertThat(whole.rows()).isZero();
        assertReceived(TokenRange.FULL);
    }

    static Stream<Arguments> kinds() {
        return Stream.concat(
                Stream.of(SSTableVersion.NB, SSTableVersion.OA, SSTableVersion.DA)
                        .map(version -> Arguments.of(version, Compression.NONE)),
                Stream.of(Compressor.values())
                        .map(compressor -> Arguments.of(
                                compressor == Compressor.LZ4 ? SSTableVersion.NB : SSTableVersion.DA,
                                Compression.of(compressor).withChunkLengthBytes(4096))));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void shouldMakeOneSSTableOfAllRangesOfAnother(SSTableVersion version, Compression compression) throws IOException {
        write(version, compression);
        List<TokenRange> parts = TokenRange.FULL.split(16);
        TokenRange[] ranges = {parts.get(15), parts.get(0), parts.get(3), parts.get(4), parts.get(9)};

        StreamReport report = stream(source(), ranges);

        assertThat(report.rows()).as("no row goes by itself").isZero();
        assertThat(report.sstables()).as("none goes whole").isZero();
        assertThat(report.parts()).isEqualTo(2);
        assertReceived(ranges);
        try (LiveFiles files = target.liveFiles()) {
            assertThat(files.sstables())
                    .allSatisfy(sstable ->
                            assertThat(SSTableVersion.of(sstable.descriptor())).contains(version));
        }
    }

    /** Chunks that two ranges share go once: 256 ranges with a hole between each cost hardly more than everything. */
    @Test
    void shouldSendAChunkOnceWhenManyRangesShareIt() throws IOException {
        write(SSTableVersion.NB, Compression.LZ4);
        TokenRange[] ranges = TokenRange.FULL.split(512).stream()
                .filter(range -> (range.left() >>> 55 & 1) == 0)
                .toArray(TokenRange[]::new);
        long dataBytes = 0;
        for (Descriptor descriptor : descriptors()) {
            dataBytes += Files.size(descriptor.file(Component.DATA));
        }

        StreamReport report = stream(source(), ranges);

        assertThat(ranges).hasSizeBetween(200, 300);
        assertReceived(ranges);
        assertThat(report.bytes()).isLessThan(dataBytes * 11 / 10);
    }

    /** Where the connection is cut, in a head or a chunk, does not matter. */
    @ParameterizedTest
    @ValueSource(longs = {9_000, 20_000, 33_333, 45_000})
    void shouldGoOnInTheMiddleOfAChunkWhenTheConnectionWasCut(long cutAt) throws IOException {
        write(SSTableVersion.DA, Compression.LZ4.withChunkLengthBytes(4096));
        TokenRange range = new TokenRange(-7_000_000_000_000_000_000L, 8_000_000_000_000_000_000L);
        long whole = stream(source(), range).bytes();
        target.truncate();
        try (FaultyProxy proxy = FaultyProxy.to(address)) {
            proxy.inject(LinkFault.reset(LinkFault.Direction.TO_CLIENT, cutAt));
            AtomicInteger connects = new AtomicInteger();
            Connector healing = peer -> {
                if (connects.getAndIncrement() > 0) {
                    proxy.heal();
                }
                return node.peers().connect(peer);
            };

            StreamReport report = stream(StreamSource.at(healing, proxy.address()), range);

            assertThat(connects).hasValue(2);
            assertThat(report.bytes()).as("nothing twice").isEqualTo(whole);
        }
        assertReceived(range);
    }

    @Test
    void shouldSendTheRowsOfAnSSTableThatHasNoIndex() throws IOException {
        write(SSTableVersion.NB, Compression.LZ4);
        for (Descriptor descriptor : descriptors()) {
            Files.delete(descriptor.file(Component.INDEX));
            Files.delete(descriptor.file(Component.SUMMARY));
            Path toc = descriptor.file(Component.TOC);
            Files.writeString(
                    toc, Files.readString(toc).replace("Index.db\n", "").replace("Summary.db\n", ""));
        }
        TokenRange range = new TokenRange(0, 4_000_000_000_000_000_000L);

        StreamReport report = stream(source(), range);

        assertThat(report.rows()).isPositive();
        assertThat(report.sstables()).isZero();
    }
}
