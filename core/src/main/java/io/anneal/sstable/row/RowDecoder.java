package io.anneal.sstable.row;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.EntrySorter;
import io.anneal.fragment.LargeRows;
import io.anneal.fragment.Row;
import io.anneal.io.ByteReader;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.util.Arrays;

/**
 * Decodes the body of a row: what stands behind clustering and sizes. Numbers are relative to the header's minima.
 * Wrong bytes throw {@link io.anneal.io.ByteUnderflowException} or {@link MalformedRowException}; the cursor adds where.
 * Allocates nothing per row. Owned by one thread.
 */
public final class RowDecoder {
    private static final int BITMAP_COLUMNS = 64;

    private final DeletionTimes times;
    private final long minTimestampMicros;
    private final long minLocalDeletionTimeSeconds;
    private final int minTtlSeconds;
    private final ColumnMapping staticColumns;
    private final ColumnMapping regularColumns;
    private final boolean[] present;
    /** Null unless some columns of the header are in the order of earlier releases. */
    private final EntrySorter sorter;

    private final Row unsorted;

    public RowDecoder(
            SSTableVersion version,
            SerializationHeader header,
            TableSchema schema,
            ColumnMapping staticColumns,
            ColumnMapping regularColumns) {
        times = DeletionTimes.of(version);
        minTimestampMicros = header.minTimestampMicros();
        minLocalDeletionTimeSeconds = header.minLocalDeletionTimeSeconds();
        minTtlSeconds = header.minTtlSeconds();
        this.staticColumns = staticColumns;
        this.regularColumns = regularColumns;
        present = new boolean[Math.max(staticColumns.count(), regularColumns.count())];
        boolean sorts = staticColumns.isInFormerOrder() || regularColumns.isInFormerOrder();
        sorter = sorts ? new EntrySorter(schema) : null;
        unsorted = sorts ? new Row() : null;
    }

    /** How the version codes deletions; the data of partitions has them, too. */
    public DeletionTimes times() {
        return times;
    }

    long readTimestamp(ByteReader in) {
        return in.readUnsignedVInt() + minTimestampMicros;
    }

    private long readLocalDeletionTime(ByteReader in) {
        return readInt(in) + minLocalDeletionTimeSeconds;
    }

    /** Of a deletion; one that overflowed becomes the marker that Cassandra 5.0 makes of it. */
    long readDeletionLocalTime(ByteReader in) {
        return DeletionTimes.deletionSeconds(readLocalDeletionTime(in));
    }

    /** A 32-bit number; negative ones, which only overflows make, are written sign-extended. */
    private static int readInt(ByteReader in) {
        long value = in.readUnsignedVInt();
        if (value != (int) value) {
            throw new MalformedRowException("number takes more than 32 bits, value=" + value);
        }
        return (int) value;
    }

    private int readTtl(ByteReader in) {
        int ttlSeconds = readInt(in) + minTtlSeconds;
        if (ttlSeconds < 0) {
            throw new MalformedRowException("TTL is negative, ttlSeconds=" + ttlSeconds);
        }
        return ttlSeconds;
    }

    /** Expiry or local deletion time of a cell or of liveness, as Cassandra 5.0 takes it. */
    private long checkedLocalDeletionTime(long seconds, int ttlSeconds) {
        if (seconds >= ttlSeconds || seconds >= 0 && ttlSeconds == Row.EXPIRED_LIVENESS_TTL) {
            return seconds;
        }
        return seconds < 0 ? times.decodeNegative(seconds) : DeletionTimes.INVALID_SECONDS;
    }

    /** Is asked before more cells are decoded than most rows have. */
    interface ManyCells {
        void enter(long count) throws IOException;
    }

    /** Fills in everything but the clustering. */
    void decode(ByteReader in, int flags, int extendedFlags, Row row, ManyCells many) throws IOException {
        long livenessMicros = DeletionTime.NO_TIMESTAMP;
        int livenessTtl = Row.NO_TTL;
        long livenessExpiry = DeletionTime.NO_DELETION_TIME;
        if ((flags & UnfilteredFlags.HAS_TIMESTAMP) != 0) {
            livenessMicros = readTimestamp(in);
            if ((flags & UnfilteredFlags.HAS_TTL) != 0) {
                livenessTtl = readTtl(in);
                livenessExpiry = checkedLocalDeletionTime(readLocalDeletionTime(in), livenessTtl);
            }
            row.liveness(livenessMicros, livenessTtl, livenessExpiry);
        }
        if ((flags & UnfilteredFlags.HAS_DELETION) != 0) {
            long micros = readTimestamp(in);
            boolean shadowable = (extendedFlags & UnfilteredFlags.EXTENDED_SHADOWABLE_DELETION) != 0;
            row.deletion(micros, readDeletionLocalTime(in), shadowable);
        }
        ColumnMapping columns = row.isStatic() ? staticColumns : regularColumns;
        boolean all = (flags & UnfilteredFlags.HAS_ALL_COLUMNS) != 0 || readPresence(in, columns.count());
        boolean hasComplexDeletion = (flags & UnfilteredFlags.HAS_COMPLEX_DELETION) != 0;
        if (columns.isInFormerOrder()) {
            unsorted.clear(row.isStatic());
            unsorted.liveness(livenessMicros, livenessTtl, livenessExpiry);
            decodeColumns(in, columns, all, hasComplexDeletion, unsorted, many);
            sorter.sort(unsorted, row);
        } else {
            decodeColumns(in, columns, all, hasComplexDeletion, row, many);
        }
    }

    /** Lets go of the row that was decoded last. */
    void release() {
        if (unsorted != null) {
            unsorted.release();
        }
    }

    private void decodeColumns(
            ByteReader in, ColumnMapping columns, boolean all, boolean hasComplexDeletion, Row row, ManyCells many)
            throws IOException {
        for (int column = 0; column < columns.count(); column++) {
            if (!all && !present[column]) {
                continue;
            }
            if (columns.isComplex(column)) {
                decodeComplex(in, columns, column, hasComplexDeletion, row, many);
            } else {
                decodeCell(in, columns, column, false, row);
            }
        }
    }

    private void decodeComplex(
            ByteReader in, ColumnMapping columns, int column, boolean hasComplexDeletion, Row row, ManyCells many)
            throws IOException {
        if (hasComplexDeletion) {
            long micros = readTimestamp(in);
            long localSeconds = readDeletionLocalTime(in);
            // Where another column of the row has a deletion, one without has this timestamp and some local time.
            if (micros != DeletionTime.NO_TIMESTAMP) {
                row.addComplexDeletion(columns.schemaIndex(column), micros, localSeconds);
            }
        }
        int cells = in.readUnsignedVInt32();
        if (cells > LargeRows.UNASKED_CELLS_MAX) {
            many.enter((long) row.entryCount() + cells);
        }
        for (int i = 0; i < cells; i++) {
            decodeCell(in, columns, column, true, row);
        }
    }

    private void decodeCell(ByteReader in, ColumnMapping columns, int column, boolean complex, Row row) {
        int flags = in.readUnsignedByte();
        if (flags == UnfilteredFlags.CELL_USES_ROW_TIMESTAMP && !complex) {
            // Most cells of most tables.
            int fixed = columns.fixedLengthBytes(column);
            int valueBytes = fixed == CqlType.VARIABLE_LENGTH ? in.readUnsignedVInt32() : fixed;
            row.addCell(
                    columns.schemaIndex(column),
                    row.livenessTimestampMicros(),
                    in.array(),
                    in.skip(valueBytes),
                    valueBytes);
            return;
        }
        boolean deleted = (flags & UnfilteredFlags.CELL_IS_DELETED) != 0;
        boolean expiring = (flags & UnfilteredFlags.CELL_IS_EXPIRING) != 0;
        long micros = (flags & UnfilteredFlags.CELL_USES_ROW_TIMESTAMP) != 0
                ? row.livenessTimestampMicros()
                : readTimestamp(in);
        long localSeconds = DeletionTime.NO_DELETION_TIME;
        int ttlSeconds = Row.NO_TTL;
        if ((flags & UnfilteredFlags.CELL_USES_ROW_TTL) != 0) {
            localSeconds = row.livenessExpirySeconds();
            ttlSeconds = row.livenessTtlSeconds();
        } else if (deleted || expiring) {
            localSeconds = readLocalDeletionTime(in);
            ttlSeconds = expiring ? readTtl(in) : Row.NO_TTL;
        }
        row.addCell(
                columns.schemaIndex(column), micros, ttlSeconds, checkedLocalDeletionTime(localSeconds, ttlSeconds));
        if (complex) {
            int pathBytes = in.readUnsignedVInt32();
            row.path(in.array(), in.skip(pathBytes), pathBytes);
        }
        int lengthBytes = 0;
        if ((flags & UnfilteredFlags.CELL_HAS_EMPTY_VALUE) == 0) {
            int fixed = columns.fixedLengthBytes(column);
            lengthBytes = fixed == CqlType.VARIABLE_LENGTH ? in.readUnsignedVInt32() : fixed;
        }
        int offset = in.skip(lengthBytes);
        boolean tombstone = ttlSeconds == Row.NO_TTL && localSeconds != DeletionTime.NO_DELETION_TIME;
        if (!tombstone) {
            row.value(in.array(), offset, lengthBytes);
        }
    }

    /** Reads which columns a row has into {@link #present}; true when all of them. */
    private boolean readPresence(ByteReader in, int columns) {
        long encoded = in.readUnsignedVInt();
        if (encoded == 0) {
            return true;
        }
        if (columns < BITMAP_COLUMNS) {
            if (encoded >>> columns != 0) {
                throw new MalformedRowException("more columns are missing than there are, bitmap=" + encoded);
            }
            for (int i = 0; i < columns; i++) {
                present[i] = (encoded >>> i & 1) == 0;
            }
            return false;
        }
        if (encoded < 0 || encoded > columns) {
            throw new MalformedRowException("more columns are missing than there are, missing=" + encoded);
        }
        int missing = (int) encoded;
        boolean listsPresent = columns - missing < columns / 2;
        int listed = listsPresent ? columns - missing : missing;
        Arrays.fill(present, 0, columns, !listsPresent);
        int last = -1;
        for (int i = 0; i < listed; i++) {
            int column = in.readUnsignedVInt32();
            if (column <= last || column >= columns) {
                throw new MalformedRowException("columns of a row are out of order, column=" + column);
            }
            present[column] = listsPresent;
            last = column;
        }
        return false;
    }
}
