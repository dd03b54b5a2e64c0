package io.anneal.fragment;

import io.anneal.io.ByteWriter;
import io.anneal.schema.CqlType;

/** Cells of a collection or a user-defined type, put together to the one value that a frozen column of the type would have. */
public final class FrozenCells {
    private static final int ABSENT_LENGTH = -1;

    private FrozenCells() {}

    /**
     * Appends the value that {@link CqlType#frozen()} reads.
     *
     * @param type of the column
     * @param row whose cells of the column are live, and no deletion is among them
     * @param from the column's first entry
     * @param to after its last one
     */
    public static void write(CqlType type, Row row, int from, int to, ByteWriter out) {
        if (type.kind() == CqlType.Kind.USER_TYPE) {
            writeFields(row, from, to, out);
            return;
        }
        out.writeInt(to - from);
        for (int i = from; i < to; i++) {
            if (type.kind() != CqlType.Kind.LIST) {
                element(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i), out);
            }
            if (type.kind() != CqlType.Kind.SET) {
                element(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i), out);
            }
        }
    }

    private static void writeFields(Row row, int from, int to, ByteWriter out) {
        int field = 0;
        for (int i = from; i < to; i++) {
            byte[] path = row.pathBuffer(i);
            int at = path[row.pathOffset(i)] << Byte.SIZE | Byte.toUnsignedInt(path[row.pathOffset(i) + 1]);
            for (; field < at; field++) {
                out.writeInt(ABSENT_LENGTH);
            }
            element(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i), out);
            field++;
        }
    }

    private static void element(byte[] buffer, int offset, int lengthBytes, ByteWriter out) {
        out.writeInt(lengthBytes);
        out.writeBytes(buffer, offset, lengthBytes);
    }
}
