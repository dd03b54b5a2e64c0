package io.anneal.store;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;

/** A cursor that stands where it is put: how pushed fragments reach a writer, which reads cursors. One thread. */
final class HandedFragment implements FragmentCursor {
    private final TableSchema schema;
    private final KeyView key = new KeyView();
    private final RangeTombstoneChange change = new RangeTombstoneChange();
    private DeletionTime partitionDeletion = DeletionTime.LIVE;
    private FragmentKind kind;
    private Row row;

    HandedFragment(TableSchema schema) {
        this.schema = schema;
    }

    HandedFragment start(DecoratedKey partition, DeletionTime deletion) {
        key.wrap(partition);
        partitionDeletion = deletion;
        kind = FragmentKind.PARTITION_START;
        return this;
    }

    HandedFragment row(Row current) {
        row = current;
        kind = current.isStatic() ? FragmentKind.STATIC_ROW : FragmentKind.CLUSTERING_ROW;
        return this;
    }

    /** The change is filled in by the caller. */
    HandedFragment change() {
        kind = FragmentKind.RANGE_TOMBSTONE_CHANGE;
        return this;
    }

    HandedFragment end() {
        kind = FragmentKind.PARTITION_END;
        return this;
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public FragmentKind advance() {
        throw new UnsupportedOperationException("this cursor is moved by what is written");
    }

    @Override
    public FragmentKind kind() {
        return kind;
    }

    @Override
    public KeyView key() {
        return key;
    }

    @Override
    public long partitionDeletionTimestampMicros() {
        return partitionDeletion.timestampMicros();
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return partitionDeletion.localDeletionTimeSeconds();
    }

    @Override
    public Row row() {
        return row;
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        return change;
    }

    @Override
    public void nextPartition() {
        throw new UnsupportedOperationException("this cursor is moved by what is written");
    }

    @Override
    public void forwardTo(long token) {
        throw new UnsupportedOperationException("this cursor is moved by what is written");
    }

    @Override
    public void close() {}
}
