package io.anneal.sstable.file;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Compressor;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * CompressionInfo.db: the package has the grammar. The file has no checksum, so all of it is checked for what it
 * can be.
 *
 * @param compressor simple class name
 * @param options those of the compressor
 * @param maxCompressedLengthBytes a chunk that takes at least so much is stored as it is
 * @param offsets where each chunk begins in Data.db; the last ones may hold nothing
 */
public record CompressionInfo(
        String compressor,
        Map<String, String> options,
        int chunkLengthBytes,
        int maxCompressedLengthBytes,
        long dataLengthBytes,
        long[] offsets,
        long compressedLengthBytes) {
    /** Of the checksum behind each chunk. */
    public static final int CHECKSUM_LENGTH_BYTES = 4;
    /** A compaction of Cassandra syncs what it wrote up to twice more, and each sync ends a chunk, be it empty. */
    static final int SURPLUS_CHUNKS_MAX = 2;

    /** @param version up to {@code me} every chunk is compressed and there is no limit */
    public static CompressionInfo read(Descriptor descriptor, SSTableVersion version, long compressedLengthBytes)
            throws IOException {
        Path file = descriptor.file(Component.COMPRESSION_INFO);
        ByteReader in = new ByteReader(ComponentFiles.readWhole(descriptor, Component.COMPRESSION_INFO));
        try {
            return parse(file, version, in, compressedLengthBytes);
        } catch (ByteUnderflowException e) {
            throw new CorruptSSTableException(file, in.offset(), "compression info ends too early", e);
        }
    }

    private static CompressionInfo parse(Path file, SSTableVersion version, ByteReader in, long compressedLengthBytes)
            throws IOException {
        String compressor = ComponentFiles.readUtf(in);
        int optionCount = in.readInt();
        if (optionCount < 0) {
            throw new CorruptSSTableException(file, in.offset(), "number of options is negative");
        }
        Map<String, String> options = new HashMap<>();
        for (int i = 0; i < optionCount; i++) {
            options.put(ComponentFiles.readUtf(in), ComponentFiles.readUtf(in));
        }
        int chunkLengthBytes = in.readInt();
        if (chunkLengthBytes <= 0
                || Integer.bitCount(chunkLengthBytes) != 1
                || chunkLengthBytes > Compression.CHUNK_LENGTH_MAX_BYTES) {
            throw new CorruptSSTableException(
                    file,
                    in.offset(),
                    "chunk length is no power of two up to " + Compression.CHUNK_LENGTH_MAX_BYTES + ", value="
                            + chunkLengthBytes);
        }
        int maxCompressedLengthBytes = version.isAtLeast(SSTableVersion.NA) ? in.readInt() : Integer.MAX_VALUE;
        if (maxCompressedLengthBytes < 0) {
            throw new CorruptSSTableException(
                    file, in.offset(), "maximal compressed length is negative, value=" + maxCompressedLengthBytes);
        }
        long dataLengthBytes = in.readLong();
        int chunkCount = in.readInt();
        if (chunkCount <= 0 || in.remainingBytes() != (long) chunkCount * Long.BYTES) {
            throw new CorruptSSTableException(
                    file, in.offset(), "number of chunks does not fit the file, value=" + chunkCount);
        }
        if (dataLengthBytes <= (long) (chunkCount - 1 - SURPLUS_CHUNKS_MAX) * chunkLengthBytes
                || dataLengthBytes > (long) chunkCount * chunkLengthBytes) {
            throw new CorruptSSTableException(
                    file,
                    in.offset(),
                    "data length does not fit the chunks, dataLengthBytes=" + dataLengthBytes + ", chunks="
                            + chunkCount);
        }
        long[] offsets = readOffsets(file, in, chunkCount, compressedLengthBytes);
        return new CompressionInfo(
                compressor,
                Map.copyOf(options),
                chunkLengthBytes,
                maxCompressedLengthBytes,
                dataLengthBytes,
                offsets,
                compressedLengthBytes);
    }

    private static long[] readOffsets(Path file, ByteReader in, int chunkCount, long compressedLengthBytes)
            throws IOException {
        long[] offsets = new long[chunkCount];
        for (int i = 0; i < chunkCount; i++) {
            int at = in.offset();
            offsets[i] = in.readLong();
            boolean fits = i == 0
                    ? offsets[i] == 0
                    : offsets[i] > offsets[i - 1] && offsets[i] - offsets[i - 1] <= Integer.MAX_VALUE / 2;
            if (!fits || offsets[i] > compressedLengthBytes - CHECKSUM_LENGTH_BYTES) {
                throw new CorruptSSTableException(
                        file, at, "offset of chunk is out of order, chunk=" + i + ", offset=" + offsets[i]);
            }
        }
        if (compressedLengthBytes - offsets[chunkCount - 1] > Integer.MAX_VALUE / 2) {
            throw new CorruptSSTableException(file, in.offset(), "last chunk is too long");
        }
        return offsets;
    }

    /**
     * The chunks behind the data must hold nothing, or the data length is wrong and rows would be missed in silence.
     *
     * @param emptyLengthBytes stored length of a chunk that holds nothing, if it is not 0: of nothing Cassandra's Deflate
     *     makes nothing
     */
    public void refuseDataBehindTheEnd(Path file, int emptyLengthBytes) throws CorruptSSTableException {
        int firstSurplus = (int) ((dataLengthBytes + chunkLengthBytes - 1) / chunkLengthBytes);
        for (int chunk = firstSurplus; chunk < offsets.length; chunk++) {
            if (storedLengthBytes(chunk) != 0 && storedLengthBytes(chunk) != emptyLengthBytes) {
                throw new CorruptSSTableException(
                        file,
                        CorruptSSTableException.NO_POSITION,
                        "data goes on behind its length, dataLengthBytes=" + dataLengthBytes + ", chunk=" + chunk
                                + ", storedLengthBytes=" + storedLengthBytes(chunk));
            }
        }
    }

    /**
     * What chunks that are to be alike are compressed with.
     *
     * @throws IllegalArgumentException when nothing here is written so
     */
    public Compression compression() {
        return new Compression(Compressor.ofClass(compressor), chunkLengthBytes, maxCompressedLengthBytes, options);
    }

    /** Where a chunk ends in Data.db, with its checksum. */
    public long endOffset(int chunk) {
        return chunk + 1 < offsets.length ? offsets[chunk + 1] : compressedLengthBytes;
    }

    /** Length of a chunk's compressed bytes, without the checksum behind them. */
    public int storedLengthBytes(int chunk) {
        return (int) (endOffset(chunk) - offsets[chunk]) - CHECKSUM_LENGTH_BYTES;
    }
}
