package io.anneal.cli.command;

import io.anneal.environment.HostEnvironment;
import io.anneal.store.Store;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.table.StoreConfig;
import java.io.IOException;

/** Opens stores that another program made, whose data keeps its date. */
public final class StoreOpening {
    /** For what a commit log holds. */
    private static final long MEMTABLES_BYTES = 16 << 20;

    private StoreOpening() {}

    /** For repairs, which write SSTables and no memtables. */
    public static Store forRepairs(StoreDirectory found, StoreConfig config, HostEnvironment host) throws IOException {
        return open(found, config.withMemtableBudgetBytes(MEMTABLES_BYTES), host);
    }

    /** With as many shards as before: with another number all SSTables would become shared, and be rewritten some time. */
    public static Store open(StoreDirectory found, StoreConfig config, HostEnvironment host) throws IOException {
        StoreConfig fitting = found.shardCount().isPresent()
                ? config.withShardCount(found.shardCount().getAsInt())
                : config;
        return Store.open(found.directory(), fitting.withForRepairs(true), host);
    }
}
