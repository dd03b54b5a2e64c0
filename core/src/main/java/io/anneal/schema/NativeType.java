package io.anneal.schema;

import java.util.List;

/** A type without parameters: its names, its lengths, and the checks that follow from them. */
abstract class NativeType extends CqlType {
    static final String PACKAGE = "org.apache.cassandra.db.marshal.";

    private final String cqlName;
    private final String className;
    private final int fixedLengthBytes;

    NativeType(String cqlName, String simpleClassName, int fixedLengthBytes) {
        super(List.of());
        this.cqlName = cqlName;
        this.className = PACKAGE + simpleClassName;
        this.fixedLengthBytes = fixedLengthBytes;
    }

    @Override
    public final Kind kind() {
        return Kind.NATIVE;
    }

    @Override
    public final int fixedLengthBytes() {
        return fixedLengthBytes;
    }

    @Override
    public final String className() {
        return className;
    }

    @Override
    public final String cqlName() {
        return cqlName;
    }

    /** Throws unless the value has the length, or is empty where that is allowed. */
    final void requireLength(byte[] value, int offset, int length, int lengthBytes, boolean emptyAllowed) {
        if (length != lengthBytes && !(emptyAllowed && length == 0)) {
            throw invalid("value of wrong length", value, offset, length);
        }
    }

    final InvalidValueException invalid(String what, byte[] value, int offset, int length) {
        return new InvalidValueException(what + ", type=" + cqlName + ", lengthBytes=" + length + ", value="
                + Bytes.excerpt(value, offset, length));
    }

    /** Appends {@link #toText} in quotes; only for types whose text needs no escapes. */
    final void appendQuoted(byte[] value, int offset, int length, StringBuilder out) {
        out.append('"').append(toText(value, offset, length)).append('"');
    }
}
