package io.anneal.schema;

import io.anneal.io.ByteWriter;

/** {@code float} and {@code double}, in Java's total order: -0.0 before 0.0, NaN after everything. */
final class FloatingType extends NativeType {
    private final int lengthBytes;

    private FloatingType(String cqlName, String simpleClassName, int lengthBytes) {
        super(cqlName, simpleClassName, lengthBytes);
        this.lengthBytes = lengthBytes;
    }

    static FloatingType float32() {
        return new FloatingType("float", "FloatType", Float.BYTES);
    }

    static FloatingType float64() {
        return new FloatingType("double", "DoubleType", Double.BYTES);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        if (leftLength != lengthBytes || rightLength != lengthBytes) {
            return Bytes.compareMisSized(left, leftOffset, leftLength, right, rightOffset, rightLength, lengthBytes);
        }
        return Double.compare(valueAt(left, leftOffset), valueAt(right, rightOffset));
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        ComparableBytes.writeFloating(value, offset, length, out);
        return true;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        requireLength(value, offset, length, lengthBytes, true);
    }

    /** NaN and infinities print as null: JSON has no words for them. */
    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        if (length == 0) {
            out.append("\"\"");
            return;
        }
        requireLength(value, offset, length, lengthBytes, false);
        out.append(Double.isFinite(valueAt(value, offset)) ? toText(value, offset, length) : "null");
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        validate(value, offset, length);
        if (length == 0) {
            return "";
        }
        return lengthBytes == Float.BYTES
                ? Float.toString(Float.intBitsToFloat(Bytes.intAt(value, offset)))
                : Double.toString(Double.longBitsToDouble(Bytes.longAt(value, offset)));
    }

    /** A float as a double: exact, and in the same order. */
    private double valueAt(byte[] value, int offset) {
        return lengthBytes == Float.BYTES
                ? Float.intBitsToFloat(Bytes.intAt(value, offset))
                : Double.longBitsToDouble(Bytes.longAt(value, offset));
    }
}
