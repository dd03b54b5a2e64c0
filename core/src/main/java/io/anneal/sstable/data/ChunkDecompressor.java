package io.anneal.sstable.data;

import io.anneal.sstable.UnsupportedSSTableException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** Undoes one compressor's work on one chunk; named as CompressionInfo names it. Stateless. */
enum ChunkDecompressor {
    /** The uncompressed length, four bytes little-endian, then an LZ4 block. */
    LZ4("LZ4Compressor", 255, Integer.BYTES + 1) {
        private final LZ4SafeDecompressor lz4 = LZ4Factory.fastestInstance().safeDecompressor();

        @Override
        boolean decompress(byte[] source, int offset, int lengthBytes, byte[] target, int to, int expectedBytes) {
            if (lengthBytes < Integer.BYTES) {
                return false;
            }
            int claimedBytes = (source[offset] & 0xFF)
                    | (source[offset + 1] & 0xFF) << 8
                    | (source[offset + 2] & 0xFF) << 16
                    | source[offset + 3] << 24;
            if (claimedBytes != expectedBytes) {
                return false;
            }
            try {
                return lz4.decompress(
                                source, offset + Integer.BYTES, lengthBytes - Integer.BYTES, target, to, expectedBytes)
                        == expectedBytes;
            } catch (LZ4Exception e) {
                return false;
            }
        }
    },
    /** The bytes themselves. */
    NOOP("NoopCompressor", 1, 0) {
        @Override
        boolean decompress(byte[] source, int offset, int lengthBytes, byte[] target, int to, int expectedBytes) {
            if (lengthBytes != expectedBytes) {
                return false;
            }
            System.arraycopy(source, offset, target, to, expectedBytes);
            return true;
        }
    };

    private final String className;
    private final int ratioMax;
    private final int emptyLengthBytes;

    ChunkDecompressor(String className, int ratioMax, int emptyLengthBytes) {
        this.className = className;
        this.ratioMax = ratioMax;
        this.emptyLengthBytes = emptyLengthBytes;
    }

    /** Stored length of a chunk that holds nothing; every other is longer. */
    int emptyLengthBytes() {
        return emptyLengthBytes;
    }

    /** How many bytes one compressed byte can become at most. */
    int ratioMax() {
        return ratioMax;
    }

    static ChunkDecompressor of(Path file, String className) throws IOException {
        for (ChunkDecompressor decompressor : values()) {
            if (decompressor.className.equals(className)) {
                return decompressor;
            }
        }
        String supported =
                Arrays.stream(values()).map(d -> d.className).toList().toString();
        throw new UnsupportedSSTableException(file, "compressor", className, supported);
    }

    /** Writes exactly {@code expectedBytes} to {@code target}; false when the chunk holds something else. */
    abstract boolean decompress(byte[] source, int offset, int lengthBytes, byte[] target, int to, int expectedBytes);
}
