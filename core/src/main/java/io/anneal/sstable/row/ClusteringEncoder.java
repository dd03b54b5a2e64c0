package io.anneal.sstable.row;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;

/**
 * Writes clusterings, clustering prefixes and the kinds of bounds. Components come in groups of 32, each group behind a
 * header of two bits a component: 0 value, 1 empty, 2 null. Stateless but for the types.
 */
public final class ClusteringEncoder {
    public static final int SHORT_LENGTH_MAX_BYTES = 0xFFFF;

    private static final int GROUP = 32;

    private final int[] fixedLengths;
    private final Column[] columns;

    public ClusteringEncoder(TableSchema schema) {
        columns = schema.clustering().toArray(Column[]::new);
        fixedLengths = new int[columns.length];
        for (int i = 0; i < columns.length; i++) {
            fixedLengths[i] = columns[i].type().fixedLengthBytes();
        }
    }

    /** Number of components of a row's clustering. */
    int size() {
        return columns.length;
    }

    /** Writes the components of a row's clustering or of a prefix, without their number. */
    void writeComponents(Clustering clustering, ByteWriter out) {
        int size = clustering.size();
        for (int from = 0; from < size; from += GROUP) {
            int to = Math.min(size, from + GROUP);
            out.writeUnsignedVInt(header(clustering, from, to));
            for (int i = from; i < to; i++) {
                int length = clustering.lengthBytes(i);
                if (length > 0) {
                    writeComponent(clustering, i, length, out);
                }
            }
        }
    }

    private static long header(Clustering clustering, int from, int to) {
        long header = 0;
        for (int i = from; i < to; i++) {
            int length = clustering.lengthBytes(i);
            if (length == Clustering.ABSENT) {
                header |= 2L << (2 * (i - from));
            } else if (length == 0) {
                header |= 1L << (2 * (i - from));
            }
        }
        return header;
    }

    private void writeComponent(Clustering clustering, int component, int length, ByteWriter out) {
        if (length > SHORT_LENGTH_MAX_BYTES) {
            throw new IllegalArgumentException(
                    "clustering value is too long, column=" + columns[component].name() + ", lengthBytes=" + length);
        }
        if (fixedLengths[component] == CqlType.VARIABLE_LENGTH) {
            out.writeUnsignedVInt(length);
        } else if (fixedLengths[component] != length) {
            throw new IllegalArgumentException("clustering value has the wrong length, column="
                    + columns[component].name() + ", lengthBytes=" + length + ", expected="
                    + fixedLengths[component]);
        }
        out.writeBytes(clustering.buffer(), clustering.offset(component), length);
    }

    /** Writes kind, number of components and components of a bound or boundary. */
    public void writeBound(int kind, Clustering prefix, ByteWriter out) {
        out.writeByte(kind);
        out.writeShort(prefix.size());
        writeComponents(prefix, out);
    }
}
