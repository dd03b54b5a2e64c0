package io.anneal.sstable.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.UnsupportedSSTableException;
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
