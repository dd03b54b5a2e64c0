package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.util.List;
import java.util.stream.Collectors;

/** {@code tuple}: always frozen. Fields may be null, and those at the end may be missing, which compares as null. */
final class TupleType extends CqlType {
    private final List<CqlType> fields;
    private final String className;
    private final String cqlName;

    TupleType(List<CqlType> fields) {
        super(fields);
        this.fields = components();
        className = NativeType.PACKAGE + "TupleType("
                + fields.stream().map(t -> t.className(true)).collect(Collectors.joining(",")) + ")";
        cqlName = "frozen<tuple<" + fields.stream().map(CqlType::cqlName).collect(Collectors.joining(", ")) + ">>";
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return compareFields(this, fields, left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    /** Order of two values of a tuple or a user-defined type. */
    static int compareFields(
            CqlType type,
            List<CqlType> fields,
            byte[] left,
            int leftOffset,
            int leftLength,
            byte[] right,
            int rightOffset,
            int rightLength) {
        if (leftLength == 0 || rightLength == 0) {
            return Integer.compare(leftLength, rightLength);
        }
        int leftEnd = leftOffset + leftLength;
        int rightEnd = rightOffset + rightLength;
        int leftAt = leftOffset;
        int rightAt = rightOffset;
        for (int i = 0; i < fields.size() && leftAt < leftEnd && rightAt < rightEnd; i++) {
            int leftField = Elements.lengthAt(type, left, leftAt, leftEnd);
            int rightField = Elements.lengthAt(type, right, rightAt, rightEnd);
            if (leftField < 0 != rightField < 0) {
                return leftField < 0 ? -1 : 1;
            }
            if (leftField >= 0) {
                int order = Elements.compare(fields.get(i), left, leftAt, leftField, right, rightAt, rightField);
                if (order != 0) {
                    return order;
                }
            }
            leftAt = Elements.after(leftAt, leftField);
            rightAt = Elements.after(rightAt, rightField);
        }
        return Boolean.compare(anyFieldFrom(type, left, leftAt, leftEnd), anyFieldFrom(type, right, rightAt, rightEnd));
    }

    private static boolean anyFieldFrom(CqlType type, byte[] value, int start, int end) {
        int at = start;
        while (at < end) {
            int length = Elements.lengthAt(type, value, at, end);
            if (length >= 0) {
                return true;
            }
            at = Elements.after(at, length);
        }
        return false;
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        return writeComparableFields(this, fields, value, offset, length, out);
    }

    /** Every field but nulls at the end. */
    static boolean writeComparableFields(
            CqlType type, List<CqlType> fields, byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        int end = offset + length;
        int at = offset;
        int lastPresentEnd = out.lengthBytes();
        for (int i = 0; i < fields.size() && at < end; i++) {
            int fieldLength = Elements.lengthAt(type, value, at, end);
            ComparableBytes.writeElement(fields.get(i), value, at + Integer.BYTES, fieldLength, out);
            if (fieldLength >= 0) {
                lastPresentEnd = out.lengthBytes();
            }
            at = Elements.after(at, fieldLength);
        }
        Elements.requireEnd(type, value, at, end);
        out.truncate(lastPresentEnd);
        out.writeByte(ComparableBytes.TERMINATOR);
        return true;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        validateFields(this, fields, value, offset, length);
    }

    static void validateFields(CqlType type, List<CqlType> fields, byte[] value, int offset, int length) {
        int end = offset + length;
        int at = offset;
        for (int i = 0; i < fields.size() && at < end; i++) {
            int fieldLength = Elements.lengthAt(type, value, at, end);
            if (fieldLength >= 0) {
                fields.get(i).validate(value, at + Integer.BYTES, fieldLength);
            }
            at = Elements.after(at, fieldLength);
        }
        Elements.requireEnd(type, value, at, end);
    }

    /** Missing fields print as null. */
    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        out.append('[');
        int at = offset;
        for (int i = 0; i < fields.size(); i++) {
            int fieldLength = at < offset + length ? Elements.lengthAt(this, value, at, offset + length) : -1;
            Elements.appendJson(fields.get(i), value, at, fieldLength, i == 0 ? out : out.append(", "));
            at = Elements.after(at, fieldLength);
        }
        out.append(']');
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return fieldsToText(this, fields, value, offset, length);
    }

    /** Fields with colons between them; null is an at sign. Missing fields are left out. */
    static String fieldsToText(CqlType type, List<CqlType> fields, byte[] value, int offset, int length) {
        StringBuilder out = new StringBuilder();
        int end = offset + length;
        int at = offset;
        for (int i = 0; i < fields.size() && at < end; i++) {
            if (i > 0) {
                out.append(':');
            }
            int fieldLength = Elements.lengthAt(type, value, at, end);
            if (fieldLength < 0) {
                out.append('@');
            } else {
                String text = fields.get(i).toText(value, at + Integer.BYTES, fieldLength);
                out.append(text.replace(":", "\\:").replace("@", "\\@"));
            }
            at = Elements.after(at, fieldLength);
        }
        return out.toString();
    }

    @Override
    public Kind kind() {
        return Kind.TUPLE;
    }

    @Override
    public String className() {
        return className;
    }

    @Override
    public String cqlName() {
        return cqlName;
    }
}
