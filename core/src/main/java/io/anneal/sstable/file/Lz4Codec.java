package io.anneal.sstable.file;

import java.util.Map;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** The uncompressed length, four bytes little-endian, then an LZ4 block. */
final class Lz4Codec extends ChunkCodec {
    private static final int RATIO_MAX = 255;
    private static final int HIGH_LEVEL_DEFAULT = 9;
    private static final int HIGH_LEVEL_MAX = 17;

    private final LZ4SafeDecompressor decompressor =
            LZ4Factory.fastestInstance().safeDecompressor();
    private final LZ4Compressor compressor;
    private final boolean isFast;

    private Lz4Codec(LZ4Compressor compressor, boolean isFast) {
        this.compressor = compressor;
        this.isFast = isFast;
    }

    static Lz4Codec of(Map<String, String> options) {
        String type = options.getOrDefault("lz4_compressor_type", "fast");
        int level = option(options, "lz4_high_compressor_level", HIGH_LEVEL_DEFAULT, 1, HIGH_LEVEL_MAX);
        LZ4Factory factory = LZ4Factory.fastestInstance();
        return switch (type) {
            case "fast" -> new Lz4Codec(factory.fastCompressor(), true);
            case "high" -> new Lz4Codec(factory.highCompressor(level), false);
            default ->
                throw new IllegalArgumentException(
                        "option of a compressor is neither fast nor high, option=lz4_compressor_type, value=" + type);
        };
    }

    @Override
    public int ratioMax() {
        return RATIO_MAX;
    }

    @Override
    public int emptyLengthBytes() {
        return Integer.BYTES + 1;
    }

    @Override
    int compressedLengthMaxBytes(int lengthBytes) {
        return Integer.BYTES + compressor.maxCompressedLength(lengthBytes);
    }

    @Override
    ChunkCompressor compressor() {
        return isFast ? HurryingLz4.of(this).orElseGet(super::compressor) : super.compressor();
    }

    @Override
    int compress(byte[] source, int lengthBytes, byte[] target) {
        return compress(compressor, source, lengthBytes, target);
    }

    /** The same by a compressor of the caller's. */
    static int compress(LZ4Compressor compressor, byte[] source, int lengthBytes, byte[] target) {
        for (int i = 0; i < Integer.BYTES; i++) {
            target[i] = (byte) (lengthBytes >>> (Byte.SIZE * i));
        }
        return Integer.BYTES
                + compressor.compress(source, 0, lengthBytes, target, Integer.BYTES, target.length - Integer.BYTES);
    }

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
            return decompressor.decompress(
                            source, offset + Integer.BYTES, lengthBytes - Integer.BYTES, target, to, expectedBytes)
                    == expectedBytes;
        } catch (LZ4Exception e) {
            return false;
        }
    }
}
