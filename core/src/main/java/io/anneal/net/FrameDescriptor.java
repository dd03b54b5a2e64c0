package io.anneal.net;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The frame, version 1. All numbers are big-endian and unsigned where a sign makes no sense.
 *
 * <pre>
 *    0       1       2       3       4       5       6       7
 *  +-------+-------+-------+-------+-------+-------+-------+-------+
 *  |          magic "ANNL"         |version| kind  | flags |stream |
 *  |                               |       |       |       | type  |
 *  +-------+-------+-------+-------+-------+-------+-------+-------+
 *  |        payload length         |             verb              |
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
 *   <li>flags: bit 0, the payload is the length of the plain bytes (4 bytes) and one LZ4 block; the others are zero;
 *   <li>stream type: 0, requests and their responses; others are to come;
 *   <li>verb: zero except in requests, responses and errors;
 *   <li>stream id: given to a request by its sender, rising from 1; its answer carries the same;
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
    static final int STREAM_TYPE_OFFSET = 7;
    static final int PAYLOAD_LENGTH_OFFSET = 8;
    static final int VERB_OFFSET = 12;
    static final int STREAM_ID_OFFSET = 16;
    static final int PAYLOAD_CHECKSUM_OFFSET = 24;
    static final int HEADER_CHECKSUM_OFFSET = 28;

    static final int FLAG_LZ4 = 1;
    static final int FLAGS_KNOWN = FLAG_LZ4;
    static final int STREAM_TYPE_REQUEST = 0;

    /** What a peer may send before it has proven that it holds the token. */
    static final int HANDSHAKE_PAYLOAD_BYTES_MAX = 16 << 10;

    static final int PAYLOAD_BYTES_MAX_DEFAULT = 8 << 20;
    /** No setting goes above this; lengths then never come near the end of an int. */
    static final int PAYLOAD_BYTES_LIMIT = 256 << 20;

    /** The versions of frame and handshake that this build speaks. */
    static final VersionRange WIRE_VERSIONS = new VersionRange(VERSION, VERSION);

    private FrameDescriptor() {}

    /** A complete header for the payload, whose remaining bytes are read but not consumed. */
    static ByteBuffer header(FrameKind kind, int flags, int verb, long streamId, ByteBuffer payload) {
        ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH_BYTES);
        header.putInt(MAGIC_OFFSET, MAGIC);
        header.put(VERSION_OFFSET, (byte) VERSION);
        header.put(KIND_OFFSET, (byte) kind.code());
        header.put(FLAGS_OFFSET, (byte) flags);
        header.put(STREAM_TYPE_OFFSET, (byte) STREAM_TYPE_REQUEST);
        header.putInt(PAYLOAD_LENGTH_OFFSET, payload.remaining());
        header.putInt(VERB_OFFSET, verb);
        header.putLong(STREAM_ID_OFFSET, streamId);
        header.putInt(PAYLOAD_CHECKSUM_OFFSET, checksum(payload.duplicate()));
        header.putInt(HEADER_CHECKSUM_OFFSET, headerChecksum(header));
        return header;
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
