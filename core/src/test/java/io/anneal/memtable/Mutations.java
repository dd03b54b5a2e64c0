package io.anneal.memtable;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.MemoryPartition;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.RangeDeletion;
import io.anneal.fragment.Row;
import io.anneal.key.DecoratedKey;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Writes that come to a partition as it is, for tests. */
final class Mutations {
    private Mutations() {}

    static Mutation of(TableSchema schema, DecoratedKey key, Consumer<Mutation.Builder> writes) {
        Mutation.Builder builder = Mutation.builder(schema, key);
        writes.accept(builder);
        return builder.build();
    }

    /** What has to be written, piece by piece. */
    static List<Consumer<Mutation.Builder>> writes(MemoryPartition partition) {
        List<Consumer<Mutation.Builder>> writes = new ArrayList<>();
        if (!partition.deletion().isLive()) {
            writes.add(builder -> builder.partitionDeletion(partition.deletion()));
        }
        if (partition.staticRow() != null) {
            writes.add(builder -> builder.row(partition.staticRow()));
        }
        MemoryPartition.Change open = null;
        for (Object content : partition.clustered()) {
            if (content instanceof Row row) {
                writes.add(builder -> builder.row(row));
                continue;
            }
            MemoryPartition.Change change = (MemoryPartition.Change) content;
            if (open != null) {
                RangeDeletion range = range(open, change);
                writes.add(builder -> builder.rangeDeletion(range));
            }
            open = change.deletion().equals(DeletionTime.LIVE) ? null : change;
        }
        return writes;
    }

    private static RangeDeletion range(MemoryPartition.Change from, MemoryPartition.Change to) {
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(from.prefix());
        range.end().wrap(to.prefix());
        range.weights(from.weight(), to.weight());
        range.deletion(from.deletion().timestampMicros(), from.deletion().localDeletionTimeSeconds());
        return range;
    }
}
