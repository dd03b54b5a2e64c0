package io.anneal.store;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.schema.Column;
import io.anneal.schema.CounterContext;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;

/**
 * One write to one row, by column names and Java values as {@link io.anneal.schema.JavaValues} lists them. Ends with one of
 * {@link #insert()}, {@link #update()}, {@link #deleteRow()}, {@link #deletePartition()}; nothing is written before. A value
 * that does not fit is an {@link IllegalArgumentException} naming the column, something missing an
 * {@link IllegalStateException}; after either it is as if this row had never been begun. One thread.
 */
public final class RowBuilder {
    private static final byte[][] NO_CLUSTERING = {};

    private final WriteTarget target;
    private final TableSchema schema;
    private final KeyBuilder key;
    private final WriteTime time;
    private final CellDrafts cells;
    private boolean ended;

    RowBuilder(TableSchema schema, WriteTarget target) {
        this.target = target;
        this.schema = schema;
        time = new WriteTime(schema, target);
        key = new KeyBuilder(schema);
        cells = new CellDrafts(target::nextElementNumber, time);
    }

    /** Gives a column of the partition key its value. */
    public RowBuilder key(String column, Object value) {
        key.key(column, value);
        return this;
    }

    /** Gives a clustering column its value. */
    public RowBuilder clustering(String column, Object value) {
        key.clustering(column, value);
        return this;
    }

    /** Sets a static or regular column, a whole collection too; null deletes what was there, as in CQL, but is no value in a map. */
    public RowBuilder set(String column, Object value) {
        cells.set(settableColumn(column), value);
        return this;
    }

    /** Sets columns of any kind by name. */
    public RowBuilder setAll(Map<String, ?> values) {
        Objects.requireNonNull(values, "values");
        values.forEach((name, value) -> {
            switch (KeyBuilder.column(schema, name).kind()) {
                case PARTITION_KEY -> key(name, value);
                case CLUSTERING -> clustering(name, value);
                case STATIC, REGULAR -> set(name, value);
            }
        });
        return this;
    }

    /**
     * Adds elements to a collection that is not frozen, or sets some fields of such a user-defined type, and leaves the others
     * alone. A null value in a map deletes its entry.
     */
    public RowBuilder add(String column, Object elements) {
        cells.addAll(settableColumn(column), elements);
        return this;
    }

    /**
     * Adds elements at the start of a list, in their order. A timestamp before 2010 is an {@link IllegalArgumentException}
     * when the write ends, since elements would not come first.
     */
    public RowBuilder prepend(String column, Object elements) {
        cells.prepend(settableColumn(column), elements);
        return this;
    }

    /**
     * Puts a value in the place of a list's element; null deletes the element. The list is read when the write ends: what is
     * visible then, without the writes of a mutation that this one is part of. Read and write are two steps: who writes to
     * the list meanwhile is not noticed. Out of bounds is an {@link IllegalArgumentException} when the write ends.
     *
     * @param index from 0
     */
    public RowBuilder setAt(String column, int index, Object value) {
        cells.setAt(settableColumn(column), index, value);
        return this;
    }

    /** Deletes a list's element by its place, which is found as {@link #setAt} finds it. */
    public RowBuilder removeAt(String column, int index) {
        cells.setAt(valueColumn(column), index, null);
        return this;
    }

    /**
     * Deletes an element of a set, an entry of a map by its key, a field of a user-defined type by its name, all elements of
     * a list with this value: those are found as {@link #setAt} finds them, and there may be none.
     */
    public RowBuilder remove(String column, Object element) {
        cells.remove(valueColumn(column), element);
        return this;
    }

    /** Deletes a cell, or all cells of a collection. */
    public RowBuilder delete(String column) {
        cells.delete(valueColumn(column));
        return this;
    }

    /**
     * Sets a counter's share of one node. Counters of several nodes add up; of one node the highest {@code clock} counts. Only
     * in SSTables that are written for a cluster: a store takes no counters.
     *
     * @param nodeId of the node that counted; choose one for all that you write
     * @param clock rises with every new share of the node
     * @param count all that the node has counted, not an increment
     */
    public RowBuilder counterShard(String column, UUID nodeId, long clock, long count) {
        Objects.requireNonNull(nodeId, "nodeId");
        Column counter = settableColumn(column);
        if (!counter.type().isCounter()) {
            throw new IllegalArgumentException("column is no counter, column=" + column);
        }
        cells.shard(counter, CounterContext.global(nodeId, clock, count));
        return this;
    }

    private Column settableColumn(String name) {
        Column column = valueColumn(name);
        target.requireSettable(column);
        return column;
    }

    private Column valueColumn(String name) {
        Column column = KeyBuilder.column(schema, name);
        if (column.kind() == Column.Kind.PARTITION_KEY || column.kind() == Column.Kind.CLUSTERING) {
            throw new IllegalArgumentException(
                    "column is part of the primary key, use key or clustering, column=" + name);
        }
        return column;
    }

    /** When it is written; decides against other writes. A store gives writes their timestamps unless told. */
    public RowBuilder timestampMicros(long micros) {
        time.timestampMicros(micros);
        return this;
    }

    /**
     * How long values last from the {@link #localTimeSeconds(long) local time} on, 0 for ever; the table's {@code
     * default_time_to_live} unless told.
     */
    public RowBuilder ttlSeconds(int seconds) {
        time.ttlSeconds(seconds);
        return this;
    }

    /** When TTLs begin and deletions are made, since 1970; unless told the timestamp's second, or a store's clock. */
    public RowBuilder localTimeSeconds(long seconds) {
        time.localTimeSeconds(seconds);
        return this;
    }

    /** Writes as CQL's INSERT does: the row exists from now on, even without any value. */
    public void insert() throws IOException {
        write(true);
    }

    /** Writes as CQL's UPDATE does: the row exists as long as one of its values does. */
    public void update() throws IOException {
        if (cells.namesNone()) {
            throw new IllegalStateException("update sets no column, table=" + schema.qualifiedName());
        }
        write(false);
    }

    private void write(boolean inserts) throws IOException {
        DecoratedKey partition = begin();
        if (inserts && schema.hasCounters()) {
            throw new IllegalStateException(
                    "rows of counters are updated, not inserted, table=" + schema.qualifiedName());
        }
        boolean namesRegular = cells.names(Column.Kind.REGULAR);
        boolean staticOnly = !namesRegular && !key.hasClustering() && cells.names(Column.Kind.STATIC);
        boolean insertsRow = inserts && !staticOnly;
        // Asked before lists are read: whether a key is complete does not depend on them.
        byte[][] clustering = insertsRow || namesRegular ? key.clustering() : NO_CLUSTERING;
        cells.resolve(column -> target.listElements(partition, slices(column), column));
        Row regular = null;
        if (insertsRow || cells.hasCells(Column.Kind.REGULAR)) {
            regular = new Row();
            regular.clustering().wrap(Clustering.of(clustering));
            if (insertsRow) {
                regular.liveness(time.timestampMicros(), time.ttlSeconds(), time.expirySeconds());
            }
            cells.fill(regular, Column.Kind.REGULAR);
        }
        List<Write> writes = new ArrayList<>();
        if (cells.hasCells(Column.Kind.STATIC)) {
            Row row = new Row();
            row.clear(true);
            cells.fill(row, Column.Kind.STATIC);
            writes.add(Write.row(partition, row));
        }
        if (regular != null) {
            writes.add(Write.row(partition, regular));
        }
        end(partition, writes);
    }

    private Slices slices(Column column) {
        return column.kind() == Column.Kind.STATIC ? Slices.NONE : Slices.of(Slice.of(Clustering.of(key.clustering())));
    }

    /** Deletes the row: all that was written to it up to the timestamp. */
    public void deleteRow() throws IOException {
        DecoratedKey partition = begin();
        requireNoCells();
        Row row = new Row();
        row.clustering().wrap(Clustering.of(key.clustering()));
        row.deletion(time.timestampMicros(), time.localTimeSeconds(), false);
        end(partition, List.of(Write.row(partition, row)));
    }

    /** Deletes the partition: all that was written to it up to the timestamp. */
    public void deletePartition() throws IOException {
        DecoratedKey partition = begin();
        requireNoCells();
        if (key.hasClustering()) {
            throw new IllegalStateException("a clustering is given, and the whole partition would be deleted");
        }
        DeletionTime deletion = new DeletionTime(time.timestampMicros(), time.localTimeSeconds());
        end(partition, List.of(Write.partitionDeletion(partition, deletion)));
    }

    private void end(DecoratedKey partition, List<Write> writes) throws IOException {
        target.add(partition, writes);
        ended = true;
    }

    private DecoratedKey begin() {
        if (ended) {
            throw new IllegalStateException("this write was made already, ask for a new one");
        }
        return key.key(target.usualPartition());
    }

    private void requireNoCells() {
        if (!cells.namesNone()) {
            throw new IllegalStateException("a deletion sets no columns, table=" + schema.qualifiedName());
        }
    }
}
