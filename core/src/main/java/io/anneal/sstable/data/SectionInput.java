package io.anneal.sstable.data;

import io.anneal.io.ByteReader;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SectionManifest;
import io.anneal.sstable.file.ChunkCodec;
import io.anneal.sstable.file.ChunkDecoder;
import io.anneal.sstable.file.CompressionInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * What a peer sends of an SSTable, in pieces of any length, as blocks of partitions and chunks; {@link SectionBlocks} has the grammar.
 * A chunk is verified before it is handed out, and stays until the next one. Memory grows with what has come, not with what
 * is announced. Owned by one thread.
 */
final class SectionInput {
    private static final int LENGTH = -1;
    private static final int HEAD = -2;
    private static final int CHUNK = -3;

    private final Path file;
    private final SectionManifest manifest;
    private final ChunkDecoder decoder;
    private final CRC32 crc = new CRC32();
    private final int storedMaxBytes;
    private final long chunkCount;
    private final byte[] chunk;

    private long position;
    private int wanted = LENGTH;
    private int wantedBytes = Integer.BYTES;
    private byte[] gathered = new byte[64 * 1024];
    private int gatheredBytes;
    private int kind;
    private boolean hasEnded;

    private byte[] partitionBytes = {};
    private final ByteReader partitions = new ByteReader();
    private int partitionsLeft;

    private byte[] chunkBytes = {};
    private final ByteReader chunks = new ByteReader();
    private int chunksLeft;
    private int checksum;
    private long nextChunk;
    private long chunkStart;
    private long chunkEnd;

    SectionInput(Path file, SectionManifest manifest) {
        this.file = file;
        this.manifest = manifest;
        decoder = manifest.isCompressed()
                ? new ChunkDecoder(
                        ChunkCodec.of(manifest.compression()),
                        manifest.compression().maxCompressedLengthBytes())
                : null;
        int chunkLengthBytes = manifest.chunkLengthBytes();
        storedMaxBytes = decoder == null ? chunkLengthBytes : decoder.storedLengthMaxBytes(chunkLengthBytes);
        chunkCount = (manifest.dataLengthBytes() - 1) / chunkLengthBytes + 1;
        chunk = new byte[chunkLengthBytes];
    }

    /** How many bytes were taken. */
    long position() {
        return position;
    }

    boolean hasEnded() {
        return hasEnded;
    }

    /** Takes bytes up to the end of something: true when {@link #kind()} of it is there, false when there are no more bytes. */
    boolean take(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            if (hasEnded) {
                throw wrong("something comes behind the end, lengthBytes=" + bytes.remaining());
            }
            int part = Math.min(bytes.remaining(), wantedBytes - gatheredBytes);
            if (gathered.length < gatheredBytes + part) {
                gathered = Arrays.copyOf(gathered, Math.max(2 * gathered.length, gatheredBytes + part));
            }
            bytes.get(gathered, gatheredBytes, part);
            gatheredBytes += part;
            position += part;
            if (gatheredBytes == wantedBytes && isTaken()) {
                return true;
            }
        }
        return false;
    }

    private boolean isTaken() throws IOException {
        int lengthBytes = gatheredBytes;
        gatheredBytes = 0;
        switch (wanted) {
            case LENGTH -> {
                wantedBytes = new ByteReader().wrap(gathered, 0, lengthBytes).readInt();
                wanted = HEAD;
                if (wantedBytes < 1 || wantedBytes > SectionBlocks.HEAD_MAX_BYTES) {
                    throw wrong("head of a block has another length, lengthBytes=" + wantedBytes);
                }
                return false;
            }
            case HEAD -> {
                readHead(lengthBytes);
                return kind != SectionBlocks.CHUNKS;
            }
            default -> {
                readChunk(lengthBytes);
                wantChunk();
                return true;
            }
        }
    }

    /** The bytes stay with what reads them: the next ones are gathered elsewhere. */
    private void readHead(int lengthBytes) throws IOException {
        byte[] head = gathered;
        kind = head[0];
        want(LENGTH, Integer.BYTES);
        switch (kind) {
            case SectionBlocks.PARTITIONS -> {
                requireNone();
                gathered = partitionBytes;
                partitionBytes = head;
                partitions.wrap(head, 1, lengthBytes - 1);
                partitionsLeft = partitions.readUnsignedVInt32();
                requireCount(partitionsLeft, partitions);
            }
            case SectionBlocks.CHUNKS -> {
                gathered = chunkBytes;
                chunkBytes = head;
                chunks.wrap(head, 1, lengthBytes - 1);
                chunksLeft = chunks.readUnsignedVInt32();
                requireCount(chunksLeft, chunks);
                if (chunksLeft > chunkCount - nextChunk) {
                    throw wrong("more chunks are announced than there are, chunks=" + chunksLeft);
                }
                wantChunk();
            }
            case SectionBlocks.END -> {
                requireNone();
                hasEnded = true;
            }
            default -> throw wrong("kind of a block is not known, kind=" + kind);
        }
    }

    private void requireNone() throws CorruptSSTableException {
        if (partitionsLeft > 0) {
            throw wrong("partitions were announced that have not come, partitions=" + partitionsLeft);
        }
    }

    private void requireCount(int count, ByteReader in) throws CorruptSSTableException {
        if (count < 1 || count > in.remainingBytes()) {
            throw wrong("number of what a block holds is out of range, count=" + count);
        }
    }

    private void want(int what, int lengthBytes) {
        wanted = what;
        wantedBytes = lengthBytes;
    }

    private void wantChunk() throws IOException {
        if (chunksLeft == 0) {
            want(LENGTH, Integer.BYTES);
            return;
        }
        chunksLeft--;
        if (decoder == null) {
            checksum = chunks.readInt();
            want(CHUNK, lengthBytes(nextChunk));
            return;
        }
        int storedBytes = chunks.readUnsignedVInt32();
        if (storedBytes < 0 || storedBytes > storedMaxBytes) {
            throw wrong("chunk is longer than it can be, storedBytes=" + storedBytes + ", max=" + storedMaxBytes);
        }
        want(CHUNK, storedBytes + CompressionInfo.CHECKSUM_LENGTH_BYTES);
    }

    private int lengthBytes(long number) {
        return (int) Math.min(chunk.length, manifest.dataLengthBytes() - number * chunk.length);
    }

    private void readChunk(int storedBytes) throws CorruptSSTableException {
        int expectedBytes = lengthBytes(nextChunk);
        String reason;
        if (decoder == null) {
            crc.reset();
            crc.update(gathered, 0, storedBytes);
            reason = (int) crc.getValue() == checksum ? null : "checksum of chunk does not match";
            System.arraycopy(gathered, 0, chunk, 0, storedBytes);
        } else {
            reason = decoder.decode(
                    gathered,
                    0,
                    storedBytes - CompressionInfo.CHECKSUM_LENGTH_BYTES,
                    chunk,
                    0,
                    expectedBytes,
                    nextChunk + 1 == chunkCount);
        }
        if (reason != null) {
            throw wrong(reason + ", chunk=" + nextChunk + ", storedBytes=" + storedBytes + ", expectedBytes="
                    + expectedBytes);
        }
        chunkStart = nextChunk * chunk.length;
        chunkEnd = chunkStart + expectedBytes;
        nextChunk++;
    }

    /** What came last. */
    int kind() {
        return kind;
    }

    /** The next partitions begin at a position in the data: the next chunk is the one that holds it, if it has not come. */
    void expectFrom(long dataPosition) {
        nextChunk = Math.max(nextChunk, dataPosition / chunk.length);
    }

    boolean hasPartition() {
        return partitionsLeft > 0;
    }

    /**
     * Moves to the next partition, and returns its length.
     *
     * @param rowIndex gets its block index, which is valid until the next partitions come
     */
    long nextPartition(ByteReader rowIndex) {
        partitionsLeft--;
        long lengthBytes = partitions.readUnsignedVInt();
        int rowIndexBytes = partitions.readUnsignedVInt32();
        rowIndex.wrap(partitions.array(), partitions.skip(rowIndexBytes), rowIndexBytes);
        return lengthBytes;
    }

    /** The chunk that came last, decompressed. */
    byte[] chunk() {
        return chunk;
    }

    /** Where it begins in the data. */
    long chunkStart() {
        return chunkStart;
    }

    /** Where it ends in the data; 0 before any has come. */
    long chunkEnd() {
        return chunkEnd;
    }

    private CorruptSSTableException wrong(String reason) {
        return new CorruptSSTableException(file, CorruptSSTableException.NO_POSITION, reason);
    }
}
