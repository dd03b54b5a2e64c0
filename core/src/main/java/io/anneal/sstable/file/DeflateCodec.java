package io.anneal.sstable.file;

import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** A zlib stream. */
final class DeflateCodec extends ChunkCodec {
    private static final int RATIO_MAX = 1032;
    private static final int EMPTY_LENGTH_BYTES = 8;
    /** Header, checksum and five bytes for each 16 KiB that cannot be compressed. */
    private static final int FRAME_BYTES = 64;

    private static final int STORED_BLOCK_BYTES = 16 * 1024;
    private static final int STORED_BLOCK_FRAME_BYTES = 5;

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
        return lengthBytes + FRAME_BYTES + (lengthBytes / STORED_BLOCK_BYTES + 1) * STORED_BLOCK_FRAME_BYTES;
    }

    @Override
    int compress(byte[] source, int lengthBytes, byte[] target) {
        Deflater deflater = new Deflater();
        try {
            deflater.setInput(source, 0, lengthBytes);
            deflater.finish();
            int written = deflater.deflate(target);
            if (!deflater.finished()) {
                throw new IllegalStateException("compressed chunk has no room, lengthBytes=" + lengthBytes);
            }
            return written;
        } finally {
            deflater.end();
        }
    }

    @Override
    boolean decompress(byte[] source, int offset, int lengthBytes, byte[] target, int to, int expectedBytes) {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(source, offset, lengthBytes);
            int written = inflater.inflate(target, to, expectedBytes);
            // The end is found only when more is asked for, if there is nothing to write.
            return written == expectedBytes
                    && (inflater.finished() || inflater.inflate(new byte[1]) == 0)
                    && inflater.finished();
        } catch (DataFormatException e) {
            return false;
        } finally {
            inflater.end();
        }
    }
}
