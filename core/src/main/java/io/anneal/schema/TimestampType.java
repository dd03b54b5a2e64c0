package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * Milliseconds since 1970: {@code timestamp}, and the type that stood for it before Cassandra 2.0, which differs only in
 * that it sorts times before 1970 last.
 */
final class TimestampType extends NativeType {
    private static final DateTimeFormatter TEXT = formatter("yyyy-MM-dd'T'HH:mm:ss.SSSX");
    private static final DateTimeFormatter JSON = formatter("yyyy-MM-dd HH:mm:ss.SSSX");
    private static final long DAY_MILLIS = 86_400_000;
    /** The years 1 to 9999, which have four digits. */
    private static final long PLAIN_MIN = -62_135_596_800_000L;

    private static final long PLAIN_MAX = 253_402_300_799_999L;
    private static final int ISO_LENGTH = 24;

    private final boolean unsigned;

    private TimestampType(String simpleClassName, boolean unsigned) {
        super("timestamp", simpleClassName, Long.BYTES);
        this.unsigned = unsigned;
    }

    static TimestampType timestamp() {
        return new TimestampType("TimestampType", false);
    }

    static TimestampType legacyDate() {
        return new TimestampType("DateType", true);
    }

    private static DateTimeFormatter formatter(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        if (leftLength != Long.BYTES || rightLength != Long.BYTES) {
            return Bytes.compareMisSized(left, leftOffset, leftLength, right, rightOffset, rightLength, Long.BYTES);
        }
        long leftMillis = Bytes.longAt(left, leftOffset);
        long rightMillis = Bytes.longAt(right, rightOffset);
        return unsigned ? Long.compareUnsigned(leftMillis, rightMillis) : Long.compare(leftMillis, rightMillis);
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        if (unsigned) {
            out.writeBytes(value, offset, length);
        } else {
            ComparableBytes.writeSigned(value, offset, length, out);
        }
        return true;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        requireLength(value, offset, length, Long.BYTES, true);
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        validate(value, offset, length);
        out.append('"');
        append(value, offset, length, ' ', JSON, out);
        out.append('"');
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        validate(value, offset, length);
        StringBuilder out = new StringBuilder(ISO_LENGTH);
        append(value, offset, length, 'T', TEXT, out);
        return out.toString();
    }

    /** As the formatter does, which is slow, and asked for years without four digits only. */
    private static void append(
            byte[] value, int offset, int length, char separator, DateTimeFormatter formatter, StringBuilder out) {
        if (length == 0) {
            return;
        }
        long millis = Bytes.longAt(value, offset);
        if (millis < PLAIN_MIN || millis > PLAIN_MAX) {
            formatter.formatTo(Instant.ofEpochMilli(millis), out);
            return;
        }
        LocalDate date = LocalDate.ofEpochDay(Math.floorDiv(millis, DAY_MILLIS));
        int ofDay = (int) Math.floorMod(millis, DAY_MILLIS);
        int seconds = ofDay / 1000;
        appendDigits(date.getYear(), 1000, out);
        appendDigits(date.getMonthValue(), 10, out.append('-'));
        appendDigits(date.getDayOfMonth(), 10, out.append('-'));
        appendDigits(seconds / 3600, 10, out.append(separator));
        appendDigits(seconds / 60 % 60, 10, out.append(':'));
        appendDigits(seconds % 60, 10, out.append(':'));
        appendDigits(ofDay % 1000, 100, out.append('.'));
        out.append('Z');
    }

    /** @param first what the first digit counts */
    private static void appendDigits(int number, int first, StringBuilder out) {
        for (int unit = first; unit > 0; unit /= 10) {
            out.append((char) ('0' + number / unit % 10));
        }
    }
}
