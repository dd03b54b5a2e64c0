package io.anneal.fragment;

import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;

/** A cursor that stands where it is put: how pushed fragments reach a writer, which reads cursors. One thread. */
public final class HandedFragment extends SourceCursor {
    public HandedFragment(TableSchema schema) {
        super(schema);
    }

    public HandedFragment start(DecoratedKey partition, DeletionTime deletion) {
        key.wrap(partition);
        partitionDeletion = deletion;
        kind = FragmentKind.PARTITION_START;
        return this;
    }

    /** @param partition not copied */
    public HandedFragment start(KeyView partition, DeletionTime deletion) {
        key.wrap(partition);
        partitionDeletion = deletion;
        kind = FragmentKind.PARTITION_START;
        return this;
    }

    /** @param current static or clustering row; not copied */
    public HandedFragment row(Row current) {
        row = current;
        kind = current.isStatic() ? FragmentKind.STATIC_ROW : FragmentKind.CLUSTERING_ROW;
        return this;
    }

    /** @param prefix not copied */
    public HandedFragment change(Clustering prefix, int weight, long timestampMicros, long localDeletionTimeSeconds) {
        change.prefix().wrap(prefix);
        change.weight(weight);
        change.deletion(timestampMicros, localDeletionTimeSeconds);
        kind = FragmentKind.RANGE_TOMBSTONE_CHANGE;
        return this;
    }

    public HandedFragment end() {
        kind = FragmentKind.PARTITION_END;
        return this;
    }

    @Override
    public FragmentKind advance() {
        throw new UnsupportedOperationException("this cursor is moved by what is handed to it");
    }
}
