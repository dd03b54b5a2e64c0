package io.anneal.schema;

/**
 * Values in a row, each after four bytes of length, as collections, tuples and user-defined types hold them. A negative
 * length is a null. Every length is checked against the end of the whole.
 */
final class Elements {
    private Elements() {}

    /** How many elements a collection says it has; a negative number counts as none, but has its place in the order. */
    static int count(CqlType type, byte[] value, int offset, int length) {
        if (length < Integer.BYTES) {
            throw cutShort(type, value, offset, length);
        }
        return Bytes.intAt(value, offset);
    }

    /** The length of the element whose length field stands at {@code at}; negative for null. */
    static int lengthAt(CqlType type, byte[] value, int at, int end) {
        if (end - at < Integer.BYTES) {
            throw cutShort(type, value, at, Math.max(0, end - at));
        }
        int length = Bytes.intAt(value, at);
        if (length > end - at - Integer.BYTES) {
            throw cutShort(type, value, at, end - at);
        }
        return length;
    }

    /** The length of an element that must be there. */
    static int presentLengthAt(CqlType type, byte[] value, int at, int end) {
        int length = lengthAt(type, value, at, end);
        if (length < 0) {
            throw invalid("null where none may be", type, value, at, end - at);
        }
        return length;
    }

    /** Where the next length field stands. */
    static int after(int at, int length) {
        return at + Integer.BYTES + Math.max(0, length);
    }

    /** Order of two elements; null, which no collection should hold, counts as empty. */
    static int compare(
            CqlType type, byte[] left, int leftAt, int leftLength, byte[] right, int rightAt, int rightLength) {
        return type.compare(
                left,
                leftAt + Integer.BYTES,
                Math.max(0, leftLength),
                right,
                rightAt + Integer.BYTES,
                Math.max(0, rightLength));
    }

    static void appendJson(CqlType type, byte[] value, int at, int length, StringBuilder out) {
        if (length < 0) {
            out.append("null");
        } else {
            type.appendJson(value, at + Integer.BYTES, length, out);
        }
    }

    static void requireEnd(CqlType type, byte[] value, int at, int end) {
        if (at < end) {
            throw invalid("bytes after the end of the value", type, value, at, end - at);
        }
    }

    static InvalidValueException cutShort(CqlType type, byte[] value, int offset, int length) {
        return invalid("value is cut short", type, value, offset, length);
    }

    static InvalidValueException invalid(String what, CqlType type, byte[] value, int offset, int length) {
        return new InvalidValueException(
                what + ", type=" + type.cqlName() + ", bytes=" + Bytes.excerpt(value, offset, length));
    }
}
