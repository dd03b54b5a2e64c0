package io.anneal.bench.data;

import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import java.util.Map;

/** The tables that are measured with: those whose cost is in bytes and one whose cost is in rows. */
public enum TableShape {
    /** A bigint key, one row a partition, a blob of {@value RowMaker#BLOB_BYTES} bytes of which LZ4 removes about half. */
    KILOBYTE_ROWS(
            1,
            TableSchema.builder("bench", "kilobyte_rows")
                    .options(Options.AS_CASSANDRA_HAS_THEM)
                    .column("id", CqlTypes.BIGINT, Column.Kind.PARTITION_KEY)
                    .column("payload", CqlTypes.BLOB, Column.Kind.REGULAR)
                    .build()),
    /** As {@link #KILOBYTE_ROWS}, of random bytes that nothing makes shorter. */
    RANDOM_ROWS(
            1,
            TableSchema.builder("bench", "random_rows")
                    .options(Options.AS_CASSANDRA_HAS_THEM)
                    .column("id", CqlTypes.BIGINT, Column.Kind.PARTITION_KEY)
                    .column("payload", CqlTypes.BLOB, Column.Kind.REGULAR)
                    .build()),
    /** As {@link #KILOBYTE_ROWS}, with a blob of {@value RowMaker#SHORT_BLOB_BYTES} bytes. */
    SHORT_ROWS(
            1,
            TableSchema.builder("bench", "short_rows")
                    .options(Options.AS_CASSANDRA_HAS_THEM)
                    .column("id", CqlTypes.BIGINT, Column.Kind.PARTITION_KEY)
                    .column("payload", CqlTypes.BLOB, Column.Kind.REGULAR)
                    .build()),
    /** A bigint key, ten rows a partition by an int, five columns of common types: about 60 bytes a row. */
    SMALL_ROWS(
            10,
            TableSchema.builder("bench", "small_rows")
                    .options(Options.AS_CASSANDRA_HAS_THEM)
                    .column("id", CqlTypes.BIGINT, Column.Kind.PARTITION_KEY)
                    .column("line", CqlTypes.INT, Column.Kind.CLUSTERING)
                    .column("amount", CqlTypes.BIGINT, Column.Kind.REGULAR)
                    .column("name", CqlTypes.TEXT, Column.Kind.REGULAR)
                    .column("note", CqlTypes.TEXT, Column.Kind.REGULAR)
                    .column("quantity", CqlTypes.INT, Column.Kind.REGULAR)
                    .column("ratio", CqlTypes.DOUBLE, Column.Kind.REGULAR)
                    .build());

    private final int rowsPerPartition;
    private final TableSchema schema;

    TableShape(int rowsPerPartition, TableSchema schema) {
        this.rowsPerPartition = rowsPerPartition;
        this.schema = schema;
    }

    public int rowsPerPartition() {
        return rowsPerPartition;
    }

    public TableSchema schema() {
        return schema;
    }

    /** Apart, since an enum's own constants come before its other ones. */
    private static final class Options {
        private static final long GC_GRACE_SECONDS = 864_000;
        static final TableOptions AS_CASSANDRA_HAS_THEM = new TableOptions(
                GC_GRACE_SECONDS,
                TableOptions.UNKNOWN.bloomFilterFpChance(),
                TableOptions.UNKNOWN.minIndexInterval(),
                Map.of(),
                Map.of(),
                false,
                Map.of());
    }
}
