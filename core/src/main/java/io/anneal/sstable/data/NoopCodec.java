package io.anneal.sstable.data;

/** The bytes themselves. */
final class NoopCodec extends ChunkCodec {
    @Override
    int ratioMax() {
        return 1;
    }

    @Override
    int emptyLengthBytes() {
        return 0;
    }

    @Override
    int compressedLengthMaxBytes(int lengthBytes) {
        return lengthBytes;
    }

    @Override
    int compress(byte[] source, int lengthBytes, byte[] target) {
        System.arraycopy(source, 0, target, 0, lengthBytes);
        return lengthBytes;
    }

    @Override
    boolean decompress(byte[] source, int offset, int lengthBytes, byte[] target, int to, int expectedBytes) {
        if (lengthBytes != expectedBytes) {
            return false;
        }
        System.arraycopy(source, offset, target, to, expectedBytes);
        return true;
    }
}
