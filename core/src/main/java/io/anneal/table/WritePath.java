package io.anneal.table;

import io.anneal.fragment.Mutation;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** The way of a write up to the commit log's queue: waits for memory before it holds anything. Any thread. */
final class WritePath {
    private final ShardRule shards;
    private final StoreState state;
    private final MemoryGate gate;
    private final LogWriter log;
    private final Callbacks callbacks;
    private final LongSupplier nanoTime;

    WritePath(
            ShardRule shards,
            StoreState state,
            MemoryGate gate,
            LogWriter log,
            Callbacks callbacks,
            LongSupplier nanoTime) {
        this.shards = shards;
        this.state = state;
        this.gate = gate;
        this.log = log;
        this.callbacks = callbacks;
        this.nanoTime = nanoTime;
    }

    /** Returns once the mutation lasts and is visible. */
    void apply(LiveTable table, Mutation mutation) throws IOException {
        Engine.requireMayWait();
        if (mutation.isEmpty()) {
            return;
        }
        Undisturbed.requireUninterrupted();
        WaitingCaller caller = new WaitingCaller();
        try {
            send(table, mutation, caller);
        } catch (InterruptedException e) {
            throw Engine.interrupted(Undisturbed.BEFORE);
        }
        caller.await();
    }

    /** The same without waiting for more than memory. */
    CompletableFuture<Void> applyAsync(LiveTable table, Mutation mutation) {
        if (mutation.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        try {
            PromisedWrite promise = new PromisedWrite(callbacks);
            send(table, mutation, promise);
            return promise;
        } catch (InterruptedException e) {
            return CompletableFuture.failedFuture(Engine.interrupted(Undisturbed.BEFORE));
        } catch (StorageException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void send(LiveTable table, Mutation mutation, Receipt receipt)
            throws StorageException, InterruptedException {
        Mutation.requireLength(mutation.lengthBytes());
        if (!state.isSound()) {
            throw state.refusal();
        }
        long startNanos = nanoTime.getAsLong();
        // Who works for the store cannot wait for the store.
        if (Mailbox.isReceiving()) {
            gate.enterAnyway(mutation.lengthBytes());
        } else {
            gate.enter(mutation.lengthBytes());
        }
        log.write(new PendingWrite(table, shards.shardOf(mutation.key().token()), mutation, receipt, startNanos));
    }
}
