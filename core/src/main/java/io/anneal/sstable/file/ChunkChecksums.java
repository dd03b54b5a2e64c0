package io.anneal.sstable.file;

import io.anneal.io.ByteReader;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import java.io.IOException;
import java.nio.file.Path;

/** CRC.db: the package has the grammar. */
public record ChunkChecksums(int chunkLengthBytes, int[] checksums) {
    /** What stands for the empty chunks that a compaction may leave behind the data. */
    private static final int CHECKSUM_OF_NOTHING = 0;

    public static ChunkChecksums read(Descriptor descriptor, long dataLengthBytes) throws IOException {
        Path file = descriptor.file(Component.CRC);
        byte[] bytes = ComponentFiles.readWhole(descriptor, Component.CRC);
        if (bytes.length < Integer.BYTES || bytes.length % Integer.BYTES != 0) {
            throw new CorruptSSTableException(file, 0, "length is no multiple of four, lengthBytes=" + bytes.length);
        }
        ByteReader in = new ByteReader(bytes);
        int chunkLengthBytes = in.readInt();
        if (chunkLengthBytes <= 0) {
            throw new CorruptSSTableException(file, 0, "chunk length is not positive, value=" + chunkLengthBytes);
        }
        int[] checksums = new int[in.remainingBytes() / Integer.BYTES];
        long expected = (dataLengthBytes + chunkLengthBytes - 1) / chunkLengthBytes;
        if (checksums.length < expected || checksums.length > expected + CompressionInfo.SURPLUS_CHUNKS_MAX) {
            throw new CorruptSSTableException(
                    file,
                    0,
                    "number of checksums does not fit the data, found=" + checksums.length + ", expected=" + expected);
        }
        for (int i = 0; i < checksums.length; i++) {
            checksums[i] = in.readInt();
            if (i >= expected && checksums[i] != CHECKSUM_OF_NOTHING) {
                throw new CorruptSSTableException(
                        file,
                        in.offset() - Integer.BYTES,
                        "checksum is of data that is missing, chunk=" + i + ", dataLengthBytes=" + dataLengthBytes);
            }
        }
        // A chunk larger than the file would only make the buffers larger.
        return new ChunkChecksums((int) Math.max(1, Math.min(chunkLengthBytes, dataLengthBytes)), checksums);
    }
}
