package io.anneal.bench.measure;

import io.anneal.bench.data.GeneratedTable;
import io.anneal.fragment.HashSum;
import io.anneal.fragment.ItemHash;
import io.anneal.io.ByteReader;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * The least that reading LZ4 compressed data can cost in one thread: reads ahead, CRC32 and LZ4 of each chunk, with the
 * libraries and buffers that the reader uses, and no parsing. Owned by one thread.
 */
public final class ChunkFloor implements Closeable {
    private static final int READ_AHEAD_BYTES = 128 * 1024;

    private final FileChannel channel;
    private final ByteReader info;
    private final int chunkLengthBytes;
    private final long dataLengthBytes;
    private final long[] chunkPositions;
    private final LZ4SafeDecompressor lz4 = LZ4Factory.fastestInstance().safeDecompressor();
    private final CRC32 crc = new CRC32();
    private final byte[] stored = new byte[READ_AHEAD_BYTES];
    private final ByteBuffer storedView = ByteBuffer.wrap(stored);
    private long storedStart;
    private int storedLength;

    private ChunkFloor(FileChannel channel, ByteReader info) throws IOException {
        this.channel = channel;
        this.info = info;
        info.skip(info.readUnsignedShort()); // name of the compressor
        for (int options = info.readInt(); options > 0; options--) {
            info.skip(info.readUnsignedShort());
            info.skip(info.readUnsignedShort());
        }
        chunkLengthBytes = info.readInt();
        info.readInt(); // longest chunk that is stored compressed
        dataLengthBytes = info.readLong();
        chunkPositions = new long[info.readInt() + 1];
        for (int i = 0; i + 1 < chunkPositions.length; i++) {
            chunkPositions[i] = info.readLong();
        }
        chunkPositions[chunkPositions.length - 1] = channel.size();
    }

    public static ChunkFloor open(Descriptor descriptor) throws IOException {
        byte[] info = Files.readAllBytes(descriptor.file(Component.COMPRESSION_INFO));
        FileChannel channel = FileChannel.open(descriptor.file(Component.DATA));
        try {
            return new ChunkFloor(channel, new ByteReader(info));
        } catch (IOException | RuntimeException e) {
            try (channel) {
                throw e;
            }
        }
    }

    /** Decompresses every chunk and returns a sum of bytes, so that no step can be left out. */
    public long read() throws IOException {
        byte[] chunk = new byte[chunkLengthBytes];
        long sum = 0;
        for (int i = 0; i + 1 < chunkPositions.length; i++) {
            decompress(i, chunk);
            sum += chunk[0];
        }
        return sum;
    }

    /** The same, each {@code rowLengthBytes} copied and hashed. */
    public long readAndHash(int rowLengthBytes) throws IOException {
        byte[] chunk = new byte[chunkLengthBytes];
        byte[] row = new byte[rowLengthBytes];
        ItemHash hash = new ItemHash(GeneratedTable.SEED);
        HashSum sum = new HashSum();
        for (int i = 0; i + 1 < chunkPositions.length; i++) {
            int length = decompress(i, chunk);
            for (int at = 0; at < length; at += rowLengthBytes) {
                int part = Math.min(rowLengthBytes, length - at);
                System.arraycopy(chunk, at, row, 0, part);
                hash.hash(row, 0, part);
                sum.add(hash);
            }
        }
        return sum.low();
    }

    /** The same, each chunk compressed again, checksummed and written to a new file, which is synced at the end. */
    public long rewrite(Path target) throws IOException {
        return rewrite(target, 0, chunkCount());
    }

    public int chunkCount() {
        return chunkPositions.length - 1;
    }

    /** The same of some chunks. */
    public long rewrite(Path target, int firstChunk, int endChunk) throws IOException {
        LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
        byte[] chunk = new byte[chunkLengthBytes];
        byte[] compressed = new byte[Integer.BYTES + compressor.maxCompressedLength(chunkLengthBytes) + Integer.BYTES];
        ByteBuffer written = ByteBuffer.wrap(compressed);
        try (FileChannel out = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int i = firstChunk; i < endChunk; i++) {
                int length = decompress(i, chunk);
                int end = Integer.BYTES
                        + compressor.compress(
                                chunk, 0, length, compressed, Integer.BYTES, compressed.length - 2 * Integer.BYTES);
                crc.reset();
                crc.update(compressed, 0, end);
                written.clear().putInt(0, Integer.reverseBytes(length)).putInt(end, (int) crc.getValue());
                written.limit(end + Integer.BYTES);
                while (written.hasRemaining()) {
                    out.write(written);
                }
            }
            out.force(true);
            return out.size();
        }
    }

    private int decompress(int index, byte[] chunk) throws IOException {
        int lengthBytes = (int) (chunkPositions[index + 1] - chunkPositions[index]) - Integer.BYTES;
        int at = fetch(chunkPositions[index], lengthBytes + Integer.BYTES);
        crc.reset();
        crc.update(stored, at, lengthBytes);
        if ((int) crc.getValue()
                != info.wrap(stored, at + lengthBytes, Integer.BYTES).readInt()) {
            throw new IOException("checksum of chunk does not match, chunk=" + index);
        }
        int expectedBytes = (int) Math.min(chunkLengthBytes, dataLengthBytes - (long) index * chunkLengthBytes);
        return lz4.decompress(stored, at + Integer.BYTES, lengthBytes - Integer.BYTES, chunk, 0, expectedBytes);
    }

    private int fetch(long position, int wantedBytes) throws IOException {
        if (position < storedStart || position + wantedBytes > storedStart + storedLength) {
            storedStart = position;
            storedLength = 0;
            storedView.clear();
            while (storedLength < wantedBytes) {
                int read = channel.read(storedView, position + storedLength);
                if (read < 0) {
                    throw new IOException("file is shorter than its index says, position=" + position);
                }
                storedLength += read;
            }
        }
        return (int) (position - storedStart);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
