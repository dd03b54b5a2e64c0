package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Mutation;
import io.anneal.key.TokenRange;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StoreReplicas;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A host whose replica is the table of a store. */
final class StoreHost extends ReplicaHost {
    /** It is opened with another number each time. */
    private static final int SHARDS_MAX = 4;

    private final StoreConfig config;
    private final long seed;
    private final List<ScheduledExecutorService> threads = new CopyOnWriteArrayList<>();
    private Store store;
    private Table table;

    StoreHost(Setting setting, int number, SSTableVersion version, Path parent, long seed) throws IOException {
        super(setting, number, version, parent);
        this.seed = seed;
        config = StoreConfig.defaults()
                .withVersion(version)
                .withCommitLogSegmentBytes(64 << 10)
                .withCommitLogBudgetBytes(256 << 10)
                .withCompactionThreads(0);
    }

    @Override
    ReplicaSource open() throws IOException {
        store = Store.open(
                disk().path().resolve("store"),
                config.withShardCount(1 + (int) Long.remainderUnsigned(seed + starts(), SHARDS_MAX)),
                HostEnvironment.system()
                        .withClock(setting().storeClock())
                        .withRandom(new Random(seed))
                        .withThreads(this::single));
        String name = setting().schema().qualifiedName();
        if (store.unreadable().containsKey(name)) {
            // Its disk was bad while it opened: it is not back, and starts anew once the disk is whole.
            throw new IOException(
                    "table cannot be read, table=" + name, store.unreadable().get(name));
        }
        table = store.findTable(name).isPresent()
                ? store.table(name)
                : store.createTable(setting().schema());
        return new StoreReplicas(store);
    }

    private ScheduledExecutorService single(String name) {
        ScheduledExecutorService thread = HostEnvironment.system().threads().single(name);
        threads.add(thread);
        return thread;
    }

    @Override
    void closeData() throws IOException {
        Store opened = store;
        store = null;
        try {
            if (opened != null) {
                opened.close();
            }
        } finally {
            awaitThreads();
        }
    }

    /** Which may still close files. */
    private void awaitThreads() {
        for (ScheduledExecutorService thread : threads) {
            try {
                assertThat(thread.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError("nobody interrupts the simulation", e);
            }
        }
        threads.clear();
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

    @Override
    void alterTable(TableChange change) throws IOException {
        store.alterTable(change.text());
    }

    @Override
    void truncate() throws IOException {
        table.truncate();
        truncated();
    }

    @Override
    Content content() throws IOException {
        long ceilingSeconds = table.writtenVersion().localDeletionTimeMaxSeconds();
        try (FragmentCursor cursor = table.scan(TokenRange.Linear.ALL, ceilingSeconds)) {
            return new Content(FragmentList.copyOf(cursor), ceilingSeconds);
        }
    }

    @Override
    boolean stages() {
        return false;
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
