package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.time.Instant;
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
        out.append('"').append(format(JSON, value, offset, length)).append('"');
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return format(TEXT, value, offset, length);
    }

    private String format(DateTimeFormatter formatter, byte[] value, int offset, int length) {
        validate(value, offset, length);
        return length == 0 ? "" : formatter.format(Instant.ofEpochMilli(Bytes.longAt(value, offset)));
    }
}
