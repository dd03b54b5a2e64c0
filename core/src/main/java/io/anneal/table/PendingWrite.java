package io.anneal.table;

import io.anneal.fragment.Mutation;

/** A mutation on its way, and who hears what becomes of it. */
record PendingWrite(LiveTable table, int shard, Mutation mutation, Receipt receipt, long startNanos)
        implements LogWriter.Message {}
