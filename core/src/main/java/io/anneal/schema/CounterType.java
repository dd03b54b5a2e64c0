package io.anneal.schema;

/**
 * {@code counter}: a cell's value is a context of {@link CounterShards}. Cassandra has no order for contexts; the one here
 * is that of their bytes.
 */
final class CounterType extends NativeType {
    CounterType() {
        super("counter", "CounterColumnType", VARIABLE_LENGTH);
    }

    @Override
    public boolean isCounter() {
        return true;
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return Bytes.compareUnsigned(left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        new CounterShards().validate(value, offset, length);
    }

    /** As sstabledump prints a counter, which is not its total: the first eight bytes of the context as a number. */
    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        if (length == 0) {
            out.append("\"\"");
            return;
        }
        if (length < Long.BYTES) {
            throw invalid("value is cut short", value, offset, length);
        }
        out.append(Bytes.longAt(value, offset));
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return Bytes.hex(value, offset, length);
    }
}
