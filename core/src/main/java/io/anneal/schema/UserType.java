package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * A user-defined type: a tuple whose fields have names; as many cells, fields under their two-byte number as path. Two
 * are equal when keyspace, name, fields and frozenness are.
 */
final class UserType extends CqlType {
    private final String keyspace;
    private final String name;
    private final List<String> fieldNames;
    private final List<CqlType> fields;
    private final boolean multiCell;
    private final String className;
    private final String cqlName;

    UserType(String keyspace, String name, List<String> fieldNames, List<CqlType> fields, boolean multiCell) {
        super(fields);
        this.keyspace = keyspace;
        this.name = name;
        this.fieldNames = List.copyOf(fieldNames);
        this.fields = components();
        this.multiCell = multiCell;
        String quoted = Identifiers.quoteIfNeeded(name);
        cqlName = multiCell ? quoted : "frozen<" + quoted + ">";
        className = className(false);
    }

    String keyspace() {
        return keyspace;
    }

    String name() {
        return name;
    }

    @Override
    public List<String> fieldNames() {
        return fieldNames;
    }

    @Override
    String className(boolean insideFrozen) {
        StringBuilder bare = new StringBuilder(NativeType.PACKAGE)
                .append("UserType(")
                .append(keyspace)
                .append(',')
                .append(hex(name));
        for (int i = 0; i < fields.size(); i++) {
            bare.append(',')
                    .append(hex(fieldNames.get(i)))
                    .append(':')
                    .append(fields.get(i).className(insideFrozen || !multiCell));
        }
        bare.append(')');
        return insideFrozen || multiCell ? bare.toString() : NativeType.PACKAGE + "FrozenType(" + bare + ")";
    }

    private static String hex(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Bytes.hex(bytes, 0, bytes.length);
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return TupleType.compareFields(this, fields, left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        return TupleType.writeComparableFields(this, fields, value, offset, length, out);
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        TupleType.validateFields(this, fields, value, offset, length);
    }

    /** An object; names that are not all lower case keep quotes of their own inside those of JSON. */
    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        out.append('{');
        int end = offset + length;
        int at = offset;
        for (int i = 0; i < fields.size(); i++) {
            String fieldName = fieldNames.get(i);
            boolean lowerCase = fieldName.equals(fieldName.toLowerCase(Locale.US));
            JsonText.appendQuoted(lowerCase ? fieldName : '"' + fieldName + '"', i == 0 ? out : out.append(", "));
            out.append(": ");
            int fieldLength = at < end ? Elements.lengthAt(this, value, at, end) : -1;
            Elements.appendJson(fields.get(i), value, at, fieldLength, out);
            at = Elements.after(at, fieldLength);
        }
        out.append('}');
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return TupleType.fieldsToText(this, fields, value, offset, length);
    }

    @Override
    public Kind kind() {
        return Kind.USER_TYPE;
    }

    @Override
    public String className() {
        return className;
    }

    @Override
    public String cqlName() {
        return cqlName;
    }

    @Override
    public boolean isMultiCell() {
        return multiCell;
    }

    @Override
    public CqlType pathType() {
        return multiCell ? CqlTypes.SMALLINT : super.pathType();
    }

    /** @throws IllegalStateException when the type is not frozen: its cells have no one type, ask with the path */
    @Override
    public CqlType cellType() {
        if (multiCell) {
            throw new IllegalStateException("cells differ in type, type=" + cqlName);
        }
        return this;
    }

    @Override
    public CqlType cellType(byte[] path, int offset, int length) {
        return multiCell ? fields.get(fieldIndex(path, offset, length)) : this;
    }

    @Override
    public String pathText(byte[] path, int offset, int length) {
        return fieldNames.get(fieldIndex(path, offset, length));
    }

    private int fieldIndex(byte[] path, int offset, int length) {
        int index = length == Short.BYTES ? Bytes.shortAt(path, offset) : -1;
        if (index < 0 || index >= fields.size()) {
            throw Elements.invalid("path names no field", this, path, offset, length);
        }
        return index;
    }

    @Override
    public CqlType frozen() {
        return multiCell
                ? new UserType(
                        keyspace,
                        name,
                        fieldNames,
                        fields.stream().map(CqlType::frozen).toList(),
                        false)
                : this;
    }
}
