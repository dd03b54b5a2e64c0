package io.anneal.sstable.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentKind;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.LostData;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.file.CompressionInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SalvageCursorTest {
    private static final int CHUNK_BYTES = 1024;
    private static final int BLOCK_BYTES = 512;

    @TempDir
    private Path directory;

    /** Position of every clustering row, and where its partition begins. */
    private static Map<Long, Long> rows(SSTableCursor cursor) throws IOException {
        Map<Long, Long> rows = new LinkedHashMap<>();
        long partition = -1;
        boolean inPartition = false;
        FragmentKind kind;
        while ((kind = cursor.advance()) != null) {
            switch (kind) {
                case PARTITION_START -> {
                    assertThat(inPartition).isFalse();
                    inPartition = true;
                    partition = cursor.dataPosition();
                }
                case CLUSTERING_ROW -> rows.put(cursor.dataPosition(), partition);
                case PARTITION_END -> {
                    assertThat(inPartition).isTrue();
                    inPartition = false;
                }
                default -> {
                    // Counted by nobody.
                }
            }
        }
        assertThat(inPartition).isFalse();
        return rows;
    }

    private static void damageChunk(Descriptor descriptor, int chunk) throws IOException {
        Path file = descriptor.file(Component.DATA);
        byte[] bytes = Files.readAllBytes(file);
        int position = chunk * CHUNK_BYTES;
        if (descriptor.has(Component.COMPRESSION_INFO)) {
            position = (int) CompressionInfo.read(descriptor, SSTableVersion.NB, bytes.length)
                    .offsets()[chunk];
        }
        bytes[position + 3] ^= 1;
        Files.write(file, bytes);
    }

    @ParameterizedTest
    @CsvSource({"40, 12, true", "40, 12, false", "1, 400, true", "3, 100, true"})
    void shouldRescueEverythingOutsideOfWhatItReports(int partitions, int rowCount, boolean compressed)
            throws IOException {
        Descriptor descriptor =
                SyntheticData.sstable(directory, partitions, rowCount, compressed ? Compression.LZ4 : Compression.NONE);
        Map<Long, Long> all;
        long dataBytes;
        try (DataReader reader = SampleSSTables.open(descriptor)) {
            dataBytes = reader.dataLengthBytes();
            try (SSTableCursor cursor = reader.scan(reader.headerSchema(), TokenRange.Linear.ALL)) {
                all = rows(cursor);
            }
            List<LostData> lost = new ArrayList<>();
            try (SSTableCursor cursor = reader.salvage(reader.headerSchema(), lost::add)) {
                assertThat(rows(cursor)).isEqualTo(all);
            }
            assertThat(lost).isEmpty();
        }
        long chunkBytes = compressed ? CHUNK_BYTES : 64 * 1024;
        for (int chunk = 0; (long) chunk * chunkBytes < dataBytes; chunk++) {
            byte[] right = Files.readAllBytes(descriptor.file(Component.DATA));
            damageChunk(descriptor, compressed ? chunk : (int) (chunk * chunkBytes / CHUNK_BYTES));
            checkSalvage(descriptor, all, chunk * chunkBytes, Math.min(dataBytes, (chunk + 1) * chunkBytes));
            Files.write(descriptor.file(Component.DATA), right);
        }
    }

    private static void checkSalvage(Descriptor descriptor, Map<Long, Long> all, long badFrom, long badTo)
            throws IOException {
        List<LostData> lost = new ArrayList<>();
        try (DataReader reader = SampleSSTables.open(descriptor);
                SSTableCursor cursor = reader.salvage(reader.headerSchema(), lost::add)) {
            Map<Long, Long> rescued = rows(cursor);
            assertThat(lost).isNotEmpty();
            TreeMap<Long, Long> expected = new TreeMap<>(all);
            for (LostData stretch : lost) {
                assertThat(stretch.reason()).contains("checksum");
                expected.subMap(stretch.fromPosition(), stretch.toPosition()).clear();
            }
            assertThat(rescued).isEqualTo(expected);
            long lostBytes = lost.stream().mapToLong(LostData::lengthBytes).sum();
            // From a row that reaches into the chunk to the next block or partition behind it.
            assertThat(lostBytes).isLessThan(badTo - badFrom + 4 * BLOCK_BYTES);
        }
    }

    /** Without an index what lies behind the damage cannot be found. */
    @Test
    void shouldRescueWhatLiesBeforeTheDamageWithoutAnIndex() throws IOException {
        Descriptor descriptor = SyntheticData.sstable(directory, 40, 12, Compression.LZ4);
        Files.delete(descriptor.file(Component.INDEX));
        damageChunk(descriptor, 5);
        List<LostData> lost = new ArrayList<>();
        try (DataReader reader = SampleSSTables.open(descriptor);
                SSTableCursor cursor = reader.salvage(reader.headerSchema(), lost::add)) {
            assertThat(rows(cursor)).isNotEmpty();
            assertThat(lost).hasSize(1);
            assertThat(lost.get(0).toPosition()).isEqualTo(reader.dataLengthBytes());
            assertThat(lost.get(0).fromPosition()).isLessThan(5 * CHUNK_BYTES + 1);
        }
    }
}
