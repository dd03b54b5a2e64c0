package io.anneal.schema;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteUnderflowException;

/**
 * {@code duration}: months, days and nanoseconds as signed variable-length integers, all of one sign. CQL refuses to
 * compare durations; their bytes have an order nevertheless, since storage needs one.
 */
final class DurationType extends NativeType {
    private static final long[] TIME_UNIT_NANOS = {
        3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1_000L
    };
    private static final String[] TIME_UNITS = {"h", "m", "s", "ms", "us"};

    DurationType() {
        super("duration", "DurationType", VARIABLE_LENGTH);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return Bytes.compareUnsigned(left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        read(value, offset, length);
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        if (length == 0) {
            out.append("\"\"");
            return;
        }
        appendQuoted(value, offset, length, out);
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        Parts parts = read(value, offset, length);
        StringBuilder out = new StringBuilder();
        if (parts.months < 0 || parts.days < 0 || parts.nanos < 0) {
            out.append('-');
        }
        appendUnit(Math.abs(parts.months) / 12, "y", out);
        appendUnit(Math.abs(parts.months) % 12, "mo", out);
        appendUnit(Math.abs(parts.days), "d", out);
        long rest = Math.abs(parts.nanos);
        for (int i = 0; i < TIME_UNITS.length; i++) {
            appendUnit(rest / TIME_UNIT_NANOS[i], TIME_UNITS[i], out);
            rest %= TIME_UNIT_NANOS[i];
        }
        appendUnit(rest, "ns", out);
        return out.toString();
    }

    private static void appendUnit(long count, String unit, StringBuilder out) {
        if (count > 0) {
            out.append(count).append(unit);
        }
    }

    private record Parts(long months, long days, long nanos) {}

    private Parts read(byte[] value, int offset, int length) {
        Parts parts;
        try {
            ByteReader reader = new ByteReader().wrap(value, offset, length);
            parts = new Parts(reader.readSignedVInt(), reader.readSignedVInt(), reader.readSignedVInt());
        } catch (ByteUnderflowException e) {
            InvalidValueException invalid = invalid("value is cut short", value, offset, length);
            invalid.initCause(e);
            throw invalid;
        }
        if (parts.months != (int) parts.months || parts.days != (int) parts.days) {
            throw invalid("months or days out of range", value, offset, length);
        }
        boolean anyPositive = parts.months > 0 || parts.days > 0 || parts.nanos > 0;
        boolean anyNegative = parts.months < 0 || parts.days < 0 || parts.nanos < 0;
        if (anyPositive && anyNegative) {
            throw invalid("parts of different sign", value, offset, length);
        }
        return parts;
    }
}
