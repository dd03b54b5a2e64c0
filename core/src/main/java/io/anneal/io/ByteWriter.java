package io.anneal.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A growable heap buffer that is appended to, big-endian. The array may be replaced when it grows, so take
 * {@link #array()} after the last write. Owned by one thread.
 */
public final class ByteWriter {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final int SHRUNK_BYTES = 1024;
    private static final int CAPACITY_MAX_BYTES = Integer.MAX_VALUE - 16;

    private byte[] array;
    private int length;

    public ByteWriter(int initialCapacityBytes) {
        array = new byte[initialCapacityBytes];
    }

    public byte[] array() {
        return array;
    }

    /** Bytes written so far. */
    public int lengthBytes() {
        return length;
    }

    public int capacityBytes() {
        return array.length;
    }

    /** Forgets what lies at {@code lengthBytes} and behind. */
    public void truncate(int lengthBytes) {
        assert lengthBytes >= 0 && lengthBytes <= length : lengthBytes;
        length = lengthBytes;
    }

    public void clear() {
        length = 0;
    }

    /** Forgets all, and gives the memory back: after something huge. */
    public void shrink() {
        length = 0;
        array = new byte[SHRUNK_BYTES];
    }

    public byte[] toByteArray() {
        return Arrays.copyOf(array, length);
    }

    /** Makes room for {@code extraBytes} more; throws {@link OutOfMemoryError} never: the size is checked first. */
    public void ensure(int extraBytes) {
        if (array.length - length < extraBytes) {
            grow(extraBytes);
        }
    }

    private void grow(int extraBytes) {
        long needed = (long) length + extraBytes;
        if (needed > CAPACITY_MAX_BYTES) {
            throw new IllegalStateException("buffer too large, neededBytes=" + needed);
        }
        // By a factor, whatever the size, or the copying grows with the square of what is written. By no more than half
        // of what is there: it may be a large part of somebody's budget.
        long grown = array.length + (long) (array.length >> 1);
        array = Arrays.copyOf(array, (int) Math.max(needed, Math.min(CAPACITY_MAX_BYTES, grown)));
    }

    public void writeByte(int value) {
        ensure(1);
        array[length++] = (byte) value;
    }

    public void writeShort(int value) {
        ensure(2);
        SHORT.set(array, length, (short) value);
        length += 2;
    }

    public void writeInt(int value) {
        ensure(4);
        INT.set(array, length, value);
        length += 4;
    }

    public void writeLong(long value) {
        ensure(8);
        LONG.set(array, length, value);
        length += 8;
    }

    public void writeBytes(byte[] source) {
        writeBytes(source, 0, source.length);
    }

    public void writeBytes(byte[] source, int offset, int lengthBytes) {
        ensure(lengthBytes);
        System.arraycopy(source, offset, array, length, lengthBytes);
        length += lengthBytes;
    }

    public void writeUnsignedVInt(long value) {
        ensure(VInt.LENGTH_MAX_BYTES);
        if ((value & ~0x7FL) == 0) {
            array[length++] = (byte) value;
            return;
        }
        int size = VInt.lengthBytes(value);
        if (size == 9) {
            array[length] = (byte) 0xFF;
            LONG.set(array, length + 1, value);
        } else {
            // Eight bytes at once; what lies behind the number is room that is written later.
            long prefix = (long) (~0xFF >> (size - 1) & 0xFF) << (Byte.SIZE * (size - 1));
            LONG.set(array, length, (value | prefix) << (Long.SIZE - Byte.SIZE * size));
        }
        length += size;
    }

    public void writeSignedVInt(long value) {
        writeUnsignedVInt(VInt.zigZagEncode(value));
    }

    /** Overwrites four bytes that were written before. */
    public void setInt(int offset, int value) {
        assert offset >= 0 && offset + 4 <= length : offset;
        INT.set(array, offset, value);
    }
}
