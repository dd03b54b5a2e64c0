package io.anneal.schema;

/** Bytes in unsigned order: {@code blob}. */
final class BlobType extends NativeType {
    BlobType() {
        super("blob", "BytesType", VARIABLE_LENGTH);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return Bytes.compareUnsigned(left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        // Any bytes are a blob.
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        out.append("\"0x");
        Bytes.appendHex(value, offset, length, out);
        out.append('"');
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return Bytes.hex(value, offset, length);
    }
}
