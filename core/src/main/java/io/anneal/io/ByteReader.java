package io.anneal.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A bounded, big-endian reader over a part of a heap array, re-pointed rather than re-created. Reading past the limit
 * throws {@link ByteUnderflowException}; callers turn it into the corruption of the file or peer they read from.
 */
public final class ByteReader {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final byte[] NOTHING = new byte[0];

    private byte[] array = NOTHING;
    private int offset;
    private int limit;

    public ByteReader() {}

    public ByteReader(byte[] array) {
        wrap(array, 0, array.length);
    }

    public ByteReader wrap(byte[] source, int sourceOffset, int lengthBytes) {
        // Nearly always the same array, and a comparison is cheaper than the collector's barrier at a store.
        if (array != source) {
            array = source;
        }
        offset = sourceOffset;
        limit = sourceOffset + lengthBytes;
        return this;
    }

    /** What remains of a heap buffer, whose own position stays. */
    public ByteReader wrap(ByteBuffer source) {
        return wrap(source.array(), source.arrayOffset() + source.position(), source.remaining());
    }

    public byte[] array() {
        return array;
    }

    /** Where the next byte is read, an offset into {@link #array()}. */
    public int offset() {
        return offset;
    }

    public void seek(int newOffset) {
        if (newOffset < 0 || newOffset > limit) {
            throw new ByteUnderflowException(newOffset, 0, limit);
        }
        offset = newOffset;
    }

    public int limit() {
        return limit;
    }

    public int remainingBytes() {
        return limit - offset;
    }

    public boolean hasRemaining() {
        return offset < limit;
    }

    private void require(int lengthBytes) {
        if (lengthBytes < 0 || limit - offset < lengthBytes) {
            throw new ByteUnderflowException(offset, lengthBytes, limit);
        }
    }

    /** Passes over {@code lengthBytes} and returns the offset at which they begin. */
    public int skip(int lengthBytes) {
        require(lengthBytes);
        int start = offset;
        offset += lengthBytes;
        return start;
    }

    public byte readByte() {
        require(1);
        return array[offset++];
    }

    public int readUnsignedByte() {
        return readByte() & 0xFF;
    }

    public int readUnsignedShort() {
        require(2);
        int value = (short) SHORT.get(array, offset) & 0xFFFF;
        offset += 2;
        return value;
    }

    public int readInt() {
        require(4);
        int value = (int) INT.get(array, offset);
        offset += 4;
        return value;
    }

    public long readLong() {
        require(8);
        long value = (long) LONG.get(array, offset);
        offset += 8;
        return value;
    }

    public byte[] readBytes(int lengthBytes) {
        require(lengthBytes);
        byte[] copy = java.util.Arrays.copyOfRange(array, offset, offset + lengthBytes);
        offset += lengthBytes;
        return copy;
    }

    public long readUnsignedVInt() {
        require(1);
        byte first = array[offset];
        if (first >= 0) {
            offset++;
            return first;
        }
        int extra = VInt.extraBytes(first);
        require(1 + extra);
        long value = extra >= 7 ? 0 : first & (0xFF >> extra);
        if (array.length - offset > Long.BYTES) {
            // What lies behind the number is read with it and shifted out.
            long tail = (long) LONG.get(array, offset + 1) >>> (Long.SIZE - Byte.SIZE * extra);
            offset += 1 + extra;
            return extra == Long.BYTES ? tail : value << (Byte.SIZE * extra) | tail;
        }
        int end = offset + extra;
        for (int i = offset + 1; i <= end; i++) {
            value = (value << 8) | (array[i] & 0xFF);
        }
        offset = end + 1;
        return value;
    }

    public long readSignedVInt() {
        return VInt.zigZagDecode(readUnsignedVInt());
    }

    /** An unsigned vint that is a length or a count: more than an {@code int} holds is an underflow. */
    public int readUnsignedVInt32() {
        long value = readUnsignedVInt();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new ByteUnderflowException(offset, value, limit);
        }
        return (int) value;
    }
}
