package io.anneal.schema;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** {@code inet}: the 4 or 16 bytes of an address, in unsigned order. */
final class InetType extends NativeType {
    InetType() {
        super("inet", "InetAddressType", VARIABLE_LENGTH);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return Bytes.compareUnsigned(left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        if (length != 0 && length != 4 && length != 16) {
            throw invalid("value of wrong length", value, offset, length);
        }
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        appendQuoted(value, offset, length, out);
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        validate(value, offset, length);
        if (length == 0) {
            return "";
        }
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(value, offset, offset + length))
                    .getHostAddress();
        } catch (UnknownHostException e) {
            throw new AssertionError("length was checked", e);
        }
    }
}
