package io.anneal.sstable.file;

import java.util.zip.CRC32;

/** Turns a stored chunk back into data, once its checksum was found right. Owned by one thread. */
public final class ChunkDecoder {
    private final ChunkCodec codec;
    private final int maxCompressedLengthBytes;
    private final CRC32 crc = new CRC32();

    /** @param maxCompressedLengthBytes a chunk that takes at least so much is stored as it is */
    public ChunkDecoder(ChunkCodec codec, int maxCompressedLengthBytes) {
        this.codec = codec;
        this.maxCompressedLengthBytes = maxCompressedLengthBytes;
    }

    /** The longest that a chunk can be as it is stored, without its checksum. */
    public int storedLengthMaxBytes(int chunkLengthBytes) {
        return Math.max(chunkLengthBytes, codec.compressedLengthMaxBytes(chunkLengthBytes));
    }

    /**
     * Writes exactly {@code expectedBytes} to {@code target}.
     *
     * @param storedBytes length without the checksum, which stands behind
     * @param isLast whether it is the last chunk of the data
     * @return what is wrong with the chunk; null if nothing is
     */
    public String decode(
            byte[] stored, int at, int storedBytes, byte[] target, int offset, int expectedBytes, boolean isLast) {
        crc.reset();
        crc.update(stored, at, storedBytes);
        if ((int) crc.getValue() != checksum(stored, at + storedBytes)) {
            return "checksum of chunk does not match";
        }
        if (storedBytes < maxCompressedLengthBytes) {
            return codec.decompress(stored, at, storedBytes, target, offset, expectedBytes)
                    ? null
                    : "chunk does not decompress to its length";
        }
        // A last chunk shorter than the limit is padded up to it, so that readers know it as stored raw.
        boolean padded = isLast && storedBytes == maxCompressedLengthBytes;
        if (storedBytes != expectedBytes && !(padded && storedBytes > expectedBytes)) {
            return "chunk stored uncompressed has another length";
        }
        System.arraycopy(stored, at, target, offset, expectedBytes);
        return null;
    }

    private static int checksum(byte[] bytes, int at) {
        return bytes[at] << 24 | (bytes[at + 1] & 0xFF) << 16 | (bytes[at + 2] & 0xFF) << 8 | (bytes[at + 3] & 0xFF);
    }
}
