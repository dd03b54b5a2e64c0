package io.anneal.sstable.file;

/** The bytes themselves. */
final class NoopCodec extends ChunkCodec {
    @Override
    public int ratioMax() {
        return 1;
    }

    @Override
    public int emptyLengthBytes() {
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
