package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.util.List;

/** {@code map}: keys and values by turns; as many cells, values under the keys as paths. */
final class MapType extends CqlType {
    private final CqlType key;
    private final CqlType value;
    private final boolean multiCell;
    private final String className;
    private final String cqlName;

    MapType(CqlType key, CqlType value, boolean multiCell) {
        super(List.of(key, value));
        this.key = key;
        this.value = value;
        this.multiCell = multiCell;
        String bare = "map<" + key.cqlName() + ", " + value.cqlName() + ">";
        cqlName = multiCell ? bare : "frozen<" + bare + ">";
        className = className(false);
    }

    @Override
    String className(boolean insideFrozen) {
        boolean unmarked = insideFrozen || !multiCell;
        String bare = NativeType.PACKAGE + "MapType(" + key.className(unmarked) + "," + value.className(unmarked) + ")";
        return insideFrozen || multiCell ? bare : NativeType.PACKAGE + "FrozenType(" + bare + ")";
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        return Elements.compareCollections(
                this, 2, key, value, left, leftOffset, leftLength, right, rightOffset, rightLength);
    }

    @Override
    public boolean writeComparable(byte[] bytes, int offset, int length, ByteWriter out) {
        return Elements.writeComparable(this, 2, key, value, bytes, offset, length, out);
    }

    @Override
    public void validate(byte[] map, int offset, int length) {
        Elements.validateCollection(this, 2, key, value, map, offset, length);
    }

    /** Keys of other types than strings are put in quotes, since JSON wants strings there. */
    @Override
    public void appendJson(byte[] map, int offset, int length, StringBuilder out) {
        out.append('{');
        int at = offset + Integer.BYTES;
        int count = Elements.count(this, map, offset, length);
        for (int i = 0; i < count; i++) {
            StringBuilder keyJson = new StringBuilder();
            int keyLength = Elements.lengthAt(this, map, at, offset + length);
            Elements.appendJson(key, map, at, keyLength, keyJson);
            at = Elements.after(at, keyLength);
            if (i > 0) {
                out.append(", ");
            }
            if (keyJson.charAt(0) == '"') {
                out.append(keyJson);
            } else {
                JsonText.appendQuoted(keyJson, out);
            }
            out.append(": ");
            int valueLength = Elements.lengthAt(this, map, at, offset + length);
            Elements.appendJson(value, map, at, valueLength, out);
            at = Elements.after(at, valueLength);
        }
        out.append('}');
    }

    @Override
    public String toText(byte[] map, int offset, int length) {
        return Bytes.hex(map, offset, length);
    }

    @Override
    public Kind kind() {
        return Kind.MAP;
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
        return multiCell ? key : super.pathType();
    }

    @Override
    public CqlType cellType() {
        return multiCell ? value : this;
    }

    @Override
    public CqlType frozen() {
        return multiCell ? new MapType(key.frozen(), value.frozen(), false) : this;
    }
}
