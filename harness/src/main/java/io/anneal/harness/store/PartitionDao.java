package io.anneal.harness.store;

import io.anneal.dualdao.operation.Delete;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Local;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The worked example of a DAO: partitions of items, written in whole or in part and always read as a whole, many at once. The
 * table behind it is {@code items (a bigint, b text, c text, d text, PRIMARY KEY (a, b, c))}.
 *
 * <p>Every implementation gives a write the time that {@link io.anneal.dualdao.route.WriteTime} tells, else its own, and of two
 * writes to an item the later counts, whichever arrives first; of a write and a deletion at the same time the deletion.
 * Failures come through the stage. Any thread may call.
 */
public interface PartitionDao extends AutoCloseable {
    /** The partition; null if it has no item. */
    @Read
    CompletionStage<Partition> read(@Key long a);

    /** Sets some items, and leaves the others alone. */
    @Write
    CompletionStage<Void> write(@Key long a, List<Item> items);

    /** Sets the items, and takes away all others, which must reach both stores as any deletion. */
    @Delete
    CompletionStage<Void> replace(@Key long a, List<Item> items);

    /** Takes the partition away. */
    @Delete
    CompletionStage<Void> delete(@Key long a);

    @Delete
    CompletionStage<Void> deleteItem(@Key long a, String b, String c);

    /** The store behind it: two DAOs of the same name are the same store. */
    @Local
    String identity();

    @Local
    @Override
    void close();
}
