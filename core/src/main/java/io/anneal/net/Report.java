package io.anneal.net;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Payload of an error and of a goodbye: position (8 bytes), code and message (each a length of 2 bytes and UTF-8).
 *
 * @param position where in its inbound bytes the sender stood; 0 where that means nothing
 * @param code     stable: lower case, digits and hyphens
 */
record Report(long position, String code, String message) {
    static final String CORRUPT_FRAME = "corrupt-frame";
    static final String UNSUPPORTED_VERSION = "unsupported-version";

    private static final int MESSAGE_CHARS_MAX = 2048;

    Report {
        code = Text.cut(code, Codes.CHARS_MAX);
        message = Text.cut(message, MESSAGE_CHARS_MAX);
    }

    ByteBuffer encode() {
        byte[] codeBytes = Text.bytes(code);
        byte[] messageBytes = Text.bytes(message);
        ByteBuffer out = ByteBuffer.allocate(Long.BYTES + 2 * Short.BYTES + codeBytes.length + messageBytes.length);
        out.putLong(position);
        Text.put(out, codeBytes);
        Text.put(out, messageBytes);
        return out.flip();
    }

    static Report decode(String peer, Frame frame) throws CorruptFrameException {
        try {
            ByteBuffer in = ByteBuffer.wrap(frame.bytes());
            long position = in.getLong();
            String code = Text.take(in);
            return new Report(position, Codes.isCode(code) ? code : PeerException.MALFORMED, Text.take(in));
        } catch (BufferUnderflowException cut) {
            throw new CorruptFrameException(
                    peer, frame.position(), "report is cut short, lengthBytes=" + frame.lengthBytes());
        }
    }
}
