package io.anneal.table;

import io.anneal.fragment.Mutation;
import io.anneal.fragment.MutationLimit;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/** The way of a write up to the commit log's queue: waits for memory before it holds anything. Any thread. */
final class WritePath {
    /** A batch is copied into one record of the commit log. */
    static final long BATCH_MAX_BYTES = 64L << 20;

    private final MutationLimit limit;
    private final ShardRule shards;
    private final StoreState state;
    private final MemoryGate gate;
    private final LogWriter log;
    private final Callbacks callbacks;
    private final LongSupplier nanoTime;

    /** @param limit of what is taken: what is larger is refused before anything is held */
    WritePath(
            MutationLimit limit,
            ShardRule shards,
            StoreState state,
            MemoryGate gate,
            LogWriter log,
            Callbacks callbacks,
            LongSupplier nanoTime) {
        this.limit = limit;
        this.shards = shards;
        this.state = state;
        this.gate = gate;
        this.log = log;
        this.callbacks = callbacks;
        this.nanoTime = nanoTime;
    }

    /** Returns once the mutation lasts and is visible. */
    void apply(LiveTable table, Mutation mutation) throws IOException {
        StoreWait.requireMayWait();
        if (mutation.isEmpty()) {
            return;
        }
        Undisturbed.requireUninterrupted();
        WaitingCaller caller = new WaitingCaller();
        try {
            send(table, mutation, caller);
        } catch (InterruptedException e) {
            throw StoreWait.interrupted(Undisturbed.BEFORE);
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
            return CompletableFuture.failedFuture(StoreWait.interrupted(Undisturbed.BEFORE));
        } catch (StorageException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** The same for several mutations, which last together. */
    void apply(List<TableWrite> writes) throws IOException {
        StoreWait.requireMayWait();
        Undisturbed.requireUninterrupted();
        WaitingCaller caller = new WaitingCaller();
        try {
            send(writes, caller);
        } catch (InterruptedException e) {
            throw StoreWait.interrupted(Undisturbed.BEFORE);
        }
        caller.await();
    }

    /** The same without waiting for more than memory. */
    CompletableFuture<Void> applyAsync(List<TableWrite> writes) {
        try {
            PromisedWrite promise = new PromisedWrite(callbacks);
            send(writes, promise);
            return promise;
        } catch (InterruptedException e) {
            return CompletableFuture.failedFuture(StoreWait.interrupted(Undisturbed.BEFORE));
        } catch (StorageException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void send(List<TableWrite> writes, Receipt receipt) throws StorageException, InterruptedException {
        long lengthBytes = 0;
        for (TableWrite write : writes) {
            lengthBytes += write.mutation().lengthBytes();
        }
        if (lengthBytes > BATCH_MAX_BYTES) {
            throw new IllegalArgumentException("batch is too large to be written as one, lengthBytes=" + lengthBytes
                    + ", maxBytes=" + BATCH_MAX_BYTES + ", mutations=" + writes.size());
        }
        limit.requireTogether(writes.stream().map(TableWrite::mutation).toList());
        long startNanos = enter((int) lengthBytes);
        try {
            Receipt shared = new PendingBatch.SharedReceipt(receipt, writes.size());
            log.write(new PendingBatch(writes.stream()
                    .map(write -> new PendingWrite(
                            write.table(),
                            shards.shardOf(write.mutation().key().token()),
                            write.mutation(),
                            shared,
                            startNanos))
                    .toList()));
        } catch (RuntimeException | Error notTaken) {
            gate.leave(lengthBytes);
            throw notTaken;
        }
    }

    private void send(LiveTable table, Mutation mutation, Receipt receipt)
            throws StorageException, InterruptedException {
        limit.require(table.schema().qualifiedName(), mutation);
        long startNanos = enter(mutation.lengthBytes());
        try {
            log.write(new PendingWrite(table, shards.shardOf(mutation.key().token()), mutation, receipt, startNanos));
        } catch (RuntimeException | Error notTaken) {
            gate.leave(mutation.lengthBytes());
            throw notTaken;
        }
    }

    /** Waits for memory; says when it began to. */
    private long enter(int lengthBytes) throws StorageException, InterruptedException {
        if (!state.isSound()) {
            throw state.refusal();
        }
        long startNanos = nanoTime.getAsLong();
        // Who works for the store cannot wait for the store.
        if (Mailbox.isReceiving()) {
            gate.enterAnyway(lengthBytes);
        } else {
            gate.enter(lengthBytes);
        }
        return startNanos;
    }
}
