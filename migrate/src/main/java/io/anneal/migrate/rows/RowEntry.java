package io.anneal.migrate.rows;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.migrate.bulk.BulkEntry;
import io.anneal.migrate.bulk.BulkTolerance;
import java.util.List;
import java.util.OptionalLong;

/**
 * One row of any Cassandra-shaped table as it was at one moment: the key, the clustering, and each cell with its value, write time and
 * expiry; the static values of a partition are an entry of their own, before its rows. Values are the bytes that the
 * native protocol and SSTables have alike.
 *
 * <p>What keeps a row there when all its cells are gone, the row marker of an {@code INSERT}, is not shown by CQL. An entry that was
 * read through a driver has one made up: with write time and expiry of the oldest cell (as an {@code INSERT} that was updated later
 * leaves it), or, without cells, with {@link #MARKER_UNKNOWN_MICROS}, which loses against everything.
 */
public final class RowEntry implements BulkEntry {
    /** Write time of a row marker of which nothing is known: older than any deletion. */
    public static final long MARKER_UNKNOWN_MICROS = 1;

    private static final int CELL_BYTES = 16;

    private final RowTable table;
    private final DecoratedKey partition;
    private final Row row;
    private final boolean markerKnown;

    /** @param row as {@link RowTable} numbers its columns, with bytes of its own: nobody changes it any more */
    RowEntry(RowTable table, DecoratedKey partition, Row row, boolean markerKnown) {
        this.table = table;
        this.partition = partition;
        this.row = row;
        this.markerKnown = markerKnown;
    }

    RowTable table() {
        return table;
    }

    DecoratedKey partition() {
        return partition;
    }

    Row row() {
        return row;
    }

    boolean isMarkerKnown() {
        return markerKnown;
    }

    @Override
    public String key() {
        return table.name(partition, row);
    }

    @Override
    public long position() {
        return partition.token();
    }

    @Override
    public OptionalLong newestWriteMicros() {
        long newest = row.hasLiveness() ? row.livenessTimestampMicros() : Long.MIN_VALUE;
        for (int i = 0; i < row.entryCount(); i++) {
            newest = Math.max(newest, row.timestampMicros(i));
        }
        return newest == Long.MIN_VALUE || newest == MARKER_UNKNOWN_MICROS
                ? OptionalLong.empty()
                : OptionalLong.of(newest);
    }

    @Override
    public long lengthBytes() {
        long bytes = partition.bytes().length;
        for (int i = 0; i < row.clustering().size(); i++) {
            bytes += Math.max(0, row.clustering().lengthBytes(i));
        }
        for (int i = 0; i < row.entryCount(); i++) {
            bytes += CELL_BYTES + Math.max(0, row.valueLengthBytes(i)) + Math.max(0, row.pathLengthBytes(i));
        }
        return bytes;
    }

    @Override
    public List<FieldDiff> differences(BulkEntry target, BulkTolerance tolerance) {
        return new RowDifferences(this, (RowEntry) target, tolerance).differences();
    }

    @Override
    public String toString() {
        return key();
    }
}
