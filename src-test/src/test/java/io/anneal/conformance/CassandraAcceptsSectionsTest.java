package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.key.TokenRange;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableSections;
import io.anneal.sstable.SectionSource;
import io.anneal.sstable.SectionTarget;
import io.anneal.sstable.StagedSSTable;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A real Cassandra over SSTables that were cut out of others, chunk by chunk, as streaming does it: it imports all after an
 * extended verification, dumps what we dump, and reads every key of both halves as it was. {@code -Danneal.seeds=N} tries more
 * tables.
 */
@WithCassandra
@ResourceLock(SharedKeyspace.RESOURCE)
class CassandraAcceptsSectionsTest {
    private static final int WIDE_ROWS = 300;
    private static final long READ_SECONDS =
            RandomFragments.DELETION_BASE_SECONDS + RandomFragments.DELETION_SPREAD_SECONDS;

    @TempDir
    private Path directory;

    static Stream<Arguments> tables() {
        WrittenVersion[] versions = WrittenVersion.values();
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 6))
                .mapToObj(seed -> Arguments.of(seed, versions[Math.floorMod(seed, versions.length)]));
    }

    @AfterAll
    static void dropKeyspaces(Peers peers) {
        SharedKeyspace.dropEverywhere(peers);
    }

    @ParameterizedTest(name = "seed={0}, version={1}")
    @MethodSource("tables")
    void shouldReadBothHalvesOfWhatWasCut(long seed, WrittenVersion version, Peers peers) throws IOException {
        CassandraPeer peer = peers.of(version.peer());
        SharedKeyspace.recreate(peer);
        long nowSeconds = System.currentTimeMillis() / 1000;
        RandomFragments fragments = RandomFragments.withDistinctClusterings(seed, 60, options(), Set.of())
                .allowShadowed();
        TableSchema schema = fragments.schema();
        List<FragmentList> sources = new ArrayList<>();
        for (FragmentList draw : List.of(fragments.next(0.7), fragments.next(0.7), fragments.nextWide(WIDE_ROWS))) {
            sources.add(Content.merged(List.of(draw)));
        }
        FragmentList merged = Content.merged(sources);
        for (String statement : SchemaText.print(schema).split(";\n")) {
            peer.execute(statement);
        }
        Path whole = Files.createDirectory(directory.resolve("whole"));
        Path cut = Files.createDirectory(directory.resolve("cut"));
        SplittableRandom random = new SplittableRandom(seed);
        List<Path> written = new ArrayList<>();
        for (FragmentList source : sources) {
            try (FragmentWriter writer =
                    Formats.write(whole, "1" + written.size(), schema, version.config(random, 60))) {
                writer.append(source.cursor());
                Descriptor from = writer.finish();
                for (int half = 0; half < 2; half++) {
                    cut(from, cut, Integer.toString(written.size() + 1), schema, slices(half))
                            .ifPresent(to -> written.add(to.file(Component.DATA)));
                }
            }
        }

        int imported = peer.importDirectory(schema.keyspace(), schema.name(), cut);
        List<String> ourDumps = new ArrayList<>();
        for (Path data : written) {
            ourDumps.add(Content.dump(data, nowSeconds));
        }

        assertThat(imported).isEqualTo(written.size()).isGreaterThan(sources.size());
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

    private static TableOptions options() {
        Map<String, String> compaction = Map.of("class", "SizeTieredCompactionStrategy", "enabled", "false");
        return new TableOptions(Integer.MAX_VALUE, 0.01, 128, Map.of(), compaction, false, Map.of());
    }

    /** Every other sixteenth of the ring. */
    private static List<TokenRange.Linear> slices(int half) {
        List<TokenRange> all = TokenRange.FULL.split(16);
        return IntStream.range(0, all.size())
                .filter(i -> i % 2 == half)
                .mapToObj(i -> all.get(i).unwrap())
                .flatMap(List::stream)
                .sorted((a, b) -> Long.compare(a.first(), b.first()))
                .toList();
    }

    private static Optional<Descriptor> cut(
            Descriptor from, Path directory, String generation, TableSchema schema, List<TokenRange.Linear> ranges)
            throws IOException {
        Descriptor to = new Descriptor(directory, from.version(), generation, from.format());
        try (SSTableReader reader = Formats.open(from)) {
            Optional<SSTableSections> sections = reader.sections(ranges);
            if (sections.isEmpty()) {
                return Optional.empty();
            }
            byte[] data = Files.readAllBytes(from.file(Component.DATA));
            byte[] statistics = Files.readAllBytes(from.file(Component.STATISTICS));
            try (SectionSource blocks = sections.get().open();
                    SectionTarget target = Formats.receive(
                            StagedSSTable.of(to), schema, sections.get().manifest(statistics), ranges)) {
                while (blocks.next()) {
                    target.append(blocks.head());
                    target.append(
                            ByteBuffer.wrap(data, (int) blocks.chunksPosition(), (int) blocks.chunksLengthBytes()));
                }
                return Optional.of(target.publish());
            }
        }
    }
}
