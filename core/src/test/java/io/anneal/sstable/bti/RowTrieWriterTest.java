package io.anneal.sstable.bti;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.row.DeletionTimes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RowTrieWriterTest {
    private static final int HAS_OPEN_DELETION = 8;
    private static final int DELETION_BYTES = 12;

    @TempDir
    private Path directory;

    private record Place(Clustering prefix, int weight) {}

    private record Block(long position, String first, String last, long openMicros) {}

    private final ComparableEncoder places = new ComparableEncoder(List.of(CqlTypes.TEXT, CqlTypes.INT));

    private String comparable(Place place) {
        ByteWriter out = new ByteWriter(64);
        places.writePlace(place.prefix, place.weight, out);
        return HexFormat.of().formatHex(out.toByteArray());
    }

    private RowTrieWriter writer(OutputFile file, int blockSizeBytes) {
        return new RowTrieWriter(file, blockSizeBytes, places, DeletionTimes.of(SSTableVersion.DA));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldSeparateBlocksOfEveryPartition(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        int blockSizeBytes = 1 << random.nextInt(12);
        List<List<Block>> partitions = new ArrayList<>();
        List<Long> roots = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        Path path = directory.resolve("Rows.db");
        try (OutputFile file = OutputFile.open(path, OutputFile.CREATE_NEW)) {
            RowTrieWriter writer = writer(file, blockSizeBytes);
            for (int i = 0; i < 5; i++) {
                List<Place> sorted = randomPlaces(random, 1 << random.nextInt(12));
                List<Block> blocks = new ArrayList<>();
                long end = add(sorted, writer, blockSizeBytes, random, blocks);
                assertThat(writer.blockCount()).isEqualTo(blocks.size());
                if (blocks.size() > 1) {
                    Place last = sorted.get(sorted.size() - 1);
                    roots.add(writer.endPartition(last.prefix, last.weight, end));
                    partitions.add(blocks);
                    ends.add(end);
                }
            }
            file.sync();
        }
        TrieWalk walk = new TrieWalk(
                Files.readAllBytes(path),
                flags -> (flags & ~HAS_OPEN_DELETION) + ((flags & HAS_OPEN_DELETION) == 0 ? 0 : DELETION_BYTES));

        for (int i = 0; i < partitions.size(); i++) {
            assertSeparated(partitions.get(i), ends.get(i), walk.entries(roots.get(i)));
        }
    }

    /** Adds a partition as a writer of data does, and notes its blocks the plain way. Returns where it ends. */
    private long add(
            List<Place> sorted, RowTrieWriter writer, int blockSizeBytes, SplittableRandom random, List<Block> blocks)
            throws IOException {
        writer.startPartition();
        long position = random.nextInt(100);
        long open = DeletionTime.NO_TIMESTAMP;
        Block block = null;
        for (Place place : sorted) {
            if (block == null) {
                block = new Block(position, comparable(place), null, open);
            }
            long end = position + 1 + random.nextInt(100);
            open = random.nextInt(3) == 0 ? random.nextLong(1, Long.MAX_VALUE) : DeletionTime.NO_TIMESTAMP;
            long openSeconds = open == DeletionTime.NO_TIMESTAMP ? DeletionTime.NO_DELETION_TIME : 77;
            writer.add(place.prefix, place.weight, position, end, open, openSeconds);
            if (end - block.position >= blockSizeBytes || place == sorted.get(sorted.size() - 1)) {
                blocks.add(new Block(block.position, block.first, comparable(place), block.openMicros));
                block = null;
            }
            position = end;
        }
        return position;
    }

    private List<Place> randomPlaces(SplittableRandom random, int count) {
        TreeMap<String, Place> sorted = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            byte[] text = new byte[random.nextInt(random.nextInt(1, 40))];
            for (int j = 0; j < text.length; j++) {
                text[j] = (byte) (random.nextInt(10) == 0 ? random.nextInt(128) : 'a');
            }
            byte[] number = {(byte) random.nextInt(256), 0, 0, (byte) random.nextInt(256)};
            boolean isRow = random.nextInt(4) > 0;
            Clustering prefix = isRow || random.nextBoolean() ? Clustering.of(text, number) : Clustering.of(text);
            int weight = isRow ? ClusteringComparator.AT : random.nextBoolean() ? -1 : 1;
            Place place = new Place(prefix, weight);
            sorted.put(comparable(place), place);
        }
        return List.copyOf(sorted.values());
    }

    private static void assertSeparated(List<Block> blocks, long end, List<TrieWalk.Entry> entries) {
        assertThat(entries).hasSize(blocks.size() + 1);
        for (int i = 0; i < entries.size(); i++) {
            TrieWalk.Entry entry = entries.get(i);
            String separator = entry.key();
            Block block = i == blocks.size() ? new Block(end, null, null, DeletionTime.NO_TIMESTAMP) : blocks.get(i);
            if (i == 0) {
                assertThat(separator).isEmpty();
            } else {
                assertThat(separator).isGreaterThan(blocks.get(i - 1).last());
            }
            if (block.first != null) {
                assertThat(separator).isLessThanOrEqualTo(block.first);
            }
            String deletion = block.openMicros == DeletionTime.NO_TIMESTAMP
                    ? ""
                    : HexFormat.of().toHexDigits(block.openMicros) + "0000004d";
            assertThat(entry.payload()).endsWith(deletion);
            assertThat(entry.flags() & HAS_OPEN_DELETION).isEqualTo(deletion.isEmpty() ? 0 : HAS_OPEN_DELETION);
            String offset = entry.payload().substring(0, entry.payload().length() - deletion.length());
            assertThat(Long.parseLong(offset, 16)).isEqualTo(block.position);
        }
    }

    @Test
    void shouldPassLastPlacesOfWhichBytesCannotGrow() throws IOException {
        CqlType type = CqlTypes.TINYINT;
        ComparableEncoder bytes = new ComparableEncoder(List.of(type, type));
        Path path = directory.resolve("Rows.db");
        try (OutputFile file = OutputFile.open(path, OutputFile.CREATE_NEW)) {
            RowTrieWriter writer = new RowTrieWriter(file, 1, bytes, DeletionTimes.of(SSTableVersion.DA));
            writer.startPartition();
            Clustering first = Clustering.of(new byte[] {127}, new byte[] {0});
            Clustering last = Clustering.of(new byte[] {127}, new byte[] {127});
            long none = DeletionTime.NO_TIMESTAMP;
            writer.add(first, 0, 10, 20, none, DeletionTime.NO_DELETION_TIME);
            writer.add(last, 0, 20, 30, none, DeletionTime.NO_DELETION_TIME);
            long root = writer.endPartition(last, 0, 30);
            file.sync();

            // Of 40 FF 40 80 38 and 40 FF 40 FF 38, the separators: 40 FF 40 81, and behind all 40 FF 40 FF 39.
            assertThat(new TrieWalk(Files.readAllBytes(path), flags -> flags).entries(root))
                    .containsExactly(
                            new TrieWalk.Entry("", 1, "0a"),
                            new TrieWalk.Entry("40ff4081", 1, "14"),
                            new TrieWalk.Entry("40ff40ff39", 1, "1e"));
        }
    }

    @Test
    void shouldRefusePlacesThatDoNotAscendAsBytes() throws IOException {
        try (OutputFile file = OutputFile.open(directory.resolve("Rows.db"), OutputFile.CREATE_NEW)) {
            RowTrieWriter writer = writer(file, 1);
            Clustering later = Clustering.of(new byte[] {'b'}, new byte[4]);
            Clustering earlier = Clustering.of(new byte[] {'a'}, new byte[4]);
            writer.startPartition();
            writer.add(later, 0, 10, 20, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME);

            assertThatThrownBy(() ->
                            writer.add(earlier, 0, 20, 30, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("places of a partition have no order as bytes, last=406200408000000038, "
                            + "next=406100408000000038");
        }
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 6);
    }
}
