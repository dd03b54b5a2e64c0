package io.anneal.schema;

import java.math.BigDecimal;
import java.math.BigInteger;

/** {@code decimal}: four bytes of scale, then the unscaled number; ordered by value, so 1.0 and 1.00 are equal. */
final class DecimalType extends NativeType {
    DecimalType() {
        super("decimal", "DecimalType", VARIABLE_LENGTH);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        if (leftLength == 0 || rightLength == 0) {
            return Integer.compare(leftLength, rightLength);
        }
        return valueAt(left, leftOffset, leftLength).compareTo(valueAt(right, rightOffset, rightLength));
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        if (length != 0 && length < Integer.BYTES) {
            throw invalid("value without a whole scale", value, offset, length);
        }
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        out.append(length == 0 ? "\"\"" : toText(value, offset, length));
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return length == 0 ? "" : valueAt(value, offset, length).toString();
    }

    private BigDecimal valueAt(byte[] value, int offset, int length) {
        if (length <= Integer.BYTES) {
            throw invalid("value without an unscaled number", value, offset, length);
        }
        BigInteger unscaled = new BigInteger(value, offset + Integer.BYTES, length - Integer.BYTES);
        return new BigDecimal(unscaled, Bytes.intAt(value, offset));
    }
}
