package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A real Cassandra over random tables that we wrote: it imports every SSTable after an extended verification, dumps what
 * we dump, reads by key, slice and scan the rows that we read, and its compaction of them, read by us, is our merge of
 * them. {@code -Danneal.seeds=N} tries more tables.
 */
@WithCassandra
@ResourceLock(SharedKeyspace.RESOURCE)
class CassandraAcceptsTest {
    private static final int WIDE_ROWS = 300;
    /** Between the deletion times drawn and the longest expiry drawn, and far from both. */
    private static final long AMONG_EXPIRIES_SECONDS = RandomFragments.DELETION_BASE_SECONDS + 40_000;
    /** When everything deleted has been deleted, and some of what expires has expired. */
    private static final long READ_SECONDS =
            RandomFragments.DELETION_BASE_SECONDS + RandomFragments.DELETION_SPREAD_SECONDS;

    @TempDir
    private Path directory;

    /** Each in one version, and with each gc_grace in each version; {@code -Danneal.all=true}: each in each. */
    static Stream<Arguments> tables() {
        WrittenVersion[] versions = WrittenVersion.values();
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 12))
                .boxed()
                .flatMap(seed -> Stream.of(versions)
                        .filter(version -> Boolean.getBoolean("anneal.all")
                                || version == versions[Math.floorMod(seed / 3, versions.length)])
                        .map(version -> Arguments.of(seed, version)));
    }

    @AfterAll
    static void dropKeyspaces(Peers peers) {
        SharedKeyspace.dropEverywhere(peers);
    }

    @ParameterizedTest(name = "seed={0}, version={1}")
    @MethodSource("tables")
    void shouldReadAndCompactWhatWeWrite(long seed, WrittenVersion version, Peers peers) throws IOException {
        CassandraPeer peer = peers.of(version.peer());
        SharedKeyspace.recreate(peer);
        long nowSeconds = System.currentTimeMillis() / 1000;
        long gcGraceSeconds = List.of((long) Integer.MAX_VALUE, nowSeconds - AMONG_EXPIRIES_SECONDS, 0L)
                .get(Math.floorMod(seed, 3));
        RandomFragments fragments = RandomFragments.withDistinctClusterings(
                        seed, 30, options(seed, gcGraceSeconds), features(seed))
                .allowShadowed();
        TableSchema schema = fragments.schema();
        List<FragmentList> sources = sources(fragments);
        FragmentList merged = Content.merged(sources);
        for (String statement : SchemaText.print(schema).split(";\n")) {
            peer.execute(statement);
        }

        List<Path> written = write(sources, version, new SplittableRandom(seed));
        int imported = peer.importDirectory(schema.keyspace(), schema.name(), directory);
        List<Path> live = peer.sstables(schema.keyspace(), schema.name());
        List<String> ourDumps = new ArrayList<>();
        for (Path data : written) {
            ourDumps.add(Content.dump(data, nowSeconds));
        }

        assertThat(imported).isEqualTo(sources.size());
        assertThat(live.stream().map(peer::dump)).containsExactlyInAnyOrderElementsOf(ourDumps);
        new CassandraReads(peer, schema, READ_SECONDS)
                .assertSame(fragments.keys(), LiveRows.of(merged.cursor(), READ_SECONDS));

        peer.compact(schema.keyspace(), schema.name());
        List<Path> compacted = peer.sstables(schema.keyspace(), schema.name());
        assertThat(compacted).hasSizeLessThanOrEqualTo(1);
        for (Path data : compacted) {
            assertThat(Content.dump(data, nowSeconds)).isEqualTo(peer.dump(data));
        }
        FragmentList ours = Content.purged(merged, new SessionPurgeRule(nowSeconds, gcGraceSeconds));
        FragmentList theirs = Content.merged(schema, compacted);
        Differences.assertSame("compacted", ours.lines(), theirs.lines());
        assertThat(Content.items(theirs)).isEqualTo(Content.items(ours));
    }

    private static Set<Feature> features(long seed) {
        return switch (Math.floorMod(seed, 5)) {
            case 1 -> Set.of(Feature.COUNTERS);
            case 3 -> Set.of(Feature.DROPPED_COLUMNS);
            default -> Set.of();
        };
    }

    private static TableOptions options(long seed, long gcGraceSeconds) {
        Map<String, String> compaction = Map.of("class", "SizeTieredCompactionStrategy", "enabled", "false");
        List<Map<String, String>> compressions = WrittenVersion.READ_COMPRESSIONS;
        Map<String, String> compression = compressions.get(Math.floorMod(seed, compressions.size()));
        return new TableOptions(gcGraceSeconds, 0.01, 128, compression, compaction, false, Map.of());
    }

    /** Each without what it shadows itself, as Cassandra writes them; without those that are empty. */
    private static List<FragmentList> sources(RandomFragments fragments) throws IOException {
        List<FragmentList> sources = new ArrayList<>();
        for (FragmentList draw : List.of(
                fragments.next(0.7),
                fragments.next(0.7),
                fragments.next(0.4),
                fragments.nextWide(WIDE_ROWS),
                fragments.nextWide(WIDE_ROWS))) {
            FragmentList source = Content.merged(List.of(draw));
            if (source.partitionCount() > 0) {
                sources.add(source);
            }
        }
        assertThat(sources).isNotEmpty();
        return sources;
    }

    private List<Path> write(List<FragmentList> sources, WrittenVersion version, SplittableRandom random)
            throws IOException {
        List<Path> written = new ArrayList<>();
        for (FragmentList source : sources) {
            SSTableWriterConfig config = version.config(random, 30);
            String generation = Integer.toString(written.size() + 1);
            try (FragmentWriter writer = Formats.write(directory, generation, source.schema(), config)) {
                writer.append(source.cursor());
                written.add(writer.finish().file(Component.DATA));
            }
        }
        return written;
    }
}
