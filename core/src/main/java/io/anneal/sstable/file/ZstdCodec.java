package io.anneal.sstable.file;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.util.Map;

/** A Zstandard frame with its own checksum. */
final class ZstdCodec extends ChunkCodec {
    /** A block of 128 KiB that repeats one byte takes four bytes. */
    private static final int RATIO_MAX = 1 << 15;
    /** Magic, header, an empty block, checksum. */
    private static final int EMPTY_LENGTH_BYTES = 13;

    private static final int LEVEL_DEFAULT = 3;

    private final int level;

    private ZstdCodec(int level) {
        this.level = level;
    }

    static ZstdCodec of(Map<String, String> options) {
        return new ZstdCodec(option(
                options, "compression_level", LEVEL_DEFAULT, Zstd.minCompressionLevel(), Zstd.maxCompressionLevel()));
    }

    @Override
    public int ratioMax() {
        return RATIO_MAX;
    }

    @Override
    public int emptyLengthBytes() {
        return EMPTY_LENGTH_BYTES;
    }

    @Override
    int compressedLengthMaxBytes(int lengthBytes) {
        return (int) Zstd.compressBound(lengthBytes) + Integer.BYTES;
    }

    @Override
    int compress(byte[] source, int lengthBytes, byte[] target) {
        return (int) Zstd.compressByteArray(target, 0, target.length, source, 0, lengthBytes, level, true);
    }

    @Override
    boolean decompress(byte[] source, int offset, int lengthBytes, byte[] target, int to, int expectedBytes) {
        try {
            return Zstd.decompressByteArray(target, to, expectedBytes, source, offset, lengthBytes) == expectedBytes;
        } catch (ZstdException e) {
            return false;
        }
    }
}
