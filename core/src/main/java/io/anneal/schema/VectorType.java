package io.anneal.schema;

import io.anneal.io.ByteWriter;
import io.anneal.io.VInt;
import java.util.List;

/**
 * {@code vector}: a fixed number of elements, none null; without lengths when the element's length is fixed, otherwise
 * each after its length as a variable-length integer.
 */
final class VectorType extends CqlType {
    private final CqlType element;
    private final int dimension;
    private final String cqlName;
    private final String className;

    VectorType(CqlType element, int dimension) {
        super(List.of(element));
        this.element = element;
        if (element.fixedLengthBytes() == 0) {
            throw new SchemaException("vector of a type without values, type=" + element.cqlName());
        }
        SchemaLimits.require(
                "values of a vector are too long, in bytes",
                (long) Math.max(1, element.fixedLengthBytes()) * dimension,
                SchemaLimits.VALUE_BYTES_MAX);
        this.dimension = dimension;
        cqlName = "vector<" + element.cqlName() + ", " + dimension + ">";
        className = className(false);
    }

    @Override
    public int dimension() {
        return dimension;
    }

    @Override
    String className(boolean insideFrozen) {
        return NativeType.PACKAGE + "VectorType(" + element.className(insideFrozen) + " , " + dimension + ")";
    }

    @Override
    public int fixedLengthBytes() {
        int elementLength = element.fixedLengthBytes();
        return elementLength == VARIABLE_LENGTH ? VARIABLE_LENGTH : elementLength * dimension;
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        if (leftLength == 0 || rightLength == 0) {
            return Integer.compare(leftLength, rightLength);
        }
        int leftAt = leftOffset;
        int rightAt = rightOffset;
        for (int i = 0; i < dimension; i++) {
            int leftElement = lengthAt(left, leftAt, leftOffset + leftLength);
            int rightElement = lengthAt(right, rightAt, rightOffset + rightLength);
            leftAt += prefixBytes(leftElement);
            rightAt += prefixBytes(rightElement);
            int order = element.compare(left, leftAt, leftElement, right, rightAt, rightElement);
            if (order != 0) {
                return order;
            }
            leftAt += leftElement;
            rightAt += rightElement;
        }
        return 0;
    }

    /** The length of the element that begins, with the length before it if there is one, at {@code at}. */
    private int lengthAt(byte[] value, int at, int end) {
        int fixed = element.fixedLengthBytes();
        if (fixed != VARIABLE_LENGTH) {
            if (fixed > end - at) {
                throw Elements.cutShort(this, value, at, Math.max(0, end - at));
            }
            return fixed;
        }
        if (at >= end || 1 + VInt.extraBytes(value[at]) > end - at) {
            throw Elements.cutShort(this, value, at, Math.max(0, end - at));
        }
        long length = unsignedVIntAt(value, at);
        if (length < 0 || length > end - at - VInt.lengthBytes(length)) {
            throw Elements.cutShort(this, value, at, end - at);
        }
        return (int) length;
    }

    private int prefixBytes(int elementLength) {
        return element.fixedLengthBytes() != VARIABLE_LENGTH ? 0 : VInt.lengthBytes(elementLength);
    }

    private static long unsignedVIntAt(byte[] value, int at) {
        if (value[at] >= 0) {
            return value[at];
        }
        int extra = VInt.extraBytes(value[at]);
        long result = extra >= 7 ? 0 : value[at] & 0xFF >> extra;
        for (int i = at + 1; i <= at + extra; i++) {
            result = result << 8 | value[i] & 0xFF;
        }
        return result;
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        int at = offset;
        for (int i = 0; i < dimension; i++) {
            int elementLength = lengthAt(value, at, offset + length);
            at += prefixBytes(elementLength);
            ComparableBytes.writeElement(element, value, at, elementLength, out);
            at += elementLength;
        }
        out.writeByte(ComparableBytes.TERMINATOR);
        return true;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        if (length == 0) {
            throw Elements.cutShort(this, value, offset, length);
        }
        int at = offset;
        for (int i = 0; i < dimension; i++) {
            int elementLength = lengthAt(value, at, offset + length);
            at += prefixBytes(elementLength);
            element.validate(value, at, elementLength);
            at += elementLength;
        }
        Elements.requireEnd(this, value, at, offset + length);
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        out.append('[');
        int at = offset;
        for (int i = 0; i < dimension; i++) {
            int elementLength = lengthAt(value, at, offset + length);
            at += prefixBytes(elementLength);
            element.appendJson(value, at, elementLength, i == 0 ? out : out.append(", "));
            at += elementLength;
        }
        out.append(']');
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return Bytes.hex(value, offset, length);
    }

    @Override
    public Kind kind() {
        return Kind.VECTOR;
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
