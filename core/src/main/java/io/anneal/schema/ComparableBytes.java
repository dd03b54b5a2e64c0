package io.anneal.schema;

import io.anneal.io.ByteWriter;

/**
 * The parts of Cassandra's byte-comparable translation (version OSS50, as its {@code ByteComparable.md} tells): values as
 * bytes whose unsigned order is the order of the values, so that a trie can hold them. No translation followed by one of
 * the separators here is the beginning of another. Stateless; safe to share.
 */
public final class ComparableBytes {
    /** Before a component that follows. */
    public static final int NEXT_COMPONENT = 0x40;
    /** Instead of a component that is empty where empty is no value: as in {@code int}, not in {@code text}. */
    public static final int NEXT_COMPONENT_EMPTY = 0x3F;
    /** The same of a component in descending order. */
    public static final int NEXT_COMPONENT_EMPTY_REVERSED = 0x41;
    /** Instead of a component that is null. */
    public static final int NEXT_COMPONENT_NULL = 0x3E;
    /** Behind the last component. */
    public static final int TERMINATOR = 0x38;
    /** Behind the components of a place before everything that begins with them. */
    public static final int LESS_THAN_NEXT = 0x20;
    /** Behind the components of a place after everything that begins with them. */
    public static final int GREATER_THAN_NEXT = 0x60;

    private static final int ESCAPE = 0x00;
    private static final int ESCAPED_ZERO_CONTINUES = 0xFE;
    private static final int ESCAPED_ZERO_DONE = 0xFF;
    private static final int SIGN = 0x80;

    private ComparableBytes() {}

    /**
     * Appends bytes in their own order and ends them. A run of zeros becomes a zero, a byte FE for each further one, and
     * FF; the end is a zero, or FE right behind zeros.
     */
    public static void writeEscaped(byte[] value, int offset, int length, ByteWriter out) {
        boolean escaped = false;
        for (int i = offset; i < offset + length; i++) {
            if (value[i] == 0) {
                out.writeByte(escaped ? ESCAPED_ZERO_CONTINUES : ESCAPE);
                escaped = true;
            } else {
                if (escaped) {
                    out.writeByte(ESCAPED_ZERO_DONE);
                    escaped = false;
                }
                out.writeByte(value[i]);
            }
        }
        out.writeByte(escaped ? ESCAPED_ZERO_CONTINUES : ESCAPE);
    }

    /** Appends two's complement of a fixed length. */
    static void writeSigned(byte[] value, int offset, int length, ByteWriter out) {
        out.writeByte(value[offset] ^ SIGN);
        out.writeBytes(value, offset + 1, length - 1);
    }

    /** Appends an IEEE number of a fixed length: of negative ones every bit is turned over, of others the sign. */
    static void writeFloating(byte[] value, int offset, int length, ByteWriter out) {
        if (value[offset] >= 0) {
            writeSigned(value, offset, length, out);
            return;
        }
        for (int i = offset; i < offset + length; i++) {
            out.writeByte(~value[i]);
        }
    }

    /**
     * Appends a number in one to nine bytes. The first bit is the inverted sign, as many bits as bytes follow are its
     * inverse again, then comes the two's complement.
     */
    static void writeVariable(long value, ByteWriter out) {
        long negativeMask = value >> 63;
        long magnitude = value ^ negativeMask;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(magnitude | 1);
        int lengthBytes = bits / 7 + 1;
        if (lengthBytes > Long.BYTES) {
            out.writeByte(negativeMask == 0 ? 0xFF : 0x00);
            out.writeLong((magnitude | Long.MIN_VALUE) ^ negativeMask);
            return;
        }
        long lengthBits = -0x100L >> lengthBytes & 0xFF;
        long coded = (magnitude | lengthBits << 8 * (lengthBytes - 1)) ^ negativeMask;
        for (int i = lengthBytes - 1; i >= 0; i--) {
            out.writeByte((int) (coded >>> 8 * i));
        }
    }

    /** Appends a number that is not negative in one to five bytes, each turned over by {@code mask}. */
    static void writeUnsignedVariable(int value, int mask, ByteWriter out) {
        int extraBytes = (Integer.SIZE - 1 - Integer.numberOfLeadingZeros(value | 1)) / 7;
        long coded = value | (-0x100L >> extraBytes & 0xFF) << 8 * extraBytes;
        for (int i = extraBytes; i >= 0; i--) {
            out.writeByte((int) (coded >>> 8 * i) ^ mask);
        }
    }

    /** Appends a value within another with its separator; a negative length is a null. */
    static void writeElement(CqlType type, byte[] value, int offset, int length, ByteWriter out) {
        int start = out.lengthBytes();
        out.writeByte(NEXT_COMPONENT);
        if (length < 0 || !type.writeComparable(value, offset, length, out)) {
            out.truncate(start);
            out.writeByte(NEXT_COMPONENT_NULL);
        }
    }

    /** Turns over everything from {@code start} on: what is descending. */
    static void invert(ByteWriter out, int start) {
        byte[] array = out.array();
        for (int i = start; i < out.lengthBytes(); i++) {
            array[i] = (byte) ~array[i];
        }
    }
}
