package io.anneal.schema;

import java.time.LocalDate;
import java.time.format.DateTimeFormatter;

/** {@code date}: days as an unsigned number, 1970-01-01 being 2^31. Carries its length in SSTables. */
final class DateType extends UnsignedNumberType {
    DateType() {
        super("date", "SimpleDateType", Integer.BYTES, "");
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        validate(value, offset, length);
        int days = Bytes.intAt(value, offset) + Integer.MIN_VALUE;
        return DateTimeFormatter.ISO_LOCAL_DATE.format(LocalDate.ofEpochDay(days));
    }
}
