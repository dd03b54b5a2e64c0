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
        Counts counts = read(value, offset, length);
        StringBuilder out = new StringBuilder();
        if (counts.months < 0 || counts.days < 0 || counts.nanos < 0) {
            out.append('-');
        }
        appendUnit(Math.abs(counts.months) / 12, "y", out);
        appendUnit(Math.abs(counts.months) % 12, "mo", out);
        appendUnit(Math.abs(counts.days), "d", out);
        long rest = Math.abs(counts.nanos);
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

    private record Counts(long months, long days, long nanos) {}

    private Counts read(byte[] value, int offset, int length) {
        Counts counts;
        try {
            ByteReader reader = new ByteReader().wrap(value, offset, length);
            counts = new Counts(reader.readSignedVInt(), reader.readSignedVInt(), reader.readSignedVInt());
        } catch (ByteUnderflowException e) {
            InvalidValueException invalid = invalid("value is cut short", value, offset, length);
            invalid.initCause(e);
            throw invalid;
        }
        if (counts.months != (int) counts.months || counts.days != (int) counts.days) {
            throw invalid("months or days out of range", value, offset, length);
        }
        boolean anyPositive = counts.months > 0 || counts.days > 0 || counts.nanos > 0;
        boolean anyNegative = counts.months < 0 || counts.days < 0 || counts.nanos < 0;
        if (anyPositive && anyNegative) {
            throw invalid("counts of different sign", value, offset, length);
        }
        return counts;
    }
}
