package io.anneal.store;

import io.anneal.fragment.Mutation;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Where a table's mutations go, and its time. Any thread. */
interface MutationSink {
    /** Returns once the mutation lasts, as far as the store's sync mode promises it, and is visible. */
    void apply(Mutation mutation) throws IOException;

    /** The same without waiting; what {@link #apply} throws completes the future. */
    CompletableFuture<Void> applyAsync(Mutation mutation);

    /** A timestamp that was never given out, above all that were. */
    long nextTimestampMicros();

    long nowSeconds();
}
