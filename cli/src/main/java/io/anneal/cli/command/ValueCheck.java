package io.anneal.cli.command;

import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.KeyView;
import io.anneal.key.TokenRange;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.InvalidValueException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableCursor;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.util.HexFormat;
import java.util.List;

/** Checks every value of an SSTable against its type: keys, clusterings, cell paths and cells. Owned by one thread. */
public final class ValueCheck {
    private static final int ROWS_PER_UPDATE = 1024;

    private final SSTableReader reader;
    private final TableSchema schema;
    private final Progress progress;
    private long rowCount;

    public ValueCheck(SSTableReader reader, TableSchema schema, Progress progress) {
        this.reader = reader;
        this.schema = schema;
        this.progress = progress;
    }

    /** @throws InvalidValueException for the first value that is none of its type; names column, key and file */
    public void run() throws IOException {
        try (SSTableCursor cursor = reader.scan(schema, TokenRange.Linear.ALL)) {
            FragmentKind kind;
            while ((kind = cursor.advance()) != null) {
                switch (kind) {
                    case PARTITION_START -> key(cursor.key());
                    case STATIC_ROW -> cells(cursor, schema.staticColumns());
                    case CLUSTERING_ROW -> {
                        clustering(cursor, cursor.row().clustering());
                        cells(cursor, schema.regularColumns());
                    }
                    case RANGE_TOMBSTONE_CHANGE ->
                        clustering(cursor, cursor.rangeTombstoneChange().prefix());
                    case PARTITION_END -> {
                        // Nothing to check.
                    }
                }
                if (++rowCount % ROWS_PER_UPDATE == 0) {
                    progress.update(cursor.dataPosition(), rowCount);
                }
            }
        }
    }

    /** Several parts are each: length in two bytes, value, a zero byte. */
    private void key(KeyView key) {
        List<Column> columns = schema.partitionKey();
        byte[] bytes = key.buffer();
        if (columns.size() == 1) {
            check(columns.get(0), columns.get(0).type(), bytes, key.offset(), key.lengthBytes(), key);
            return;
        }
        int offset = key.offset();
        int end = offset + key.lengthBytes();
        for (Column column : columns) {
            int length = offset + 2 > end ? -1 : (bytes[offset] & 0xFF) << 8 | bytes[offset + 1] & 0xFF;
            if (length < 0 || offset + 2 + length + 1 > end) {
                throw wrong(column, key, "composite key is cut short");
            }
            check(column, column.type(), bytes, offset + 2, length, key);
            offset += 2 + length + 1;
        }
        if (offset != end) {
            throw wrong(columns.get(columns.size() - 1), key, "composite key has more parts than columns");
        }
    }

    private void clustering(SSTableCursor cursor, Clustering clustering) {
        for (int i = 0; i < clustering.size(); i++) {
            Column column = schema.clustering().get(i);
            // An empty clustering value is legal for every type; an absent one is of compact tables.
            if (clustering.lengthBytes(i) > 0) {
                check(
                        column,
                        column.type(),
                        clustering.buffer(),
                        clustering.offset(i),
                        clustering.lengthBytes(i),
                        cursor.key());
            }
        }
    }

    private void cells(SSTableCursor cursor, List<Column> columns) {
        Row row = cursor.row();
        for (int i = 0; i < row.entryCount(); i++) {
            Column column = columns.get(row.columnIndex(i));
            if (row.pathLengthBytes(i) != Row.ABSENT && column.isComplex()) {
                CqlType pathType = column.type().pathType();
                check(column, pathType, row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i), cursor.key());
            }
            // Empty values too: some types have none.
            if (row.valueLengthBytes(i) != Row.ABSENT) {
                check(
                        column,
                        cellType(column, row, i, cursor.key()),
                        row.valueBuffer(i),
                        row.valueOffset(i),
                        row.valueLengthBytes(i),
                        cursor.key());
            }
        }
    }

    private CqlType cellType(Column column, Row row, int i, KeyView key) {
        if (!column.isComplex()) {
            return column.type();
        }
        try {
            return column.type().cellType(row.pathBuffer(i), row.pathOffset(i), row.pathLengthBytes(i));
        } catch (InvalidValueException e) {
            throw wrong(column, key, e.getMessage());
        }
    }

    private void check(Column column, CqlType type, byte[] bytes, int offset, int length, KeyView key) {
        try {
            type.validate(bytes, offset, length);
        } catch (InvalidValueException e) {
            throw wrong(column, key, e.getMessage());
        }
    }

    private InvalidValueException wrong(Column column, KeyView key, String reason) {
        String keyHex = HexFormat.of().formatHex(key.buffer(), key.offset(), key.offset() + key.lengthBytes());
        return new InvalidValueException(
                reason + ", column=" + column.name() + ", key=" + keyHex + ", sstable=" + reader.descriptor());
    }
}
