package io.anneal.key;

import io.anneal.io.ByteWriter;
import io.anneal.schema.CqlType;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TypeParser;
import io.anneal.schema.UnsupportedTypeException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * The type of the first clustering column of a secondary index: partition keys of the table, in the order of its partitions.
 * Cassandra before 5.0, and 5.0 in its compatibility mode with 4, leaves out of what columns a key is.
 */
public final class PartitionerDefinedOrder extends CqlType {
    private static final String CLASS_NAME = "org.apache.cassandra.db.marshal.PartitionerDefinedOrder";
    private static final String BEGIN = CLASS_NAME + "(";

    private final String className;
    private final Partitioner partitioner;

    /** @param keyTypes none where the name leaves them out */
    private PartitionerDefinedOrder(String className, Partitioner partitioner, List<CqlType> keyTypes) {
        super(keyTypes);
        this.className = className;
        this.partitioner = partitioner;
    }

    /**
     * Parses the class name of a clustering column's type.
     *
     * @throws SchemaException when the text is no type
     * @throws UnsupportedTypeException when it names a class that is not handled
     */
    public static CqlType parseClustering(String className) {
        if (!className.startsWith(BEGIN) || !className.endsWith(")")) {
            return TypeParser.parse(className);
        }
        String parameters = className.substring(BEGIN.length(), className.length() - 1);
        int colon = parameters.indexOf(':');
        String name = colon < 0 ? parameters : parameters.substring(0, colon);
        Optional<Partitioner> partitioner = Partitioner.of(name);
        if (partitioner.isEmpty()) {
            // Which refuses it.
            return TypeParser.parse(className);
        }
        List<CqlType> keyTypes = colon < 0 ? List.of() : TypeParser.components(parameters.substring(colon + 1));
        return new PartitionerDefinedOrder(className, partitioner.get(), keyTypes);
    }

    @Override
    public Kind kind() {
        return Kind.NATIVE;
    }

    @Override
    public String className() {
        return className;
    }

    @Override
    public String cqlName() {
        return "'" + className + "'";
    }

    @Override
    public int compare(byte[] left, int leftOffset, int leftLength, byte[] right, int rightOffset, int rightLength) {
        if (leftLength == 0 || rightLength == 0) {
            return Integer.compare(leftLength, rightLength);
        }
        return partitioner.compare(
                key(left, leftOffset, leftLength, new KeyView()), key(right, rightOffset, rightLength, new KeyView()));
    }

    private KeyView key(byte[] value, int offset, int length, KeyView view) {
        return view.wrap(partitioner.token(value, offset, length), value, offset, length);
    }

    @Override
    public boolean writeComparable(byte[] value, int offset, int length, ByteWriter out) {
        if (length == 0) {
            return false;
        }
        partitioner.writeComparable(key(value, offset, length, new KeyView()), out);
        return true;
    }

    @Override
    public void validate(byte[] value, int offset, int length) {
        if (components().size() == 1) {
            components().get(0).validate(value, offset, length);
        } else if (!components().isEmpty()
                && KeyText.of(components(), value, offset, length).size()
                        < components().size()) {
            throw new InvalidValueException("composite key is cut short, lengthBytes=" + length + ", columns="
                    + components().size());
        }
    }

    /** {@inheritDoc} Cassandra prints keys of one column; for others, and where it does not know them, it fails. */
    @Override
    public void appendJson(byte[] value, int offset, int length, StringBuilder out) {
        if (components().size() == 1) {
            components().get(0).appendJson(value, offset, length, out);
        } else if (components().isEmpty()) {
            out.append('"').append(toText(value, offset, length)).append('"');
        } else {
            byte[] text = KeyText.joined(KeyText.of(components(), value, offset, length))
                    .getBytes(StandardCharsets.UTF_8);
            CqlTypes.TEXT.appendJson(text, 0, text.length, out);
        }
    }

    @Override
    public String toText(byte[] value, int offset, int length) {
        return HexFormat.of().formatHex(value, offset, offset + length);
    }
}
