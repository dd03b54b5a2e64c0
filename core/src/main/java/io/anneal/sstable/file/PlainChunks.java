package io.anneal.sstable.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Chunks of a file that has no checksums: Index, and data whose TOC names no CRC. */
public final class PlainChunks extends ChunkSource {
    private static final int CHUNK_LENGTH_BYTES = 16 * 1024;
    /** What lies between two samples of Summary takes half of it, with keys of usual length. */
    private static final int LOOKUP_CHUNK_LENGTH_BYTES = 4 * 1024;

    private final FileWindow window;

    /** For reading on and on. */
    public PlainChunks(Path file, FileChannel channel, long fileLengthBytes) {
        this(file, CHUNK_LENGTH_BYTES, fileLengthBytes, new FileWindow(file, channel, fileLengthBytes));
    }

    private PlainChunks(Path file, int chunkLengthBytes, long fileLengthBytes, FileWindow window) {
        super(file, chunkLengthBytes, fileLengthBytes);
        this.window = window;
    }

    /** For finding one entry. */
    public static PlainChunks forLookup(Path file, FileChannel channel, long fileLengthBytes) {
        FileWindow window = FileWindow.forLookup(file, channel, fileLengthBytes, LOOKUP_CHUNK_LENGTH_BYTES);
        return new PlainChunks(file, LOOKUP_CHUNK_LENGTH_BYTES, fileLengthBytes, window);
    }

    @Override
    public void readChunk(long chunk, byte[] target, int offset) throws IOException {
        int lengthBytes = chunkLengthBytes(chunk);
        int at = window.fetch(chunk * chunkLengthBytes(), lengthBytes);
        System.arraycopy(window.array(), at, target, offset, lengthBytes);
    }

    @Override
    public long heldBytes() {
        return window.array().length;
    }
}
