package io.anneal.store;

import io.anneal.fragment.RangeDeletion;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.List;

/**
 * The deletion of the rows of one partition between two clusterings, or prefixes of them. A prefix stands for all rows that
 * begin with it; a side without one is open. In a descending clustering column the lower bound is the greater value: bounds
 * follow the order of the rows. Ends with {@link #delete()}. One thread.
 */
public final class RangeDeletionBuilder {
    private final WriteTarget target;
    private final TableSchema schema;
    private final KeyBuilder key;
    private final WriteTime time;
    private final KeyBuilder from;
    private final KeyBuilder to;
    private boolean fromInclusive = true;
    private boolean toInclusive = true;
    private boolean ended;

    RangeDeletionBuilder(TableSchema schema, WriteTarget target) {
        this.target = target;
        this.schema = schema;
        time = new WriteTime(schema, target);
        key = new KeyBuilder(schema);
        from = new KeyBuilder(schema);
        to = new KeyBuilder(schema);
    }

    /** Gives a column of the partition key its value. */
    public RangeDeletionBuilder key(String column, Object value) {
        key.key(column, value);
        return this;
    }

    /** Gives a clustering column the same value at both ends: rows with this value. */
    public RangeDeletionBuilder clustering(String column, Object value) {
        from.clustering(column, value);
        to.clustering(column, value);
        return this;
    }

    /** Where it begins. */
    public RangeDeletionBuilder from(String column, Object value, boolean inclusive) {
        from.clustering(column, value);
        fromInclusive = inclusive;
        return this;
    }

    /** Where it ends. */
    public RangeDeletionBuilder to(String column, Object value, boolean inclusive) {
        to.clustering(column, value);
        toInclusive = inclusive;
        return this;
    }

    /** What was written up to this is deleted. In a store it need not be told. */
    public RangeDeletionBuilder timestampMicros(long micros) {
        time.timestampMicros(micros);
        return this;
    }

    /** When the deletion is made, since 1970; unless told the timestamp's second, or a store's clock. */
    public RangeDeletionBuilder localTimeSeconds(long seconds) {
        time.localTimeSeconds(seconds);
        return this;
    }

    /** Writes the deletion. */
    public void delete() throws IOException {
        if (ended) {
            throw new IllegalStateException("this write was made already, ask for a new one");
        }
        if (schema.clustering().isEmpty()) {
            throw new IllegalStateException(
                    "table has no clustering to delete ranges of, table=" + schema.qualifiedName());
        }
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(Clustering.of(from.clusteringPrefix()));
        range.end().wrap(Clustering.of(to.clusteringPrefix()));
        range.weights(
                fromInclusive || range.start().size() == 0 ? ClusteringComparator.BEFORE : ClusteringComparator.AFTER,
                toInclusive || range.end().size() == 0 ? ClusteringComparator.AFTER : ClusteringComparator.BEFORE);
        range.deletion(time.timestampMicros(), time.localTimeSeconds());
        ClusteringComparator order = ClusteringComparator.of(schema);
        if (order.compare(range.start(), range.startWeight(), range.end(), range.endWeight()) >= 0) {
            throw new IllegalArgumentException(
                    "range ends before it begins, in the order of the rows, table=" + schema.qualifiedName());
        }
        DecoratedKey partition = key.key(target.usualPartition());
        target.add(partition, List.of(Write.range(partition, range)));
        ended = true;
    }
}
