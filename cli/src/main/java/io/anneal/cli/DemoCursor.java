package io.anneal.cli;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.RangeTombstoneChange;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import java.util.Iterator;

/** A cursor over partitions that hold one row each, or only a partition deletion; made up as it is read. */
final class DemoCursor implements FragmentCursor {
    /** Makes the content of a partition. */
    interface Source {
        /** Fills in the row and returns the partition deletion, {@link DeletionTime#LIVE} for none. */
        DeletionTime fill(DecoratedKey key, Row row);
    }

    private final TableSchema schema;
    private final Iterator<DecoratedKey> keys;
    private final Source source;
    private final KeyView key = new KeyView();
    private final RangeTombstoneChange change = new RangeTombstoneChange();
    private Row row = new Row();
    private DeletionTime deletion = DeletionTime.LIVE;
    private FragmentKind kind;

    DemoCursor(TableSchema schema, Iterator<DecoratedKey> keys, Source source) {
        this.schema = schema;
        this.keys = keys;
        this.source = source;
    }

    @Override
    public TableSchema schema() {
        return schema;
    }

    @Override
    public FragmentKind advance() {
        if (kind == FragmentKind.PARTITION_START && !row.isEmpty()) {
            kind = FragmentKind.CLUSTERING_ROW;
        } else if (kind == FragmentKind.PARTITION_START || kind == FragmentKind.CLUSTERING_ROW) {
            kind = FragmentKind.PARTITION_END;
        } else if (keys.hasNext()) {
            DecoratedKey next = keys.next();
            key.wrap(next);
            row = Row.recycle(row);
            row.clear(false);
            deletion = source.fill(next, row);
            kind = FragmentKind.PARTITION_START;
        } else {
            kind = null;
        }
        return kind;
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
        return deletion.timestampMicros();
    }

    @Override
    public long partitionDeletionLocalTimeSeconds() {
        return deletion.localDeletionTimeSeconds();
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
        kind = FragmentKind.PARTITION_END;
    }

    @Override
    public void forwardTo(long token) {
        throw new UnsupportedOperationException("demo data is read from its start");
    }

    @Override
    public void close() {}
}
