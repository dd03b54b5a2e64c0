package io.anneal.schema;

import io.anneal.io.ByteWriter;

/** The type without values that the headers of tables with {@code COMPACT STORAGE} name. */
final class EmptyType extends NativeType {
    EmptyType() {
        super("empty", "EmptyType", 0);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return 0;
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        return false;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        requireLength(value, offset, length, 0, true);
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        out.append("\"\"");
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return "";
    }
}
