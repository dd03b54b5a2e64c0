package io.anneal.fragment;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.TableSchema;
import java.util.List;

/**
 * Writes items of the canonical encoding, layout version {@value #LAYOUT_VERSION}: equal content gives equal bytes. What
 * it is given must be normalised already; it only clamps local deletion times (rule 13 of the canonical form).
 * Allocates nothing but what the writer needs to grow. Owned by one thread.
 */
public final class CanonicalEncoder {
    public static final int LAYOUT_VERSION = 1;
    /** Ceiling of local deletion times that clamps nothing. */
    public static final long UNCLAMPED = DeletionTime.NO_DELETION_TIME - 1;

    private final int clusteringSize;
    private final boolean[] staticComplex;
    private final boolean[] regularComplex;
    private final long localDeletionTimeMaxSeconds;

    /**
     * @param localDeletionTimeMaxSeconds what the lowest of the participants' write formats can hold, or
     *     {@link #UNCLAMPED}
     * @throws UnsupportedOperationException when the table has counters: shards are merged, not encoded
     */
    public CanonicalEncoder(TableSchema schema, long localDeletionTimeMaxSeconds) {
        refuseCounters(schema);
        this.localDeletionTimeMaxSeconds = localDeletionTimeMaxSeconds;
        clusteringSize = schema.clustering().size();
        staticComplex = complex(schema.staticColumns());
        regularComplex = complex(schema.regularColumns());
    }

    /** @throws UnsupportedOperationException when a column, dropped ones too, is a counter: it names the column */
    public static void refuseCounters(TableSchema schema) {
        for (List<Column> columns : List.of(schema.staticColumns(), schema.regularColumns())) {
            for (Column column : columns) {
                if (column.type().isCounter()) {
                    throw new UnsupportedOperationException("counters cannot be merged or encoded, table="
                            + schema.qualifiedName() + ", column=" + column.name());
                }
            }
        }
    }

    private static boolean[] complex(List<Column> columns) {
        boolean[] complex = new boolean[columns.size()];
        for (int i = 0; i < complex.length; i++) {
            complex[i] = columns.get(i).isComplex();
        }
        return complex;
    }

    /** Rule 13: a time above the ceiling becomes the ceiling; {@link DeletionTime#NO_DELETION_TIME} stays. */
    public static long clamp(long localDeletionTimeSeconds, long localDeletionTimeMaxSeconds) {
        return localDeletionTimeSeconds > localDeletionTimeMaxSeconds
                        && localDeletionTimeSeconds != DeletionTime.NO_DELETION_TIME
                ? localDeletionTimeMaxSeconds
                : localDeletionTimeSeconds;
    }

    /** Appends a static or clustering row; returns the item's length in bytes. */
    public int row(KeyView key, Row row, ByteWriter out) {
        int start = begin(row.isStatic() ? ItemKind.STATIC_ROW : ItemKind.CLUSTERING_ROW, key, out);
        if (!row.isStatic()) {
            assert row.clustering().size() == clusteringSize : row.clustering().size();
            prefix(row.clustering(), out);
        }
        rowHead(row, out);
        boolean[] complex = row.isStatic() ? staticComplex : regularComplex;
        int count = row.entryCount();
        out.writeUnsignedVInt(count);
        for (int i = 0; i < count; i++) {
            entry(row, i, complex[row.columnIndex(i)], out);
        }
        return finish(start, out);
    }

    /** Appends a partition deletion; returns the item's length in bytes. */
    public int partitionDeletion(KeyView key, long timestampMicros, long localDeletionTimeSeconds, ByteWriter out) {
        int start = begin(ItemKind.PARTITION_DELETION, key, out);
        deletion(timestampMicros, localDeletionTimeSeconds, out);
        return finish(start, out);
    }

    /** Appends a range deletion; returns the item's length in bytes. */
    public int rangeDeletion(KeyView key, RangeDeletion range, ByteWriter out) {
        int start = begin(ItemKind.RANGE_DELETION, key, out);
        prefix(range.start(), out);
        weight(range.startWeight(), out);
        prefix(range.end(), out);
        weight(range.endWeight(), out);
        deletion(range.timestampMicros(), range.localDeletionTimeSeconds(), out);
        return finish(start, out);
    }

    private static int begin(ItemKind kind, KeyView key, ByteWriter out) {
        int start = out.lengthBytes();
        int keyLength = key.lengthBytes();
        if (keyLength > ItemLayout.KEY_LENGTH_MAX_BYTES) {
            throw new IllegalArgumentException("key is too long, lengthBytes=" + keyLength);
        }
        out.ensure(ItemLayout.KEY_OFFSET + keyLength);
        out.writeByte(kind.code());
        out.writeInt(0);
        out.writeShort(keyLength);
        out.writeBytes(key.buffer(), key.offset(), keyLength);
        return start;
    }

    private static int finish(int start, ByteWriter out) {
        int length = out.lengthBytes() - start;
        out.setInt(start + ItemLayout.LENGTH_OFFSET, length);
        return length;
    }

    private static void prefix(Clustering prefix, ByteWriter out) {
        int size = prefix.size();
        out.writeUnsignedVInt(size);
        for (int i = 0; i < size; i++) {
            optionalBytes(prefix.buffer(), prefix.offset(i), prefix.lengthBytes(i), out);
        }
    }

    private static void weight(int weight, ByteWriter out) {
        assert weight != ClusteringComparator.AT;
        out.writeByte(weight == ClusteringComparator.BEFORE ? ItemLayout.WEIGHT_BEFORE : ItemLayout.WEIGHT_AFTER);
    }

    private static void optionalBytes(byte[] buffer, int offset, int length, ByteWriter out) {
        ItemLayout.writeOptionalLength(length, out);
        if (length > 0) {
            out.writeBytes(buffer, offset, length);
        }
    }

    private void deletion(long timestampMicros, long localDeletionTimeSeconds, ByteWriter out) {
        out.writeLong(timestampMicros);
        out.writeLong(clamp(localDeletionTimeSeconds, localDeletionTimeMaxSeconds));
    }

    private void rowHead(Row row, ByteWriter out) {
        boolean liveness = row.hasLiveness();
        boolean expires = liveness && row.livenessTtlSeconds() != Row.NO_TTL;
        boolean deletion = row.hasDeletion();
        out.writeByte((liveness ? ItemLayout.HAS_LIVENESS : 0)
                | (expires ? ItemLayout.LIVENESS_EXPIRES : 0)
                | (deletion ? ItemLayout.HAS_DELETION : 0)
                | (deletion && row.isDeletionShadowable() ? ItemLayout.DELETION_SHADOWABLE : 0));
        if (liveness) {
            out.writeLong(row.livenessTimestampMicros());
        }
        if (expires) {
            out.writeInt(row.livenessTtlSeconds());
            out.writeLong(clamp(row.livenessExpirySeconds(), localDeletionTimeMaxSeconds));
        }
        if (deletion) {
            deletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds(), out);
        }
    }

    private void entry(Row row, int i, boolean complex, ByteWriter out) {
        if (row.isComplexDeletion(i)) {
            assert complex : row.columnIndex(i);
            out.writeByte(ItemLayout.COMPLEX_DELETION);
            out.writeUnsignedVInt(row.columnIndex(i));
            deletion(row.timestampMicros(i), row.localDeletionTimeSeconds(i), out);
            return;
        }
        boolean expiring = row.isExpiring(i);
        boolean tombstone = row.isTombstone(i);
        int code = tombstone ? ItemLayout.TOMBSTONE : expiring ? ItemLayout.EXPIRING_CELL : ItemLayout.LIVE_CELL;
        out.writeByte(complex ? code | ItemLayout.HAS_PATH : code);
        out.writeUnsignedVInt(row.columnIndex(i));
        out.writeLong(row.timestampMicros(i));
        if (expiring) {
            out.writeInt(row.ttlSeconds(i));
        }
        if (expiring || tombstone) {
            out.writeLong(clamp(row.localDeletionTimeSeconds(i), localDeletionTimeMaxSeconds));
        }
        if (complex) {
            assert row.pathLengthBytes(i) >= 0;
            out.writeUnsignedVInt(row.pathLengthBytes(i));
            out.writeBytes(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i));
        }
        if (!tombstone) {
            optionalBytes(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i), out);
        }
    }
}
