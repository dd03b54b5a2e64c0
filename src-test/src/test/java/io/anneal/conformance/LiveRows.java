package io.anneal.conformance;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.CounterShards;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What {@code SELECT JSON *} gives for a merged cursor at a second: rows that exist, static values joined to each, cells
 * of a collection or user type put together, null for what is absent. Each row maps a column's name to the JSON text of
 * its value.
 */
final class LiveRows {
    /**
     * A row that exists.
     *
     * @param clustering serialized values; null of a partition that has static values only
     * @param values JSON text by column
     */
    record LiveRow(DecoratedKey key, Clustering clustering, Map<String, String> values) {}

    private static final String NULL = "null";

    private final TableSchema schema;
    private final long nowSeconds;
    private final List<LiveRow> rows = new ArrayList<>();

    private LiveRows(TableSchema schema, long nowSeconds) {
        this.schema = schema;
        this.nowSeconds = nowSeconds;
    }

    /** @param merged normalised: holds nothing that is shadowed */
    static List<LiveRow> of(FragmentCursor merged, long nowSeconds) throws IOException {
        LiveRows reader = new LiveRows(merged.schema(), nowSeconds);
        while (merged.advance() != null) {
            reader.partition(merged);
        }
        return reader.rows;
    }

    private void partition(FragmentCursor cursor) throws IOException {
        Map<String, String> shared = new TreeMap<>();
        key(cursor.key(), shared);
        absent(schema.staticColumns(), shared);
        boolean liveStatic = false;
        int rowsBefore = rows.size();
        while (true) {
            switch (cursor.advance()) {
                case STATIC_ROW -> liveStatic = cells(cursor.row(), schema.staticColumns(), shared);
                case CLUSTERING_ROW -> row(cursor.key().toDecoratedKey(), cursor.row(), shared);
                case PARTITION_END -> {
                    if (liveStatic && rows.size() == rowsBefore) {
                        absent(schema.clustering(), shared);
                        absent(schema.regularColumns(), shared);
                        rows.add(new LiveRow(cursor.key().toDecoratedKey(), null, shared));
                    }
                    return;
                }
                case PARTITION_START, RANGE_TOMBSTONE_CHANGE -> {}
            }
        }
    }

    private void row(DecoratedKey key, Row row, Map<String, String> shared) {
        Map<String, String> values = new TreeMap<>(shared);
        Clustering clustering = row.clustering();
        for (Column column : schema.clustering()) {
            int i = column.index();
            values.put(
                    name(column),
                    clustering.isAbsent(i)
                            ? NULL
                            : json(
                                    column.type(),
                                    clustering.buffer(),
                                    clustering.offset(i),
                                    clustering.lengthBytes(i)));
        }
        absent(schema.regularColumns(), values);
        boolean liveCells = cells(row, schema.regularColumns(), values);
        if (liveCells || row.hasLivenessAt(nowSeconds)) {
            rows.add(new LiveRow(key, clustering.copy(), values));
        }
    }

    /** Whether there is a live cell of a column that is still there. */
    private boolean cells(Row row, List<Column> columns, Map<String, String> values) {
        boolean live = false;
        int next;
        for (int i = 0; i < row.entryCount(); i = next) {
            Column column = columns.get(row.columnIndex(i));
            List<Integer> entries = new ArrayList<>();
            for (next = i; next < row.entryCount() && row.columnIndex(next) == column.index(); next++) {
                if (row.isLiveAt(next, nowSeconds)) {
                    entries.add(next);
                }
            }
            if (!entries.isEmpty() && !column.dropped()) {
                live = true;
                values.put(name(column), column.isComplex() ? complex(column, row, entries) : simple(column, row, i));
            }
        }
        return live;
    }

    private static String simple(Column column, Row row, int entry) {
        if (column.type().isCounter()) {
            return Long.toString(new CounterShards()
                    .total(row.valueBuffer(entry), row.valueOffset(entry), row.valueLengthBytes(entry)));
        }
        return json(column.type(), row.valueBuffer(entry), row.valueOffset(entry), row.valueLengthBytes(entry));
    }

    /** The cells in the form of one frozen value. */
    private static String complex(Column column, Row row, List<Integer> entries) {
        List<byte[]> elements = new ArrayList<>();
        boolean userType = column.type().kind() == CqlType.Kind.USER_TYPE;
        if (userType) {
            column.type().fieldNames().forEach(field -> elements.add(null));
        }
        for (int entry : entries) {
            byte[] path = copy(row.pathBuffer(entry), row.pathOffset(entry), row.pathLengthBytes(entry));
            byte[] value = copy(row.valueBuffer(entry), row.valueOffset(entry), row.valueLengthBytes(entry));
            switch (column.type().kind()) {
                case SET -> elements.add(path);
                case LIST -> elements.add(value);
                case MAP -> elements.addAll(List.of(path, value));
                case USER_TYPE -> elements.set(ByteBuffer.wrap(path).getShort(), value);
                default -> throw new AssertionError("type=" + column.type());
            }
        }
        int size = Integer.BYTES;
        for (byte[] element : elements) {
            size += Integer.BYTES + (element == null ? 0 : element.length);
        }
        ByteBuffer frozen = ByteBuffer.allocate(size);
        if (!userType) {
            frozen.putInt(entries.size());
        }
        for (byte[] element : elements) {
            frozen.putInt(element == null ? -1 : element.length);
            frozen.put(element == null ? new byte[0] : element);
        }
        return json(column.type().frozen(), frozen.array(), 0, frozen.position());
    }

    private static byte[] copy(byte[] buffer, int offset, int length) {
        return Arrays.copyOfRange(buffer, offset, offset + Math.max(0, length));
    }

    private void key(KeyView key, Map<String, String> values) {
        int at = key.offset();
        for (Column column : schema.partitionKey()) {
            int length = key.lengthBytes();
            if (schema.partitionKey().size() > 1) {
                length = Short.toUnsignedInt(ByteBuffer.wrap(key.buffer()).getShort(at));
                at += Short.BYTES;
            }
            values.put(name(column), json(column.type(), key.buffer(), at, length));
            at += length + 1;
        }
    }

    private void absent(List<Column> columns, Map<String, String> values) {
        for (Column column : columns) {
            if (!column.dropped() && !schema.isHidden(column)) {
                values.put(name(column), NULL);
            }
        }
    }

    /** Names that are not all lower case keep quotes of their own inside those of JSON. */
    private static String name(Column column) {
        String name = column.name();
        return name.equals(name.toLowerCase(Locale.ROOT)) ? name : '"' + name + '"';
    }

    private static String json(CqlType type, byte[] buffer, int offset, int length) {
        StringBuilder out = new StringBuilder();
        type.appendJson(buffer, offset, length, out);
        return out.toString();
    }
}
