package io.anneal.commitlog;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/**
 * The section that is being filled, outside of the heap: the channel writes from there without another copy. Begins with room
 * for its header. One thread; records allocate nothing.
 */
final class SectionBuffer {
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer plain;
    private final LZ4Compressor compressor;
    private final ByteBuffer compressed;

    SectionBuffer(int sizeBytes, boolean compression) {
        plain = ByteBuffer.allocateDirect(sizeBytes);
        compressor = compression ? LZ4Factory.fastestInstance().fastCompressor() : null;
        compressed = compression
                ? ByteBuffer.allocateDirect(
                        SegmentLayout.SECTION_HEADER_BYTES + compressor.maxCompressedLength(sizeBytes))
                : null;
        clear();
    }

    void clear() {
        plain.clear().position(SegmentLayout.SECTION_HEADER_BYTES);
    }

    boolean isEmpty() {
        return plain.position() == SegmentLayout.SECTION_HEADER_BYTES;
    }

    /** Of the records so far. */
    int payloadBytes() {
        return plain.position() - SegmentLayout.SECTION_HEADER_BYTES;
    }

    /** What an empty one has room for. */
    int capacityBytes() {
        return plain.capacity() - SegmentLayout.SECTION_HEADER_BYTES;
    }

    int remainingBytes() {
        return plain.remaining();
    }

    void append(UUID table, byte[] items, long seed) {
        int begin = plain.position();
        int end = begin + SegmentLayout.RECORD_HEADER_BYTES + items.length;
        recordHeader(begin, table, items.length, seed);
        plain.position(begin + SegmentLayout.RECORD_HEADER_BYTES).put(items);
        crc.reset();
        crc.update(plain.position(begin + SegmentLayout.RECORD_LENGTH_OFFSET).limit(end));
        plain.limit(plain.capacity());
        plain.putInt(
                begin + SegmentLayout.RECORD_CHECKSUM_OFFSET, SegmentLayout.recordChecksum((int) crc.getValue(), seed));
    }

    private void recordHeader(int begin, UUID table, int itemsBytes, long seed) {
        plain.putInt(begin + SegmentLayout.RECORD_LENGTH_OFFSET, itemsBytes);
        plain.putInt(begin + SegmentLayout.RECORD_LENGTH_CHECK_OFFSET, SegmentLayout.lengthCheck(itemsBytes, seed));
        plain.putLong(begin + SegmentLayout.RECORD_TABLE_OFFSET, table.getMostSignificantBits());
        plain.putLong(begin + SegmentLayout.RECORD_TABLE_OFFSET + Long.BYTES, table.getLeastSignificantBits());
    }

    /**
     * The whole section, ready to be written; valid until the next call. The buffer is empty again after {@link #clear}.
     *
     * @param flags without that of the compression
     */
    ByteBuffer finish(SectionFacts facts, int flags) {
        int plainBytes = payloadBytes();
        if (compressor != null && plainBytes > 0) {
            int begin = SegmentLayout.SECTION_HEADER_BYTES;
            int stored =
                    compressor.compress(plain, begin, plainBytes, compressed, begin, compressed.capacity() - begin);
            if (stored < plainBytes) {
                crc.reset();
                crc.update(compressed.clear().position(begin).limit(begin + stored));
                header(compressed, facts, flags | SegmentLayout.FLAG_LZ4, stored, plainBytes, (int) crc.getValue());
                return compressed.position(0).limit(begin + stored);
            }
        }
        int end = plain.position();
        header(plain, facts, flags, plainBytes, plainBytes, 0);
        return plain.position(0).limit(end);
    }

    /** The head of a section with one record that is larger than this buffer; its items follow. The buffer must be empty. */
    ByteBuffer large(SectionFacts facts, UUID table, byte[] items, long seed) {
        assert isEmpty();
        int begin = SegmentLayout.SECTION_HEADER_BYTES;
        int recordBytes = SegmentLayout.RECORD_HEADER_BYTES + items.length;
        recordHeader(begin, table, items.length, seed);
        crc.reset();
        int end = begin + SegmentLayout.RECORD_HEADER_BYTES;
        crc.update(plain.position(begin + SegmentLayout.RECORD_LENGTH_OFFSET).limit(end));
        crc.update(items, 0, items.length);
        plain.clear();
        plain.putInt(
                begin + SegmentLayout.RECORD_CHECKSUM_OFFSET, SegmentLayout.recordChecksum((int) crc.getValue(), seed));
        header(plain, facts, 0, recordBytes, recordBytes, 0);
        return plain.position(0).limit(end);
    }

    /** A part of a large record's items. */
    ByteBuffer part(byte[] items, int offset) {
        plain.clear();
        return plain.put(items, offset, Math.min(plain.capacity(), items.length - offset))
                .flip();
    }

    private void header(ByteBuffer section, SectionFacts facts, int flags, int stored, int plainBytes, int checksum) {
        section.clear();
        section.putInt(SegmentLayout.MAGIC_OFFSET, SegmentLayout.SECTION_MAGIC);
        section.putInt(SegmentLayout.FLAGS_OFFSET, flags);
        section.putLong(SegmentLayout.SEGMENT_ID_OFFSET, facts.segmentId());
        section.putLong(SegmentLayout.SESSION_ID_OFFSET, facts.sessionId());
        section.putLong(SegmentLayout.SYNCED_SEGMENT_OFFSET, facts.synced().segmentId());
        section.putInt(SegmentLayout.SYNCED_POSITION_OFFSET, facts.synced().position());
        section.putInt(SegmentLayout.POSITION_OFFSET, facts.position());
        section.putLong(SegmentLayout.CLOCK_OFFSET, facts.clockMicros());
        section.putInt(SegmentLayout.STORED_LENGTH_OFFSET, stored);
        section.putInt(SegmentLayout.PLAIN_LENGTH_OFFSET, plainBytes);
        section.putInt(SegmentLayout.PAYLOAD_CHECKSUM_OFFSET, checksum);
        int headerChecksum = SegmentLayout.sectionChecksum(crc, section, 0, facts.offset());
        section.clear();
        section.putInt(SegmentLayout.SECTION_CHECKSUM_OFFSET, headerChecksum);
    }

    /**
     * What a section's header says of its place and time.
     *
     * @param offset in the file
     * @param position of the section's begin
     * @param synced known to be on the disk
     */
    record SectionFacts(
            long segmentId, long sessionId, long offset, int position, CommitLogPosition synced, long clockMicros) {}
}
