package io.anneal.commitlog;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Layout of a commit log segment, version 1. Big-endian; every checksum is CRC32C.
 *
 * <pre>
 *   segment   header  section*  free space: zeros, or what an earlier life of the file left
 *
 *   header    0         4         8                16               24        28        32
 *             +---------+---------+----------------+----------------+---------+---------+
 *             |  magic  | version |   segment id   |   session id   |  zero   |checksum |
 *             +---------+---------+----------------+----------------+---------+---------+
 *
 *   section   0         4         8                16               24               32
 *             +---------+---------+----------------+----------------+----------------+
 *             |  magic  |  flags  |   segment id   |   session id   | synced segment |
 *             +---------+---------+----------------+---------+------+--+---------+---+
 *             | synced  |position |  clock micros  | stored  |  plain  |payload  |header
 *             |position |         |                | length  | length  |checksum |checksum
 *             +---------+---------+----------------+---------+---------+---------+---------+
 *             32        36        40               48        52        56        60        64
 *             payload: record*, or with flag LZ4 one LZ4 block of them
 *
 *   record    0         4         8         12                               28
 *             +---------+---------+---------+--------------------------------+--------------
 *             |checksum | length  | length  |           table uuid           | items
 *             |         |of items |  check  |                                |
 *             +---------+---------+---------+--------------------------------+--------------
 * </pre>
 *
 * <ul>
 *   <li>Magic, version and checksum of the header stay where they are in every later version, and so does its length.
 *   <li>The session id is the id of the first segment that the process made. What a section says of synced positions holds for
 *       the segments of its own session alone: what an earlier process left unsynced is gone or not, but nobody's loss.
 *   <li>Synced segment and position: all of the session's sections before are known to be on the disk, as of when the section
 *       was begun. What is broken there is corruption, what is broken behind is a torn tail.
 *   <li>Positions count bytes as if no payload were compressed, offsets those of the file; they differ behind compressed
 *       sections. A section's header checksum has its offset mixed in, a record's checksums have segment id and position: nothing
 *       that lies anywhere else, or was left by an earlier life of the file, is taken for it.
 *   <li>The payload checksum is of the stored bytes if they are compressed, else zero: plain records have their own.
 *   <li>Flag LAST: the segment ends with this section, the next one goes on.
 *   <li>A record with the table uuid of {@link BatchRecord} holds several mutations.
 *   <li>The length check makes a record's length believable before anything is done with it.
 * </ul>
 */
final class SegmentLayout {
    static final int VERSION = 1;

    static final int HEADER_BYTES = 32;
    static final int SECTION_HEADER_BYTES = 64;
    static final int RECORD_HEADER_BYTES = 28;

    static final int HEADER_MAGIC = 0x414E4C47;
    static final int SECTION_MAGIC = 0xA5C0_10C5;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = 4;
    static final int FLAGS_OFFSET = 4;
    static final int SEGMENT_ID_OFFSET = 8;
    static final int SESSION_ID_OFFSET = 16;
    static final int ZERO_OFFSET = 24;
    static final int HEADER_CHECKSUM_OFFSET = 28;

    static final int SYNCED_SEGMENT_OFFSET = 24;
    static final int SYNCED_POSITION_OFFSET = 32;
    static final int POSITION_OFFSET = 36;
    static final int CLOCK_OFFSET = 40;
    static final int STORED_LENGTH_OFFSET = 48;
    static final int PLAIN_LENGTH_OFFSET = 52;
    static final int PAYLOAD_CHECKSUM_OFFSET = 56;
    static final int SECTION_CHECKSUM_OFFSET = 60;

    static final int RECORD_CHECKSUM_OFFSET = 0;
    static final int RECORD_LENGTH_OFFSET = 4;
    static final int RECORD_LENGTH_CHECK_OFFSET = 8;
    static final int RECORD_TABLE_OFFSET = 12;

    static final int FLAG_LZ4 = 1;
    static final int FLAG_LAST = 2;
    static final int FLAGS_KNOWN = FLAG_LZ4 | FLAG_LAST;

    /** LZ4 cannot do better: a byte of a match's length stands for 255. */
    static final int LZ4_RATIO_MAX = 255;

    /** Where a segment is full at the latest, so that positions stay within an int. */
    static final int POSITION_MAX = Integer.MAX_VALUE - (1 << 16);

    static {
        assert HEADER_CHECKSUM_OFFSET + Integer.BYTES == HEADER_BYTES;
        assert SECTION_CHECKSUM_OFFSET + Integer.BYTES == SECTION_HEADER_BYTES;
        assert RECORD_TABLE_OFFSET + 2 * Long.BYTES == RECORD_HEADER_BYTES;
    }

    private SegmentLayout() {}

    /** Checksum of a segment's header at the buffer's begin; the buffer's own position and limit are changed. */
    static int headerChecksum(CRC32C crc, ByteBuffer header) {
        crc.reset();
        crc.update(header.limit(HEADER_CHECKSUM_OFFSET).position(0));
        return (int) crc.getValue();
    }

    /** Checksum of a section's header that begins at {@code begin} in the buffer, whose position and limit are changed. */
    static int sectionChecksum(CRC32C crc, ByteBuffer section, int begin, long fileOffset) {
        crc.reset();
        crc.update(section.limit(begin + SECTION_CHECKSUM_OFFSET).position(begin));
        return (int) crc.getValue() ^ (int) mix(fileOffset);
    }

    /** What a record's place adds to its checksums: the upper half to that of the bytes, the lower one to that of the length. */
    static long recordSeed(long segmentId, int position) {
        return mix(segmentId * 0x9E37_79B9_7F4A_7C15L + position);
    }

    /** A one-to-one image of the length, so that no two lengths share one. */
    static int lengthCheck(int lengthBytes, long seed) {
        return (int) mix(lengthBytes) ^ (int) seed;
    }

    static int recordChecksum(int crc, long seed) {
        return crc ^ (int) (seed >>> Integer.SIZE);
    }

    /** The last step of MurmurHash3, which spreads every bit over all. */
    private static long mix(long value) {
        long mixed = value;
        mixed = (mixed ^ mixed >>> 33) * 0xFF51_AFD7_ED55_8CCDL;
        mixed = (mixed ^ mixed >>> 33) * 0xC4CE_B9FE_1A85_EC53L;
        return mixed ^ mixed >>> 33;
    }
}
