package io.anneal.store;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.ItemKind;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;

/**
 * One write to a partition: a row of the static or clustered kind, or the deletion of the partition or of a range.
 *
 * @param row of the two kinds of rows, else null
 * @param range of a range deletion, else null
 * @param deletion of a partition deletion, else null
 */
record Write(DecoratedKey key, ItemKind kind, Row row, RangeDeletion range, DeletionTime deletion) {
    static Write row(DecoratedKey key, Row row) {
        return new Write(key, row.isStatic() ? ItemKind.STATIC_ROW : ItemKind.CLUSTERING_ROW, row, null, null);
    }

    static Write range(DecoratedKey key, RangeDeletion range) {
        return new Write(key, ItemKind.RANGE_DELETION, null, range, null);
    }

    static Write partitionDeletion(DecoratedKey key, DeletionTime deletion) {
        return new Write(key, ItemKind.PARTITION_DELETION, null, null, deletion);
    }
}
