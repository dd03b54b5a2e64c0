package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.conformance.Differences;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.PurgeRule;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.simulation.NaiveTable;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.FragmentList;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentSkipListSet;

/**
 * A store on a disk that fails, with {@link NumberedWrites} and what they come to beside it. Writes are made by one thread,
 * so that they stand in the commit log in the order of their numbers: of every shard of every table a prefix must be there
 * after whatever happens, and nothing else.
 */
final class StoreOnBadDisk implements AutoCloseable {
    private static final int BURST_MAX = 40;

    private final FaultyDirectory disk;
    private final SplittableRandom random;
    private final NumberedWrites writes;
    private final Map<String, NaiveTable> models = new HashMap<>();
    private final Map<String, Table> tables = new HashMap<>();
    private final String what;

    /** Of this opening, by number. */
    private final TreeMap<Long, NumberedWrites.Write> issued = new TreeMap<>();

    private final ConcurrentSkipListSet<Long> acknowledged = new ConcurrentSkipListSet<>();
    private final List<CompletableFuture<?>> inFlight = new ArrayList<>();

    /** Acknowledged before the last flush of everything, and so on disk in every mode. */
    private final TreeSet<Long> flushed = new TreeSet<>();

    private StoreConfig config;
    /** The shards that took what was issued: each keeps the order of its own writes, and no other. */
    private ShardRule issuedTo = new ShardRule(1, ShardRule.IGNORED_BITS_DEFAULT);

    private Store store;
    private boolean maySuffer;
    private boolean suffered;
    private long nextNumber = 1;
    private int snapshots;

    StoreOnBadDisk(Path parent, long seed, SyncMode mode, String what) throws IOException {
        disk = FaultyDirectory.create(parent);
        random = new SplittableRandom(seed);
        // Far from any clock, so that all of it is older than whatever compacts it.
        writes = new NumberedWrites(seed, System.currentTimeMillis() / 1000);
        writes.schemas().forEach(schema -> models.put(schema.qualifiedName(), new NaiveTable(schema)));
        config = StoreConfig.defaults()
                .withSyncMode(mode)
                .withSyncPeriod(Duration.ofMillis(5))
                .withGroupWindow(Duration.ofNanos(200_000))
                .withMemtableBudgetBytes(2 << 20)
                .withCommitLogSegmentBytes(64 << 10)
                .withCommitLogBudgetBytes(512 << 10);
        this.what = what;
    }

    FaultyDirectory disk() {
        return disk;
    }

    StoreConfig config() {
        return config;
    }

    SplittableRandom random() {
        return random;
    }

    Table table(String name) {
        return tables.get(name);
    }

    /** From now on calls may fail, with a {@link StorageException} or for the same reason. */
    void maySuffer() {
        maySuffer = true;
    }

    /** How often the commit log was synced, by its metric. */
    long syncCount() {
        return store.metrics().get("store.commit-log-sync-latency.count").longValue();
    }

    /** Whether any call has failed. */
    boolean hasSuffered() {
        return suffered;
    }

    void openWithGroupWindow(Duration window) throws IOException {
        config = config.withGroupWindow(window);
        open();
    }

    /** Opens the store as the machine finds it; false when it could not be opened. */
    boolean open() throws IOException {
        config = config.withShardCount(1 + random.nextInt(3)).withCommitLogCompression(random.nextBoolean());
        try {
            store = Store.open(disk.path(), config);
            store.tables().forEach(table -> tables.put(table.schema().qualifiedName(), table));
            for (String create : NumberedWrites.CREATE) {
                String name = NumberedWrites.name(create);
                if (!tables.containsKey(name)) {
                    tables.put(name, store.createTable(create));
                }
            }
            return true;
        } catch (IOException e) {
            suffer(e);
            return false;
        }
    }

    private void suffer(Throwable failure) {
        suffered = true;
        if (!maySuffer) {
            throw new AssertionError(what + ": failed without a fault", failure);
        }
        Throwable reason = failure instanceof CompletionException ? failure.getCause() : failure;
        assertThat(reason).as(what).isInstanceOf(IOException.class);
    }

    private interface Call {
        void run() throws IOException;
    }

    private boolean attempt(Call call) {
        try {
            call.run();
            return true;
        } catch (IOException | CompletionException e) {
            suffer(e);
            return false;
        }
    }

    /** Something of what is done with a store. */
    void step() {
        Table table = tables.get(
                writes.schemas().get(random.nextInt(writes.schemas().size())).qualifiedName());
        switch (random.nextInt(10)) {
            case 0 -> attempt(table::flush);
            case 1 -> flushAll();
            case 2 -> attempt(table::compact);
            case 3 -> attempt(() -> store.snapshot("s" + snapshots++));
            case 4 -> await();
            default -> write(1 + random.nextInt(BURST_MAX));
        }
    }

    void flushAll() {
        await();
        if (attempt(store::flush)) {
            markDurable();
        }
    }

    void write(int count) {
        for (int i = 0; i < count; i++) {
            long number = nextNumber++;
            NumberedWrites.Write write = writes.write(number);
            issued.put(number, write);
            issuedTo = new ShardRule(config.shardCount(), ShardRule.IGNORED_BITS_DEFAULT);
            inFlight.add(tables.get(write.schema().qualifiedName())
                    .applyAsync(write.mutation())
                    .thenRun(() -> acknowledged.add(number)));
        }
    }

    /** What is acknowledged must outlast a crash from now on, whatever the mode. */
    void markDurable() {
        flushed.addAll(acknowledged);
    }

    /** Until nothing is on its way. */
    void await() {
        for (CompletableFuture<?> future : inFlight) {
            attempt(future::join);
        }
        inFlight.clear();
    }

    /** Ends this opening; what it comes to on a machine that is dead is of no interest. */
    void close(boolean dead) {
        if (store == null) {
            return;
        }
        if (dead) {
            maySuffer = true;
        }
        attempt(store::close);
        await();
        store = null;
        tables.clear();
    }

    /**
     * Compares what is there with what was written, and takes it for what is there from now on.
     *
     * @param all whether everything acknowledged must be there; else what was acknowledged before the last flush
     */
    void verify(boolean all) throws IOException {
        ShardRule shards = issuedTo;
        Map<String, Long> reached = reached(shards);
        TreeSet<Long> missing = new TreeSet<>(all ? acknowledged : flushed);
        issued.forEach((number, write) -> {
            if (number <= reached.getOrDefault(place(write, shards), Long.MIN_VALUE)) {
                models.get(write.schema().qualifiedName()).apply(write.mutation());
                missing.remove(number);
            }
        });
        assertThat(missing).as("%s: lost", what).isEmpty();
        assertContent();
        issued.clear();
        acknowledged.clear();
        flushed.clear();
        models.values().forEach(NaiveTable::forgetShadowed);
    }

    /** Compares everything that was issued with what is there, while the store that took it is open. */
    void verifyAllIssued() throws IOException {
        issued.values()
                .forEach(write -> models.get(write.schema().qualifiedName()).apply(write.mutation()));
        issued.clear();
        acknowledged.clear();
        flushed.clear();
        assertContent();
    }

    /** What readers see while the store is open: what is acknowledged, and not what may not last. */
    void verifyAcknowledgedIsRead() throws IOException {
        acknowledged.forEach(number -> {
            NumberedWrites.Write write = issued.get(number);
            models.get(write.schema().qualifiedName()).apply(write.mutation());
        });
        assertContent();
    }

    private static String place(NumberedWrites.Write write, ShardRule shards) {
        return write.schema().qualifiedName() + "/"
                + shards.shardOf(write.mutation().key().token());
    }

    /** The last write of each shard of each table that is there. */
    private Map<String, Long> reached(ShardRule shards) throws IOException {
        Map<String, Long> reached = new HashMap<>();
        for (NaiveTable model : models.values()) {
            Table table = tables.get(model.schema().qualifiedName());
            try (FragmentCursor cursor = table.scan(TokenRange.Linear.ALL)) {
                NumberedWrites.numbers(FragmentList.copyOf(cursor), number -> {
                    NumberedWrites.Write write = issued.get(number);
                    if (write != null) {
                        reached.merge(place(write, shards), number, Math::max);
                    }
                });
            }
        }
        return reached;
    }

    private void assertContent() throws IOException {
        for (NaiveTable model : models.values()) {
            String name = model.schema().qualifiedName();
            try (FragmentCursor cursor = tables.get(name).scan(TokenRange.Linear.ALL)) {
                Differences.assertSame(
                        what + ", table=" + name,
                        view(model.content().cursor()).lines(),
                        view(cursor).lines());
            }
        }
    }

    private static FragmentList view(FragmentCursor cursor) throws IOException {
        long seconds = System.currentTimeMillis() / 1000 + 60;
        PurgeRule rule = new SessionPurgeRule(seconds, cursor.schema().options().gcGraceSeconds());
        return FragmentList.copyOf(new PurgeCursor(cursor, rule));
    }

    @Override
    public void close() throws IOException {
        maySuffer = true;
        close(true);
        disk.close();
    }
}
