package io.anneal.schema;

import io.anneal.io.ByteWriter;
import java.util.List;

/**
 * A CQL type over serialized bytes: order, validity and text of a value that stays where it lies (offset and length in
 * an array). Compares allocate nothing. Follows the serialized forms of Cassandra's {@code db.marshal} types. Immutable.
 */
public abstract class CqlType {
    /** {@link #fixedLengthBytes()} of a type whose values carry their length. */
    public static final int VARIABLE_LENGTH = -1;

    /** What a type is made of: what {@link #components()} means for it. */
    public enum Kind {
        NATIVE,
        LIST,
        SET,
        /** Components: key, value. */
        MAP,
        TUPLE,
        /** Components: the fields, named by {@link CqlType#fieldNames()}. */
        USER_TYPE,
        /** Has {@link CqlType#dimension()} elements. */
        VECTOR,
        /** Component: the ascending type. */
        REVERSED
    }

    private final List<CqlType> components;
    private final int depth;

    /** @throws SchemaException when it would be larger, or nested deeper, than is allowed */
    protected CqlType(List<CqlType> components) {
        this.components = List.copyOf(components);
        depth = SchemaLimits.depth(this.components);
    }

    public abstract Kind kind();

    /** Order of two serialized values; an empty value sorts before every other unless the type says otherwise. */
    public abstract int compare(
            byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength);

    /**
     * Appends the value as bytes whose unsigned order is that of {@link #compare}: Cassandra's byte-comparable translation,
     * of which {@link ComparableBytes} has the parts. Here that of types in the order of their bytes.
     *
     * @return false, having appended nothing, when the value is empty and empty is no value of the type
     * @throws InvalidValueException when the bytes are no value of this type and cannot be translated
     */
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        ComparableBytes.writeEscaped(value, offset, length, out);
        return true;
    }

    /** Throws {@link InvalidValueException} when the bytes are no value of this type. */
    public abstract void validate(byte[] value, int offset, int length);

    /** Length of every value as SSTables store it, without a length before it; or {@link #VARIABLE_LENGTH}. */
    public int fixedLengthBytes() {
        return VARIABLE_LENGTH;
    }

    /** Appends the value as Cassandra's {@code toJSONString} does: what sstabledump prints for cells and clusterings. */
    public abstract void appendJson(byte[] value, int offset, int length, StringBuilder out);

    /** The value as Cassandra's {@code getString} does: what sstabledump prints for keys and paths. */
    public abstract String toText(byte[] value, int offset, int length);

    /** Cassandra's class name with parameters, fully qualified, as SSTable headers hold it. */
    public abstract String className();

    /** The name in CQL text, {@code frozen<...>} included. */
    public abstract String cqlName();

    /** Whether values are stored as many cells: collections and user-defined types that are not frozen. */
    public boolean isMultiCell() {
        return false;
    }

    /** Type of a cell's path; only for {@link #isMultiCell() multi-cell} types. */
    public CqlType pathType() {
        throw new IllegalStateException("type has no cell paths, type=" + cqlName());
    }

    /** Type of one cell's value: the element type of a multi-cell type, otherwise the type itself. */
    public CqlType cellType() {
        return this;
    }

    /** Type of the cell at a path; differs from {@link #cellType()} only in user-defined types, whose fields differ. */
    public CqlType cellType(byte[] path, int offset, int length) {
        return cellType();
    }

    /** A cell's path as sstabledump prints it: the text of {@link #pathType()}, or the name of the field. */
    public String pathText(byte[] path, int offset, int length) {
        return pathType().toText(path, offset, length);
    }

    public boolean isReversed() {
        return false;
    }

    /** The type without its reversal; the type itself when it is not {@link #isReversed() reversed}. */
    public CqlType ascending() {
        return this;
    }

    public boolean isCounter() {
        return false;
    }

    /** This type, its values held in one cell; the type itself when they always are. */
    public CqlType frozen() {
        return this;
    }

    /**
     * Whether all values of another type are values of this one: SSTables written before an {@code ALTER TYPE}, before a column
     * changed its type or came back with another can be read as this type then.
     */
    public final boolean reads(CqlType older) {
        return TypeCompatibility.reads(this, older, false);
    }

    /** Whether this {@link #reads} another type and has its values in the same order: what key columns need. */
    public final boolean sorts(CqlType older) {
        return TypeCompatibility.reads(this, older, true);
    }

    /** {@link #className()}; inside a frozen type Cassandra leaves out the mark of the frozen types within. */
    String className(boolean insideFrozen) {
        return className();
    }

    /** The types that this one is made of, in order. */
    public final List<CqlType> components() {
        return components;
    }

    /** How many types lie one in another within this one. */
    final int depth() {
        return depth;
    }

    /** The names of a user-defined type's fields, in order; of every other type none. */
    public List<String> fieldNames() {
        return List.of();
    }

    /** How many elements a vector has. */
    public int dimension() {
        throw new IllegalStateException("type has no dimension, type=" + cqlName());
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof CqlType type && className().equals(type.className());
    }

    @Override
    public final int hashCode() {
        return className().hashCode();
    }

    @Override
    public final String toString() {
        return cqlName();
    }
}
