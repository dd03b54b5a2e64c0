package io.anneal.sstable.row;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.io.VInt;
import io.anneal.key.ClusteringComparator;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.file.DataFile;
import java.io.IOException;
import java.util.List;

/**
 * Encodes rows and range tombstone markers as Cassandra's {@code UnfilteredSerializer} does, each once, into buffers that
 * are used again:
 *
 * <pre>
 *   row     flags [extended flags] clustering | size, previous size | liveness deletion columns cells
 *   marker  flags kind, prefix                | size, previous size | deletion(s)
 *           '---------- head ---------------------------------------' '------- body --------------'
 * </pre>
 *
 * The head keeps the place of the last fragment until the next one, which is what block indexes need. Owned by one thread.
 */
public final class RowEncoder {
    /** Beyond this, what a huge row needed is given back when it is written: many writers may be open. */
    private static final int KEPT_MAX_BYTES = 16 << 20;

    private final ClusteringEncoder clusterings;
    private final DeltaEncoder deltas;
    private final Columns staticColumns;
    private final Columns regularColumns;
    private final Row emptyStatic = new Row();
    private final ByteWriter head = new ByteWriter(1024);
    private final RowBody content = new RowBody();
    private final ByteWriter body = content.copied();

    private int prefixOffset;
    private int prefixEnd;
    private boolean prefixIsBound;

    public RowEncoder(TableSchema schema, DeltaEncoder deltas) {
        this.deltas = deltas;
        clusterings = new ClusteringEncoder(schema);
        staticColumns = new Columns(schema.staticColumns());
        regularColumns = new Columns(schema.regularColumns());
        emptyStatic.clear(true);
    }

    /** Writes the last fragment, once: its values lie in the row until then. */
    public void writeTo(DataFile data) throws IOException {
        data.write(head);
        content.writeTo(data);
        if (body.capacityBytes() > KEPT_MAX_BYTES) {
            body.shrink();
        }
    }

    /** Bytes of the last fragment. */
    long lengthBytes() {
        return head.lengthBytes() + content.lengthBytes();
    }

    /** Appends the place of the last fragment in the form of a block index. */
    public void writePrefix(ByteWriter out) {
        if (!prefixIsBound) {
            out.writeByte(UnfilteredFlags.CLUSTERING);
        }
        out.writeBytes(head.array(), prefixOffset, prefixEnd - prefixOffset);
    }

    /** What stands where a table has static columns and a partition no static row. */
    public void encodeEmptyStaticRow() {
        encode(emptyStatic, 0);
    }

    public void encode(Row row, long previousSizeBytes) {
        Columns columns = row.isStatic() ? staticColumns : regularColumns;
        columns.present(row);
        int extendedFlags = (row.isStatic() ? UnfilteredFlags.EXTENDED_IS_STATIC : 0)
                | (row.hasDeletion() && row.isDeletionShadowable() ? UnfilteredFlags.EXTENDED_SHADOWABLE_DELETION : 0);
        int flags = flags(row, columns) | (extendedFlags != 0 ? UnfilteredFlags.HAS_EXTENDED_FLAGS : 0);

        head.clear();
        head.writeByte(flags);
        if (extendedFlags != 0) {
            head.writeByte(extendedFlags);
        }
        prefixOffset = head.lengthBytes();
        prefixIsBound = false;
        if (!row.isStatic()) {
            if (row.clustering().size() != clusterings.size()) {
                throw new IllegalArgumentException("clustering has the wrong number of components, components="
                        + row.clustering().size() + ", expected=" + clusterings.size());
            }
            clusterings.writeComponents(row.clustering(), head);
        }
        prefixEnd = head.lengthBytes();

        content.clear();
        encodeBody(row, flags, columns);
        writeSizes(previousSizeBytes);
    }

    private static int flags(Row row, Columns columns) {
        return (row.hasLiveness() ? UnfilteredFlags.HAS_TIMESTAMP : 0)
                | (row.hasLiveness() && row.livenessTtlSeconds() != Row.NO_TTL ? UnfilteredFlags.HAS_TTL : 0)
                | (row.hasDeletion() ? UnfilteredFlags.HAS_DELETION : 0)
                | (columns.presentCount == columns.columns.length ? UnfilteredFlags.HAS_ALL_COLUMNS : 0)
                | (columns.complexDeletion ? UnfilteredFlags.HAS_COMPLEX_DELETION : 0);
    }

    private void writeSizes(long previousSizeBytes) {
        head.writeUnsignedVInt(content.lengthBytes() + VInt.lengthBytes(previousSizeBytes));
        head.writeUnsignedVInt(previousSizeBytes);
    }

    private void encodeBody(Row row, int flags, Columns columns) {
        if ((flags & UnfilteredFlags.HAS_TIMESTAMP) != 0) {
            deltas.writeTimestamp(row.livenessTimestampMicros(), body);
        }
        if ((flags & UnfilteredFlags.HAS_TTL) != 0) {
            deltas.writeTtl(row.livenessTtlSeconds(), body);
            deltas.writeLocalDeletionTime(row.livenessExpirySeconds(), body);
        }
        if ((flags & UnfilteredFlags.HAS_DELETION) != 0) {
            deltas.writeDeletion(row.deletionTimestampMicros(), row.deletionLocalTimeSeconds(), body);
        }
        if ((flags & UnfilteredFlags.HAS_ALL_COLUMNS) == 0) {
            columns.writeSubset(body);
        }
        boolean complexDeletions = (flags & UnfilteredFlags.HAS_COMPLEX_DELETION) != 0;
        int entry = 0;
        for (int i = 0; i < columns.presentCount; i++) {
            Column column = columns.columns[columns.present[i]];
            try {
                if (column.isComplex()) {
                    entry = encodeComplex(row, entry, complexDeletions);
                } else {
                    encodeCell(row, entry, false, columns.fixedLengths[column.index()]);
                    entry++;
                }
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(e.getMessage() + ", column=" + column.name(), e);
            }
        }
    }

    private int encodeComplex(Row row, int first, boolean complexDeletions) {
        int columnIndex = row.columnIndex(first);
        int end = first;
        while (end < row.entryCount() && row.columnIndex(end) == columnIndex) {
            end++;
        }
        int entry = first;
        if (row.isComplexDeletion(first)) {
            deltas.writeDeletion(row.timestampMicros(first), row.localDeletionTimeSeconds(first), body);
            entry++;
        } else if (complexDeletions) {
            deltas.writeDeletion(DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME, body);
        }
        body.writeUnsignedVInt(end - entry);
        for (; entry < end; entry++) {
            encodeCell(row, entry, true, CqlType.VARIABLE_LENGTH);
        }
        return end;
    }

    private void encodeCell(Row row, int entry, boolean complex, int fixedLength) {
        if (!complex && isPlain(row, entry)) {
            body.writeByte(UnfilteredFlags.CELL_USES_ROW_TIMESTAMP);
            encodeValue(row, entry, row.valueLengthBytes(entry), fixedLength);
            return;
        }
        long timestamp = row.timestampMicros(entry);
        int ttl = row.ttlSeconds(entry);
        long localDeletionTime = row.localDeletionTimeSeconds(entry);
        boolean expiring = ttl != Row.NO_TTL;
        boolean deleted = !expiring && localDeletionTime != DeletionTime.NO_DELETION_TIME;
        int valueLength = deleted ? 0 : row.valueLengthBytes(entry);
        boolean rowTimestamp = row.hasLiveness() && timestamp == row.livenessTimestampMicros();
        boolean rowTtl = expiring
                && row.hasLiveness()
                && ttl == row.livenessTtlSeconds()
                && localDeletionTime == row.livenessExpirySeconds();
        body.writeByte((valueLength <= 0 ? UnfilteredFlags.CELL_HAS_EMPTY_VALUE : 0)
                | (deleted ? UnfilteredFlags.CELL_IS_DELETED : 0)
                | (expiring ? UnfilteredFlags.CELL_IS_EXPIRING : 0)
                | (rowTimestamp ? UnfilteredFlags.CELL_USES_ROW_TIMESTAMP : 0)
                | (rowTtl ? UnfilteredFlags.CELL_USES_ROW_TTL : 0));
        if (!rowTimestamp) {
            deltas.writeTimestamp(timestamp, body);
        }
        if ((deleted || expiring) && !rowTtl) {
            deltas.writeLocalDeletionTime(localDeletionTime, body);
        }
        if (expiring && !rowTtl) {
            deltas.writeTtl(ttl, body);
        }
        int pathLength = row.pathLengthBytes(entry);
        if (complex != (pathLength != Row.ABSENT)) {
            throw new IllegalArgumentException(complex ? "cell has no path" : "cell of a simple column has a path");
        }
        if (complex) {
            body.writeUnsignedVInt(pathLength);
            body.writeBytes(row.pathBuffer(entry), row.pathOffset(entry), pathLength);
        }
        if (valueLength > 0) {
            encodeValue(row, entry, valueLength, fixedLength);
        }
    }

    /** Whether the cell is a value written with its row, as most are. */
    private static boolean isPlain(Row row, int entry) {
        return row.timestampMicros(entry) == row.livenessTimestampMicros()
                && row.hasLiveness()
                && row.localDeletionTimeSeconds(entry) == DeletionTime.NO_DELETION_TIME
                && row.ttlSeconds(entry) == Row.NO_TTL
                && row.valueLengthBytes(entry) > 0
                && row.pathLengthBytes(entry) == Row.ABSENT;
    }

    private void encodeValue(Row row, int entry, int length, int fixedLength) {
        if (fixedLength == CqlType.VARIABLE_LENGTH) {
            body.writeUnsignedVInt(length);
        } else if (fixedLength != length) {
            throw new IllegalArgumentException(
                    "value has the wrong length, lengthBytes=" + length + ", expected=" + fixedLength);
        }
        content.value(row.valueBuffer(entry), row.valueOffset(entry), length);
    }

    /**
     * Encodes a change as the marker it is, given the deletion that was open before it.
     *
     * @return the kind, of {@link UnfilteredFlags}
     */
    public int encode(RangeTombstoneChange change, long openMicros, long openLocalSeconds, long previousSizeBytes) {
        boolean closes = !DeletionTime.isLive(openMicros, openLocalSeconds);
        boolean opens = !change.isLive();
        boolean before = change.weight() == ClusteringComparator.BEFORE;
        int kind;
        if (closes && opens) {
            kind = before ? UnfilteredFlags.EXCL_END_INCL_START_BOUNDARY : UnfilteredFlags.INCL_END_EXCL_START_BOUNDARY;
        } else if (opens) {
            kind = before ? UnfilteredFlags.INCL_START_BOUND : UnfilteredFlags.EXCL_START_BOUND;
        } else {
            kind = before ? UnfilteredFlags.EXCL_END_BOUND : UnfilteredFlags.INCL_END_BOUND;
        }
        head.clear();
        head.writeByte(UnfilteredFlags.IS_MARKER);
        prefixOffset = head.lengthBytes();
        prefixIsBound = true;
        clusterings.writeBound(kind, change.prefix(), head);
        prefixEnd = head.lengthBytes();

        content.clear();
        if (closes) {
            deltas.writeDeletion(openMicros, openLocalSeconds, body);
        }
        if (opens) {
            deltas.writeDeletion(change.timestampMicros(), change.localDeletionTimeSeconds(), body);
        }
        writeSizes(previousSizeBytes);
        return kind;
    }

    /** The columns of a kind, and which of them the current row has. */
    private static final class Columns {
        private static final int BITMAP_COLUMNS_MAX = 63;

        private final Column[] columns;
        private final int[] fixedLengths;
        private final int[] present;

        private int presentCount;
        private boolean complexDeletion;

        Columns(List<Column> list) {
            columns = list.toArray(Column[]::new);
            present = new int[columns.length];
            fixedLengths = new int[columns.length];
            for (int i = 0; i < columns.length; i++) {
                CqlType type = columns[i].type();
                fixedLengths[i] = columns[i].isComplex() ? CqlType.VARIABLE_LENGTH : type.fixedLengthBytes();
            }
        }

        void present(Row row) {
            presentCount = 0;
            complexDeletion = false;
            int last = -1;
            for (int i = 0; i < row.entryCount(); i++) {
                int column = row.columnIndex(i);
                complexDeletion |= row.isComplexDeletion(i);
                if (column == last && columns[column].isComplex() && !row.isComplexDeletion(i)) {
                    continue;
                }
                if (column <= last) {
                    throw new IllegalStateException("cells of a row are out of order, column=" + columns[column].name()
                            + ", previous=" + columns[last].name());
                }
                present[presentCount++] = column;
                last = column;
            }
        }

        void writeSubset(ByteWriter out) {
            if (columns.length <= BITMAP_COLUMNS_MAX) {
                long missing = (1L << columns.length) - 1;
                for (int i = 0; i < presentCount; i++) {
                    missing &= ~(1L << present[i]);
                }
                out.writeUnsignedVInt(missing);
                return;
            }
            out.writeUnsignedVInt(columns.length - presentCount);
            if (presentCount < columns.length / 2) {
                for (int i = 0; i < presentCount; i++) {
                    out.writeUnsignedVInt(present[i]);
                }
                return;
            }
            for (int column = 0, at = 0; column < columns.length; column++) {
                if (at < presentCount && present[at] == column) {
                    at++;
                } else {
                    out.writeUnsignedVInt(column);
                }
            }
        }
    }
}
