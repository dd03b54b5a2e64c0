package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.math.BigDecimal;
import java.math.BigInteger;

/** {@code decimal}: four bytes of scale, then the unscaled number; ordered by value, so 1.0 and 1.00 are equal. */
final class DecimalType extends NativeType {
    private static final int POSITIVE = 0x80;
    private static final int EXPONENT_LENGTH = 0x40;
    private static final int DIGIT_ZERO = 0x80;
    private static final int DIGITS_END = 0x00;

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

    /**
     * A byte of sign and length of the exponent, the exponent to the base 100, the digits to that base behind the point,
     * and an end. The first digit of a negative number is below zero, the others make up for its rounding down.
     */
    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        BigDecimal number = valueAt(value, offset, length);
        if (number.signum() == 0) {
            out.writeByte(POSITIVE);
            return true;
        }
        boolean negative = number.signum() < 0;
        long scale = (long) number.scale() - number.precision() & ~1L;
        int exponent = (int) (-scale >> 1);
        int directed = negative ? -exponent : exponent;
        int exponentBytes = Integer.BYTES - Integer.numberOfLeadingZeros(Math.abs(directed)) / 8;
        out.writeByte((negative ? 0 : POSITIVE) + EXPONENT_LENGTH + (directed < 0 ? -exponentBytes : exponentBytes));
        for (int i = exponentBytes - 1; i >= 0; i--) {
            out.writeByte(directed >> 8 * i);
        }
        boolean shifted = scale + number.precision() != number.scale();
        writeDigits((shifted ? "0" : "") + number.unscaledValue().abs(), negative, out);
        return true;
    }

    private static void writeDigits(String digits, boolean negative, ByteWriter out) {
        int end = digits.length();
        while (digits.charAt(end - 1) == '0') {
            end--;
        }
        for (int i = 0; i < end; i += 2) {
            int pair = 10 * (digits.charAt(i) - '0') + (i + 1 < end ? digits.charAt(i + 1) - '0' : 0);
            boolean last = i + 2 >= end;
            int digit = pair;
            if (negative) {
                // The first digit is rounded down, below zero; what is left over from that is above zero.
                digit = (i == 0 ? 0 : 100) - pair - (last ? 0 : 1);
            }
            out.writeByte(DIGIT_ZERO + digit);
        }
        out.writeByte(DIGITS_END);
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
