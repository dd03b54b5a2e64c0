package io.anneal.sstable.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Chunks of compressed data: the checksum over the compressed bytes is verified, always, before they are decompressed. */
public final class CompressedChunks extends ChunkSource {
    private final FileWindow window;
    private final CompressionInfo info;
    private final ChunkDecoder decoder;

    public CompressedChunks(Path file, FileChannel channel, CompressionInfo info, ChunkCodec codec) {
        super(file, (int) Math.min(info.chunkLengthBytes(), info.dataLengthBytes()), info.dataLengthBytes());
        this.info = info;
        decoder = new ChunkDecoder(codec, info.maxCompressedLengthBytes());
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
        int expectedBytes = chunkLengthBytes(chunk);
        String wrong = decoder.decode(
                window.array(), at, storedBytes, target, offset, expectedBytes, chunk + 1 == chunkCount());
        if (wrong != null) {
            throw corrupt(
                    position,
                    wrong + ", chunk=" + index + ", storedBytes=" + storedBytes + ", expectedBytes=" + expectedBytes);
        }
    }

    @Override
    public long heldBytes() {
        return window.array().length;
    }
}
