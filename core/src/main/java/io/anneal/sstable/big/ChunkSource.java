package io.anneal.sstable.big;

import io.anneal.sstable.CorruptSSTableException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The bytes of a file as chunks of one length, the last one shorter; every chunk is verified before it is handed out.
 * Owned by one thread; does not own the channel below it.
 */
abstract class ChunkSource {
    private final Path file;
    private final int chunkLengthBytes;
    private final long dataLengthBytes;

    ChunkSource(Path file, int chunkLengthBytes, long dataLengthBytes) {
        this.file = file;
        this.chunkLengthBytes = chunkLengthBytes;
        this.dataLengthBytes = dataLengthBytes;
    }

    final Path file() {
        return file;
    }

    /** Length of what the chunks hold together. */
    final long dataLengthBytes() {
        return dataLengthBytes;
    }

    final int chunkLengthBytes() {
        return chunkLengthBytes;
    }

    final long chunkCount() {
        return (dataLengthBytes + chunkLengthBytes - 1) / chunkLengthBytes;
    }

    /** Length of one chunk's bytes once they are uncompressed. */
    final int chunkLengthBytes(long chunk) {
        return (int) Math.min(chunkLengthBytes, dataLengthBytes - chunk * chunkLengthBytes);
    }

    /** Writes all bytes of a chunk to {@code target}. */
    abstract void readChunk(long chunk, byte[] target, int offset) throws IOException;

    final CorruptSSTableException corrupt(long position, String reason) {
        return new CorruptSSTableException(file, position, reason);
    }
}
