package io.anneal.fragment;

import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import java.io.IOException;

/** A cursor that passes everything on to another one: what a cursor that does one thing more extends. */
public abstract class ForwardingCursor implements FragmentCursor {
    protected final FragmentCursor inner;

    /** @param inner closed with this one */
    protected ForwardingCursor(FragmentCursor inner) {
        this.inner = inner;
    }

    @Override
    public TableSchema schema() {
        return inner.schema();
    }

    @Override
    public FragmentKind advance() throws IOException {
        return inner.advance();
    }

    @Override
    public FragmentKind kind() {
        return inner.kind();
    }

    @Override
    public KeyView key() {
        return inner.key();
    }

    @Override
    public long partitionDeletionTimestampMicros() {
        return inner.partitionDeletionTimestampMicros();
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return inner.partitionDeletionLocalTimeSeconds();
    }

    @Override
    public Row row() {
        return inner.row();
    }

    @Override
    public RangeTombstoneChange rangeTombstoneChange() {
        return inner.rangeTombstoneChange();
    }

    @Override
    public void nextPartition() throws IOException {
        inner.nextPartition();
    }

    @Override
    public void forwardTo(long token) throws IOException {
        inner.forwardTo(token);
    }

    @Override
    public void askBefore(LargeRows rows) {
        inner.askBefore(rows);
    }

    @Override
    public void releaseRow() {
        inner.releaseRow();
    }

    @Override
    public long heldBytes() {
        return inner.heldBytes();
    }

    @Override
    public void close() throws IOException {
        inner.close();
    }
}
