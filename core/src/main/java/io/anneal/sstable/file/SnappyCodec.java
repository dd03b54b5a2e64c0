package io.anneal.sstable.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.xerial.snappy.Snappy;

/** A Snappy block, which begins with the uncompressed length. */
final class SnappyCodec extends ChunkCodec {
    /** Three bytes can repeat 64. */
    private static final int RATIO_MAX = 22;

    @Override
    public int ratioMax() {
        return RATIO_MAX;
    }

    @Override
    public int emptyLengthBytes() {
        return 1;
    }

    @Override
    int compressedLengthMaxBytes(int lengthBytes) {
        return Snappy.maxCompressedLength(lengthBytes);
    }

    @Override
    int compress(byte[] source, int lengthBytes, byte[] target) {
        try {
            return Snappy.compress(source, 0, lengthBytes, target, 0);
        } catch (IOException e) {
            throw new UncheckedIOException("chunk cannot be compressed", e);
        }
    }

    @Override
    boolean decompress(byte[] source, int offset, int lengthBytes, byte[] target, int to, int expectedBytes) {
        try {
            // The native code trusts the length in the block, so it is checked before.
            return Snappy.uncompressedLength(source, offset, lengthBytes) == expectedBytes
                    && Snappy.uncompress(source, offset, lengthBytes, target, to) == expectedBytes;
        } catch (IOException e) {
            return false;
        }
    }
}
