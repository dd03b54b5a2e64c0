package io.anneal.schema;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Big-endian numbers, unsigned order and hex of bytes that stay where they lie. */
final class Bytes {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private Bytes() {}

    static long longAt(byte[] array, int offset) {
        return (long) LONG.get(array, offset);
    }

    static void longAt(byte[] array, int offset, long value) {
        LONG.set(array, offset, value);
    }

    static int intAt(byte[] array, int offset) {
        return (int) INT.get(array, offset);
    }

    static short shortAt(byte[] array, int offset) {
        return (short) SHORT.get(array, offset);
    }

    static int compareUnsigned(
            byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return Arrays.compareUnsigned(
                left, leftOffset, leftOffset + leftLength, right, rightOffset, rightOffset + rightLength);
    }

    /**
     * The order of values of which at least one has not the length of its type: empty ones first, then the ones of the
     * wrong length, so that corrupt bytes still have one place.
     */
    static int compareMisSized(
            byte[] left,
            int leftOffset,
            int leftLength,
            byte[] right,
            int rightOffset,
            int rightLength,
            int lengthBytes) {
        if (leftLength == lengthBytes || rightLength == lengthBytes) {
            return leftLength == lengthBytes ? 1 : -1;
        }
        return compareUnsigned(left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    static void appendHex(byte[] array, int offset, int length, StringBuilder out) {
        for (int i = offset; i < offset + length; i++) {
            out.append(HEX[array[i] >> 4 & 0xF]).append(HEX[array[i] & 0xF]);
        }
    }

    static String hex(byte[] array, int offset, int length) {
        StringBuilder out = new StringBuilder(2 * length);
        appendHex(array, offset, length, out);
        return out.toString();
    }

    /** A value's bytes for messages: the first of them only, since a blob may be large. */
    static String excerpt(byte[] array, int offset, int length) {
        int shown = Math.min(length, 32);
        return "0x" + hex(array, offset, shown) + (shown < length ? "..." : "");
    }
}
