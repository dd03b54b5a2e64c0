package io.anneal.table;

import io.anneal.fragment.Mutation;
import java.util.concurrent.CompletableFuture;

/** A mutation on its way, which somebody waits for. */
record PendingWrite(LiveTable table, int shard, Mutation mutation, CompletableFuture<Void> done, long startNanos) {}
