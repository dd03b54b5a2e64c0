package io.anneal.net;

import io.anneal.io.PrintableText;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Short texts in messages: a length of 2 bytes, then UTF-8. */
final class Text {
    static final int LENGTH_BYTES_MAX = 0xFFFF;

    private Text() {}

    static byte[] bytes(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > LENGTH_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "text is too long, lengthBytes=" + bytes.length + ", max=" + LENGTH_BYTES_MAX);
        }
        return bytes;
    }

    static void put(ByteBuffer out, byte[] bytes) {
        out.putShort((short) bytes.length).put(bytes);
    }

    /**
     * What the peer has written, fit for a log. Underflow means that the message was cut short; nothing is allocated
     * then.
     */
    static String take(ByteBuffer in) {
        int lengthBytes = Short.toUnsignedInt(in.getShort());
        if (lengthBytes > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[lengthBytes];
        in.get(bytes);
        return PrintableText.of(new String(bytes, StandardCharsets.UTF_8));
    }

    static String cut(String text, int charsMax) {
        return text.length() <= charsMax ? text : text.substring(0, charsMax);
    }

    static String hex(byte[] bytes, int from, int to) {
        return HexFormat.of().formatHex(bytes, from, to);
    }
}
