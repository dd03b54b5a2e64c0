package io.anneal.sstable.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.UnsupportedSSTableException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ChunkCodecTest {
    private static final int CHUNK_BYTES = 4096;

    private static byte[] data(int lengthBytes, boolean random) {
        byte[] data = new byte[lengthBytes];
        new Random(lengthBytes).nextBytes(data);
        if (!random) {
            for (int i = 0; i < data.length; i++) {
                data[i] &= 3;
            }
        }
        return data;
    }

    @ParameterizedTest
    @EnumSource(Compressor.class)
    void shouldRestoreEveryChunk(Compressor compressor) {
        ChunkCodec codec = ChunkCodec.of(Compression.of(compressor));
        for (int lengthBytes : new int[] {0, 1, 2, 100, CHUNK_BYTES}) {
            for (boolean random : new boolean[] {true, false}) {
                byte[] data = data(lengthBytes, random);
                byte[] stored = new byte[codec.compressedLengthMaxBytes(CHUNK_BYTES)];
                int storedBytes = codec.compress(Arrays.copyOf(data, CHUNK_BYTES), lengthBytes, stored);
                byte[] restored = new byte[CHUNK_BYTES + 2];
                assertThat(codec.decompress(stored, 0, storedBytes, restored, 1, lengthBytes))
                        .isTrue();
                assertThat(restored).startsWith(0);
                assertThat(Arrays.copyOfRange(restored, 1, 1 + lengthBytes)).isEqualTo(data);
                if (lengthBytes == 0) {
                    assertThat(storedBytes).isEqualTo(codec.emptyLengthBytes());
                }
            }
        }
    }

    /** Random bytes between words, as most values that are no text: what LZ4 is in a hurry with. */
    private static byte[] mixed(Random random) {
        byte[] chunk = new byte[16 << 10];
        random.nextBytes(chunk);
        byte[] words = "the same words in each value, ".getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at + 1000 <= chunk.length; at += 1000) {
            for (int i = 0; i < 500; i++) {
                chunk[at + i] = words[i % words.length];
            }
        }
        return chunk;
    }

    private static byte[] text(Random random) {
        StringBuilder text = new StringBuilder();
        while (text.length() < 16 << 10) {
            text.append(' ');
            for (int syllables = 2 + random.nextInt(3); syllables > 0; syllables--) {
                int syllable = random.nextInt(40);
                text.append((char) ('a' + syllable % 7)).append((char) ('a' + syllable));
            }
        }
        return Arrays.copyOf(text.toString().getBytes(StandardCharsets.UTF_8), 16 << 10);
    }

    @Test
    void shouldLoseNothingInAHurry() {
        // Not of chance: in some draws a hurried chunk is nowhere longer than a thorough one.
        long seed = Long.getLong("anneal.seed", 10);
        Random random = new Random(seed);
        ChunkCodec codec = ChunkCodec.of(Compression.LZ4);
        byte[] stored = new byte[codec.compressedLengthMaxBytes(16 << 10)];
        long hurriedBytes = 0;
        long thoroughBytes = 0;
        try (ChunkCompressor compressor = codec.compressor()) {
            // What is worth to be hurried changes on the way.
            for (int i = 0; i < 400; i++) {
                byte[] chunk = i / 100 % 2 == 0 ? mixed(random) : text(random);
                int lengthBytes = i % 50 == 49 ? random.nextInt(chunk.length) : chunk.length;
                int storedBytes = compressor.compress(chunk, lengthBytes, stored);
                byte[] restored = new byte[lengthBytes];
                assertThat(codec.decompress(stored, 0, storedBytes, restored, 0, lengthBytes))
                        .as("seed=%d, i=%d", seed, i)
                        .isTrue();
                assertThat(restored).as("seed=%d, i=%d", seed, i).isEqualTo(Arrays.copyOf(chunk, lengthBytes));
                hurriedBytes += i < 100 ? storedBytes : 0;
                thoroughBytes += i < 100 ? codec.compress(chunk, lengthBytes, stored) : 0;
            }
        }
        assertThat(hurriedBytes).as("seed=%d", seed).isBetween(thoroughBytes + 1, thoroughBytes + thoroughBytes / 50);
    }

    @Test
    void shouldNotHurryWithText() {
        long seed = Long.getLong("anneal.seed", System.nanoTime());
        Random random = new Random(seed);
        ChunkCodec codec = ChunkCodec.of(Compression.LZ4);
        byte[] stored = new byte[codec.compressedLengthMaxBytes(16 << 10)];
        byte[] expected = new byte[stored.length];
        try (ChunkCompressor compressor = codec.compressor()) {
            for (int i = 0; i < 100; i++) {
                byte[] text = text(random);
                int storedBytes = compressor.compress(text, text.length, stored);
                int expectedBytes = codec.compress(text, text.length, expected);
                assertThat(Arrays.equals(stored, 0, storedBytes, expected, 0, expectedBytes))
                        .as("seed=%d, i=%d", seed, i)
                        .isTrue();
            }
        }
    }

    /** Checksums keep wrong bytes away from codecs; whatever comes through must do no harm. */
    @ParameterizedTest
    @EnumSource(Compressor.class)
    void shouldSurviveWrongBytes(Compressor compressor) {
        ChunkCodec codec = ChunkCodec.of(Compression.of(compressor));
        byte[] data = data(CHUNK_BYTES, false);
        byte[] stored = new byte[codec.compressedLengthMaxBytes(CHUNK_BYTES)];
        int storedBytes = codec.compress(data, CHUNK_BYTES, stored);
        byte[] restored = new byte[CHUNK_BYTES + 1];
        for (int i = 0; i < storedBytes; i++) {
            byte[] wrong = stored.clone();
            wrong[i] ^= (byte) (1 << i % Byte.SIZE);
            codec.decompress(wrong, 0, storedBytes, restored, 0, CHUNK_BYTES);
            assertThat(restored[CHUNK_BYTES])
                    .as("byte behind the chunk, i=%d", i)
                    .isZero();
            assertThat(codec.decompress(stored, 0, i, restored, 0, CHUNK_BYTES))
                    .as("cut to %d", i)
                    .isFalse();
        }
        for (int wrongBytes : new int[] {0, 1, CHUNK_BYTES - 1, CHUNK_BYTES + 1}) {
            assertThat(codec.decompress(stored, 0, storedBytes, restored, 0, wrongBytes))
                    .as("expected %d", wrongBytes)
                    .isFalse();
        }
    }

    @Test
    void shouldRefuseACompressorThatNobodyKnows() {
        Path file = Path.of("nb-1-big-CompressionInfo.db");
        assertThatThrownBy(() -> ChunkCodec.of(file, "EncryptingCompressor"))
                .isInstanceOf(UnsupportedSSTableException.class)
                .hasMessageContainingAll("EncryptingCompressor", "ZstdCompressor", file.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "ZSTD, compression_level, 99",
        "ZSTD, compression_level, x",
        "LZ4, lz4_compressor_type, slow",
    })
    void shouldRefuseWrongOptions(Compressor compressor, String option, String value) {
        assertThatThrownBy(() -> ChunkCodec.of(Compression.of(compressor).withOption(option, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll("option=" + option, "value=" + value);
    }
}
