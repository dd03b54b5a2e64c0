package io.anneal.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableFormat;
import io.anneal.sstable.SSTableSections;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.SectionManifest;
import io.anneal.sstable.SectionSource;
import io.anneal.sstable.SectionTarget;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.UnsupportedSSTableException;
import io.anneal.sstable.big.BigFormat;
import io.anneal.sstable.bti.BtiFormat;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Token ranges of one SSTable become another: chunks are cut, no row is read, and what comes out is right in every file. */
class SectionsTest {
    private static final long MICROS = 1_700_000_000_000_000L;
    private static final long SECONDS = 1_700_000_000L;
    private static final TableSchema SCHEMA = TableSchema.builder("ks", "t")
            .options(new TableOptions(0, 0.01, 4, Map.of(), Map.of(), false, Map.of()))
            .column("k", CqlTypes.TEXT, Column.Kind.PARTITION_KEY)
            .column("c", CqlTypes.TEXT, Column.Kind.CLUSTERING)
            .column("s", CqlTypes.BLOB, Column.Kind.STATIC)
            .column("v", CqlTypes.BLOB, Column.Kind.REGULAR)
            .build();

    @TempDir
    private Path directory;

    private Path source;
    private Path target;

    @BeforeEach
    void makeDirectories() throws IOException {
        source = Files.createDirectory(directory.resolve("source"));
        target = Files.createDirectory(directory.resolve("target"));
    }

    private static SSTableFormat format(SSTableVersion version) {
        return version.format().equals("bti") ? new BtiFormat() : new BigFormat();
    }

    private static byte[] text(String value) {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] value(Random random, int lengthMaxBytes) {
        byte[] bytes = new byte[random.nextInt(lengthMaxBytes)];
        if (random.nextBoolean()) {
            random.nextBytes(bytes);
        }
        return bytes;
    }

    private static void cell(Row row, byte[] value) {
        row.addCell(0, MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(value, 0, value.length);
    }

    private static List<DecoratedKey> keys(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> DecoratedKey.of(text("key" + i)))
                .sorted()
                .toList();
    }

    /** Small partitions, wide ones, and some without any row. */
    private Descriptor write(SSTableVersion version, Compression compression, int partitions, Random random)
            throws IOException {
        ScriptCursor script = new ScriptCursor(SCHEMA);
        for (DecoratedKey key : keys(partitions)) {
            boolean deleted = random.nextInt(10) == 0;
            String name = new String(key.bytes(), StandardCharsets.UTF_8);
            if (deleted) {
                script.partition(key.token(), name, MICROS - 1, SECONDS);
            } else {
                script.partition(key.token(), name);
            }
            int rows = deleted && random.nextBoolean() ? 0 : random.nextInt(20) == 0 ? 100 : 1 + random.nextInt(3);
            if (random.nextInt(3) == 0) {
                byte[] value = value(random, 300);
                script.staticRow(row -> cell(row, value));
            }
            for (int i = 0; i < rows; i++) {
                byte[] clustering = text(String.format("c%04d", i));
                if (random.nextInt(10) == 0) {
                    script.change(clustering, ClusteringComparator.BEFORE, MICROS - 2, SECONDS);
                    script.change(
                            clustering,
                            ClusteringComparator.AFTER,
                            DeletionTime.NO_TIMESTAMP,
                            DeletionTime.NO_DELETION_TIME);
                } else {
                    byte[] value = value(random, 200);
                    script.row(clustering, row -> {
                        row.liveness(MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
                        cell(row, value);
                    });
                }
            }
            script.end();
        }
        SSTableWriterConfig config = SSTableWriterConfig.defaults(partitions)
                .withVersion(version)
                .withCompression(compression)
                .withColumnIndexSizeBytes(600);
        try (FragmentWriter writer = Formats.write(source, "1", SCHEMA, config)) {
            writer.append(script);
            return writer.finish();
        }
    }

    /** Sends sections in pieces of random lengths. */
    private Optional<Descriptor> copy(Descriptor from, List<TokenRange.Linear> ranges, Random random)
            throws IOException {
        SSTableVersion version = SSTableVersion.of(from).orElseThrow();
        Descriptor to = new Descriptor(target, version.text(), "7", version.format());
        try (DataReader reader = SampleSSTables.open(from)) {
            Optional<SSTableSections> sections = reader.sections(ranges);
            if (sections.isEmpty()) {
                return Optional.empty();
            }
            SectionManifest manifest = sections.get().manifest(SampleSSTables.bytes(from, Component.STATISTICS));
            byte[] sent = sent(sections.get(), from);
            try (SectionTarget receiving =
                    format(version).receive(StagedSSTable.of(to), schema(reader.headerSchema()), manifest, ranges)) {
                int at = 0;
                while (at < sent.length) {
                    int part = Math.min(sent.length - at, 1 + random.nextInt(5000));
                    receiving.append(ByteBuffer.wrap(sent, at, part));
                    at += part;
                }
                assertThat(receiving.position()).isEqualTo(sent.length);
                return Optional.of(receiving.publish());
            }
        }
    }

    /** With a small interval of Summary. */
    private static TableSchema schema(TableSchema header) {
        TableSchema.Builder builder = TableSchema.builder(header.keyspace(), header.name())
                .options(new TableOptions(0, 0.01, 4, Map.of(), Map.of(), false, Map.of()));
        Stream.of(header.partitionKey(), header.clustering(), header.staticColumns(), header.regularColumns())
                .flatMap(List::stream)
                .forEach(column -> builder.column(column.name(), column.type(), column.kind()));
        return builder.build();
    }

    private static byte[] sent(SSTableSections sections, Descriptor from) throws IOException {
        byte[] data = SampleSSTables.bytes(from, Component.DATA);
        ByteWriter sent = new ByteWriter(1 << 16);
        long chunkBytes = 0;
        try (SectionSource blocks = sections.open()) {
            while (blocks.next()) {
                ByteBuffer head = blocks.head();
                sent.writeBytes(head.array(), head.arrayOffset() + head.position(), head.remaining());
                sent.writeBytes(data, (int) blocks.chunksPosition(), (int) blocks.chunksLengthBytes());
                chunkBytes += blocks.chunksLengthBytes();
            }
            assertThat(blocks.next()).isFalse();
        }
        assertThat(chunkBytes).as("no chunk twice").isEqualTo(sections.storedLengthBytes());
        return sent.toByteArray();
    }

    private static List<String> rows(Descriptor descriptor, List<TokenRange.Linear> ranges) throws IOException {
        List<String> rows = new ArrayList<>();
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            for (TokenRange.Linear range : ranges) {
                rows.addAll(SampleSSTables.rows(reader, range));
            }
        }
        return rows;
    }

    /** Ascending, apart from each other. */
    private static List<TokenRange.Linear> ranges(List<Long> tokens, Random random) {
        List<Long> bounds = new ArrayList<>();
        int count = 2 * (1 + random.nextInt(6));
        for (int i = 0; i < count; i++) {
            bounds.add(random.nextBoolean() ? random.nextLong() : tokens.get(random.nextInt(tokens.size())));
        }
        bounds.sort(Comparator.naturalOrder());
        List<TokenRange.Linear> ranges = new ArrayList<>();
        for (int i = 0; i < bounds.size(); i += 2) {
            if (i == 0 || bounds.get(i) > bounds.get(i - 1) + 1) {
                ranges.add(new TokenRange.Linear(bounds.get(i), bounds.get(i + 1)));
            }
        }
        if (random.nextInt(4) == 0) {
            ranges.set(0, new TokenRange.Linear(Long.MIN_VALUE, ranges.get(0).last()));
        }
        return ranges;
    }

    static Stream<Arguments> kinds() {
        return Stream.of(SSTableVersion.NB, SSTableVersion.OA, SSTableVersion.DA)
                .flatMap(version -> Stream.concat(
                        Stream.of(Arguments.of(version, Compression.NONE)),
                        Stream.of(Compressor.values())
                                .map(compressor -> Arguments.of(
                                        version,
                                        Compression.of(compressor)
                                                .withChunkLengthBytes(1024)
                                                .withMaxCompressedLengthBytes(
                                                        compressor == Compressor.LZ4 ? 900 : Integer.MAX_VALUE)))));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void shouldCopyWhatLiesInTheRanges(SSTableVersion version, Compression compression) throws IOException {
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        Random random = new Random(seed);
        Descriptor from = write(version, compression, 150, random);
        List<Long> tokens = keys(150).stream().map(DecoratedKey::token).toList();
        for (int round = 0; round < 6; round++) {
            List<TokenRange.Linear> ranges = ranges(tokens, random);
            String clue = "seed=" + seed + ", round=" + round + ", ranges=" + ranges;
            List<String> wanted = rows(from, ranges);

            Optional<Descriptor> copied = copy(from, ranges, random);

            assertThat(copied.isPresent()).as(clue).isEqualTo(!wanted.isEmpty());
            if (copied.isPresent()) {
                assertThat(rows(copied.get(), List.of(TokenRange.Linear.ALL)))
                        .as(clue)
                        .isEqualTo(wanted);
                assertVerified(copied.get(), clue);
                copied.get().delete();
            }
        }
    }

    private static void assertVerified(Descriptor descriptor, String clue) throws IOException {
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            assertThat(reader.verify()).as(clue).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "clustered, nb-1-big",
        "wide, nb-1-big",
        "wide_tombs, nb-1-big",
        "comp_none, nb-1-big",
        "comp_snappy, nb-1-big",
        "counters_oa, oa-1-big",
        "deletions_oa, oa-2-big",
        "da_many, da-2-bti",
        "da_wide_tombs, da-1-bti",
        "da_comp_none, da-1-bti",
        "bf_off, nb-1-big",
        "empties, nb-1-big"
    })
    void shouldCopyHalvesOfWhatCassandraWrote(String table, String name) throws IOException {
        Descriptor from = SampleSSTables.original(table, name);
        List<String> all = rows(from, List.of(TokenRange.Linear.ALL));
        for (List<TokenRange.Linear> ranges : List.of(
                List.of(new TokenRange.Linear(Long.MIN_VALUE, 0)),
                List.of(new TokenRange.Linear(1, Long.MAX_VALUE)),
                List.of(TokenRange.Linear.ALL))) {
            Optional<Descriptor> copied = copy(from, ranges, new Random(1));

            assertThat(copied.isPresent()).isEqualTo(!rows(from, ranges).isEmpty());
            if (copied.isPresent()) {
                assertThat(rows(copied.get(), List.of(TokenRange.Linear.ALL))).isEqualTo(rows(from, ranges));
                assertVerified(copied.get(), table);
                copied.get().delete();
            }
        }
        assertThat(all).isNotEmpty();
    }

    /** Such as first and last key, which are none of the copy's. */
    @Test
    void shouldNotTakeOverStatisticsThatItCannotRead() throws IOException {
        Descriptor nb = SampleSSTables.original("deletions", "nb-2-big");
        Descriptor nc = SampleSSTables.asOfDevelopment(nb, source);
        List<TokenRange.Linear> ranges = List.of(TokenRange.Linear.ALL);

        Descriptor expected = copy(nb, ranges, new Random(5)).orElseThrow();
        Descriptor copied = copy(nc, ranges, new Random(5)).orElseThrow();

        assertThat(copied.version()).isEqualTo("nc");
        assertVerified(copied, "nc");
        assertThat(SampleSSTables.bytes(copied, Component.STATISTICS))
                .isEqualTo(SampleSSTables.bytes(expected, Component.STATISTICS));
    }

    @ParameterizedTest
    @EnumSource(names = {"NB", "OA", "DA"})
    void shouldFindEveryKeyOfACopy(SSTableVersion version) throws IOException {
        Descriptor from = write(version, Compression.LZ4.withChunkLengthBytes(1024), 100, new Random(3));
        List<TokenRange.Linear> ranges = List.of(
                new TokenRange.Linear(-6_000_000_000_000_000_000L, -1_000_000_000_000_000_000L),
                new TokenRange.Linear(2_000_000_000_000_000_000L, 5_000_000_000_000_000_000L));
        Descriptor copied = copy(from, ranges, new Random(3)).orElseThrow();
        try (DataReader before = SampleSSTables.open(from);
                DataReader after = SampleSSTables.open(copied)) {
            for (DecoratedKey key : keys(100)) {
                boolean wanted = ranges.stream().anyMatch(r -> r.first() <= key.token() && key.token() <= r.last());
                Optional<SSTableCursor> found = after.read(SCHEMA, key, Slices.ALL, false);
                assertThat(found.isPresent()).isEqualTo(wanted);
                if (wanted) {
                    assertThat(SampleSSTables.rows(found.get()))
                            .isEqualTo(SampleSSTables.rows(
                                    before.read(SCHEMA, key, Slices.ALL, false).orElseThrow()));
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NB", "OA", "DA"})
    void shouldKeepTheBoundsAndCountItsOwnPartitions(SSTableVersion version) throws IOException {
        Descriptor from = write(version, Compression.LZ4, 200, new Random(4));
        Descriptor copied = copy(from, List.of(new TokenRange.Linear(0, Long.MAX_VALUE)), new Random(4))
                .orElseThrow();
        try (DataReader before = SampleSSTables.open(from);
                DataReader after = SampleSSTables.open(copied)) {
            long own = keys(200).stream().filter(key -> key.token() >= 0).count();
            assertThat(after.metadata().partitionSizesBytes().total()).isEqualTo(own);
            assertThat(after.metadata().estimatedKeyCount().orElseThrow()).isBetween(own - 10, own + 10);
            assertThat(after.statistics().totalRows())
                    .isPositive()
                    .isLessThan(before.statistics().totalRows());
            assertThat(after.statistics().minTimestampMicros())
                    .isEqualTo(before.statistics().minTimestampMicros());
            assertThat(after.metadata().encodingMinima())
                    .isEqualTo(before.metadata().encodingMinima());
            assertThat(after.metadata().droppableRatio(Long.MAX_VALUE))
                    .isEqualTo(before.metadata().droppableRatio(Long.MAX_VALUE));
            assertThat(DecoratedKey.of(after.keyRange().orElseThrow().first()).token())
                    .isNotNegative();
        }
    }

    @Test
    void shouldHaveNoSectionsWithoutAnIndex() throws IOException {
        Descriptor copy = SampleSSTables.copy("clustered", "nb-1-big", source);
        Files.delete(copy.file(Component.INDEX));
        try (DataReader reader = SampleSSTables.open(copy)) {
            assertThat(reader.sections(List.of(TokenRange.Linear.ALL))).isEmpty();
        }
    }

    /** A lie is refused, or what is made of it is an SSTable that verifies as far as nobody reads rows. */
    @ParameterizedTest
    @EnumSource(names = {"NB", "DA"})
    void shouldPublishNothingThatDoesNotVerifyWhenBytesAreWrong(SSTableVersion version) throws IOException {
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        Random random = new Random(seed);
        Descriptor from = write(version, Compression.LZ4.withChunkLengthBytes(1024), 60, random);
        List<TokenRange.Linear> ranges = List.of(new TokenRange.Linear(Long.MIN_VALUE, 0));
        Descriptor to = new Descriptor(target, version.text(), "7", version.format());
        int published = 0;
        try (DataReader reader = SampleSSTables.open(from)) {
            SSTableSections sections = reader.sections(ranges).orElseThrow();
            SectionManifest manifest = sections.manifest(SampleSSTables.bytes(from, Component.STATISTICS));
            byte[] right = sent(sections, from);
            for (int round = 0; round < 300; round++) {
                byte[] wrong = right.clone();
                int at = random.nextBoolean() ? random.nextInt(2000) : random.nextInt(wrong.length);
                wrong[at] ^= (byte) (1 << random.nextInt(8));
                String clue = "seed=" + seed + ", round=" + round + ", at=" + at;
                try (SectionTarget receiving =
                        format(version).receive(StagedSSTable.of(to), SCHEMA, manifest, ranges)) {
                    receiving.append(ByteBuffer.wrap(wrong));
                    Descriptor copied = receiving.publish();
                    published++;
                    assertThat(rows(copied, List.of(TokenRange.Linear.ALL)))
                            .as(clue)
                            .isEqualTo(rows(from, ranges));
                    copied.delete();
                } catch (CorruptSSTableException refused) {
                    assertThat(refused).as(clue).hasMessageContaining("file=");
                }
                try (Stream<Path> left = Files.list(target)) {
                    assertThat(left).as(clue).isEmpty();
                }
            }
        }
        assertThat(published).as("most lies are refused").isLessThan(100);
    }

    @Test
    void shouldRefuseAVersionThatIsLaidOutInAnotherWay() throws IOException {
        Descriptor from = write(SSTableVersion.NB, Compression.LZ4, 10, new Random(6));
        List<TokenRange.Linear> all = List.of(TokenRange.Linear.ALL);
        StagedSSTable staged = StagedSSTable.of(new Descriptor(target, "me", "7", "big"));
        try (DataReader reader = SampleSSTables.open(from)) {
            SectionManifest manifest =
                    reader.sections(all).orElseThrow().manifest(SampleSSTables.bytes(from, Component.STATISTICS));

            assertThatThrownBy(() -> new BigFormat().receive(staged, SCHEMA, manifest, all))
                    .isInstanceOf(UnsupportedSSTableException.class)
                    .hasMessageContaining("found=me");
        }
        try (Stream<Path> left = Files.list(target)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void shouldRefuseSectionsThatEndTooEarlyOrGoOn() throws IOException {
        Descriptor from = write(SSTableVersion.NB, Compression.LZ4, 60, new Random(5));
        List<TokenRange.Linear> ranges = List.of(new TokenRange.Linear(Long.MIN_VALUE, 0));
        Descriptor to = new Descriptor(target, "nb", "7", "big");
        try (DataReader reader = SampleSSTables.open(from)) {
            SSTableSections sections = reader.sections(ranges).orElseThrow();
            SectionManifest manifest = sections.manifest(SampleSSTables.bytes(from, Component.STATISTICS));
            byte[] sent = sent(sections, from);
            try (SectionTarget receiving = new BigFormat().receive(StagedSSTable.of(to), SCHEMA, manifest, ranges)) {
                receiving.append(ByteBuffer.wrap(sent, 0, sent.length - 1));
                assertThatThrownBy(receiving::publish)
                        .isInstanceOf(CorruptSSTableException.class)
                        .hasMessageContaining("before all of them have come");
            }
            try (SectionTarget receiving = new BigFormat().receive(StagedSSTable.of(to), SCHEMA, manifest, ranges)) {
                receiving.append(ByteBuffer.wrap(sent));
                assertThatThrownBy(() -> receiving.append(ByteBuffer.wrap(sent)))
                        .isInstanceOf(CorruptSSTableException.class)
                        .hasMessageContaining("behind the end");
            }
            List<TokenRange.Linear> fewer = List.of(new TokenRange.Linear(Long.MIN_VALUE, Long.MIN_VALUE / 2));
            try (SectionTarget receiving = new BigFormat().receive(StagedSSTable.of(to), SCHEMA, manifest, fewer)) {
                assertThatThrownBy(() -> receiving.append(ByteBuffer.wrap(sent)))
                        .isInstanceOf(CorruptSSTableException.class)
                        .hasMessageContaining("was not asked for");
            }
        }
    }
}
