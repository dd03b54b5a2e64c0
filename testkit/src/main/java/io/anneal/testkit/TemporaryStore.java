package io.anneal.testkit;

import io.anneal.environment.HostEnvironment;
import io.anneal.store.Store;
import io.anneal.table.StoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

/**
 * An empty store for one test, in a {@link FaultyDirectory} and by a {@link ManualClock}, that leaves nothing behind. Ready in
 * milliseconds, for nothing is really forced to a disk. With JUnit Jupiter, {@link StoreExtension} hands it out. Owned by one
 * thread; the store is for any.
 *
 * <pre>{@code
 * try (TemporaryStore temporary = TemporaryStore.open()) {
 *     Table table = temporary.store().createTable("CREATE TABLE app.t (id int PRIMARY KEY)");
 *     table.row().key("id", 1).insert();
 *     temporary.directory().crash();
 *     assertTrue(temporary.reopen().table("app.t").row(Map.of("id", 1)).isPresent());
 * }
 * }</pre>
 */
public final class TemporaryStore implements Closeable {
    private static final int SHARDS = 2;
    private static final long MEMTABLE_BUDGET_BYTES = 16 << 20;
    private static final int SEGMENT_BYTES = 256 << 10;
    private static final int COMPACTION_THREADS = 2;
    private static final long SEED = 1;

    private final FaultyDirectory directory;
    private final ManualClock clock;
    private final StoreConfig config;
    private final HostEnvironment environment;
    private Path opened;
    private Store store;

    private TemporaryStore(
            FaultyDirectory directory, ManualClock clock, StoreConfig config, HostEnvironment environment) {
        this.directory = directory;
        this.clock = clock;
        this.config = config;
        this.environment = environment;
    }

    /** Opens a store with {@link #defaults()}. */
    public static TemporaryStore open() throws IOException {
        return open(defaults());
    }

    public static TemporaryStore open(StoreConfig config) throws IOException {
        ManualClock clock = ManualClock.create();
        // The same ids in each run.
        HostEnvironment environment = HostEnvironment.system()
                .withTime(clock, clock::nanoTime, clock::sleepNanos)
                .withRandom(new Random(SEED));
        FaultyDirectory directory = FaultyDirectory.create();
        TemporaryStore temporary = new TemporaryStore(directory, clock, config, environment);
        boolean open = false;
        try {
            temporary.openStore();
            open = true;
            return temporary;
        } finally {
            if (!open) {
                directory.close();
            }
        }
    }

    /** Small, and the same on every machine: two shards, 16 MiB for memtables, every write forced, compactions not throttled. */
    public static StoreConfig defaults() {
        return StoreConfig.defaults()
                .withShardCount(SHARDS)
                .withMemtableBudgetBytes(MEMTABLE_BUDGET_BYTES)
                .withCommitLogSegmentBytes(SEGMENT_BYTES)
                .withCompactionThreads(COMPACTION_THREADS)
                .withCompactionBytesPerSecond(0);
    }

    private void openStore() throws IOException {
        opened = directory.path();
        store = Store.open(opened, config, environment);
    }

    /** The store as it was opened last. */
    public Store store() {
        return store;
    }

    public FaultyDirectory directory() {
        return directory;
    }

    /** What the store takes for time. */
    public ManualClock clock() {
        return clock;
    }

    public StoreConfig config() {
        return config;
    }

    public HostEnvironment environment() {
        return environment;
    }

    /** Closes the store, or buries it if its machine has crashed, and opens it again. Faults stay. */
    public Store reopen() throws IOException {
        closeStore();
        openStore();
        return store;
    }

    private void closeStore() throws IOException {
        try {
            store.close();
        } catch (IOException e) {
            boolean expected =
                    !directory.path().equals(opened) || store.failure().isPresent();
            if (!expected) {
                throw e;
            }
        }
    }

    /** Closes the store, without any more faults, and deletes everything. Closing again does nothing. */
    @Override
    public void close() throws IOException {
        if (directory.isClosed()) {
            return;
        }
        directory.heal();
        try (directory) {
            closeStore();
        }
    }
}
