package io.anneal.sstable.data;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Chunks of a file that has no checksums: Index. */
public final class PlainChunks extends ChunkSource {
    private static final int CHUNK_LENGTH_BYTES = 16 * 1024;

    private final FileWindow window;

    public PlainChunks(Path file, FileChannel channel, long fileLengthBytes) {
        super(file, CHUNK_LENGTH_BYTES, fileLengthBytes);
        window = new FileWindow(file, channel, fileLengthBytes);
    }

    @Override
    public void readChunk(long chunk, byte[] target, int offset) throws IOException {
        int lengthBytes = chunkLengthBytes(chunk);
        int at = window.fetch(chunk * chunkLengthBytes(), lengthBytes);
        System.arraycopy(window.array(), at, target, offset, lengthBytes);
    }
}
