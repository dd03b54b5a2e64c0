package io.anneal.store;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.MutationLimit;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Where a table's mutations go, what they may have to read first, and its time. Any thread. */
interface MutationSink {
    /** Returns once the mutation lasts, as far as the store's sync mode promises it, and is visible. */
    void apply(Mutation mutation) throws IOException;

    /** The same without waiting; what {@link #apply} throws completes the future. */
    CompletableFuture<Void> applyAsync(Mutation mutation);

    /** How large a mutation may be. */
    MutationLimit mutationLimit();

    /** A timestamp that was never given out, above all that were. */
    long nextTimestampMicros();

    long nowSeconds();

    /** As {@link RowSource#read}: for writes that depend on what there is. */
    FragmentCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException;
}
