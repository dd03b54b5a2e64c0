package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.Mutation;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.simulation.Mutations;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.ManualClock;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A real Cassandra over what a store flushed, and over what it compacted: it imports every SSTable after an extended
 * verification, reads by key, slice and scan what was written, and compacts it as we do. {@code -Danneal.seeds=N} tries
 * more tables.
 */
@WithCassandra
@ResourceLock(SharedKeyspace.RESOURCE)
class CassandraAcceptsStoreTest {
    private static final int WIDE_ROWS = 300;
    /** When everything deleted has been deleted, and some of what expires has expired. */
    private static final long READ_SECONDS =
            RandomFragments.DELETION_BASE_SECONDS + RandomFragments.DELETION_SPREAD_SECONDS;

    @TempDir
    private Path directory;

    static Stream<Arguments> tables() {
        WrittenVersion[] versions = WrittenVersion.values();
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 6))
                .boxed()
                .flatMap(seed -> Stream.of(versions)
                        .filter(version -> Boolean.getBoolean("anneal.all")
                                || version == versions[Math.floorMod(seed, versions.length)])
                        .map(version -> Arguments.of(seed, version)));
    }

    @AfterAll
    static void dropKeyspaces(Peers peers) {
        SharedKeyspace.dropEverywhere(peers);
    }

    @ParameterizedTest(name = "seed={0}, version={1}")
    @MethodSource("tables")
    void shouldReadAndCompactWhatTheStoreWrote(long seed, WrittenVersion version, Peers peers) throws Exception {
        CassandraPeer peer = peers.of(version.peer());
        RandomFragments fragments = RandomFragments.withDistinctClusterings(
                        seed, 30, options(seed), seed % 4 == 3 ? Set.of(Feature.DROPPED_COLUMNS) : Set.of())
                .allowShadowed();
        TableSchema schema = fragments.schema();
        List<FragmentList> sources = List.of(
                fragments.next(0.7), fragments.next(0.7), fragments.nextWide(WIDE_ROWS), fragments.nextWide(WIDE_ROWS));
        FragmentList merged = Content.merged(sources);
        StoreConfig config = StoreConfig.defaults()
                .withShardCount(1 + Math.floorMod(seed, 3))
                .withVersion(version.version())
                .withCompactionThreads(0);
        // So that it takes for expired what the reads take for it.
        ManualClock clock = ManualClock.at(Instant.ofEpochSecond(READ_SECONDS));
        try (Store store = Store.open(directory.resolve("store"), config, environment(clock))) {
            Table table = store.createTable(schema);
            for (FragmentList source : sources) {
                for (Mutation mutation : Mutations.of(source)) {
                    table.apply(mutation);
                }
                table.flush();
            }
            assertAccepted(peer, fragments, table.snapshot("flushed"), merged);
            table.compact();
            assertAccepted(peer, fragments, table.snapshot("compacted"), merged);
        }
    }

    private void assertAccepted(CassandraPeer peer, RandomFragments fragments, Path snapshot, FragmentList merged)
            throws IOException {
        TableSchema schema = fragments.schema();
        SharedKeyspace.recreate(peer);
        for (String statement : SchemaText.print(schema).split(";\n")) {
            peer.execute(statement);
        }
        // An import takes the files away.
        Path copy = Files.createDirectories(directory.resolve(snapshot.getFileName()));
        List<Path> written = new ArrayList<>();
        try (Stream<Path> files = Files.list(snapshot)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".db")
                            || f.toString().endsWith(".txt")
                            || f.toString().endsWith(".crc32"))
                    .toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
                if (file.toString().endsWith("-Data.db")) {
                    written.add(file);
                }
            }
        }
        assertThat(written).isNotEmpty();
        assertThat(peer.importDirectory(schema.keyspace(), schema.name(), copy)).isEqualTo(written.size());
        long nowSeconds = System.currentTimeMillis() / 1000;
        List<String> ourDumps = new ArrayList<>();
        for (Path data : written) {
            ourDumps.add(Content.dump(data, nowSeconds));
        }
        assertThat(peer.sstables(schema.keyspace(), schema.name()).stream().map(peer::dump))
                .containsExactlyInAnyOrderElementsOf(ourDumps);
        new CassandraReads(peer, schema, READ_SECONDS)
                .assertSame(fragments.keys(), LiveRows.of(merged.cursor(), READ_SECONDS));

        peer.compact(schema.keyspace(), schema.name());
        FragmentList theirs = Content.merged(schema, peer.sstables(schema.keyspace(), schema.name()));
        FragmentList ours = Content.purged(
                merged, new SessionPurgeRule(nowSeconds, schema.options().gcGraceSeconds()));
        Differences.assertSame("compacted", ours.lines(), theirs.lines());
    }

    private static HostEnvironment environment(ManualClock clock) {
        return HostEnvironment.system().withClock(clock);
    }

    private static TableOptions options(long seed) {
        Map<String, String> compaction = Map.of("class", "SizeTieredCompactionStrategy", "enabled", "false");
        List<Map<String, String>> compressions = WrittenVersion.READ_COMPRESSIONS;
        Map<String, String> compression = compressions.get(Math.floorMod(seed, compressions.size()));
        return new TableOptions(Integer.MAX_VALUE, 0.01, 128, compression, compaction, false, Map.of());
    }
}
