package io.anneal.schema;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** Strings in the order of their bytes: {@code text} and {@code ascii}. */
final class TextType extends NativeType {
    private final Charset charset;
    private final boolean ascii;

    private TextType(String cqlName, String simpleClassName, Charset charset) {
        super(cqlName, simpleClassName, VARIABLE_LENGTH);
        this.charset = charset;
        this.ascii = charset.equals(StandardCharsets.US_ASCII);
    }

    static TextType text() {
        return new TextType("text", "UTF8Type", StandardCharsets.UTF_8);
    }

    static TextType ascii() {
        return new TextType("ascii", "AsciiType", StandardCharsets.US_ASCII);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return Bytes.compareUnsigned(left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    /** What Cassandra lets in, which is a little more than Unicode allows: surrogates, and a zero in two bytes. */
    @Override
    public void validate(byte[] value, int offset, int length) {
        int end = offset + length;
        for (int i = offset; i < end; i++) {
            if (value[i] < 0) {
                int continuation = ascii ? -1 : continuationLength(value, i, end);
                if (continuation < 0) {
                    throw invalid("bytes are no text", value, offset, length);
                }
                i += continuation;
            }
        }
    }

    /** How many bytes belong to the first one, all checked; -1 when they are no character. */
    private static int continuationLength(byte[] value, int offset, int end) {
        int first = value[offset] & 0xFF;
        int count = first >= 0xF8 || first < 0xC0 || first == 0xC1 ? -1 : first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
        if (count < 0 || end - offset <= count) {
            return -1;
        }
        int second = value[offset + 1] & 0xFF;
        boolean fits = switch (first) {
            case 0xC0 -> second == 0x80;
            case 0xE0 -> (second & 0xE0) != 0x80;
            case 0xF0 -> (second & 0x30) != 0;
            default -> (second & 0xC0) == 0x80;
        };
        for (int i = 2; i <= count; i++) {
            fits &= (value[offset + i] & 0xC0) == 0x80;
        }
        return fits ? count : -1;
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        JsonText.appendQuoted(toText(value, offset, length), out);
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        try {
            return charset.newDecoder()
                    .decode(ByteBuffer.wrap(value, offset, length))
                    .toString();
        } catch (CharacterCodingException e) {
            InvalidValueException invalid = invalid("bytes are no text", value, offset, length);
            invalid.initCause(e);
            throw invalid;
        }
    }
}
