package io.anneal.sstable.file;

import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The bytes of a file as chunks of one length, the last one shorter; every chunk is verified before it is handed out.
 * Owned by one thread; does not own the channel below it.
 */
public abstract class ChunkSource {
    private final Path file;
    private final int chunkLengthBytes;
    private final long dataLengthBytes;

    public ChunkSource(Path file, int chunkLengthBytes, long dataLengthBytes) {
        this.file = file;
        this.chunkLengthBytes = chunkLengthBytes;
        this.dataLengthBytes = dataLengthBytes;
    }

    public final Path file() {
        return file;
    }

    /** Length of what the chunks hold together. */
    public final long dataLengthBytes() {
        return dataLengthBytes;
    }

    public final int chunkLengthBytes() {
        return chunkLengthBytes;
    }

    public final long chunkCount() {
        return (dataLengthBytes + chunkLengthBytes - 1) / chunkLengthBytes;
    }

    /** Length of one chunk's bytes once they are uncompressed. */
    public final int chunkLengthBytes(long chunk) {
        return (int) Math.min(chunkLengthBytes, dataLengthBytes - chunk * chunkLengthBytes);
    }

    /** Writes all bytes of a chunk to {@code target}. */
    public abstract void readChunk(long chunk, byte[] target, int offset) throws IOException;

    /** Heap that it occupies, roughly. */
    public long heldBytes() {
        return 0;
    }

    public final CorruptSSTableException corrupt(long position, String reason) {
        return new CorruptSSTableException(file, position, reason);
    }
}
