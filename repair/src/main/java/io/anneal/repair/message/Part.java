package io.anneal.repair.message;

import io.anneal.io.ByteReader;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The frame of every message of a session. Contents of any length are cut into parts, since a message of the network is
 * bounded and a row need not be.
 *
 * <pre>
 *   request   0                  16       17
 *             +------------------+--------+------------
 *             | session id 16    | more 1 | content
 *             +------------------+--------+------------
 *   response  0        1
 *             +--------+------------
 *             | more 1 | content
 *             +--------+------------
 * </pre>
 *
 * {@code more} is 1 when another part follows: of a request with the same verb, of a response when asked with {@link
 * RepairVerb#MORE}.
 */
public final class Part {
    /** Content of one part at most. */
    public static final int CONTENT_MAX_BYTES = 1 << 20;

    /** Content of one message at most, all parts together. */
    public static final int MESSAGE_MAX_BYTES = 512 << 20;

    private static final int REQUEST_HEAD_BYTES = 17;
    private static final int RESPONSE_HEAD_BYTES = 1;

    private Part() {}

    public static boolean isLast(int contentLength, int offset) {
        return contentLength - offset <= CONTENT_MAX_BYTES;
    }

    /** The part of a request that begins at {@code offset} of the content. */
    public static ByteBuffer request(UUID sessionId, byte[] content, int contentLength, int offset) {
        int length = Math.min(CONTENT_MAX_BYTES, contentLength - offset);
        ByteBuffer part = ByteBuffer.allocate(REQUEST_HEAD_BYTES + length);
        part.putLong(sessionId.getMostSignificantBits());
        part.putLong(sessionId.getLeastSignificantBits());
        part.put((byte) (isLast(contentLength, offset) ? 0 : 1));
        part.put(content, offset, length);
        return part.flip();
    }

    /** The part of a response that begins at {@code offset} of the content. */
    public static ByteBuffer response(byte[] content, int offset) {
        int length = Math.min(CONTENT_MAX_BYTES, content.length - offset);
        ByteBuffer part = ByteBuffer.allocate(RESPONSE_HEAD_BYTES + length);
        part.put((byte) (isLast(content.length, offset) ? 0 : 1));
        part.put(content, offset, length);
        return part.flip();
    }

    /** Session of a request; the reader then stands at {@code more}. */
    public static UUID readSessionId(ByteReader in) {
        return Texts.readId(in);
    }

    public static boolean readMore(ByteReader in) {
        return in.readByte() != 0;
    }
}
