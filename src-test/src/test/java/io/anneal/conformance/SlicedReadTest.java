package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableOptions;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.SSTables;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A read of slices of one partition yields what the scan of everything holds of it, in order and in reverse. */
class SlicedReadTest {
    private static final Path CORPUS = Path.of("src/test/resources/corpus");
    private static final List<SSTableVersion> VERSIONS =
            Stream.of(SSTableVersion.values()).filter(SSTableVersion::isWritten).toList();

    @TempDir
    private Path directory;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + 60);
    }

    static List<Path> corpusTables() throws IOException {
        try (Stream<Path> versions = Files.list(CORPUS)) {
            TreeSet<Path> found = new TreeSet<>();
            for (Path version : versions.filter(Files::isDirectory).toList()) {
                for (String table : List.of("wide", "wide_tombs", "clustered", "deletions", "statics", "kv")) {
                    if (Files.isDirectory(version.resolve(table))) {
                        found.add(version.resolve(table));
                    }
                }
            }
            return List.copyOf(found);
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldReadSlicesOfEachPartition(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        RandomFragments fragments = new RandomFragments(seed).allowShadowed();
        assertSlices(fragments.next(0.7), fragments.keys(), "1", random);
        assertSlices(fragments.nextWide(300), fragments.keys(), "2", random);
    }

    private void assertSlices(FragmentList drawn, List<DecoratedKey> keys, String generation, SplittableRandom random)
            throws IOException {
        if (!hasContent(drawn)) {
            return;
        }
        Descriptor descriptor = write(directory, generation, drawn, random);
        dropComponents(descriptor, random);
        try (SSTableReader reader = Formats.open(descriptor)) {
            FragmentList written;
            try (FragmentCursor scan = reader.scan(drawn.schema(), TokenRange.Linear.ALL)) {
                written = FragmentList.copyOf(scan);
            }
            Map<DecoratedKey, FragmentList> partitions = SliceModel.partitions(written);
            for (DecoratedKey key : keys) {
                FragmentList partition = partitions.get(key);
                if (partition == null) {
                    assertThat(reader.read(drawn.schema(), key, Slices.ALL, false))
                            .isEmpty();
                } else {
                    assertSlices(reader, key, partition, random);
                }
            }
        }
    }

    /** A writer leaves out partitions that have neither deletion nor content, and refuses to write none at all. */
    private static boolean hasContent(FragmentList list) {
        return list.fragments().stream()
                .anyMatch(fragment -> fragment.row() != null || fragment.timestampMicros() != Long.MIN_VALUE);
    }

    private static void assertSlices(
            SSTableReader reader, DecoratedKey key, FragmentList partition, SplittableRandom random)
            throws IOException {
        for (int i = 0; i < 8; i++) {
            Slices slices = i == 0 ? Slices.ALL : i == 1 ? Slices.NONE : SliceModel.randomSlices(partition, random);
            for (boolean reversed : new boolean[] {false, true}) {
                Optional<SSTableCursor> read = reader.read(partition.schema(), key, slices, reversed);
                try (FragmentCursor cursor = validated(read.orElseThrow(), reversed)) {
                    assertThat(FragmentList.copyOf(cursor).lines())
                            .as("reversed=%s, slices=%s", reversed, slices)
                            .isEqualTo(SliceModel.sliced(partition, slices, reversed)
                                    .lines());
                }
            }
        }
    }

    private static FragmentCursor validated(FragmentCursor cursor, boolean reversed) {
        return reversed ? FragmentStreamValidator.ofReversed(cursor) : FragmentStreamValidator.of(cursor);
    }

    private static Descriptor write(Path directory, String generation, FragmentList list, SplittableRandom random)
            throws IOException {
        int[] chunkLengths = {1024, 4096, 16384};
        int[] blockSizes = {1, 300, 4096, 65536};
        Compression compression = random.nextBoolean() ? Compression.LZ4 : Compression.NONE;
        SSTableWriterConfig config = SSTableWriterConfig.defaults(30)
                .withVersion(VERSIONS.get(random.nextInt(VERSIONS.size())))
                .withCompression(compression.withChunkLengthBytes(chunkLengths[random.nextInt(chunkLengths.length)]))
                .withColumnIndexSizeBytes(blockSizes[random.nextInt(blockSizes.length)]);
        try (FragmentWriter writer = Formats.write(directory, generation, list.schema(), config)) {
            writer.append(list.cursor());
            return writer.finish();
        }
    }

    /** What only speeds reading up may be gone. */
    private static void dropComponents(Descriptor descriptor, SplittableRandom random) throws IOException {
        Component[] optional = {Component.INDEX, Component.SUMMARY, Component.FILTER, Component.PARTITIONS};
        for (Component component : optional) {
            if (random.nextInt(6) == 0) {
                Files.deleteIfExists(descriptor.file(component));
            }
        }
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldMergeSlicesOfAllSSTables(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        RandomFragments fragments = RandomFragments.withDistinctClusterings(seed, 6, TableOptions.UNKNOWN);
        Path table = Files.createDirectories(directory.resolve("ks").resolve("t-" + "0".repeat(32)));
        int sstables = 0;
        for (int i = 1; i <= 4; i++) {
            FragmentList drawn = i == 4 ? fragments.nextWide(100) : fragments.next(0.7);
            if (hasContent(drawn)) {
                write(table, Integer.toString(i), drawn, random);
                sstables++;
            }
        }
        try (SSTables opened = SSTables.open(table)) {
            assertThat(opened.readers()).hasSize(sstables);
            assertMergedSlices(opened, random);
        }
    }

    @ParameterizedTest
    @MethodSource("corpusTables")
    void shouldReadSlicesOfCassandrasTables(Path table) throws IOException {
        try (SSTables opened = SSTables.open(table)) {
            assertMergedSlices(opened, new SplittableRandom(table.toString().hashCode()));
        }
    }

    private static void assertMergedSlices(SSTables opened, SplittableRandom random) throws IOException {
        FragmentList all;
        try (FragmentCursor scan = opened.scan(TokenRange.Linear.ALL)) {
            all = FragmentList.copyOf(scan);
        }
        for (Map.Entry<DecoratedKey, FragmentList> entry :
                SliceModel.partitions(all).entrySet()) {
            FragmentList partition = entry.getValue();
            for (int i = 0; i < 6; i++) {
                Slices slices = i == 0 ? Slices.ALL : SliceModel.randomSlices(partition, random);
                for (boolean reversed : new boolean[] {false, true}) {
                    try (FragmentCursor cursor = opened.read(entry.getKey(), slices, reversed)) {
                        assertThat(withoutEmpty(FragmentList.copyOf(cursor)))
                                .as("reversed=%s, slices=%s", reversed, slices)
                                .isEqualTo(withoutEmpty(SliceModel.sliced(partition, slices, reversed)));
                    }
                }
            }
        }
        DecoratedKey unknown = DecoratedKey.of("no such key".getBytes(StandardCharsets.UTF_8));
        try (FragmentCursor cursor = opened.read(unknown, Slices.ALL, false)) {
            assertThat(cursor.advance()).isNull();
        }
    }

    /** A merge leaves out a partition of which nothing is there but its key. */
    private static List<String> withoutEmpty(FragmentList partition) {
        boolean deleted =
                !partition.fragments().isEmpty() && partition.fragments().get(0).timestampMicros() != Long.MIN_VALUE;
        return partition.fragments().size() > 2 || deleted ? partition.lines() : List.of();
    }
}
