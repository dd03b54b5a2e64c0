package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.math.BigInteger;

/** Two's complement numbers of any length: {@code varint}. Equal numbers may differ in leading sign bytes. */
final class VarintType extends NativeType {
    private static final int FULL_FORM_BYTES = 7;

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

    /** Up to six bytes as {@code bigint}; more behind a byte of sign and their number, without bytes that only repeat the sign. */
    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        int start = startOffset(value, offset, length);
        int significant = offset + length - start;
        if (significant < FULL_FORM_BYTES) {
            long number = value[offset] >> 7;
            for (int i = start; i < offset + length; i++) {
                number = number << 8 | value[i] & 0xFF;
            }
            ComparableBytes.writeVariable(number, out);
        } else {
            int sign = value[offset] >> 7;
            out.writeByte(~sign);
            ComparableBytes.writeUnsignedVariable(significant - FULL_FORM_BYTES, sign, out);
            out.writeBytes(value, start, significant);
        }
        return true;
    }

    /** Offset of the first byte that is not all sign, or of the last byte. */
    private static int startOffset(byte[] value, int offset, int length) {
        int sign = value[offset] >> 7;
        int i = offset;
        while (i < offset + length - 1 && value[i] == sign) {
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
