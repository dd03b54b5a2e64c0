package io.anneal.sstable.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.zip.CRC32;

/** Chunks of uncompressed data, each verified against CRC.db. */
public final class ChecksummedChunks extends ChunkSource {
    private final FileWindow window;
    private final int[] checksums;
    private final CRC32 crc = new CRC32();

    public ChecksummedChunks(Path file, FileChannel channel, long fileLengthBytes, ChunkChecksums checksums) {
        super(file, checksums.chunkLengthBytes(), fileLengthBytes);
        this.checksums = checksums.checksums();
        window = new FileWindow(file, channel, fileLengthBytes);
    }

    @Override
    public void readChunk(long chunk, byte[] target, int offset) throws IOException {
        int lengthBytes = chunkLengthBytes(chunk);
        long position = chunk * chunkLengthBytes();
        int at = window.fetch(position, lengthBytes);
        crc.reset();
        crc.update(window.array(), at, lengthBytes);
        if ((int) crc.getValue() != checksums[(int) chunk]) {
            throw corrupt(position, "checksum of chunk does not match, chunk=" + chunk);
        }
        System.arraycopy(window.array(), at, target, offset, lengthBytes);
    }

    @Override
    public long heldBytes() {
        return window.array().length;
    }
}
