package io.anneal.sstable.data;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.sstable.Component;
import io.anneal.sstable.StagedSSTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.CRC32;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/**
 * Data in LZ4 chunks. A chunk of the file is the uncompressed length (four bytes, little-endian), the LZ4 block and a
 * CRC32 of both; {@code CompressionInfo.db} holds where each begins. The digest covers chunks and checksums.
 */
final class CompressedDataFile implements DataFile {
    private static final String COMPRESSOR = "LZ4Compressor";
    private static final int LENGTH_BYTES = 4;
    private static final int CRC_BYTES = 4;
    /** Cassandra's default: a chunk is compressed however little it gains. */
    private static final int MAX_COMPRESSED_LENGTH = Integer.MAX_VALUE;

    private final StagedSSTable staged;
    private final OutputFile.Opener opener;
    private final OutputFile data;
    private final LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
    private final byte[] chunk;
    private final byte[] compressed;
    private final CRC32 chunkCrc = new CRC32();
    private final CRC32 wholeCrc = new CRC32();

    private int chunkLength;
    private long position;
    private long compressedLength;
    private long[] chunkPositions = new long[1024];
    private int chunkCount;

    private CompressedDataFile(StagedSSTable staged, OutputFile.Opener opener, OutputFile data, int chunkLengthBytes) {
        this.staged = staged;
        this.opener = opener;
        this.data = data;
        chunk = new byte[chunkLengthBytes];
        compressed = new byte[LENGTH_BYTES + compressor.maxCompressedLength(chunkLengthBytes) + CRC_BYTES];
    }

    static CompressedDataFile open(StagedSSTable staged, OutputFile.Opener opener, int chunkLengthBytes)
            throws IOException {
        if (Integer.bitCount(chunkLengthBytes) != 1) {
            throw new IllegalArgumentException("chunk length is no power of two, chunkLengthBytes=" + chunkLengthBytes);
        }
        OutputFile data = OutputFile.open(staged.file(Component.DATA), opener);
        return new CompressedDataFile(staged, opener, data, chunkLengthBytes);
    }

    @Override
    public void write(byte[] source, int offset, int lengthBytes) throws IOException {
        position += lengthBytes;
        int at = offset;
        int left = lengthBytes;
        while (left > 0) {
            int part = Math.min(left, chunk.length - chunkLength);
            System.arraycopy(source, at, chunk, chunkLength, part);
            chunkLength += part;
            at += part;
            left -= part;
            if (chunkLength == chunk.length) {
                endChunk();
            }
        }
    }

    private void endChunk() throws IOException {
        int blockLength =
                compressor.compress(chunk, 0, chunkLength, compressed, LENGTH_BYTES, compressed.length - LENGTH_BYTES);
        for (int i = 0; i < LENGTH_BYTES; i++) {
            compressed[i] = (byte) (chunkLength >>> (8 * i));
        }
        int length = LENGTH_BYTES + blockLength;
        chunkCrc.reset();
        chunkCrc.update(compressed, 0, length);
        int crc = (int) chunkCrc.getValue();
        for (int i = 0; i < CRC_BYTES; i++) {
            compressed[length + i] = (byte) (crc >>> (24 - 8 * i));
        }
        wholeCrc.update(compressed, 0, length + CRC_BYTES);
        addPosition(data.position());
        data.write(compressed, 0, length + CRC_BYTES);
        compressedLength += length;
        chunkLength = 0;
    }

    private void addPosition(long chunkPosition) {
        if (chunkCount == chunkPositions.length) {
            chunkPositions = Arrays.copyOf(chunkPositions, chunkCount * 2);
        }
        chunkPositions[chunkCount++] = chunkPosition;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void finish() throws IOException {
        if (chunkLength > 0) {
            endChunk();
        }
        data.sync();
        writeCompressionInfo();
        DigestFile.write(staged.file(Component.DIGEST), wholeCrc.getValue(), opener);
    }

    private void writeCompressionInfo() throws IOException {
        ByteWriter out = new ByteWriter(64 + chunkCount * Long.BYTES);
        out.writeShort(COMPRESSOR.length());
        out.writeBytes(COMPRESSOR.getBytes(StandardCharsets.US_ASCII));
        out.writeInt(0);
        out.writeInt(chunk.length);
        out.writeInt(MAX_COMPRESSED_LENGTH);
        out.writeLong(position);
        out.writeInt(chunkCount);
        for (int i = 0; i < chunkCount; i++) {
            out.writeLong(chunkPositions[i]);
        }
        try (OutputFile file = OutputFile.open(staged.file(Component.COMPRESSION_INFO), opener)) {
            file.write(out);
            file.sync();
        }
    }

    @Override
    public double compressionRatio() {
        return (double) compressedLength / position;
    }

    @Override
    public Set<Component> components() {
        return Set.of(Component.DATA, Component.COMPRESSION_INFO, Component.DIGEST);
    }

    @Override
    public void close() throws IOException {
        data.close();
    }
}
