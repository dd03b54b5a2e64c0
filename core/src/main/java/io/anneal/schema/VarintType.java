package io.anneal.schema;

import java.math.BigInteger;

/** Two's complement numbers of any length: {@code varint}. Equal numbers may differ in leading sign bytes. */
final class VarintType extends NativeType {
    VarintType() {
        super("varint", "IntegerType", VARIABLE_LENGTH);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        if (leftLength == 0 || rightLength == 0) {
            return Integer.compare(leftLength, rightLength);
        }
        int leftStart = significantOffset(left, leftOffset, leftLength);
        int rightStart = significantOffset(right, rightOffset, rightLength);
        boolean leftNegative = left[leftStart] < 0;
        boolean rightNegative = right[rightStart] < 0;
        if (leftNegative != rightNegative) {
            return leftNegative ? -1 : 1;
        }
        int leftSignificant = leftOffset + leftLength - leftStart;
        int rightSignificant = rightOffset + rightLength - rightStart;
        if (leftSignificant != rightSignificant) {
            return leftSignificant < rightSignificant == leftNegative ? 1 : -1;
        }
        return Bytes.compareUnsigned(left, leftStart, leftSignificant, right, rightStart, rightSignificant);
    }

    /** Offset of the first byte that the number needs: leading bytes that only repeat the sign are skipped. */
    private static int significantOffset(byte[] value, int offset, int length) {
        int i = offset;
        int last = offset + length - 1;
        while (i < last && (value[i] == 0 && value[i + 1] >= 0 || value[i] == -1 && value[i + 1] < 0)) {
            i++;
        }
        return i;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        // Any bytes are a number.
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        out.append(length == 0 ? "\"\"" : toText(value, offset, length));
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return length == 0 ? "" : new BigInteger(value, offset, length).toString();
    }
}
