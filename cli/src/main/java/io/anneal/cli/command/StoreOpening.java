package io.anneal.cli.command;

import io.anneal.environment.HostEnvironment;
import io.anneal.store.Store;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.table.StoreConfig;
import java.io.IOException;

/** Opens stores that another program made. */
public final class StoreOpening {
    private StoreOpening() {}

    /** With as many shards as before: with another number all SSTables would become shared, and be rewritten some time. */
    public static Store open(StoreDirectory found, StoreConfig config, HostEnvironment host) throws IOException {
        StoreConfig fitting = found.shardCount().isPresent()
                ? config.withShardCount(found.shardCount().getAsInt())
                : config;
        return Store.open(found.directory(), fitting, host);
    }
}
