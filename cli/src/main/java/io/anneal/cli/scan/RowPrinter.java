package io.anneal.cli.scan;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.FrozenCells;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.KeyView;
import io.anneal.schema.Column;
import io.anneal.schema.CounterShards;
import io.anneal.schema.CqlType;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Rows of a page as text, straight from the bytes of their values: partition key, clustering, static and regular columns, those
 * without a value among them. What a partition's rows have in common is made once. One thread.
 */
abstract class RowPrinter {
    /** Takes the text of some rows. */
    interface Sink {
        void write(CharSequence text) throws IOException;
    }

    /** A page that is larger leaves no such buffer for the next one. */
    private static final int KEPT_CHARS_MAX = 4 << 20;

    private final TableSchema schema;
    private final Sink sink;
    /** By index of the column; null where it is not shown. */
    private final String[] keyPrefixes;

    private final String[] clusteringPrefixes;
    private final String[] staticPrefixes;
    private final String[] regularPrefixes;
    private final StringBuilder keyText = new StringBuilder();
    private final StringBuilder staticText = new StringBuilder();
    private final ByteWriter frozen = new ByteWriter(256);
    private final CounterShards shards = new CounterShards();

    private StringBuilder out = new StringBuilder();
    /** Whether the current partition has shown nothing but its static values. */
    private boolean isStaticOnly;

    /** @param prefix what stands before a column's value */
    RowPrinter(TableSchema schema, Function<Column, String> prefix, Sink sink) {
        this.schema = schema;
        this.sink = sink;
        keyPrefixes = prefixes(schema, schema.partitionKey(), prefix);
        clusteringPrefixes = prefixes(schema, schema.clustering(), prefix);
        staticPrefixes = prefixes(schema, schema.staticColumns(), prefix);
        regularPrefixes = prefixes(schema, schema.regularColumns(), prefix);
    }

    private static String[] prefixes(TableSchema schema, List<Column> columns, Function<Column, String> prefix) {
        return columns.stream()
                .map(column -> isNamed(schema, column) ? prefix.apply(column) : null)
                .toArray(String[]::new);
    }

    /** Whether it stands first in a row. */
    static boolean isFirst(Column column) {
        return column.kind() == Column.Kind.PARTITION_KEY && column.index() == 0;
    }

    /** The columns that rows have, in their order. */
    static List<Column> columns(TableSchema schema) {
        List<Column> columns = new ArrayList<>(schema.partitionKey());
        columns.addAll(schema.clustering());
        columns.addAll(schema.staticColumns());
        columns.addAll(schema.regularColumns());
        columns.removeIf(column -> !isNamed(schema, column));
        return columns;
    }

    private static boolean isNamed(TableSchema schema, Column column) {
        return !column.dropped() && !schema.isHidden(column);
    }

    final TableSchema schema() {
        return schema;
    }

    abstract String rowStart();

    abstract String rowEnd();

    abstract void absent(StringBuilder text);

    abstract void value(CqlType type, byte[] buffer, int offset, int lengthBytes, StringBuilder text);

    /** Prints all rows of a page or, when one of them cannot be printed, none. Does not close the cursor. */
    final void print(FragmentCursor page) throws IOException {
        out.setLength(0);
        for (FragmentKind kind = page.advance(); kind != null; kind = page.advance()) {
            switch (kind) {
                case CLUSTERING_ROW -> row(page.row());
                case PARTITION_START -> partition(page.key());
                case STATIC_ROW -> {
                    isStaticOnly = true;
                    staticText.setLength(0);
                    cells(page.row(), schema.staticColumns(), staticPrefixes, staticText);
                }
                case PARTITION_END -> {
                    if (isStaticOnly) {
                        staticOnly();
                    }
                }
                case RANGE_TOMBSTONE_CHANGE -> {}
            }
        }
        sink.write(out);
        if (out.capacity() > KEPT_CHARS_MAX) {
            out = new StringBuilder();
        }
    }

    private void partition(KeyView key) {
        isStaticOnly = false;
        keyText.setLength(0);
        staticText.setLength(0);
        int at = key.offset();
        for (Column column : schema.partitionKey()) {
            int lengthBytes = key.lengthBytes();
            if (schema.partitionKey().size() > 1) {
                lengthBytes =
                        Byte.toUnsignedInt(key.buffer()[at]) << Byte.SIZE | Byte.toUnsignedInt(key.buffer()[at + 1]);
                at += Short.BYTES;
            }
            keyText.append(keyPrefixes[column.index()]);
            value(column.type(), key.buffer(), at, lengthBytes, keyText);
            at += lengthBytes + 1;
        }
        absent(staticPrefixes, 0, staticPrefixes.length, staticText);
    }

    private void row(Row row) {
        isStaticOnly = false;
        out.append(rowStart()).append(keyText);
        Clustering clustering = row.clustering();
        for (Column column : schema.clustering()) {
            int i = column.index();
            if (clusteringPrefixes[i] == null) {
                continue;
            }
            out.append(clusteringPrefixes[i]);
            if (clustering.isAbsent(i)) {
                absent(out);
            } else {
                value(column.type(), clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i), out);
            }
        }
        out.append(staticText);
        cells(row, schema.regularColumns(), regularPrefixes, out);
        endRow();
    }

    private void staticOnly() {
        out.append(rowStart()).append(keyText);
        absent(clusteringPrefixes, 0, clusteringPrefixes.length, out);
        out.append(staticText);
        absent(regularPrefixes, 0, regularPrefixes.length, out);
        endRow();
    }

    private void endRow() {
        out.append(rowEnd());
    }

    private void absent(String[] prefixes, int from, int to, StringBuilder text) {
        for (int i = from; i < to; i++) {
            if (prefixes[i] != null) {
                text.append(prefixes[i]);
                absent(text);
            }
        }
    }

    private void cells(Row row, List<Column> columns, String[] prefixes, StringBuilder text) {
        int done = 0;
        int next;
        for (int i = 0; i < row.entryCount(); i = next) {
            int index = row.columnIndex(i);
            for (next = i + 1; next < row.entryCount() && row.columnIndex(next) == index; next++) {}
            absent(prefixes, done, index, text);
            done = index + 1;
            if (prefixes[index] != null) {
                text.append(prefixes[index]);
                cell(columns.get(index), row, i, next, text);
            }
        }
        absent(prefixes, done, columns.size(), text);
    }

    private void cell(Column column, Row row, int from, int to, StringBuilder text) {
        byte[] buffer = row.valueBuffer(from);
        if (column.isComplex()) {
            frozen.clear();
            FrozenCells.write(column.type(), row, from, to, frozen);
            value(column.type().frozen(), frozen.array(), 0, frozen.lengthBytes(), text);
        } else if (column.type().isCounter()) {
            text.append(shards.total(buffer, row.valueOffset(from), row.valueLengthBytes(from)));
        } else {
            value(column.type(), buffer, row.valueOffset(from), row.valueLengthBytes(from), text);
        }
    }
}
