package io.anneal.testkit;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A plain table for data written down by hand: {@code ks.t} with a blob key, two int clustering columns, a static and two
 * regular blobs. Rows own their bytes. Safe for any thread.
 */
public final class HandMadeTable {
    private HandMadeTable() {}

    public static TableSchema schema(long gcGraceSeconds) {
        return TableSchema.builder("ks", "t")
                .column("k", CqlTypes.BLOB, Column.Kind.PARTITION_KEY)
                .column("c1", CqlTypes.INT, Column.Kind.CLUSTERING)
                .column("c2", CqlTypes.INT, Column.Kind.CLUSTERING)
                .column("s", CqlTypes.BLOB, Column.Kind.STATIC)
                .column("v", CqlTypes.BLOB, Column.Kind.REGULAR)
                .column("w", CqlTypes.BLOB, Column.Kind.REGULAR)
                .options(new TableOptions(gcGraceSeconds, 0.01, 128, Map.of(), Map.of(), false, Map.of()))
                .build();
    }

    /** Different keys in the order of the ring. */
    public static List<DecoratedKey> keys(int count) {
        List<DecoratedKey> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            keys.add(DecoratedKey.of(("key " + i).getBytes(StandardCharsets.UTF_8)));
        }
        keys.sort(null);
        return keys;
    }

    /** The clustering of a row, or with fewer components a prefix. */
    public static Clustering clustering(int... components) {
        byte[][] values = new byte[components.length][];
        for (int i = 0; i < components.length; i++) {
            values[i] = ByteBuffer.allocate(Integer.BYTES).putInt(components[i]).array();
        }
        return Clustering.of(values);
    }

    public static RowBuilder row(int c1, int c2) {
        Row row = new Row();
        row.clear(false);
        row.clustering().wrap(clustering(c1, c2));
        return new RowBuilder(row);
    }

    public static RowBuilder staticRow() {
        Row row = new Row();
        row.clear(true);
        return new RowBuilder(row);
    }

    /** Fills one row, its cells in column order. */
    public static final class RowBuilder {
        private final Row row;

        private RowBuilder(Row row) {
            this.row = row;
        }

        /** Row liveness without end. */
        public RowBuilder live(long timestampMicros) {
            row.liveness(timestampMicros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            return this;
        }

        public RowBuilder deleted(long timestampMicros, long localDeletionTimeSeconds) {
            row.deletion(timestampMicros, localDeletionTimeSeconds, false);
            return this;
        }

        /** A live cell of column {@code columnIndex} among the static or the regular ones. */
        public RowBuilder cell(int columnIndex, long timestampMicros, byte[] value) {
            row.addCell(columnIndex, timestampMicros, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
            row.value(value, 0, value.length);
            return this;
        }

        public RowBuilder cell(int columnIndex, long timestampMicros, String value) {
            return cell(columnIndex, timestampMicros, value.getBytes(StandardCharsets.UTF_8));
        }

        public RowBuilder tombstone(int columnIndex, long timestampMicros, long localDeletionTimeSeconds) {
            row.addCell(columnIndex, timestampMicros, Row.NO_TTL, localDeletionTimeSeconds);
            return this;
        }

        public Row build() {
            return row.toRow();
        }
    }
}
