package io.anneal.store;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.FrozenCells;
import io.anneal.fragment.Row;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.KeyView;
import io.anneal.merge.SelectCursor;
import io.anneal.schema.Column;
import io.anneal.schema.CqlType;
import io.anneal.schema.JavaValues;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Rows of a table that exist at a time, as {@code SELECT *} gives them: nothing that is deleted or has expired, static
 * values with every row, one row for a partition that has static values only. For those who want values, not speed. Rows
 * are read once: by {@link #next()}, by a {@code for} loop, or by a {@link #stream()}. One thread.
 *
 * <pre>{@code
 * try (TableRows rows = table.partition(7)) {
 *     for (TableRow row : rows) {
 *         total += row.getInt("price");
 *     }
 * }
 * }</pre>
 */
public final class TableRows implements Iterable<TableRow>, Closeable {
    /** The rows that are left, one step ahead at most. */
    private final class Remaining implements Iterator<TableRow> {
        private TableRow ahead;

        @Override
        public boolean hasNext() {
            if (ahead == null) {
                try {
                    ahead = TableRows.this.next();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return ahead != null;
        }

        @Override
        public TableRow next() {
            if (!hasNext()) {
                throw new NoSuchElementException("there are no more rows, table=" + schema.qualifiedName());
            }
            TableRow row = ahead;
            ahead = null;
            return row;
        }
    }

    /** Opens what is read next. */
    interface Opener {
        FragmentCursor open() throws IOException;
    }

    private TableSchema schema;
    private final long nowSeconds;
    private final Deque<Opener> unopened;
    private boolean wantsStaticOnly = true;
    private long limit = Long.MAX_VALUE;

    /** Null between two of them. */
    private SelectCursor cursor;

    private Map<String, Object> shared = Map.of();
    private Map<String, TableRow.Written> sharedWritten = Map.of();
    private boolean staticOnly;
    private boolean iterated;
    private boolean closed;

    /** @param openers called one after the other, each when what the one before opened was read */
    TableRows(TableSchema schema, List<Opener> openers, long nowSeconds) {
        this.schema = schema;
        unopened = new ArrayDeque<>(openers);
        this.nowSeconds = nowSeconds;
    }

    /**
     * The rows that a cursor shows at a time. Closing closes the cursor.
     *
     * @param nowSeconds what has expired by then is not shown, seconds since 1970
     */
    public static TableRows of(FragmentCursor cursor, long nowSeconds) {
        Objects.requireNonNull(cursor, "cursor");
        return new TableRows(cursor.schema(), List.of(() -> cursor), nowSeconds);
    }

    /** Ends after so many rows. */
    void limit(long rows) {
        limit = rows;
    }

    /** Gives no row for static values alone: for those who asked for certain rows. */
    TableRows withoutStaticOnly() {
        wantsStaticOnly = false;
        return this;
    }

    /**
     * The next row, or null at the end.
     *
     * @throws io.anneal.sstable.CorruptSSTableException when a file is wrong; never a wrong row
     * @throws IllegalStateException when this object, the store or the table is closed
     */
    public TableRow next() throws IOException {
        if (closed) {
            throw new IllegalStateException("rows are closed, table=" + schema.qualifiedName());
        }
        while (limit > 0 && (cursor != null || !unopened.isEmpty())) {
            if (cursor == null) {
                cursor = new SelectCursor(unopened.poll().open(), nowSeconds);
                // The table may have been altered since it was asked.
                schema = cursor.schema();
            }
            TableRow row = nextOfCursor();
            if (row != null) {
                limit--;
                return row;
            }
            cursor.close();
            cursor = null;
        }
        return null;
    }

    /**
     * The rows that are left. An {@link IOException} comes as an {@link UncheckedIOException}. The caller closes this
     * object after the loop.
     *
     * @throws IllegalStateException when there was an iterator or a stream before: rows are read once
     */
    @Override
    public Iterator<TableRow> iterator() {
        if (iterated) {
            throw new IllegalStateException("rows are read once: ask the table again, table=" + schema.qualifiedName());
        }
        iterated = true;
        return new Remaining();
    }

    /**
     * The rows that are left, as a stream that closes this object when it is closed itself. It keeps files and memory until
     * then: use it in a {@code try}. Errors come as those of {@link #iterator()}.
     *
     * @throws IllegalStateException as {@link #iterator()}
     */
    public Stream<TableRow> stream() {
        int characteristics = Spliterator.ORDERED | Spliterator.NONNULL | Spliterator.IMMUTABLE;
        return StreamSupport.stream(Spliterators.spliteratorUnknownSize(iterator(), characteristics), false)
                .onClose(this::closeUnchecked);
    }

    private void closeUnchecked() {
        try {
            close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private TableRow nextOfCursor() throws IOException {
        for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
            TableRow row = switch (kind) {
                case PARTITION_START -> startPartition();
                case STATIC_ROW -> readStatic();
                case CLUSTERING_ROW -> readRow();
                case RANGE_TOMBSTONE_CHANGE -> null;
                case PARTITION_END -> endPartition();
            };
            if (row != null) {
                return row;
            }
        }
        return null;
    }

    private TableRow startPartition() {
        shared = new LinkedHashMap<>();
        sharedWritten = Map.of();
        staticOnly = false;
        key(cursor.key());
        absent(schema.clustering(), shared);
        absent(schema.staticColumns(), shared);
        absent(schema.regularColumns(), shared);
        return null;
    }

    private void key(KeyView key) {
        int at = key.offset();
        for (Column column : schema.partitionKey()) {
            int lengthBytes = key.lengthBytes();
            if (schema.partitionKey().size() > 1) {
                lengthBytes = Short.toUnsignedInt(ByteBuffer.wrap(key.buffer()).getShort(at));
                at += Short.BYTES;
            }
            shared.put(column.name(), JavaValues.fromBytes(column.type(), key.buffer(), at, lengthBytes));
            at += lengthBytes + 1;
        }
    }

    private void absent(List<Column> columns, Map<String, Object> values) {
        columns.stream().filter(this::isNamed).forEach(column -> values.put(column.name(), null));
    }

    /** Whether a statement can name it. */
    private boolean isNamed(Column column) {
        return !column.dropped() && !schema.isHidden(column);
    }

    private TableRow readStatic() {
        sharedWritten = new LinkedHashMap<>();
        staticOnly = true;
        cells(cursor.row(), schema.staticColumns(), shared, sharedWritten);
        return null;
    }

    private TableRow readRow() {
        Row row = cursor.row();
        Map<String, Object> values = new LinkedHashMap<>(shared);
        Map<String, TableRow.Written> written = new LinkedHashMap<>(sharedWritten);
        cells(row, schema.regularColumns(), values, written);
        Clustering clustering = row.clustering();
        for (Column column : schema.clustering()) {
            int i = column.index();
            if (!clustering.isAbsent(i) && isNamed(column)) {
                values.put(
                        column.name(),
                        JavaValues.fromBytes(
                                column.type(), clustering.buffer(), clustering.offset(i), clustering.lengthBytes(i)));
            }
        }
        staticOnly = false;
        return new TableRow(schema, cursor.key().token(), values, written);
    }

    private TableRow endPartition() {
        return staticOnly && wantsStaticOnly ? new TableRow(schema, cursor.key().token(), shared, sharedWritten) : null;
    }

    private void cells(
            Row row, List<Column> columns, Map<String, Object> values, Map<String, TableRow.Written> written) {
        int next;
        for (int i = 0; i < row.entryCount(); i = next) {
            Column column = columns.get(row.columnIndex(i));
            for (next = i + 1; next < row.entryCount() && row.columnIndex(next) == column.index(); next++) {}
            if (!isNamed(column)) {
                continue;
            }
            if (column.isComplex()) {
                values.put(column.name(), collection(column.type(), row, i, next));
            } else {
                values.put(
                        column.name(),
                        JavaValues.fromBytes(
                                column.type(), row.valueBuffer(i), row.valueOffset(i), row.valueLengthBytes(i)));
                written.put(
                        column.name(),
                        new TableRow.Written(
                                row.timestampMicros(i), row.ttlSeconds(i), row.localDeletionTimeSeconds(i)));
            }
        }
    }

    private static Object collection(CqlType type, Row row, int from, int to) {
        ByteWriter frozen = new ByteWriter(64);
        FrozenCells.write(type, row, from, to, frozen);
        return JavaValues.fromBytes(type.frozen(), frozen.array(), 0, frozen.lengthBytes());
    }

    @Override
    public void close() throws IOException {
        closed = true;
        unopened.clear();
        if (cursor != null) {
            SelectCursor last = cursor;
            cursor = null;
            last.close();
        }
    }
}
