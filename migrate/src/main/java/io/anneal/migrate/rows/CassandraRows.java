package io.anneal.migrate.rows;

import com.datastax.oss.driver.api.core.data.GettableByIndex;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes rows of the driver into entries. The columns of a result, in order: partition key, clustering, then of each static and
 * of each regular column the value, its write time, its TTL that is left. Any thread.
 */
final class CassandraRows {
    private static final int COLUMNS_OF_CELL = 3;

    private final RowTable table;
    private final boolean rowMarkers;
    private final int keySize;
    private final int clusteringSize;

    CassandraRows(RowTable table, boolean rowMarkers) {
        this.table = table;
        this.rowMarkers = rowMarkers;
        keySize = table.stored().partitionKey().size();
        clusteringSize = table.stored().clustering().size();
    }

    DecoratedKey key(GettableByIndex row) {
        List<byte[]> parts = new ArrayList<>(keySize);
        for (int i = 0; i < keySize; i++) {
            parts.add(bytes(row.getBytesUnsafe(i)));
        }
        return RowTable.key(parts);
    }

    /** The partition's static values, null if it has none. */
    RowEntry statics(DecoratedKey key, GettableByIndex row, long nowSeconds) {
        Row cells = new Row();
        cells.clear(true);
        cells(row, keySize + clusteringSize, table.columns(true), nowSeconds, cells);
        return cells.isEmpty() ? null : new RowEntry(table, key, cells, true);
    }

    /** The row; null if this is one for static values alone. */
    RowEntry regular(DecoratedKey key, GettableByIndex row, long nowSeconds) {
        byte[][] clustering = new byte[clusteringSize][];
        boolean isThere = clusteringSize == 0;
        for (int i = 0; i < clusteringSize; i++) {
            clustering[i] = bytes(row.getBytesUnsafe(keySize + i));
            isThere |= clustering[i] != null;
        }
        if (!isThere) {
            return null;
        }
        Row cells = new Row();
        cells.clear(false);
        cells.clustering().wrap(Clustering.of(clustering));
        int first =
                keySize + clusteringSize + COLUMNS_OF_CELL * table.columns(true).size();
        cells(row, first, table.columns(false), nowSeconds, cells);
        marker(cells);
        return new RowEntry(table, key, cells, false);
    }

    private static void cells(GettableByIndex row, int first, List<Column> columns, long nowSeconds, Row cells) {
        for (int i = 0; i < columns.size(); i++) {
            int at = first + COLUMNS_OF_CELL * i;
            byte[] value = bytes(row.getBytesUnsafe(at));
            if (value != null) {
                // A cell in its last second has no TTL left and is there all the same.
                int ttlSeconds = row.isNull(at + 2) ? Row.NO_TTL : Math.max(1, row.getInt(at + 2));
                cells.addCell(
                        i,
                        row.getLong(at + 1),
                        ttlSeconds,
                        ttlSeconds == Row.NO_TTL ? DeletionTime.NO_DELETION_TIME : nowSeconds + ttlSeconds);
                cells.value(value, 0, value.length);
            }
        }
    }

    /** The oldest cell's write time and expiry; of several the one that lasts longest. */
    private void marker(Row cells) {
        if (cells.entryCount() == 0) {
            cells.liveness(RowEntry.MARKER_UNKNOWN_MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            return;
        }
        if (!rowMarkers) {
            return;
        }
        int oldest = 0;
        for (int i = 1; i < cells.entryCount(); i++) {
            long micros = cells.timestampMicros(i);
            if (micros < cells.timestampMicros(oldest)
                    || micros == cells.timestampMicros(oldest)
                            && cells.localDeletionTimeSeconds(i) > cells.localDeletionTimeSeconds(oldest)) {
                oldest = i;
            }
        }
        cells.liveness(cells.timestampMicros(oldest), cells.ttlSeconds(oldest), cells.localDeletionTimeSeconds(oldest));
    }

    private static byte[] bytes(ByteBuffer value) {
        if (value == null) {
            return null;
        }
        byte[] bytes = new byte[value.remaining()];
        value.duplicate().get(bytes);
        return bytes;
    }
}
