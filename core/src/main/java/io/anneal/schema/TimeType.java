package io.anneal.schema;

/** {@code time}: nanoseconds since midnight. Carries its length in SSTables. */
final class TimeType extends UnsignedNumberType {
    TimeType() {
        super("time", "TimeType", Long.BYTES, "null");
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
