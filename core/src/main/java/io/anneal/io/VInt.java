package io.anneal.io;

/**
 * Cassandra's variable-length integers: the number of leading one bits of the first byte is the number of bytes that
 * follow, big-endian. Signed values are zig-zag encoded first. At most nine bytes.
 */
public final class VInt {
    public static final int LENGTH_MAX_BYTES = 9;

    private VInt() {}

    /** Length in bytes of {@code value} taken as unsigned. */
    public static int lengthBytes(long value) {
        int magnitude = Long.numberOfLeadingZeros(value | 1);
        return 9 - ((magnitude - 1) / 7);
    }

    /** Number of bytes that follow {@code first}: 0 to 8. */
    public static int extraBytes(byte first) {
        return Integer.numberOfLeadingZeros(~(first << 24));
    }

    public static long zigZagEncode(long value) {
        return (value << 1) ^ (value >> 63);
    }

    public static long zigZagDecode(long value) {
        return (value >>> 1) ^ -(value & 1);
    }
}
