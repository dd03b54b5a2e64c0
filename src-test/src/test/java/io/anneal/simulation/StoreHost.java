package io.anneal.simulation;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.Mutation;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StoreReplicas;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

/** A host whose replica is the table of a store. */
final class StoreHost extends ReplicaHost {
    private final StoreConfig config;
    private final long seed;
    private Store store;
    private Table table;

    StoreHost(Setting setting, int number, SSTableVersion version, Path parent, long sessionBudgetBytes, long seed)
            throws IOException {
        super(setting, number, version, parent, sessionBudgetBytes);
        this.seed = seed;
        config = StoreConfig.defaults()
                .withShardCount(1 + (int) Long.remainderUnsigned(seed, 3))
                .withVersion(version)
                .withCommitLogSegmentBytes(64 << 10)
                .withCommitLogBudgetBytes(256 << 10)
                .withCompactionThreads(0);
    }

    @Override
    ReplicaSource open() throws IOException {
        store = Store.open(
                disk().path().resolve("store"),
                config,
                HostEnvironment.system().withClock(setting().storeClock()).withRandom(new Random(seed)));
        String name = setting().schema().qualifiedName();
        table = store.findTable(name).isPresent()
                ? store.table(name)
                : store.createTable(setting().schema());
        return new StoreReplicas(store);
    }

    @Override
    void closeData() throws IOException {
        store.close();
    }

    @Override
    void write(FragmentList fragments) throws IOException {
        for (Mutation mutation : Mutations.of(fragments)) {
            table.apply(mutation);
        }
    }

    void flush() throws IOException {
        table.flush();
    }

    @Override
    void compact() throws IOException {
        table.compact();
    }

    void truncate() throws IOException {
        table.truncate();
        truncated();
    }

    @Override
    void takeIn() {
        // It is in already.
    }

    @Override
    boolean isLeftover(Path file) {
        return file.toString().contains("/receiving/");
    }
}
