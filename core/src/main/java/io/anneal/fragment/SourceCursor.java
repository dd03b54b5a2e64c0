package io.anneal.fragment;

import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import java.io.IOException;

/**
 * A cursor that no other cursor stands behind, over what is in memory or made up as it is read: what such cursors have in
 * common. They fill in these fields inside {@link #advance()}. Skipping is refused unless they say how.
 */
public abstract class SourceCursor implements FragmentCursor {
    /** Of the current partition. */
    protected final KeyView key = new KeyView();

    protected final RangeTombstoneChange change = new RangeTombstoneChange();
    protected DeletionTime partitionDeletion = DeletionTime.LIVE;
    protected Row row = new Row();
    protected FragmentKind kind;

    private final TableSchema schema;

    protected SourceCursor(TableSchema schema) {
        this.schema = schema;
    }

    @Override
    public TableSchema schema() {
        return schema;
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
    public void nextPartition() throws IOException {
        throw skipsNothing();
    }

    @Override
    public void forwardTo(long token) throws IOException {
        throw skipsNothing();
    }

    private UnsupportedOperationException skipsNothing() {
        return new UnsupportedOperationException(
                "cursor skips nothing, cursor=" + getClass().getSimpleName());
    }

    @Override
    public void close() {}
}
