package io.anneal.schema;

import io.anneal.io.ByteWriter;

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

    /**
     * Order of two collections: by their elements, then by how many there are. Entries have one element, or two: then
     * {@code first} and {@code second} take turns.
     */
    static int compareCollections(
            CqlType type,
            int elementsPerEntry,
            CqlType first,
            CqlType second,
            byte[] left,
            int leftOffset,
            int leftLength,
            byte[] right,
            int rightOffset,
            int rightLength) {
        if (leftLength == 0 || rightLength == 0) {
            return Integer.compare(leftLength, rightLength);
        }
        int leftCount = count(type, left, leftOffset, leftLength);
        int rightCount = count(type, right, rightOffset, rightLength);
        int leftAt = leftOffset + Integer.BYTES;
        int rightAt = rightOffset + Integer.BYTES;
        long elements = (long) elementsPerEntry * Math.min(leftCount, rightCount);
        for (long i = 0; i < elements; i++) {
            int leftElement = lengthAt(type, left, leftAt, leftOffset + leftLength);
            int rightElement = lengthAt(type, right, rightAt, rightOffset + rightLength);
            CqlType element = (i & 1) == 0 ? first : second;
            int order = compare(element, left, leftAt, leftElement, right, rightAt, rightElement);
            if (order != 0) {
                return order;
            }
            leftAt = after(leftAt, leftElement);
            rightAt = after(rightAt, rightElement);
        }
        return Integer.compare(leftCount, rightCount);
    }

    /** Checks every element of a collection, as {@link #compareCollections} takes it, and that nothing follows. */
    static void validateCollection(
            CqlType type, int elementsPerEntry, CqlType first, CqlType second, byte[] value, int offset, int length) {
        int at = offset + Integer.BYTES;
        long elements = (long) elementsPerEntry * count(type, value, offset, length);
        for (long i = 0; i < elements; i++) {
            int elementLength = presentLengthAt(type, value, at, offset + length);
            ((i & 1) == 0 ? first : second).validate(value, at + Integer.BYTES, elementLength);
            at = after(at, elementLength);
        }
        requireEnd(type, value, at, offset + length);
    }

    /** Appends every element of a collection, as {@link #compareCollections} takes it, and its end. */
    static boolean writeComparable(
            CqlType type,
            int elementsPerEntry,
            CqlType first,
            CqlType second,
            byte[] value,
            int offset,
            int length,
            ByteWriter out) {
        if (length == 0) {
            return false;
        }
        int at = offset + Integer.BYTES;
        long elements = (long) elementsPerEntry * count(type, value, offset, length);
        for (long i = 0; i < elements; i++) {
            int elementLength = lengthAt(type, value, at, offset + length);
            CqlType element = (i & 1) == 0 ? first : second;
            ComparableBytes.writeElement(element, value, at + Integer.BYTES, elementLength, out);
            at = after(at, elementLength);
        }
        out.writeByte(ComparableBytes.TERMINATOR);
        return true;
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
