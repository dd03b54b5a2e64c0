package io.anneal.simulation;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.KeyView;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import java.io.IOException;

/** The partitions of another cursor in a range of tokens. */
final class RangeCursor implements FragmentCursor {
    private final FragmentCursor inner;
    private final TokenRange.Linear range;
    private FragmentKind kind;

    RangeCursor(FragmentCursor inner, TokenRange.Linear range) {
        this.inner = inner;
        this.range = range;
    }

    @Override
    public FragmentKind advance() throws IOException {
        kind = inner.advance();
        while (kind == FragmentKind.PARTITION_START
                && !range.contains(inner.key().token())) {
            inner.nextPartition();
            kind = inner.advance();
        }
        return kind;
    }

    @Override
    public TableSchema schema() {
        return inner.schema();
    }

    @Override
    public FragmentKind kind() {
        return kind;
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
    public void close() throws IOException {
        inner.close();
    }
}
