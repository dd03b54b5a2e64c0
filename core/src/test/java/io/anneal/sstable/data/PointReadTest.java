package io.anneal.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.FragmentKind;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FilterListener;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.Formats;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a read of some rows costs, and what it makes of an index that is wrong. */
class PointReadTest {
    private static final int CHUNK_BYTES = 16 * 1024;
    private static final int CHUNKS_PER_BLOCK = 4;
    private static final SSTableWriterConfig CONFIG =
            SSTableWriterConfig.defaults(1).withColumnIndexSizeBytes(CHUNKS_PER_BLOCK * CHUNK_BYTES);

    @TempDir
    private Path directory;

    private DataReader write(TableSchema schema, int rows, SSTableWriterConfig config) throws IOException {
        try (FragmentWriter writer = Formats.write(directory, "1", schema, config)) {
            writer.append(new WideCursor(schema, rows));
            return (DataReader) Formats.open(writer.finish());
        }
    }

    private static Clustering clustering(int value) {
        return Clustering.of(ByteBuffer.allocate(4).putInt(value).array());
    }

    private static int clustering(SliceCursor cursor) {
        Clustering clustering = cursor.row().clustering();
        return ByteBuffer.wrap(clustering.buffer()).getInt(clustering.offset(0));
    }

    private static List<Integer> rows(SliceCursor cursor) throws IOException {
        List<Integer> rows = new ArrayList<>();
        while (cursor.advance() != null) {
            if (cursor.kind() == FragmentKind.CLUSTERING_ROW) {
                rows.add(clustering(cursor));
            }
        }
        return rows;
    }

    private static SliceCursor read(DataReader reader, Slices slices, boolean reversed) throws IOException {
        return reader.read(reader.headerSchema(), WideCursor.KEY, slices, reversed, SliceCursor.HELD_DEFAULT_BYTES);
    }

    /** A block from its begin to the row, the partition's begin with key and static row, and a row over the block's end. */
    @ParameterizedTest
    @CsvSource({"NB, false", "NB, true", "DA, false", "DA, true"})
    void shouldReadFewChunksForOneRowOfAMillion(SSTableVersion version, boolean hasStatic) throws IOException {
        int rowCount = 1_000_000;
        SSTableWriterConfig config = CONFIG.withVersion(version);
        assertThat(config.compression().chunkLengthBytes()).isEqualTo(CHUNK_BYTES);
        try (DataReader reader = write(WideCursor.schema(hasStatic), rowCount, config)) {
            SplittableRandom random = new SplittableRandom(Long.getLong("anneal.seed", version.ordinal()));
            long chunksRead = 0;
            int reads = 400;
            for (int i = 0; i < reads; i++) {
                int row = 2 * (i == 0 ? 0 : i == 1 ? rowCount - 1 : random.nextInt(rowCount));
                try (SliceCursor cursor = read(reader, Slices.of(Slice.of(clustering(row))), i % 2 == 0)) {
                    assertThat(rows(cursor)).containsExactly(row);
                    assertThat(cursor.chunksRead()).isLessThanOrEqualTo(CHUNKS_PER_BLOCK + 2);
                    chunksRead += cursor.chunksRead();
                }
            }
            assertThat((double) chunksRead / reads).isLessThan(CHUNKS_PER_BLOCK + 0.5);
        }
    }

    @Test
    void shouldReadFewChunksForARowThatIsNotThere() throws IOException {
        try (DataReader reader = write(WideCursor.schema(false), 50_000, CONFIG)) {
            for (int row = 1; row < 100_000; row += 5000) {
                try (SliceCursor cursor = read(reader, Slices.of(Slice.of(clustering(row))), row % 10_000 == 1)) {
                    assertThat(rows(cursor)).isEmpty();
                    assertThat(cursor.chunksRead()).isLessThanOrEqualTo(CHUNKS_PER_BLOCK + 2);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 100, 5000, 1_000_000})
    void shouldReadBackwardsHoldingNoMoreThanItMay(long heldBytes) throws IOException {
        int rowCount = 20_000;
        SSTableWriterConfig oneBlock = CONFIG.withColumnIndexSizeBytes(Integer.MAX_VALUE);
        List<Integer> expected = new ArrayList<>(
                IntStream.range(100, rowCount).mapToObj(i -> 2 * i).toList());
        Collections.reverse(expected);
        try (DataReader reader = write(WideCursor.schema(false), rowCount, oneBlock);
                SliceCursor cursor = reader.read(
                        reader.headerSchema(),
                        WideCursor.KEY,
                        Slices.of(Slice.from(clustering(200), true)),
                        true,
                        heldBytes)) {
            assertThat(rows(cursor)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReadSlicesFarApart(boolean reversed) throws IOException {
        try (DataReader reader = write(WideCursor.schema(true), 100_000, CONFIG)) {
            List<Integer> wanted = new ArrayList<>(List.of(0, 2, 70_000, 120_002, 199_998));
            Slices slices = Slices.ofClusterings(
                    ClusteringComparator.of(reader.headerSchema()),
                    wanted.stream().map(PointReadTest::clustering).toList());
            if (reversed) {
                Collections.reverse(wanted);
            }
            try (SliceCursor cursor = read(reader, slices, reversed)) {
                assertThat(rows(cursor)).isEqualTo(wanted);
                assertThat(cursor.chunksRead()).isLessThanOrEqualTo(5 * (CHUNKS_PER_BLOCK + 1) + 1);
            }
        }
    }

    /** Its begin, the end of it as the index has it, and the begin of the next. */
    @ParameterizedTest
    @CsvSource({"NB, false", "NB, true", "DA, false", "DA, true"})
    void shouldPassAPartitionThatWasReadByTheIndex(SSTableVersion version, boolean isLast) throws IOException {
        TableSchema schema = WideCursor.schema(true);
        DecoratedKey behind = Stream.iterate(2, i -> i + 1)
                .map(i -> DecoratedKey.of(ByteBuffer.allocate(4).putInt(i).array()))
                .filter(key -> key.compareTo(WideCursor.KEY) > 0)
                .findFirst()
                .orElseThrow();
        try (FragmentWriter writer = Formats.write(directory, "1", schema, CONFIG.withVersion(version))) {
            writer.append(new WideCursor(schema, 100_000));
            if (!isLast) {
                writer.append(new WideCursor(schema, behind, 10));
            }
            try (DataReader reader = (DataReader) Formats.open(writer.finish());
                    DataCursor cursor = reader.scan(schema, TokenRange.Linear.ALL, Optional.of(WideCursor.KEY))) {
                FragmentKind found = cursor.advance();

                assertThat(found).isEqualTo(isLast ? null : FragmentKind.PARTITION_START);
                assertThat(cursor.key().toDecoratedKey()).isEqualTo(isLast ? WideCursor.KEY : behind);
                assertThat(cursor.window.chunksRead()).isLessThanOrEqualTo(4);
                assertThat(reader.dataLengthBytes()).isGreaterThan(100 * CHUNK_BYTES);
            }
        }
    }

    @Test
    void shouldNotFindAKeyThatIsNotThere() throws IOException {
        DecoratedKey other = DecoratedKey.of(ByteBuffer.allocate(4).putInt(2).array());
        try (DataReader reader = write(WideCursor.schema(true), 10, CONFIG)) {
            assertThat(reader.read(reader.headerSchema(), other, Slices.ALL, false))
                    .isEmpty();
            Files.delete(reader.descriptor().file(Component.FILTER));
        }
        try (DataReader reader = (DataReader) Formats.open(
                Descriptor.of(directory.resolve("nb-1-big-Data.db")).orElseThrow())) {
            assertThat(reader.read(reader.headerSchema(), other, Slices.ALL, false))
                    .isEmpty();
        }
    }

    /** Every byte of the index of wide partitions with range deletions, in turn: no row is lost and none made up. */
    @ParameterizedTest
    @CsvSource({
        "wide_tombs, nb-1-big, Index.db",
        "wide_tombs, nb-1-big, Summary.db",
        "da_wide_tombs, da-1-bti, Partitions.db",
        "da_wide_tombs, da-1-bti, Rows.db"
    })
    void shouldReadRightOrRefuseWhenAByteOfTheIndexIsWrong(String table, String sstable, String component)
            throws IOException {
        Descriptor descriptor = SampleSSTables.copy(table, sstable, directory);
        List<Read> reads = reads(descriptor);
        Path file = descriptor.directory().resolve(descriptor.baseName() + "-" + component);
        byte[] bytes = Files.readAllBytes(file);
        int refused = 0;
        for (int i = 0; i < bytes.length; i++) {
            byte[] wrong = bytes.clone();
            wrong[i] ^= (byte) (1 << i % 8);
            Files.write(file, wrong);
            try (DataReader reader = (DataReader) Formats.open(descriptor)) {
                for (Read read : reads) {
                    refused += read.isRightOrRefused(reader, i) ? 0 : 1;
                }
            }
        }
        assertThat(refused).isPositive();
    }

    private record Read(DecoratedKey key, Slices slices, boolean reversed, List<String> expected) {
        boolean isRightOrRefused(DataReader reader, int position) throws IOException {
            try {
                assertThat(text(reader, key, slices, reversed))
                        .as("position=%d, reversed=%s, key=%s", position, reversed, key)
                        .isEqualTo(expected);
                return true;
            } catch (CorruptSSTableException e) {
                return false;
            }
        }
    }

    private static List<String> text(DataReader reader, DecoratedKey key, Slices slices, boolean reversed)
            throws IOException {
        List<String> lines = new ArrayList<>();
        try (SliceCursor cursor =
                reader.read(reader.headerSchema(), key, slices, reversed, SliceCursor.HELD_DEFAULT_BYTES)) {
            while (cursor != null && cursor.advance() != null) {
                lines.add(SampleSSTables.text(cursor, cursor.kind()));
            }
        }
        return lines;
    }

    /** The first, a middle and the last row of each partition, in both directions. */
    private static List<Read> reads(Descriptor descriptor) throws IOException {
        List<Read> reads = new ArrayList<>();
        try (DataReader reader = (DataReader) Formats.open(descriptor);
                DataCursor scan = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
            while (scan.advance() != null) {
                DecoratedKey key = scan.key().toDecoratedKey();
                List<Clustering> rows = new ArrayList<>();
                while (scan.advance() != FragmentKind.PARTITION_END) {
                    if (scan.kind() == FragmentKind.CLUSTERING_ROW) {
                        rows.add(scan.row().clustering().copy());
                    }
                }
                for (int i = 0; !rows.isEmpty() && i < 3; i++) {
                    Slices slices = Slices.of(Slice.of(rows.get((rows.size() - 1) * i / 2)));
                    for (boolean reversed : new boolean[] {false, true}) {
                        reads.add(new Read(key, slices, reversed, text(reader, key, slices, reversed)));
                    }
                }
            }
        }
        return reads;
    }

    @Test
    void shouldNameTheIndexWhenItPointsAtAnotherPartition() throws IOException {
        try (DataReader reader = write(WideCursor.schema(false), 10_000, CONFIG)) {
            Path index = reader.descriptor().file(Component.INDEX);
            byte[] bytes = Files.readAllBytes(index);
            bytes[Short.BYTES + Integer.BYTES] = 1;
            Files.write(index, bytes);
            assertThatThrownBy(() -> read(reader, Slices.ALL, false))
                    .isInstanceOf(CorruptSSTableException.class)
                    .hasMessageContaining("Index.db");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldTellWhatTheFilterWasWorth(boolean hasFilter) throws IOException {
        TableSchema schema = WideCursor.schema(false);
        write(schema, 1, CONFIG).close();
        Path file = new Descriptor(directory, "nb", "1", "big").file(Component.FILTER);
        DecoratedKey missing = DecoratedKey.of(new byte[] {1, 2, 3, 4});
        FilterCounts counts = new FilterCounts();
        if (!hasFilter) {
            Files.delete(file);
        }
        readWithCounts(missing, counts);
        assertThat(counts.text()).isEqualTo(hasFilter ? "1 1 0" : "0 0 0");
        if (hasFilter) {
            // Every bit set: the filter has every key.
            byte[] bytes = Files.readAllBytes(file);
            Arrays.fill(bytes, 8, bytes.length, (byte) 0xFF);
            Files.write(file, bytes);
            readWithCounts(missing, counts);
            assertThat(counts.text()).isEqualTo("1 2 1");
        }
    }

    private void readWithCounts(DecoratedKey missing, FilterCounts counts) throws IOException {
        try (SSTableReader reader = Formats.open(new Descriptor(directory, "nb", "1", "big"))) {
            reader.listenToFilter(counts);
            for (DecoratedKey key : List.of(WideCursor.KEY, missing)) {
                var cursor = reader.read(reader.headerSchema(), key, Slices.ALL, false);
                assertThat(cursor.isPresent()).isEqualTo(key == WideCursor.KEY);
                if (cursor.isPresent()) {
                    cursor.get().close();
                }
            }
        }
    }

    /** Negatives, true positives, false positives. */
    private static final class FilterCounts implements FilterListener {
        private int negatives;
        private int truePositives;
        private int falsePositives;

        String text() {
            return negatives + " " + truePositives + " " + falsePositives;
        }

        @Override
        public void negative() {
            negatives++;
        }

        @Override
        public void truePositive() {
            truePositives++;
        }

        @Override
        public void falsePositive() {
            falsePositives++;
        }
    }
}
