package io.anneal.fragment;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.CounterShards;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;

/**
 * Writes items of the canonical encoding, layout version {@value #LAYOUT_VERSION}: equal content gives equal bytes. What
 * it is given must be normalised already; it only clamps local deletion times (rule 13 of the canonical form).
 * Allocates nothing but what the writer needs to grow. Owned by one thread.
 */
public final class CanonicalEncoder {
    public static final int LAYOUT_VERSION = 2;

    /**
     * The oldest version whose items are read and written, too: the same bytes, but columns are numbered {@link
     * TableSchema#inFormerOrder}. Only tables in which that is no difference can be spoken of by it.
     */
    public static final int LAYOUT_VERSION_OLDEST = 1;
    /** Ceiling of local deletion times that clamps nothing. */
    public static final long UNCLAMPED = DeletionTime.NO_DELETION_TIME - 1;
    /** Of a row that is written in pieces; a value of that length is a piece of its own. */
    private static final int PIECE_BYTES = 64 << 10;

    /** Numbers below it are vints of one byte. */
    private static final int ONE_BYTE_END = 0x80;

    private final int clusteringSize;
    private final boolean[] staticComplex;
    private final boolean[] regularComplex;
    private final TableSchema schema;
    private final boolean counters;
    private final CounterShards shards = new CounterShards();
    private final long localDeletionTimeMaxSeconds;

    /**
     * @param localDeletionTimeMaxSeconds what the lowest of the participants' write formats can hold, or
     *     {@link #UNCLAMPED}
     */
    public CanonicalEncoder(TableSchema schema, long localDeletionTimeMaxSeconds) {
        this.localDeletionTimeMaxSeconds = localDeletionTimeMaxSeconds;
        this.schema = schema;
        counters = schema.hasCounters();
        clusteringSize = schema.clustering().size();
        staticComplex = complex(schema.staticColumns());
        regularComplex = complex(schema.regularColumns());
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

    /** Whether encoding the row changes a time in it: one exceeds the ceiling. */
    public boolean clamps(Row row) {
        if (exceedsCeiling(row.livenessExpirySeconds()) || exceedsCeiling(row.deletionLocalTimeSeconds())) {
            return true;
        }
        int count = row.entryCount();
        for (int i = 0; i < count; i++) {
            if (exceedsCeiling(row.localDeletionTimeSeconds(i))) {
                return true;
            }
        }
        return false;
    }

    private boolean exceedsCeiling(long seconds) {
        return clamp(seconds, localDeletionTimeMaxSeconds) != seconds;
    }

    /**
     * Appends a static or clustering row; returns the item's length in bytes.
     *
     * @throws UnsupportedOperationException when a counter has shards of Cassandra 2.0 or earlier: it names the column
     */
    public int row(KeyView key, Row row, ByteWriter out) {
        int start = rowStart(key, row, out);
        int count = row.entryCount();
        if (row.isPlain() && !counters) {
            for (int i = 0; i < count; i++) {
                plainCell(row, i, out);
            }
            return finish(start, out);
        }
        boolean[] complex = row.isStatic() ? staticComplex : regularComplex;
        for (int i = 0; i < count; i++) {
            entry(row, i, complex[row.columnIndex(i)], counters && isCounter(row, i), out);
        }
        return finish(start, out);
    }

    /** As {@link #entry} of a plain row: half of the time of encoding small rows went into asking what a cell is not. */
    private static void plainCell(Row row, int i, ByteWriter out) {
        int column = row.columnIndex(i);
        if (column < ONE_BYTE_END) {
            out.writeShort(ItemLayout.LIVE_CELL << Byte.SIZE | column);
        } else {
            out.writeByte(ItemLayout.LIVE_CELL);
            out.writeUnsignedVInt(column);
        }
        out.writeLong(row.timestampMicros(i));
        optionalBytes(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i), out);
    }

    /** All before the entries. */
    private int rowStart(KeyView key, Row row, ByteWriter out) {
        int start = begin(row.isStatic() ? ItemKind.STATIC_ROW : ItemKind.CLUSTERING_ROW, key, out);
        if (!row.isStatic()) {
            assert row.clustering().size() == clusteringSize : row.clustering().size();
            prefix(row.clustering(), out);
        }
        rowHead(row, out);
        out.writeUnsignedVInt(row.entryCount());
        return start;
    }

    /** Takes the bytes of an item in order. */
    public interface Output {
        /** @param buffer is used again when this returns */
        void write(byte[] buffer, int offset, int lengthBytes) throws IOException;
    }

    /**
     * Writes the item of a row that is too large to lie in one piece; values go out as they lie. Returns the item's length
     * in bytes.
     *
     * @throws IllegalArgumentException when the item is longer than any item can be
     */
    public int row(KeyView key, Row row, Output out) throws IOException {
        ByteWriter piece = new ByteWriter(2 * PIECE_BYTES);
        // The length stands at the beginning.
        long length = pieces(key, row, 0, piece, (buffer, offset, lengthBytes) -> {});
        if (length > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "row is too large, table=" + schema.qualifiedName() + ", lengthBytes=" + length);
        }
        pieces(key, row, (int) length, piece, out);
        return (int) length;
    }

    private long pieces(KeyView key, Row row, int itemLength, ByteWriter piece, Output out) throws IOException {
        piece.clear();
        int start = rowStart(key, row, piece);
        piece.setInt(start + ItemLayout.LENGTH_OFFSET, itemLength);
        boolean[] complex = row.isStatic() ? staticComplex : regularComplex;
        int count = row.entryCount();
        long written = 0;
        for (int i = 0; i < count; i++) {
            boolean counter = counters && isCounter(row, i);
            if (counter || row.valueLengthBytes(i) < PIECE_BYTES) {
                entry(row, i, complex[row.columnIndex(i)], counter, piece);
            } else {
                entryHead(row, i, complex[row.columnIndex(i)], piece);
                ItemLayout.writeOptionalLength(row.valueLengthBytes(i), piece);
                written += flush(piece, out);
                out.write(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i));
                written += row.valueLengthBytes(i);
            }
            if (piece.lengthBytes() >= PIECE_BYTES) {
                written += flush(piece, out);
            }
        }
        return written + flush(piece, out);
    }

    private static int flush(ByteWriter piece, Output out) throws IOException {
        int length = piece.lengthBytes();
        out.write(piece.array(), 0, length);
        piece.clear();
        return length;
    }

    /** Appends a partition deletion; returns the item's length in bytes. */
    public int partitionDeletion(KeyView key, long timestampMicros, long localDeletionTimeSeconds, ByteWriter out) {
        int start = begin(ItemKind.PARTITION_DELETION, key, out);
        deletion(timestampMicros, localDeletionTimeSeconds, out);
        return finish(start, out);
    }

    /** Appends the deletion of the partition at whose start a cursor stands, if it has one. */
    public void partitionDeletion(FragmentCursor partition, ByteWriter out) {
        long timestampMicros = partition.partitionDeletionTimestampMicros();
        long localSeconds = partition.partitionDeletionLocalTimeSeconds();
        if (!DeletionTime.isLive(timestampMicros, localSeconds)) {
            partitionDeletion(partition.key(), timestampMicros, localSeconds, out);
        }
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

    private boolean isCounter(Row row, int i) {
        return column(row, i).type().isCounter();
    }

    private Column column(Row row, int i) {
        return (row.isStatic() ? schema.staticColumns() : schema.regularColumns()).get(row.columnIndex(i));
    }

    private void entry(Row row, int i, boolean complex, boolean counter, ByteWriter out) {
        boolean hasValue = entryHead(row, i, complex, out);
        if (hasValue && counter) {
            counter(row, i, out);
        } else if (hasValue) {
            optionalBytes(row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i), out);
        }
    }

    /** All before the value; whether there is one. */
    private boolean entryHead(Row row, int i, boolean complex, ByteWriter out) {
        if (row.isComplexDeletion(i)) {
            assert complex : row.columnIndex(i);
            out.writeByte(ItemLayout.COMPLEX_DELETION);
            out.writeUnsignedVInt(row.columnIndex(i));
            deletion(row.timestampMicros(i), row.localDeletionTimeSeconds(i), out);
            return false;
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
        return !tombstone;
    }

    /** The shards without their header, which says nothing more: all are global and in order. */
    private void counter(Row row, int i, ByteWriter out) {
        byte[] buffer = row.valueBuffer(i);
        int offset = row.valueOffset(i);
        int length = row.valueLengthBytes(i);
        if (shards.hasLegacyShards(buffer, offset, length)) {
            throw new UnsupportedOperationException(
                    "counter has local or remote shards of Cassandra 2.0 or earlier, table=" + schema.qualifiedName()
                            + ", column=" + column(row, i).name());
        }
        assert shards.isNormal(buffer, offset, length) : column(row, i).name();
        int shardsLength = shards.shardCount() * CounterShards.SHARD_BYTES;
        optionalBytes(buffer, offset + length - shardsLength, shardsLength, out);
    }
}
