package io.anneal.cli.demo;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.fragment.SourceCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import java.util.Iterator;

/** A cursor over partitions that hold one row each, or only a partition deletion; made up as it is read. */
final class DemoCursor extends SourceCursor {
    /** Makes the content of a partition. */
    interface Source {
        /** Fills in the row and returns the partition deletion, {@link DeletionTime#LIVE} for none. */
        DeletionTime fill(DecoratedKey key, Row row);
    }

    private final Iterator<DecoratedKey> keys;
    private final Source source;

    DemoCursor(TableSchema schema, Iterator<DecoratedKey> keys, Source source) {
        super(schema);
        this.keys = keys;
        this.source = source;
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
            partitionDeletion = source.fill(next, row);
            kind = FragmentKind.PARTITION_START;
        } else {
            kind = null;
        }
        return kind;
    }

    @Override
    public void nextPartition() {
        kind = FragmentKind.PARTITION_END;
    }
}
