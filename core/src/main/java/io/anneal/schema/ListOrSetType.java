package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.util.List;

/**
 * {@code list} and {@code set}: serialized alike, element after element. As many cells a list has the elements as values
 * under paths of time UUIDs, a set has them as paths to empty values.
 */
final class ListOrSetType extends CqlType {
    private final boolean list;
    private final CqlType element;
    private final boolean multiCell;
    private final String className;
    private final String cqlName;

    ListOrSetType(boolean list, CqlType element, boolean multiCell) {
        super(List.of(element));
        this.list = list;
        this.element = element;
        this.multiCell = multiCell;
        String bare = (list ? "list<" : "set<") + element.cqlName() + ">";
        cqlName = multiCell ? bare : "frozen<" + bare + ">";
        className = className(false);
    }

    @Override
    String className(boolean insideFrozen) {
        String bare = NativeType.PACKAGE + (list ? "ListType(" : "SetType(")
                + element.className(insideFrozen || !multiCell) + ")";
        return insideFrozen || multiCell ? bare : NativeType.PACKAGE + "FrozenType(" + bare + ")";
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return Elements.compareCollections(
                this, 1, element, element, left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        return Elements.writeComparable(this, 1, element, element, value, offset, length, out);
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        Elements.validateCollection(this, 1, element, element, value, offset, length);
    }

    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        out.append('[');
        int at = offset + Integer.BYTES;
        int count = Elements.count(this, value, offset, length);
        for (int i = 0; i < count; i++) {
            int elementLength = Elements.lengthAt(this, value, at, offset + length);
            Elements.appendJson(element, value, at, elementLength, i == 0 ? out : out.append(", "));
            at = Elements.after(at, elementLength);
        }
        out.append(']');
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return Bytes.hex(value, offset, length);
    }

    @Override
    public Kind kind() {
        return list ? Kind.LIST : Kind.SET;
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
        return !multiCell ? super.pathType() : list ? CqlTypes.TIMEUUID : element;
    }

    @Override
    public CqlType cellType() {
        return !multiCell ? this : list ? element : CqlTypes.EMPTY;
    }

    @Override
    public CqlType frozen() {
        return multiCell ? new ListOrSetType(list, element.frozen(), false) : this;
    }
}
