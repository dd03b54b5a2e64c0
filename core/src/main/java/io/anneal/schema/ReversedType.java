package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.util.List;

/** A type in descending order, empty values last; everything else is as in the type it turns round. */
final class ReversedType extends CqlType {
    private final CqlType base;
    private final String className;

    ReversedType(CqlType base) {
        super(List.of(base));
        this.base = base;
        className = NativeType.PACKAGE + "ReversedType(" + base.className() + ")";
    }

    @Override
    public CqlType ascending() {
        return base;
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return base.compare(right, rightOffset, rightLength, left, leftOffset, leftLength);
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        int start = out.lengthBytes();
        if (!base.writeComparable(value, offset, length, out)) {
            return false;
        }
        ComparableBytes.invert(out, start);
        return true;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        base.validate(value, offset, length);
    }

    @Override
    public int fixedLengthBytes() {
        return base.fixedLengthBytes();
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        base.appendJson(value, offset, length, out);
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return base.toText(value, offset, length);
    }

    @Override
    public Kind kind() {
        return Kind.REVERSED;
    }

    @Override
    public String className() {
        return className;
    }

    @Override
    public String cqlName() {
        return base.cqlName();
    }

    @Override
    public boolean isReversed() {
        return true;
    }
}
