package io.anneal.schema;

import io.anneal.io.ByteWriter;

/** {@code boolean}: one byte, of which every value but zero is true. */
final class BooleanType extends NativeType {
    BooleanType() {
        super("boolean", "BooleanType", 1);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        if (leftLength == 0 || rightLength == 0) {
            return Integer.compare(leftLength, rightLength);
        }
        return Boolean.compare(left[leftOffset] != 0, right[rightOffset] != 0);
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        out.writeByte(value[offset] == 0 ? 0 : 1);
        return true;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        requireLength(value, offset, length, 1, true);
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        out.append(length == 0 ? "\"\"" : toText(value, offset, length));
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        validate(value, offset, length);
        return length == 0 ? "" : Boolean.toString(value[offset] != 0);
    }
}
