package io.anneal.sstable.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.CRC32;

/** Chunks of compressed data: the checksum over the compressed bytes is verified, always, before they are decompressed. */
public final class CompressedChunks extends ChunkSource {
    private final FileWindow window;
    private final CompressionInfo info;
    private final ChunkCodec codec;
    private final CRC32 crc = new CRC32();

    public CompressedChunks(Path file, FileChannel channel, CompressionInfo info, ChunkCodec codec) {
        super(file, (int) Math.min(info.chunkLengthBytes(), info.dataLengthBytes()), info.dataLengthBytes());
        this.info = info;
        this.codec = codec;
        window = new FileWindow(file, channel, info.compressedLengthBytes());
    }

    @Override
    public void readChunk(long chunk, byte[] target, int offset) throws IOException {
        int index = (int) chunk;
        long position = info.offsets()[index];
        int storedBytes = info.storedLengthBytes(index);
        if (storedBytes < 0) {
            throw corrupt(position, "chunk has no room for its checksum, chunk=" + index);
        }
        int at = window.fetch(position, storedBytes + CompressionInfo.CHECKSUM_LENGTH_BYTES);
        byte[] stored = window.array();
        crc.reset();
        crc.update(stored, at, storedBytes);
        if ((int) crc.getValue() != checksum(stored, at + storedBytes)) {
            throw corrupt(position, "checksum of chunk does not match, chunk=" + index);
        }
        int expectedBytes = chunkLengthBytes(chunk);
        if (storedBytes < info.maxCompressedLengthBytes()) {
            if (!codec.decompress(stored, at, storedBytes, target, offset, expectedBytes)) {
                throw corrupt(
                        position,
                        "chunk does not decompress to its length, chunk=" + index + ", expectedBytes=" + expectedBytes);
            }
            return;
        }
        // A last chunk shorter than the limit is padded up to it, so that readers know it as stored raw.
        boolean padded = chunk + 1 == chunkCount() && storedBytes == info.maxCompressedLengthBytes();
        if (storedBytes != expectedBytes && !(padded && storedBytes > expectedBytes)) {
            throw corrupt(
                    position,
                    "chunk stored uncompressed has another length, chunk=" + index + ", storedBytes=" + storedBytes
                            + ", expectedBytes=" + expectedBytes);
        }
        System.arraycopy(stored, at, target, offset, expectedBytes);
    }

    private static int checksum(byte[] bytes, int at) {
        return bytes[at] << 24 | (bytes[at + 1] & 0xFF) << 16 | (bytes[at + 2] & 0xFF) << 8 | (bytes[at + 3] & 0xFF);
    }
}
