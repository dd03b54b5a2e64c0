package io.anneal.sstable.data;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.fragment.SourceCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.Column;
import io.anneal.schema.CqlTypes;
import io.anneal.schema.TableSchema;
import java.nio.ByteBuffer;

/** One partition of rows 0, 2, 4 and so on, with a value of 60 bytes each: generated as it is read. */
final class WideCursor extends SourceCursor {
    static final DecoratedKey KEY =
            DecoratedKey.of(ByteBuffer.allocate(4).putInt(1).array());
    private static final int VALUE_BYTES = 60;
    private static final long MICROS = 1_700_000_000_000_000L;

    private final int rows;
    private final byte[] bytes = new byte[Integer.BYTES + VALUE_BYTES];

    private int next;

    WideCursor(TableSchema schema, int rows) {
        this(schema, KEY, rows);
    }

    WideCursor(TableSchema schema, DecoratedKey of, int rows) {
        super(schema);
        this.rows = rows;
        key.wrap(of);
    }

    static TableSchema schema(boolean hasStatic) {
        TableSchema.Builder builder = TableSchema.builder("ks", "wide")
                .column("k", CqlTypes.INT, Column.Kind.PARTITION_KEY)
                .column("c", CqlTypes.INT, Column.Kind.CLUSTERING)
                .column("v", CqlTypes.BLOB, Column.Kind.REGULAR);
        return hasStatic
                ? builder.column("s", CqlTypes.BLOB, Column.Kind.STATIC).build()
                : builder.build();
    }

    @Override
    public FragmentKind advance() {
        if (kind == null && next == 0) {
            kind = FragmentKind.PARTITION_START;
        } else if (kind == FragmentKind.PARTITION_START
                && !schema().staticColumns().isEmpty()) {
            kind = FragmentKind.STATIC_ROW;
            fill(true);
        } else if (next < rows) {
            kind = FragmentKind.CLUSTERING_ROW;
            fill(false);
            next++;
        } else {
            kind = kind == FragmentKind.PARTITION_END ? null : FragmentKind.PARTITION_END;
        }
        return kind;
    }

    private void fill(boolean isStatic) {
        row = Row.recycle(row);
        row.clear(isStatic);
        ByteBuffer.wrap(bytes).putInt(2 * next).putInt(31 * next);
        if (!isStatic) {
            row.clustering().reset(bytes).add(0, Integer.BYTES);
            row.liveness(MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        }
        row.addCell(0, MICROS, Row.NO_TTL, DeletionTime.NO_DELETION_TIME);
        row.value(bytes, Integer.BYTES, VALUE_BYTES);
    }

    @Override
    public void nextPartition() {
        next = rows;
        kind = FragmentKind.PARTITION_END;
    }
}
