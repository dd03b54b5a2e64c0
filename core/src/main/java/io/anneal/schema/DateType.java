package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;

/** {@code date}: days as an unsigned number, 1970-01-01 being 2^31. Carries its length in SSTables. */
final class DateType extends NativeType {
    DateType() {
        super("date", "SimpleDateType", VARIABLE_LENGTH);
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
        requireLength(value, offset, length, Integer.BYTES, false);
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
        validate(value, offset, length);
        int days = Bytes.intAt(value, offset) + Integer.MIN_VALUE;
        return DateTimeFormatter.ISO_LOCAL_DATE.format(LocalDate.ofEpochDay(days));
    }
}
