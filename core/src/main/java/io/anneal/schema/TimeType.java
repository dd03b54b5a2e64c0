package io.anneal.schema;

import io.anneal.io.ByteWriter;

/** {@code time}: nanoseconds since midnight. Carries its length in SSTables. */
final class TimeType extends NativeType {
    TimeType() {
        super("time", "TimeType", VARIABLE_LENGTH);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return Bytes.compareUnsigned(left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        out.writeBytes(value, offset, length);
        return true;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        requireLength(value, offset, length, Long.BYTES, false);
    }

    /** Cassandra prints an empty time as the word null, in quotes. */
    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        if (length == 0) {
            out.append("\"null\"");
            return;
        }
        appendQuoted(value, offset, length, out);
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        validate(value, offset, length);
        long nanos = Bytes.longAt(value, offset);
        StringBuilder out = new StringBuilder(18);
        appendPadded(nanos / 3_600_000_000_000L % 24, 2, out);
        appendPadded(nanos / 60_000_000_000L % 60, 2, out.append(':'));
        appendPadded(nanos / 1_000_000_000L % 60, 2, out.append(':'));
        appendPadded(nanos % 1_000_000_000L, 9, out.append('.'));
        return out.toString();
    }

    private static void appendPadded(long number, int digits, StringBuilder out) {
        String text = Long.toString(number);
        out.append("0".repeat(Math.max(0, digits - text.length()))).append(text);
    }
}
