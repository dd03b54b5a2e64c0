package io.anneal.key;

import io.anneal.io.ByteWriter;
import io.anneal.schema.ComparableBytes;
import io.anneal.schema.CqlType;
import io.anneal.schema.InvalidValueException;
import java.util.HexFormat;
import java.util.List;

/**
 * The order of what a node keeps for itself, above all of its secondary indexes: partitions are in the order of their keys'
 * values. A key of several components is one composite value. Every token here is 0: the order is in {@link #compare}.
 */
final class LocalPartitioner extends Partitioner {
    private static final String SIMPLE_NAME = "LocalPartitioner";

    static final String CLASS_NAME = PACKAGE + SIMPLE_NAME;

    /** An end of component takes part in the order as a signed byte. */
    private static final int SIGN = 0x80;

    private final List<CqlType> keyTypes;

    LocalPartitioner(List<CqlType> keyTypes) {
        super(SIMPLE_NAME);
        this.keyTypes = List.copyOf(keyTypes);
    }

    @Override
    public boolean isOfIndexes() {
        return true;
    }

    @Override
    public long token(byte[] key, int offset, int length) {
        return 0;
    }

    @Override
    public String tokenText(byte[] key) {
        return isOrderKnown()
                ? KeyText.joined(KeyText.of(keyTypes, key, 0, key.length))
                : HexFormat.of().formatHex(key);
    }

    @Override
    public boolean isOrderKnown() {
        return !keyTypes.isEmpty();
    }

    @Override
    public int compare(KeyView left, KeyView right) {
        if (!isOrderKnown()) {
            return left.sameAs(right) ? 0 : -1;
        }
        if (keyTypes.size() == 1) {
            return compare(
                    keyTypes.get(0),
                    left,
                    left.offset(),
                    left.lengthBytes(),
                    right,
                    right.offset(),
                    right.lengthBytes());
        }
        int leftAt = left.offset();
        int rightAt = right.offset();
        int leftEnd = leftAt + left.lengthBytes();
        int rightEnd = rightAt + right.lengthBytes();
        for (CqlType type : keyTypes) {
            if (leftAt == leftEnd || rightAt == rightEnd) {
                break;
            }
            int leftLength = componentLength(left.buffer(), leftAt, leftEnd);
            int rightLength = componentLength(right.buffer(), rightAt, rightEnd);
            leftAt += Short.BYTES;
            rightAt += Short.BYTES;
            int order = compare(type, left, leftAt, leftLength, right, rightAt, rightLength);
            leftAt += leftLength;
            rightAt += rightLength;
            if (order != 0) {
                return order;
            }
            order = Byte.compare(left.buffer()[leftAt++], right.buffer()[rightAt++]);
            if (order != 0) {
                return order;
            }
        }
        return Boolean.compare(leftAt < leftEnd, rightAt < rightEnd);
    }

    private static int compare(
            CqlType type,
            KeyView left,
            int leftOffset,
            int leftLength,
            KeyView right,
            int rightOffset,
            int rightLength) {
        try {
            return type.compare(left.buffer(), leftOffset, leftLength, right.buffer(), rightOffset, rightLength);
        } catch (IndexOutOfBoundsException e) {
            throw new InvalidValueException("key cannot be compared, type=" + type);
        }
    }

    /** Of a component that stands whole in the key, its end included. */
    private static int componentLength(byte[] key, int at, int end) {
        int length = end - at < Short.BYTES ? -1 : (key[at] & 0xFF) << 8 | key[at + 1] & 0xFF;
        if (length < 0 || length > end - at - Short.BYTES - 1) {
            throw new InvalidValueException("composite key is cut short, offset=" + at + ", end=" + end);
        }
        return length;
    }

    @Override
    void writeToken(KeyView key, ByteWriter out) {
        if (keyTypes.size() == 1) {
            writeComponent(keyTypes.get(0), key.buffer(), key.offset(), key.lengthBytes(), out);
        } else if (key.lengthBytes() == 0) {
            out.writeByte(ComparableBytes.NEXT_COMPONENT_NULL);
        } else {
            writeComposite(key.buffer(), key.offset(), key.offset() + key.lengthBytes(), out);
        }
    }

    /** A component that is empty, since the composite is none of static columns, then each with its end. */
    private void writeComposite(byte[] key, int start, int end, ByteWriter out) {
        out.writeByte(ComparableBytes.NEXT_COMPONENT);
        out.writeByte(ComparableBytes.NEXT_COMPONENT);
        int at = start;
        for (CqlType type : keyTypes) {
            if (at == end) {
                break;
            }
            int length = componentLength(key, at, end);
            at += Short.BYTES;
            writeComponent(type, key, at, length, out);
            at += length;
            out.writeByte(ComparableBytes.NEXT_COMPONENT);
            out.writeByte(key[at++] & 0xFF ^ SIGN);
        }
        out.writeByte(ComparableBytes.TERMINATOR);
    }

    private static void writeComponent(CqlType type, byte[] value, int offset, int length, ByteWriter out) {
        int start = out.lengthBytes();
        out.writeByte(ComparableBytes.NEXT_COMPONENT);
        if (!type.writeComparable(value, offset, length, out)) {
            out.truncate(start);
            out.writeByte(ComparableBytes.NEXT_COMPONENT_NULL);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LocalPartitioner local && keyTypes.equals(local.keyTypes);
    }

    @Override
    public int hashCode() {
        return keyTypes.hashCode();
    }
}
