package io.anneal.schema;

import io.anneal.io.ByteWriter;

/**
 * Two's complement numbers of a fixed length: {@code tinyint}, {@code smallint}, {@code int}, {@code bigint}. The two
 * short ones carry their length in SSTables although it never varies, and do not admit empty values: so does Cassandra.
 */
final class IntegralType extends NativeType {
    private final int lengthBytes;
    private final boolean emptyAllowed;

    private IntegralType(String cqlName, String simpleClassName, int lengthBytes, boolean emptyAllowed) {
        super(cqlName, simpleClassName, emptyAllowed ? lengthBytes : VARIABLE_LENGTH);
        this.lengthBytes = lengthBytes;
        this.emptyAllowed = emptyAllowed;
    }

    static IntegralType tinyint() {
        return new IntegralType("tinyint", "ByteType", 1, false);
    }

    static IntegralType smallint() {
        return new IntegralType("smallint", "ShortType", 2, false);
    }

    static IntegralType integer() {
        return new IntegralType("int", "Int32Type", 4, true);
    }

    static IntegralType bigint() {
        return new IntegralType("bigint", "LongType", 8, true);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        if (leftLength != lengthBytes || rightLength != lengthBytes) {
            return Bytes.compareMisSized(left, leftOffset, leftLength, right, rightOffset, rightLength, lengthBytes);
        }
        return Long.compare(valueAt(left, leftOffset), valueAt(right, rightOffset));
    }

    /** A {@code bigint} has as many bytes as its number needs, the others those that they are stored in. */
    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        requireLength(value, offset, length, lengthBytes, false);
        if (lengthBytes == Long.BYTES) {
            ComparableBytes.writeVariable(Bytes.longAt(value, offset), out);
        } else {
            ComparableBytes.writeSigned(value, offset, length, out);
        }
        return true;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        requireLength(value, offset, length, lengthBytes, emptyAllowed);
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        if (length == 0) {
            out.append("\"\"");
            return;
        }
        requireLength(value, offset, length, lengthBytes, false);
        out.append(valueAt(value, offset));
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        validate(value, offset, length);
        return length == 0 ? "" : Long.toString(valueAt(value, offset));
    }

    private long valueAt(byte[] value, int offset) {
        return switch (lengthBytes) {
            case 1 -> value[offset];
            case 2 -> Bytes.shortAt(value, offset);
            case 4 -> Bytes.intAt(value, offset);
            default -> Bytes.longAt(value, offset);
        };
    }
}
