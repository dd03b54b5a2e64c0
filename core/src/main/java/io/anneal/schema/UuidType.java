package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.util.UUID;

/**
 * The three types of UUIDs, which differ in order: {@code uuid} by version, then by time where the version is 1, else
 * unsigned; {@code timeuuid} by time, then by the signed bytes of the rest; the old lexical one as Java's UUID.
 */
final class UuidType extends NativeType {
    private static final int LENGTH_BYTES = 16;

    private enum Order {
        VERSION_FIRST,
        TIME,
        LEXICAL
    }

    private final Order order;

    private UuidType(String cqlName, String simpleClassName, Order order) {
        super(cqlName, simpleClassName, LENGTH_BYTES);
        this.order = order;
    }

    static UuidType uuid() {
        return new UuidType("uuid", "UUIDType", Order.VERSION_FIRST);
    }

    static UuidType timeuuid() {
        return new UuidType("timeuuid", "TimeUUIDType", Order.TIME);
    }

    static UuidType lexical() {
        return new UuidType("'" + PACKAGE + "LexicalUUIDType'", "LexicalUUIDType", Order.LEXICAL);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        if (leftLength != LENGTH_BYTES || rightLength != LENGTH_BYTES) {
            return Bytes.compareMisSized(left, leftOffset, leftLength, right, rightOffset, rightLength, LENGTH_BYTES);
        }
        long leftHigh = Bytes.longAt(left, leftOffset);
        long rightHigh = Bytes.longAt(right, rightOffset);
        long leftLow = Bytes.longAt(left, leftOffset + Long.BYTES);
        long rightLow = Bytes.longAt(right, rightOffset + Long.BYTES);
        return switch (order) {
            case VERSION_FIRST -> compareVersionFirst(leftHigh, leftLow, rightHigh, rightLow);
            case TIME -> compareByTime(leftHigh, leftLow, rightHigh, rightLow);
            case LEXICAL -> leftHigh != rightHigh ? Long.compare(leftHigh, rightHigh) : Long.compare(leftLow, rightLow);
        };
    }

    private static int compareVersionFirst(long leftHigh, long leftLow, long rightHigh, long rightLow) {
        int leftVersion = version(leftHigh);
        int rightVersion = version(rightHigh);
        if (leftVersion != rightVersion) {
            return Integer.compare(leftVersion, rightVersion);
        }
        int byHigh = leftVersion == 1
                ? Long.compare(timeFirst(leftHigh), timeFirst(rightHigh))
                : Long.compareUnsigned(leftHigh, rightHigh);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(leftLow, rightLow);
    }

    /** The second halves compare byte by byte as signed numbers: flipping every sign bit makes that an unsigned order. */
    private static int compareByTime(long leftHigh, long leftLow, long rightHigh, long rightLow) {
        int byTime = Long.compare(timeFirst(leftHigh), timeFirst(rightHigh));
        return byTime != 0
                ? byTime
                : Long.compareUnsigned(leftLow ^ 0x8080808080808080L, rightLow ^ 0x8080808080808080L);
    }

    private static int version(long high) {
        return (int) (high >>> 12) & 0xF;
    }

    /** A UUID's first half with its parts of the time in order of weight: version and high, mid, low. */
    private static long timeFirst(long high) {
        return high << 48 | (high & 0xFFFF0000L) << 16 | high >>> 32;
    }

    /** The halves changed so that their unsigned order is that of the type. */
    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        requireLength(value, offset, length, LENGTH_BYTES, false);
        long high = Bytes.longAt(value, offset);
        long low = Bytes.longAt(value, offset + Long.BYTES);
        switch (order) {
            case VERSION_FIRST -> {
                int version = version(high);
                out.writeLong(version == 1 ? timeFirst(high) : versionFirst(high, version));
                out.writeLong(low);
            }
            case TIME -> {
                out.writeLong(timeFirst(high));
                out.writeLong(low ^ 0x8080808080808080L);
            }
            case LEXICAL -> {
                out.writeLong(high ^ Long.MIN_VALUE);
                out.writeLong(low ^ Long.MIN_VALUE);
            }
        }
        return true;
    }

    private static long versionFirst(long high, int version) {
        return (long) version << 60 | high >>> 4 & 0x0FFFFFFFFFFFF000L | high & 0xFFFL;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        requireLength(value, offset, length, LENGTH_BYTES, true);
        if (order == Order.TIME && length == LENGTH_BYTES && version(Bytes.longAt(value, offset)) != 1) {
            throw invalid("UUID is not based on time", value, offset, length);
        }
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        appendQuoted(value, offset, length, out);
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        requireLength(value, offset, length, LENGTH_BYTES, true);
        return length == 0
                ? ""
                : new UUID(Bytes.longAt(value, offset), Bytes.longAt(value, offset + Long.BYTES)).toString();
    }
}
