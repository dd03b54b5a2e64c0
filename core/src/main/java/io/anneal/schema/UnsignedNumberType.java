package io.anneal.schema;

import io.anneal.io.ByteWriter;

/** A number of so many bytes, compared without a sign, that carries its length in SSTables. */
abstract class UnsignedNumberType extends NativeType {
    private final int lengthBytes;
    private final String emptyJson;

    /** @param emptyJson what Cassandra prints for an empty value, in quotes */
    UnsignedNumberType(String cqlName, String className, int lengthBytes, String emptyJson) {
        super(cqlName, className, VARIABLE_LENGTH);
        this.lengthBytes = lengthBytes;
        this.emptyJson = emptyJson;
    }

    @Override
    public final int compare(
            byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return Bytes.compareUnsigned(left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    @Override
    public final boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        out.writeBytes(value, offset, length);
        return true;
    }

    @Override
    public final void validate(byte[] value, int offset, int length) {
        requireLength(value, offset, length, lengthBytes, false);
    }

    @Override
    public final void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        if (length == 0) {
            out.append('"').append(emptyJson).append('"');
            return;
        }
        appendQuoted(value, offset, length, out);
    }
}
