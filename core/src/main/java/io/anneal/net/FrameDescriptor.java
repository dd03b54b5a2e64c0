package io.anneal.net;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The frame, version 1. All numbers are big-endian and unsigned where a sign makes no sense.
 *
 * <pre>
 *    0       1       2       3       4       5       6       7
 *  +-------+-------+-------+-------+-------+-------+-------+-------+
 *  |          magic "ANNL"         |version| kind  | flags |   0   |
 *  +-------+-------+-------+-------+-------+-------+-------+-------+
 *  |        payload length         |           argument            |
 *  +-------+-------+-------+-------+-------+-------+-------+-------+
 *  |                           stream id                           |
 *  +-------+-------+-------+-------+-------+-------+-------+-------+
 *  |       payload checksum        |        header checksum        |
 *  +-------+-------+-------+-------+-------+-------+-------+-------+
 *  |  payload, as many bytes as its length says                  ...
 * </pre>
 *
 * <ul>
 *   <li>magic, version and header checksum stay where they are in every later version, and so does the length of the
 *       header; the handshake is always spoken in version 1;
 *   <li>kind: see {@link FrameKind};
 *   <li>flags: bit 0, the payload is the length of the plain bytes (4 bytes) and one LZ4 block; bit 1, the last piece of
 *       this direction of the stream; bit 2, the payload comes from a file and has no checksum; the others are zero;
 *   <li>argument: the verb in OPEN, a number of bytes in CREDIT, in the first DATA of a message the plain length of the
 *       message if it is known, otherwise zero;
 *   <li>stream id: odd if the connecting side has opened the stream, even if the accepting side has; rising; zero in
 *       frames that belong to no stream;
 *   <li>both checksums are CRC32C; the payload's is over the bytes as they are on the wire, the header's over all
 *       header bytes before it.
 * </ul>
 */
final class FrameDescriptor {
    static final int MAGIC = 0x414E4E4C;
    static final int VERSION = 1;
    static final int HEADER_LENGTH_BYTES = 32;

    static final int MAGIC_OFFSET = 0;
    static final int VERSION_OFFSET = 4;
    static final int KIND_OFFSET = 5;
    static final int FLAGS_OFFSET = 6;
    static final int RESERVED_OFFSET = 7;
    static final int PAYLOAD_LENGTH_OFFSET = 8;
    static final int ARGUMENT_OFFSET = 12;
    static final int STREAM_ID_OFFSET = 16;
    static final int PAYLOAD_CHECKSUM_OFFSET = 24;
    static final int HEADER_CHECKSUM_OFFSET = 28;

    static final int FLAG_LZ4 = 1;
    static final int FLAG_END = 2;
    static final int FLAG_UNCHECKED = 4;
    static final int FLAGS_KNOWN = FLAG_LZ4 | FLAG_END | FLAG_UNCHECKED;

    /** Longest frame, its header included; so that a piece and the header after it fill one pooled buffer. */
    static final int FRAME_BYTES_MAX = 64 << 10;

    static final int PIECE_BYTES_MAX = FRAME_BYTES_MAX - HEADER_LENGTH_BYTES;

    /** Longest piece of a file, which needs no memory at its sender: each has its costs at both ends, whatever its length. */
    static final int FILE_PIECE_BYTES_MAX = (256 << 10) - HEADER_LENGTH_BYTES;

    /** What a piece costs of the credit beside its bytes: about what it occupies in memory beside them. */
    static final int PIECE_OVERHEAD_BYTES = 256;

    /** Longest payload of a peer that has not proven itself yet. */
    static final int HANDSHAKE_PAYLOAD_BYTES_MAX = 16 << 10;

    /** The versions of frame and handshake that this build speaks. */
    static final VersionRange WIRE_VERSIONS = new VersionRange(VERSION, VERSION);

    private FrameDescriptor() {}

    /** Longest payload of a frame of a stream with such flags. */
    static int pieceBytesMax(int flags) {
        return (flags & FLAG_UNCHECKED) != 0 ? FILE_PIECE_BYTES_MAX : PIECE_BYTES_MAX;
    }

    /** What a piece costs of the credit; an empty one, which opens or ends a stream, costs nothing. */
    static int costBytes(int lengthBytes) {
        return lengthBytes == 0 ? 0 : lengthBytes + PIECE_OVERHEAD_BYTES;
    }

    /** Writes a complete header; the payload checksum is that of the payload's remaining bytes, or 0. */
    static void putHeader(
            ByteBuffer out, FrameKind kind, int flags, int argument, long streamId, int lengthBytes, int checksum) {
        assert lengthBytes <= pieceBytesMax(flags) : lengthBytes;
        int start = out.position();
        out.putInt(MAGIC)
                .put((byte) VERSION)
                .put((byte) kind.code())
                .put((byte) flags)
                .put((byte) 0);
        out.putInt(lengthBytes).putInt(argument).putLong(streamId).putInt(checksum);
        out.putInt(checksum(out.duplicate().flip().position(start)));
    }

    static int headerChecksum(ByteBuffer header) {
        return checksum(header.duplicate().position(0).limit(HEADER_CHECKSUM_OFFSET));
    }

    /** Consumes the buffer. */
    static int checksum(ByteBuffer bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        return (int) checksum.getValue();
    }
}
