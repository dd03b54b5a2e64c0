package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.UnsupportedSSTableException;
import io.anneal.store.directory.Formats;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Small SSTables of every version with bytes of each component flipped, and each component cut: an error that names the
 * file, or the right rows. {@code -Danneal.all=true} flips every byte and cuts at every length; else of a long file each
 * so-manieth, the same ones in each run.
 */
class MutationTest {
    /** Of a long file so many places are tried, at a distance that meets every field of what repeats. */
    private static final int PLACES_MAX = Boolean.getBoolean("anneal.all") ? Integer.MAX_VALUE : 75;

    private static final long ALLOCATED_MAX_BYTES = 64L << 20;
    private static final int KEYS_READ_MAX = 3;
    private static final int SEPARATORS_MAX = 5;

    /** What no scan looks at: it is right, whatever they hold. */
    private static final Set<Component> NOT_FOR_SCANS = EnumSet.of(
            Component.INDEX,
            Component.SUMMARY,
            Component.PARTITIONS,
            Component.ROWS,
            Component.FILTER,
            Component.TOC,
            Component.DIGEST);

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    private Path directory;

    /** What one way of reading did. Everything else fails the test. */
    private enum Outcome {
        RIGHT,
        REFUSED,
        /** A key was not found: what a filter or an index without checksums can say, and nothing contradict. */
        ABSENT,
        /** Other rows, where Statistics has no checksums and says how rows are coded. */
        OTHER
    }

    private interface Reading {
        Outcome run() throws IOException;
    }

    /** An SSTable of the corpus, or one that we write. */
    private record Sample(String name, WrittenVersion version, Compression compression) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Sample> samples() throws IOException {
        List<Sample> samples = new ArrayList<>();
        Set<String> small = Set.of("empties", "readded", "static_only");
        Set<Path> directories = new TreeSet<>();
        for (Path data : Corpus.sstables()) {
            String table = Corpus.table(data);
            boolean chosen =
                    Corpus.isLegacy(data) ? table.matches("legacy_.._simple(_counter)?") : small.contains(table);
            if (chosen && directories.add(data.getParent())) {
                samples.add(new Sample(data.toString(), null, null));
            }
        }
        for (WrittenVersion version : WrittenVersion.values()) {
            for (Compression compression : List.of(
                    Compression.NONE,
                    Compression.LZ4.withChunkLengthBytes(512),
                    Compression.of(Compressor.ZSTD).withChunkLengthBytes(1024).withMaxCompressedLengthBytes(400))) {
                String name = version + " "
                        + compression.compressor().map(Compressor::text).orElse("none");
                samples.add(new Sample(name, version, compression));
            }
        }
        return samples.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("samples")
    @Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldRefuseOrBeRightWhateverByteIsFlipped(Sample sample) throws IOException {
        Descriptor descriptor = create(sample);
        Expected expected = Expected.of(descriptor);
        for (Component component : components(descriptor)) {
            byte[] right = Files.readAllBytes(descriptor.file(component));
            TreeSet<Integer> undetected = new TreeSet<>();
            int step = step(right.length);
            for (int at = 0; at < right.length; at += step) {
                // In turn one bit, and all of them: a small error, and a length out of all bounds.
                byte[] wrong = right.clone();
                wrong[at] ^= (byte) (at % 2 == 0 ? 1 << (at >> 1 & 7) : 0xFF);
                overwrite(descriptor.file(component), wrong);
                if (tryAll(descriptor, component, expected, component + " byte " + at) != Outcome.REFUSED) {
                    undetected.add(at);
                }
            }
            overwrite(descriptor.file(component), right);
            requireDetected(descriptor, component, right, undetected);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("samples")
    @Timeout(value = 30, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldRefuseWhateverIsCut(Sample sample) throws IOException {
        Descriptor descriptor = create(sample);
        Expected expected = Expected.of(descriptor);
        for (Component component : components(descriptor)) {
            byte[] right = Files.readAllBytes(descriptor.file(component));
            int step = step(right.length);
            TreeSet<Integer> lengths = new TreeSet<>(List.of(right.length + 1));
            for (int length = right.length - 1; length >= 0; length -= step) {
                lengths.add(length);
            }
            for (int length : lengths) {
                overwrite(descriptor.file(component), Arrays.copyOf(right, length));
                String where = component + " of length " + length + " instead of " + right.length;
                Outcome outcome = tryAll(descriptor, component, expected, where);
                boolean onlyLineEnd = component == Component.TOC && length == right.length - 1;
                boolean onlyMore = component == Component.STATISTICS && isBefore4(descriptor) && length > right.length;
                assertThat(outcome).as(where).isEqualTo(onlyLineEnd || onlyMore ? Outcome.RIGHT : Outcome.REFUSED);
            }
            overwrite(descriptor.file(component), right);
        }
    }

    /** Odd, so that bytes at even and at odd places are met, and no divisor of what repeats. */
    private static int step(int length) {
        return length <= PLACES_MAX ? 1 : length / PLACES_MAX | 1;
    }

    /** Scans, reads by key and verifies, all of it through one reader; the outcome is that of verifying. */
    private Outcome tryAll(Descriptor descriptor, Component component, Expected expected, String where)
            throws IOException {
        boolean unchecked = component == Component.STATISTICS && isBefore4(descriptor);
        AtomicReference<SSTableReader> opened = new AtomicReference<>();
        if (outcome(where + " open", () -> open(descriptor, opened)) == Outcome.REFUSED) {
            assertThat(NOT_FOR_SCANS).as(where).doesNotContain(component);
            return Outcome.REFUSED;
        }
        try (SSTableReader reader = opened.get()) {
            Outcome scan = outcome(where + " scan", () -> {
                boolean same = Expected.scan(reader).lines().equals(expected.lines());
                assertThat(same || unchecked).as(where).isTrue();
                return same ? Outcome.RIGHT : Outcome.OTHER;
            });
            if (component == Component.DATA) {
                assertThat(scan).as(where).isEqualTo(Outcome.REFUSED);
            } else if (NOT_FOR_SCANS.contains(component)) {
                assertThat(scan).as(where).isEqualTo(Outcome.RIGHT);
            }
            expected.reads()
                    .forEach((read, lines) -> outcome(where + " " + read, () -> {
                        Optional<List<String>> found = read.of(reader);
                        boolean mayBeAbsent = unchecked || component == Component.FILTER;
                        assertThat(unchecked || found.map(lines::equals).orElse(mayBeAbsent))
                                .as("%s %s found=%s", where, read, found)
                                .isTrue();
                        return found.isEmpty() ? Outcome.ABSENT : Outcome.RIGHT;
                    }));
            return outcome(where + " verify", () -> {
                reader.verify();
                return Outcome.RIGHT;
            });
        }
    }

    private static Outcome open(Descriptor descriptor, AtomicReference<SSTableReader> opened) throws IOException {
        opened.set(Formats.open(descriptor));
        return Outcome.RIGHT;
    }

    private Outcome outcome(String where, Reading reading) {
        long before = threads.getCurrentThreadAllocatedBytes();
        try {
            return reading.run();
        } catch (CorruptSSTableException | UnsupportedSSTableException | UnsupportedVersionException e) {
            assertThat(e.getMessage()).as(where).contains("file=");
            return Outcome.REFUSED;
        } catch (IOException | RuntimeException | OutOfMemoryError | StackOverflowError e) {
            throw new AssertionError(where, e);
        } finally {
            assertThat(threads.getCurrentThreadAllocatedBytes() - before)
                    .as(where + " bytes allocated")
                    .isLessThan(ALLOCATED_MAX_BYTES);
        }
    }

    private Descriptor create(Sample sample) throws IOException {
        if (sample.version() == null) {
            Path original = Corpus.ROOT.resolve(sample.name());
            String prefix = original.getFileName().toString().replace(Component.DATA.fileSuffix(), "");
            try (Stream<Path> files = Files.list(original.getParent())) {
                for (Path file : files.toList()) {
                    if (file.getFileName().toString().startsWith(prefix)) {
                        Files.copy(file, directory.resolve(file.getFileName()));
                    }
                }
            }
            return Descriptor.of(directory.resolve(original.getFileName())).orElseThrow();
        }
        RandomFragments fragments = new RandomFragments(4, 5);
        FragmentList few = Content.merged(List.of(fragments.next(1), fragments.nextWide(30)));
        SSTableWriterConfig config = SSTableWriterConfig.defaults(5)
                .withVersion(sample.version().version())
                .withCompression(sample.compression())
                .withColumnIndexSizeBytes(200);
        try (FragmentWriter writer = Formats.write(directory, "1", few.schema(), config)) {
            writer.append(few.cursor());
            return writer.finish();
        }
    }

    private static List<Component> components(Descriptor descriptor) {
        return Arrays.stream(Component.values()).filter(descriptor::has).toList();
    }

    private static boolean isBefore4(Descriptor descriptor) {
        return descriptor.version().startsWith("m");
    }

    /** Overwrites in place: a file system may sync what is emptied and written anew, thousands of times here. */
    private static void overwrite(Path file, byte[] bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(bytes));
            if (channel.size() > bytes.length) {
                channel.truncate(bytes.length);
            }
        }
    }

    /** Files with checksums hide nothing; of the others, what a flip can hide is listed here. */
    private static void requireDetected(
            Descriptor descriptor, Component component, byte[] right, TreeSet<Integer> undetected) {
        switch (component) {
            case DATA, DIGEST, INDEX, PARTITIONS, TOC ->
                assertThat(undetected).as(component.name()).isEmpty();
            // A place between two blocks that separates them as well; rows are found as before.
            case ROWS -> assertThat(undetected).as(component.name()).hasSizeLessThan(SEPARATORS_MAX);
            case STATISTICS -> {
                if (!isBefore4(descriptor)) {
                    assertThat(undetected).as(component.name()).isEmpty();
                }
            }
            // The length of chunks, when there is only one.
            case CRC -> assertThat(undetected).as(component.name()).isSubsetOf(0, 1, 2, 3);
            // maxCompressedLength, when no chunk is near it; behind the name of the compressor, which has no options.
            case COMPRESSION_INFO -> {
                int from = Short.BYTES + ByteBuffer.wrap(right).getShort() + 2 * Integer.BYTES;
                assertThat(undetected).as(component.name()).isSubsetOf(from, from + 1, from + 2, from + 3);
            }
            // The interval, when there is only one entry, and the sampling level, which makes any interval right.
            case SUMMARY -> assertThat(undetected).as(component.name()).isSubsetOf(0, 1, 2, 3, 16, 17, 18, 19);
            // A smaller number of hashes, and bits that no key asks for.
            case FILTER -> assertThat(undetected).as(component.name()).allMatch(at -> at == 3 || at >= 8);
        }
    }

    /** A partition, or one row of it. */
    private record Read(DecoratedKey key, Clustering row) {
        Optional<List<String>> of(SSTableReader reader) throws IOException {
            Slices slices = row == null ? Slices.ALL : Slices.of(Slice.of(row));
            Optional<SSTableCursor> found = reader.read(reader.headerSchema(), key, slices, false);
            if (found.isEmpty()) {
                return Optional.empty();
            }
            try (FragmentCursor cursor = found.get()) {
                return Optional.of(FragmentList.copyOf(cursor).lines());
            }
        }
    }

    /** What is in an SSTable, and what is read of it without reading all. */
    private record Expected(List<String> lines, Map<Read, List<String>> reads) {
        static Expected of(Descriptor descriptor) throws IOException {
            try (SSTableReader reader = Formats.open(descriptor)) {
                return of(reader);
            }
        }

        private static Expected of(SSTableReader reader) throws IOException {
            FragmentList list = scan(reader);
            Map<DecoratedKey, List<Clustering>> rows = new LinkedHashMap<>();
            DecoratedKey key = null;
            for (Fragment fragment : list.fragments()) {
                if (fragment.kind() == FragmentKind.PARTITION_START) {
                    key = fragment.key();
                    rows.put(key, new ArrayList<>());
                } else if (fragment.kind() == FragmentKind.CLUSTERING_ROW) {
                    rows.get(key).add(fragment.row().clustering());
                }
            }
            Map<Read, List<String>> reads = new LinkedHashMap<>();
            for (DecoratedKey some : rows.keySet().stream().limit(KEYS_READ_MAX).toList()) {
                add(new Read(some, null), reader, reads);
            }
            // The widest has blocks: the first row, the last, and one between.
            rows.entrySet().stream()
                    .max(Comparator.comparingInt(entry -> entry.getValue().size()))
                    .filter(widest -> widest.getValue().size() > 1)
                    .ifPresent(widest -> {
                        List<Clustering> all = widest.getValue();
                        for (int row : new int[] {0, all.size() / 2, all.size() - 1}) {
                            add(new Read(widest.getKey(), all.get(row)), reader, reads);
                        }
                    });
            return new Expected(list.lines(), reads);
        }

        static FragmentList scan(SSTableReader reader) throws IOException {
            try (FragmentCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
                return FragmentList.copyOf(cursor);
            }
        }

        private static void add(Read read, SSTableReader reader, Map<Read, List<String>> reads) {
            try {
                reads.put(read, read.of(reader).orElseThrow());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
