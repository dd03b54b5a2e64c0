package io.anneal.commitlog;

import io.anneal.io.InputFile;
import io.anneal.io.StorageException;
import io.anneal.io.UnsupportedVersionException;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;

/**
 * A segment's file, of which nothing is believed that has no right checksum. Points at one section at a time. One thread.
 */
final class SegmentReader implements Closeable {
    /** There is no such section. */
    static final long NONE = -1;

    private static final int WINDOW_BYTES = 256 << 10;
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final byte FIRST_OF_MAGIC = (byte) (SegmentLayout.SECTION_MAGIC >>> 3 * Byte.SIZE);

    private final Path file;
    private final long id;
    private final FileChannel channel;
    private final long sizeBytes;
    private final CRC32C crc = new CRC32C();

    private ByteBuffer window;
    private long windowOffset;

    private long sessionId;
    private long sectionOffset;
    private int flags;
    private CommitLogPosition synced;
    private int position;
    private long clockMicros;
    private int storedBytes;
    private int plainBytes;
    private int payloadChecksum;

    private byte[] payload;
    private int payloadOffset;
    private int payloadBytes;

    private SegmentReader(Path file, long id, FileChannel channel, long sizeBytes) {
        this.file = file;
        this.id = id;
        this.channel = channel;
        this.sizeBytes = sizeBytes;
        window = ByteBuffer.allocate((int) Math.min(WINDOW_BYTES, sizeBytes)).limit(0);
    }

    static SegmentReader open(Path file, long id) throws StorageException {
        try {
            FileChannel channel = InputFile.open(file);
            try {
                return new SegmentReader(file, id, channel, channel.size());
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw new StorageException("open", file, e);
        }
    }

    Path file() {
        return file;
    }

    long id() {
        return id;
    }

    long sizeBytes() {
        return sizeBytes;
    }

    /** Reads into the window, where the bytes then are; or fewer when the file ends. */
    private int fill(long offset, int lengthBytes) throws StorageException {
        int wanted = (int) Math.min(lengthBytes, Math.max(0, sizeBytes - offset));
        if (offset < windowOffset || offset + wanted > windowOffset + window.limit()) {
            if (window.capacity() < wanted) {
                window = ByteBuffer.allocate(wanted);
            }
            window.clear();
            windowOffset = offset;
            try {
                while (window.hasRemaining() && channel.read(window, windowOffset + window.position()) > 0) {
                    // Until it is full or the file ends.
                }
            } catch (IOException e) {
                throw new StorageException("read", file, e);
            }
            window.flip();
        }
        return (int) Math.min(wanted, windowOffset + window.limit() - offset);
    }

    private int index(long offset) {
        return (int) (offset - windowOffset);
    }

    /**
     * Reads the file's header.
     *
     * @return whether it is one, and this segment's
     * @throws UnsupportedVersionException when it is a later version's
     */
    boolean readHeader() throws IOException {
        if (fill(0, SegmentLayout.HEADER_BYTES) < SegmentLayout.HEADER_BYTES) {
            return false;
        }
        ByteBuffer header = window.duplicate();
        header = header.position(index(0)).slice();
        int checksum = SegmentLayout.headerChecksum(crc, header);
        header.clear();
        if (header.getInt(SegmentLayout.MAGIC_OFFSET) != SegmentLayout.HEADER_MAGIC
                || header.getInt(SegmentLayout.HEADER_CHECKSUM_OFFSET) != checksum) {
            return false;
        }
        SegmentFiles.checkVersion(file, Integer.toString(header.getInt(SegmentLayout.VERSION_OFFSET)));
        sessionId = header.getLong(SegmentLayout.SESSION_ID_OFFSET);
        return header.getLong(SegmentLayout.SEGMENT_ID_OFFSET) == id
                && header.getInt(SegmentLayout.ZERO_OFFSET) == 0
                && sessionId <= id;
    }

    /** Of the process that wrote the segment: what was read last, be it the file's header or a section's. */
    long sessionId() {
        return sessionId;
    }

    /** Points at the section that begins there. Returns whether there is a right header; what follows may still be wrong. */
    boolean readSection(long offset) throws StorageException {
        if (fill(offset, SegmentLayout.SECTION_HEADER_BYTES) < SegmentLayout.SECTION_HEADER_BYTES) {
            return false;
        }
        int begin = index(offset);
        if (window.getInt(begin + SegmentLayout.MAGIC_OFFSET) != SegmentLayout.SECTION_MAGIC
                || window.getLong(begin + SegmentLayout.SEGMENT_ID_OFFSET) != id) {
            return false;
        }
        int limit = window.limit();
        int checksum = SegmentLayout.sectionChecksum(crc, window, begin, offset);
        window.limit(limit).position(0);
        if (window.getInt(begin + SegmentLayout.SECTION_CHECKSUM_OFFSET) != checksum) {
            return false;
        }
        sectionOffset = offset;
        flags = window.getInt(begin + SegmentLayout.FLAGS_OFFSET);
        sessionId = window.getLong(begin + SegmentLayout.SESSION_ID_OFFSET);
        synced = new CommitLogPosition(
                window.getLong(begin + SegmentLayout.SYNCED_SEGMENT_OFFSET),
                window.getInt(begin + SegmentLayout.SYNCED_POSITION_OFFSET));
        position = window.getInt(begin + SegmentLayout.POSITION_OFFSET);
        clockMicros = window.getLong(begin + SegmentLayout.CLOCK_OFFSET);
        storedBytes = window.getInt(begin + SegmentLayout.STORED_LENGTH_OFFSET);
        plainBytes = window.getInt(begin + SegmentLayout.PLAIN_LENGTH_OFFSET);
        payloadChecksum = window.getInt(begin + SegmentLayout.PAYLOAD_CHECKSUM_OFFSET);
        return (flags & ~SegmentLayout.FLAGS_KNOWN) == 0
                && position >= SegmentLayout.HEADER_BYTES
                && storedBytes >= 0
                && plainBytes >= storedBytes
                && (isCompressed() || plainBytes == storedBytes)
                && plainBytes <= SegmentLayout.POSITION_MAX - position;
    }

    /** Points at the first section with a right header at the offset or behind it, or returns {@link #NONE}. */
    long findSection(long from) throws StorageException {
        long offset = from;
        while (fill(offset, SegmentLayout.SECTION_HEADER_BYTES) == SegmentLayout.SECTION_HEADER_BYTES) {
            int end = window.limit() - SegmentLayout.SECTION_HEADER_BYTES;
            int found = findMagic(window.array(), index(offset), end);
            offset = windowOffset + found;
            if (found <= end) {
                if (readSection(offset)) {
                    return offset;
                }
                offset++;
            }
        }
        return NONE;
    }

    /** The first place up to the end where the bytes of a section's magic stand, or the one behind the end. */
    private static int findMagic(byte[] bytes, int from, int end) {
        int i = from;
        while (i <= end && (bytes[i] != FIRST_OF_MAGIC || (int) INT.get(bytes, i) != SegmentLayout.SECTION_MAGIC)) {
            i++;
        }
        return i;
    }

    boolean isCompressed() {
        return (flags & SegmentLayout.FLAG_LZ4) != 0;
    }

    boolean isLast() {
        return (flags & SegmentLayout.FLAG_LAST) != 0;
    }

    /** Where the next section begins if the segment goes on. */
    long sectionEndOffset() {
        return sectionOffset + SegmentLayout.SECTION_HEADER_BYTES + storedBytes;
    }

    int position() {
        return position;
    }

    /** The position at which the next section begins. */
    int endPosition() {
        return position + SegmentLayout.SECTION_HEADER_BYTES + plainBytes;
    }

    CommitLogPosition synced() {
        return synced;
    }

    long clockMicros() {
        return clockMicros;
    }

    /**
     * Brings the section's records to {@link #payload}: as many bytes as the file has, all or nothing when they are compressed.
     *
     * @return whether they are whole; plain ones may still be wrong
     */
    boolean readPayload() throws StorageException {
        long begin = sectionOffset + SegmentLayout.SECTION_HEADER_BYTES;
        int available = fill(begin, storedBytes);
        payload = window.array();
        payloadOffset = index(begin);
        payloadBytes = available;
        return isCompressed() ? decompress(available) : available == plainBytes;
    }

    private boolean decompress(int available) {
        payloadBytes = 0;
        if (available < storedBytes || plainBytes > (long) storedBytes * SegmentLayout.LZ4_RATIO_MAX) {
            return false;
        }
        crc.reset();
        crc.update(window.array(), payloadOffset, storedBytes);
        if ((int) crc.getValue() != payloadChecksum) {
            return false;
        }
        byte[] plain = new byte[plainBytes];
        try {
            int length = LZ4Factory.fastestInstance()
                    .safeDecompressor()
                    .decompress(window.array(), payloadOffset, storedBytes, plain, 0, plainBytes);
            if (length != plainBytes) {
                return false;
            }
        } catch (LZ4Exception e) {
            return false;
        }
        payload = plain;
        payloadOffset = 0;
        payloadBytes = plainBytes;
        return true;
    }

    /** Bytes of records there are. */
    int payloadBytes() {
        return payloadBytes;
    }

    int plainBytes() {
        return plainBytes;
    }

    /**
     * The length of the record that begins there in the payload, header and all, or {@link #NONE} when it is none.
     *
     * @param offset in the payload
     */
    int recordBytes(int offset) {
        int remaining = payloadBytes - offset;
        if (remaining < SegmentLayout.RECORD_HEADER_BYTES) {
            return (int) NONE;
        }
        int begin = payloadOffset + offset;
        ByteBuffer bytes = ByteBuffer.wrap(payload);
        long seed = SegmentLayout.recordSeed(id, recordPosition(offset));
        int itemsBytes = bytes.getInt(begin + SegmentLayout.RECORD_LENGTH_OFFSET);
        if (itemsBytes < 0
                || itemsBytes > remaining - SegmentLayout.RECORD_HEADER_BYTES
                || bytes.getInt(begin + SegmentLayout.RECORD_LENGTH_CHECK_OFFSET)
                        != SegmentLayout.lengthCheck(itemsBytes, seed)) {
            return (int) NONE;
        }
        int recordBytes = SegmentLayout.RECORD_HEADER_BYTES + itemsBytes;
        crc.reset();
        crc.update(
                payload, begin + SegmentLayout.RECORD_LENGTH_OFFSET, recordBytes - SegmentLayout.RECORD_LENGTH_OFFSET);
        boolean right = bytes.getInt(begin + SegmentLayout.RECORD_CHECKSUM_OFFSET)
                == SegmentLayout.recordChecksum((int) crc.getValue(), seed);
        return right ? recordBytes : (int) NONE;
    }

    /** The position of what lies there in the payload. */
    int recordPosition(int offset) {
        return position + SegmentLayout.SECTION_HEADER_BYTES + offset;
    }

    /** Where in the file that is; of a compressed section only its begin is known. */
    long recordOffset(int offset) {
        return isCompressed() ? sectionOffset : sectionOffset + SegmentLayout.SECTION_HEADER_BYTES + offset;
    }

    long tableMostSignificant(int offset) {
        return ByteBuffer.wrap(payload).getLong(payloadOffset + offset + SegmentLayout.RECORD_TABLE_OFFSET);
    }

    long tableLeastSignificant(int offset) {
        return ByteBuffer.wrap(payload)
                .getLong(payloadOffset + offset + SegmentLayout.RECORD_TABLE_OFFSET + Long.BYTES);
    }

    /** A copy of the items of a record that is right. */
    byte[] items(int offset, int recordBytes) {
        int begin = payloadOffset + offset;
        return Arrays.copyOfRange(payload, begin + SegmentLayout.RECORD_HEADER_BYTES, begin + recordBytes);
    }

    @Override
    public void close() throws StorageException {
        try {
            channel.close();
        } catch (IOException e) {
            throw new StorageException("close", file, e);
        }
    }
}
