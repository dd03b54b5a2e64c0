package io.anneal.sstable.file;

import io.anneal.io.ByteWriter;
import io.anneal.io.OutputFile;
import io.anneal.sstable.Component;
import io.anneal.sstable.Compression;
import io.anneal.sstable.StagedSSTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * Data in compressed chunks, each with a CRC32 of what is stored; {@code CompressionInfo.db} holds where each begins. A
 * chunk that would take {@link Compression#maxCompressedLengthBytes()} or more is stored as it is, and padded with zeros up
 * to that when it is the last and shorter, which tells readers how it is stored. The digest covers chunks and checksums.
 */
public final class CompressedDataFile implements DataFile {
    private static final int CRC_BYTES = 4;

    private final StagedSSTable staged;
    private final OutputFile.Opener opener;
    private final OutputFile data;
    private final Compression compression;
    private final ChunkCompressor compressor;
    private final byte[] chunk;
    private final byte[] compressed;
    private final byte[] checksum = new byte[CRC_BYTES];
    private final CRC32 chunkCrc = new CRC32();
    private final CRC32 wholeCrc = new CRC32();

    private int chunkLength;
    private long position;
    private long compressedLength;
    private long[] chunkPositions = new long[1024];
    private int chunkCount;

    private CompressedDataFile(
            StagedSSTable staged,
            OutputFile.Opener opener,
            OutputFile data,
            Compression compression,
            ChunkCodec codec) {
        this.staged = staged;
        this.opener = opener;
        this.data = data;
        this.compression = compression;
        compressor = codec.compressor();
        chunk = new byte[compression.chunkLengthBytes()];
        compressed = new byte[codec.compressedLengthMaxBytes(chunk.length)];
    }

    public static CompressedDataFile open(StagedSSTable staged, OutputFile.Opener opener, Compression compression)
            throws IOException {
        ChunkCodec codec = ChunkCodec.of(compression);
        OutputFile data = OutputFile.open(staged.file(Component.DATA), opener);
        return new CompressedDataFile(staged, opener, data, compression, codec);
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
        int compressedBytes = compressor.compress(chunk, chunkLength, compressed);
        int limit = compression.maxCompressedLengthBytes();
        if (compressedBytes < limit) {
            store(compressed, compressedBytes);
        } else if (chunkLength >= limit) {
            store(chunk, chunkLength);
        } else {
            Arrays.fill(chunk, chunkLength, limit, (byte) 0);
            store(chunk, limit);
        }
        chunkLength = 0;
    }

    private void store(byte[] bytes, int lengthBytes) throws IOException {
        chunkCrc.reset();
        chunkCrc.update(bytes, 0, lengthBytes);
        int crc = (int) chunkCrc.getValue();
        for (int i = 0; i < CRC_BYTES; i++) {
            checksum[i] = (byte) (crc >>> (24 - 8 * i));
        }
        wholeCrc.update(bytes, 0, lengthBytes);
        wholeCrc.update(checksum, 0, CRC_BYTES);
        addPosition(data.position());
        data.write(bytes, 0, lengthBytes);
        data.write(checksum, 0, CRC_BYTES);
        compressedLength += lengthBytes;
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
        ByteWriter out = new ByteWriter(256 + chunkCount * Long.BYTES);
        writeUtf(compression.compressor().orElseThrow().className(), out);
        Map<String, String> options = new TreeMap<>(compression.options());
        out.writeInt(options.size());
        options.forEach((name, value) -> {
            writeUtf(name, out);
            writeUtf(value, out);
        });
        out.writeInt(chunk.length);
        out.writeInt(compression.maxCompressedLengthBytes());
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

    private static void writeUtf(String text, ByteWriter out) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeShort(bytes.length);
        out.writeBytes(bytes);
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
        compressor.close();
        data.close();
    }
}
