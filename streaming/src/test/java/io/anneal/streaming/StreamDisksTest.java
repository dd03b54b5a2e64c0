package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.key.DecoratedKey;
import io.anneal.key.TokenRange;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.VersionRange;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.Node;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.SSTables;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Cassandra node keeps each data directory to some tokens: no SSTable that it is to import has tokens of two. */
@Timeout(60)
class StreamDisksTest {
    private static final String SCHEMA = "CREATE TABLE ks.t (k int, c int, v text, PRIMARY KEY (k, c))"
            + " WITH id = 11111111-2222-3333-4444-555555555555";
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();
    private static final List<Long> BOUNDARIES = List.of(-3_000_000_000_000_000_000L, 3_000_000_000_000_000_000L);

    @TempDir
    private Path directory;

    private Store from;
    private Table source;
    private Path owned;
    private StagingArea staging;
    private CassandraReplicas target;

    @BeforeEach
    void start() throws IOException {
        from = Store.open(directory.resolve("from"), StoreConfig.defaults().withShardCount(1));
        source = from.createTable(SCHEMA);
        for (int k = 0; k < 300; k++) {
            for (int c = 0; c < 3; c++) {
                source.row().key("k", k).clustering("c", c).set("v", "v" + k).insert();
            }
        }
        source.flush();
        owned = directory.resolve("owned");
        Path data = Files.createDirectories(owned.resolve("ks/t-11111111222233334444555555555555"));
        Files.writeString(data.resolve("schema.cql"), SCHEMA + ";");
        staging = StagingArea.open(directory.resolve("staging"), owned.toString(), InstantSource.system());
        target = new CassandraReplicas(List.of(owned), Optional.empty(), Optional.of(staging))
                .withDiskBoundaries(Map.of("ks", BOUNDARIES));
    }

    @AfterEach
    void stop() throws IOException {
        staging.close();
        from.close();
    }

    private static int disk(long token) {
        return (int) BOUNDARIES.stream().filter(last -> token > last).count();
    }

    /** Tokens and rows, in order. */
    private static List<Long> tokens(FragmentCursor cursor) throws IOException {
        List<Long> tokens = new ArrayList<>();
        try (cursor) {
            while (cursor.advance() != null) {
                if (cursor.kind() == FragmentKind.CLUSTERING_ROW) {
                    tokens.add(cursor.key().token());
                }
            }
        }
        return tokens;
    }

    private void assertStaged(int sstables) throws IOException {
        try (SSTables staged = SSTables.open(directory.resolve("staging/ks/t"))) {
            assertThat(staged.readers()).hasSize(sstables);
            List<Integer> disks = new ArrayList<>();
            for (SSTableReader reader : staged.readers()) {
                assertThat(reader.verify()).isEmpty();
                int first = disk(
                        DecoratedKey.of(reader.keyRange().orElseThrow().first()).token());
                assertThat(disk(DecoratedKey.of(reader.keyRange().orElseThrow().last())
                                .token()))
                        .as("disk of the last token of %s", reader.descriptor())
                        .isEqualTo(first);
                disks.add(first);
            }
            assertThat(disks).contains(0, 1, 2);
            assertThat(tokens(staged.scan(TokenRange.Linear.ALL)))
                    .isEqualTo(tokens(source.scan(TokenRange.Linear.ALL)))
                    .hasSize(900);
        }
    }

    /** @param sectionBytesMin where an SSTable has less than is wanted, its rows go */
    @ParameterizedTest
    @ValueSource(longs = {1, Long.MAX_VALUE})
    void shouldCutWhatSpansTwoDirectoriesOfTheTarget(long sectionBytesMin) throws IOException {
        try (Node node = Node.open(
                NetConfig.of(
                        new NodeIdentity(UUID.randomUUID(), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION)),
                4,
                new SecureRandom())) {
            node.replicas().add("from", new StoreReplicas(from));
            new StreamService(node.replicas(), node.executor(), ENVIRONMENT, sectionBytesMin).register(node.handlers());
            InetSocketAddress address = node.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            List<Double> shares = new ArrayList<>();

            StreamReport report = StreamPlan.into(target)
                    .add("ks.t", StreamSource.at(node.peers(), address), TokenRange.FULL)
                    .listener((rows, bytes, covered) -> shares.add(covered))
                    .run(ENVIRONMENT);

            assertThat(report.rows()).isEqualTo(sectionBytesMin == 1 ? 0 : 900);
            assertThat(shares).isSorted().last().isEqualTo(1.0);
        }
        assertStaged(3);
    }

    /** As a repair writes what it receives. */
    @Test
    void shouldBeginAnotherSSTableAtEachBoundary() throws IOException {
        try (Replica replica = target.open("ks", "t", Optional.empty());
                Receiving receiving = replica.receive(UUID.randomUUID(), Long.MAX_VALUE)) {
            try (StagedWriter writer = receiving.newWriter();
                    FragmentCursor all = source.scan(TokenRange.Linear.ALL)) {
                writer.append(all);
                writer.finish();
            }
            receiving.complete();
        }
        assertStaged(3);
    }
}
