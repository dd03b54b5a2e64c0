package io.anneal.table;

import io.anneal.commitlog.CommitLog;
import io.anneal.commitlog.CommitLogConfig;
import io.anneal.commitlog.CommitLogPosition;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.MutationLimit;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.memtable.MemtablePool;
import io.anneal.metrics.StoreMetrics;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What runs in an open store: the tables, the commit log's thread, a thread for each shard's memtables and one for its
 * flushes, and compactions. The way of a write:
 *
 * <pre>
 *   caller -> MemoryGate -> LogWriter -> ShardWriter -> LiveTable's memtable
 *             waits for     commit log,  one a shard
 *             memory        one thread
 * </pre>
 *
 * <p>Any thread may use it. Futures are completed by {@link Callbacks}, not by the threads above.
 */
public final class Engine implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final String DATA = "data";
    private static final String COMMIT_LOG = "commitlog";
    private static final long CURSORS_SWEEP_SECONDS = 1;
    private static final long CLOSING_POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final Path directory;
    private final StoreConfig config;
    private final MutationLimit mutationLimit;
    private final HostEnvironment environment;
    private final SSTableFormats formats;
    private final ShardRule shards;
    private final FailedSync failedSync;
    private final StoreState state;
    private final MemtablePool pool;
    private final StoreMetrics metrics;
    private final MemoryGate gate;
    private final OpenTables tables;
    private final List<ScheduledExecutorService> executors = new ArrayList<>();
    private final ScheduledExecutorService care;
    private final List<ShardWriter> shardWriters = new ArrayList<>();
    private final Flushes flushes;
    private final Compactions compactions;
    private final Reads reads;

    /** Callers on their way to a mailbox: nothing is shut down while there is one. */
    private final AtomicInteger callers = new AtomicInteger();

    private final TimestampClock timestamps;
    private final OpenCursors cursors = new OpenCursors();
    private final Callbacks callbacks;
    private final FailureNotices notices;
    /** Held while one is taken: one of all tables must know that all of its name are its own. */
    private final StoreSnapshots snapshots;

    /** When the first call has closed it. */
    private final CompletableFuture<Void> closing = new CompletableFuture<>();

    private LogWriter log;
    private TableOperations operations;
    private WritePath writes;

    private Engine(
            Path directory, ShardRule shards, StoreConfig config, HostEnvironment environment, SSTableFormats formats) {
        this.directory = directory;
        this.config = config;
        mutationLimit = config.mutationLimit();
        this.environment = environment;
        this.formats = formats;
        this.shards = shards;
        callbacks = new Callbacks(environment.threads(), executor("callbacks"));
        snapshots = new StoreSnapshots(directory.resolve(DATA), OutputFile.CREATE_NEW);
        notices = new FailureNotices(config.listener(), callbacks);
        failedSync = new FailedSync(directory, directory.resolve(COMMIT_LOG));
        state = new StoreState(
                directory.toString(),
                notices::writesStopped,
                failure -> failedSync.write(failure, environment.clock().instant()));
        pool = new MemtablePool(config.memtableBudgetBytes());
        metrics = new StoreMetrics(directory.toString(), config.tableMetrics(), environment.nanoTime());
        metrics.memtables(pool::usedBytes, pool::budgetBytes);
        gate = new MemoryGate(pool, this::relieveMemory, environment.nanoTime(), metrics::admissionWaited);
        care = executor("care");
        List<ScheduledExecutorService> flushExecutors = new ArrayList<>();
        for (int shard = 0; shard < shards.shardCount(); shard++) {
            shardWriters.add(new ShardWriter(
                    executor("shard-" + shard), gate, state, environment.nanoTime(), this::relieveMemory));
            flushExecutors.add(executor("flush-" + shard));
        }
        timestamps = new TimestampClock(directory.toString(), environment.clock(), environment.nanoTime());
        List<ScheduledExecutorService> compactionExecutors = new ArrayList<>();
        for (int i = 0; i < config.compactionThreads(); i++) {
            compactionExecutors.add(executor("compaction-" + i));
        }
        compactions = new Compactions(
                compactionExecutors,
                executor("compaction-asked"),
                shards,
                config,
                environment,
                state,
                notices,
                () -> pool.usedBytes() + config.commitLogSegmentBytes());
        tables = new OpenTables(
                directory.resolve(DATA),
                config.version(),
                shards,
                formats,
                pool,
                gate,
                metrics,
                cursors,
                environment.nanoTime(),
                compactions,
                care,
                notices);
        flushes = new Flushes(
                tables.live(),
                shardWriters,
                flushExecutors,
                gate,
                state,
                environment.nanoTime(),
                new FlushListener(),
                config.memtableBudgetBytes() / 2);
        reads = new Reads(config.readThreads(), number -> executor("read-" + number), callbacks);
    }

    private ScheduledExecutorService executor(String name) {
        ScheduledExecutorService executor = environment.threads().single(name);
        executors.add(executor);
        return executor;
    }

    /**
     * Opens all tables of a store and brings back what the commit log has of them.
     *
     * @param directory of the store, which the caller has locked
     * @param lastOpen a moment at which it was open before, if that is known
     * @throws io.anneal.commitlog.CorruptCommitLogException when acknowledged writes cannot be read, unless told to go on
     */
    public static Engine open(
            Path directory,
            Optional<Instant> lastOpen,
            ShardRule shards,
            StoreConfig config,
            HostEnvironment environment,
            SSTableFormats formats)
            throws IOException {
        Engine engine = new Engine(directory, shards, config, environment, formats);
        boolean opened = false;
        try {
            engine.warnOfFailedSync();
            TableCatalogue.sweep(directory.resolve(DATA));
            engine.snapshots.sweep();
            engine.tables.openAll(new Absence(lastOpen, environment.clock().instant(), config.isForRepairs()));
            engine.openLog();
            opened = true;
            return engine;
        } catch (OutOfMemoryError e) {
            // As it is with too small a heap for what the commit log has: nothing is changed by it.
            throw engine.state.broken(e);
        } finally {
            if (!opened) {
                engine.tables.live().values().forEach(LiveTable::close);
                engine.executors.forEach(ScheduledExecutorService::shutdown);
            }
        }
    }

    private void warnOfFailedSync() {
        failedSync
                .read()
                .ifPresent(text -> LOG.warn(
                        "a sync of the store failed before, and nobody has acknowledged it: if the machine has not started anew"
                                + " since, close the store and restart it; check the disk; then call"
                                + " Store.acknowledgeFailedSync() or 'anneal store acknowledge', store={}, {}",
                        directory,
                        text));
    }

    private void openLog() throws IOException {
        Path commitLog = directory.resolve(COMMIT_LOG);
        Recovery recovery = new Recovery(
                tables.live(),
                tables.unreadable(),
                shards,
                flushes,
                gate,
                config.memtableBudgetBytes() / 2,
                timestamps);
        recovery.run(commitLog, config.skipCorruptCommitLog());
        tables.live().values().forEach(table -> table.sstables().forEach(timestamps::follow));
        timestamps.warnOfFuture(maxDataMicros());
        // A segment id that some manifest calls flushed must not come again: its mutations would not be replayed.
        long highestSegment = Stream.concat(
                        tables.live().values().stream()
                                .map(table -> table.directory().content()),
                        tables.unreadable().values().stream().flatMap(table -> table.manifest().stream()))
                .mapToLong(content -> content.highestFlushed().segmentId())
                .max()
                .orElse(CommitLogPosition.NONE.segmentId());
        CommitLog opened = CommitLog.open(
                commitLog,
                CommitLogConfig.defaults()
                        .withSegmentSizeBytes(config.commitLogSegmentBytes())
                        .withCompression(config.commitLogCompression()),
                highestSegment);
        opened.clockMicros(timestamps.last());
        try {
            opened.releaseReplayed(recovery.kept());
        } catch (StorageException e) {
            closeAfter(opened, e);
            throw e;
        }
        log = new LogWriter(
                opened,
                config.syncMode(),
                config.syncMode() == SyncMode.PERIODIC ? config.syncPeriod() : config.groupWindow(),
                executor("log"),
                shardWriters,
                state,
                gate,
                timestamps::last,
                environment.nanoTime(),
                metrics,
                commitLogNow -> flushes.relieveLog(commitLogNow, config.commitLogBudgetBytes()));
        writes = new WritePath(mutationLimit, shards, state, gate, log, callbacks, environment.nanoTime());
        metrics.commitLog(log::segmentCount, log::lengthBytes);
        metrics.failedSync(failedSync::isPresent);
        metrics.timestampsAhead(() -> timestamps.aheadSeconds(maxDataMicros()));
        log.start();
        care.scheduleWithFixedDelay(cursors::sweep, CURSORS_SWEEP_SECONDS, CURSORS_SWEEP_SECONDS, TimeUnit.SECONDS);
        operations = new TableOperations(shards, log, shardWriters, flushes, compactions, formats, state, timestamps);
        if (config.isJmx()) {
            metrics.startJmx();
        }
        compactions.watch(tables.live().values(), care);
    }

    /** The largest timestamp in SSTables. */
    private long maxDataMicros() {
        return tables.live().values().stream()
                .flatMap(table -> table.sstables().stream())
                .mapToLong(TimestampClock::maxMicros)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    private static void closeAfter(CommitLog log, StorageException failure) {
        try {
            log.close();
        } catch (StorageException e) {
            failure.addSuppressed(e);
        }
    }

    private void relieveMemory() {
        flushes.relieveMemory();
    }

    private final class FlushListener implements Flushes.Listener {
        @Override
        public void flushed(LiveTable table, LiveMemtable memtable) {
            log.release(table.id(), memtable.shard(), memtable.reached());
            compactions.consider(table);
        }

        @Override
        public void failed(LiveTable table, Throwable reason) {
            notices.flushFailed(table, reason);
        }
    }

    /** Begins a call that ends with {@link #leave()}; refused once the store is closing. */
    private void enter() {
        callers.incrementAndGet();
        if (state.isClosed()) {
            leave();
            throw state.closedFailure();
        }
    }

    private void leave() {
        callers.decrementAndGet();
    }

    public List<LiveTable> tables() {
        state.requireOpen();
        return List.copyOf(tables.live().values());
    }

    /** Looks one up by its qualified name. */
    public Optional<LiveTable> table(String qualifiedName) {
        state.requireOpen();
        return tables.named(qualifiedName);
    }

    /** What stopped the store from taking writes; null while it takes them. */
    public StorageException failure() {
        return state.failure();
    }

    /** Forgets that a sync failed in an earlier opening. */
    public void acknowledgeFailedSync() throws IOException {
        enter();
        try {
            Undisturbed.requireUninterrupted();
            requireSound();
            undisturbed("acknowledge", () -> {
                failedSync.acknowledge();
                return null;
            });
        } finally {
            leave();
        }
    }

    /** @throws IllegalStateException when the store is closed */
    public void requireOpen() {
        state.requireOpen();
    }

    /** Everything that is counted and timed, by name; {@code docs/metrics.md} has the names. */
    public SortedMap<String, Number> metrics() {
        return metrics.values();
    }

    /** The same in Prometheus' text format. */
    public String metricsText() {
        return metrics.text();
    }

    /** Microseconds since 1970 by the clock, but more than the last one given out, by an earlier opening too. */
    public long nextTimestampMicros() {
        return timestamps.next();
    }

    /** How large a mutation may be. */
    public MutationLimit mutationLimit() {
        return mutationLimit;
    }

    public HostEnvironment environment() {
        return environment;
    }

    /**
     * Makes a mutation last and visible; returns when it is. Waits for memory, before it holds anything.
     *
     * @throws StorageException when it may not last, without saying that it does not
     */
    public void apply(LiveTable table, Mutation mutation) throws IOException {
        enter();
        try {
            table.requireOpen();
            writes.apply(table, mutation);
        } finally {
            leave();
        }
    }

    /**
     * Makes several mutations last together: after a crash there are all of them or none. They become visible one by one; all
     * are when this returns.
     *
     * @throws IllegalArgumentException when one does not fit its table, or all together are too large: none is applied
     * @throws StorageException as the other one
     */
    public void apply(List<TableWrite> together) throws IOException {
        enter();
        try {
            together.forEach(write -> write.table().requireOpen());
            writes.apply(together);
        } finally {
            leave();
        }
    }

    /** The same without waiting for more than memory; the future is completed where callbacks run. */
    public CompletableFuture<Void> applyAsync(List<TableWrite> together) {
        enter();
        try {
            together.forEach(write -> write.table().requireOpen());
            return writes.applyAsync(together);
        } finally {
            leave();
        }
    }

    /** The same without waiting for more than memory; the future is completed where callbacks run. */
    public CompletableFuture<Void> applyAsync(LiveTable table, Mutation mutation) {
        enter();
        try {
            table.requireOpen();
            return writes.applyAsync(table, mutation);
        } finally {
            leave();
        }
    }

    /** @param schema with an id; the table must not exist */
    public LiveTable createTable(TableSchema schema) throws IOException {
        enter();
        try {
            Undisturbed.requireUninterrupted();
            requireSound();
            tables.requireNewId(schema);
            return undisturbed("create", () -> {
                CommitLogPosition written = Undisturbed.join(log.between(position -> position));
                return tables.add(TableDirectory.create(
                        directory.resolve(DATA), schema, shards, written, formats, OutputFile.CREATE_NEW));
            });
        } finally {
            leave();
        }
    }

    /** Does something to its end; a failure that leaves the store's directories in doubt ends writing. */
    private <T> T undisturbed(String name, Undisturbed.Work<T> work) throws IOException {
        return Undisturbed.call(environment, name, () -> {
            try {
                return work.run();
            } catch (IOException e) {
                state.heed(e);
                throw e;
            }
        });
    }

    /**
     * Does something with a table as a whole: alone, and to its end. Who comes later while the table is dropped is told that it
     * is.
     *
     * @throws IllegalStateException when the table is dropped, or on a thread of the store
     * @throws InterruptedIOException when the caller is interrupted before it begins
     */
    private <T> T alone(LiveTable table, Undisturbed.Work<T> work) throws IOException {
        enter();
        try {
            StoreWait.requireMayWait();
            table.administration().lockInterruptibly();
            try {
                state.requireOpen();
                table.requireOpen();
                requireSound();
                return undisturbed("care-of-" + table.schema().qualifiedName(), work);
            } finally {
                table.administration().unlock();
            }
        } catch (InterruptedException e) {
            throw StoreWait.interrupted(Undisturbed.BEFORE);
        } finally {
            leave();
        }
    }

    /**
     * Reads many things at once, with the store's threads for reading and that of the caller; returns when all are read.
     *
     * @return in the order of the tasks
     * @throws IOException when one failed: names it; the others are given up
     */
    public <V> List<V> readAll(List<Reads.Task<V>> tasks) throws IOException {
        enter();
        try {
            return reads.all(tasks);
        } finally {
            leave();
        }
    }

    /** The same without waiting; cancelling the future gives up what has not begun. */
    public <V> CompletableFuture<List<V>> readAllAsync(List<Reads.Task<V>> tasks) {
        enter();
        try {
            return reads.allAsync(tasks);
        } finally {
            leave();
        }
    }

    /** Tables that could not be opened, by name, and why. */
    public Map<String, Exception> unreadable() {
        Map<String, Exception> reasons = new TreeMap<>();
        tables.unreadable().values().forEach(table -> reasons.put(table.qualifiedName(), table.reason()));
        return reasons;
    }

    /** Forgets what there is of tables that could not be opened, but for their snapshots. */
    public void dropUnreadable(String qualifiedName) throws IOException {
        enter();
        try {
            requireSound();
            undisturbed("drop", () -> {
                for (UnreadableTable table : tables.unreadable().values()) {
                    if (table.qualifiedName().equals(qualifiedName)) {
                        TableDirectory.drop(table.directory());
                        tables.unreadable().remove(table.id());
                        log.releaseTable(table.id());
                    }
                }
                return null;
            });
        } finally {
            leave();
        }
    }

    private void requireSound() throws StorageException {
        if (!state.isSound()) {
            throw state.refusal();
        }
    }

    /** Forgets a table with all its data, but for its snapshots; open cursors fail. */
    public void dropTable(LiveTable table) throws IOException {
        alone(table, () -> {
            operations.drop(table, () -> tables.forget(table));
            return null;
        });
    }

    /** Everything in memtables of these tables goes to SSTables. */
    public void flush(List<LiveTable> asked) throws IOException {
        List<CompletableFuture<Void>> flushed = new ArrayList<>();
        for (LiveTable table : asked) {
            flushed.add(startFlush(table));
        }
        for (CompletableFuture<Void> flush : flushed) {
            StoreWait.await(flush);
        }
    }

    /** The same of one table without waiting; the future is completed where callbacks run. */
    public CompletableFuture<Void> flushAsync(LiveTable table) {
        return callbacks.outward(startFlush(table));
    }

    private CompletableFuture<Void> startFlush(LiveTable table) {
        enter();
        try {
            table.requireOpen();
            return state.isSound() ? flushes.flush(table) : CompletableFuture.failedFuture(state.refusal());
        } finally {
            leave();
        }
    }

    /** All SSTables of each shard are rewritten to one, or what the table's strategy takes for the same. */
    public void compact(LiveTable table) throws IOException {
        StoreWait.await(startCompaction(table));
    }

    /** The same without waiting; the future is completed where callbacks run. */
    public CompletableFuture<Void> compactAsync(LiveTable table) {
        return callbacks.outward(startCompaction(table));
    }

    private CompletableFuture<Void> startCompaction(LiveTable table) {
        enter();
        try {
            table.requireOpen();
            return state.isSound() ? compactions.compactAll(table) : CompletableFuture.failedFuture(state.refusal());
        } finally {
            leave();
        }
    }

    /** Forgets all that was written to a table before. */
    public void truncate(LiveTable table) throws IOException {
        alone(table, () -> {
            operations.truncate(table);
            return null;
        });
    }

    /**
     * Gives a table another schema.
     *
     * @param change of the schema that the table has; may be asked twice, and throws when it is not allowed
     */
    public void alterTable(LiveTable table, UnaryOperator<TableSchema> change) throws IOException {
        alone(table, () -> {
            operations.alter(table, change);
            return null;
        });
    }

    /**
     * Takes foreign SSTables in, as they are: all of them or none. Each is verified first.
     *
     * @param asOf from when they date, where that is known for certain; the table is stale if that is longer ago than gc_grace
     * @throws io.anneal.sstable.CorruptSSTableException when one is wrong or does not fit the schema
     * @throws IllegalArgumentException when one has another partitioner, or legacy counters
     */
    public void importSSTables(LiveTable table, List<Descriptor> foreign, Optional<Instant> asOf) throws IOException {
        alone(table, () -> {
            operations.verify(table, foreign);
            noteAge(table, asOf);
            operations.takeIn(table, foreign);
            compactions.consider(table);
            return null;
        });
    }

    private void noteAge(LiveTable table, Optional<Instant> asOf) throws IOException {
        long gcGraceSeconds = table.schema().options().gcGraceSeconds();
        long nowSeconds = environment.clock().instant().getEpochSecond();
        if (asOf.isPresent() && gcGraceSeconds > 0 && nowSeconds - asOf.get().getEpochSecond() > gcGraceSeconds) {
            table.directory().update(content -> content.withOldData(asOf.get().getEpochSecond()));
        }
    }

    /**
     * Takes SSTables in that this process wrote for the table: all of them or none, and without reading them again.
     *
     * @param truncations {@link LiveTable#truncations()} before the first of their rows was received
     * @throws TableTruncatedException when the table was truncated since
     */
    public void takeReceived(LiveTable table, List<Descriptor> received, long truncations) throws IOException {
        alone(table, () -> {
            operations.takeReceived(table, received, truncations);
            compactions.consider(table);
            return null;
        });
    }

    /** The snapshots that there are, of all tables, of dropped ones too. */
    public List<StoreSnapshots.Entry> snapshots() throws IOException {
        state.requireOpen();
        return snapshots.list();
    }

    /** Takes a snapshot of all of these tables or of none; returns their directories. */
    public List<Path> snapshot(List<LiveTable> asked, String name) throws IOException {
        return snapshotWork(() -> {
            List<Path> taken = new ArrayList<>();
            snapshots.begin(name);
            boolean complete = false;
            try {
                flush(asked);
                for (LiveTable table : asked) {
                    taken.add(snapshotAlone(table, name));
                }
                snapshots.end();
                complete = true;
            } finally {
                if (!complete) {
                    snapshots.undo();
                }
            }
            return taken;
        });
    }

    /** Deletes snapshots. */
    public void deleteSnapshots(List<StoreSnapshots.Entry> asked) throws IOException {
        snapshotWork(() -> {
            for (StoreSnapshots.Entry entry : asked) {
                snapshots.delete(entry);
            }
            return null;
        });
    }

    private <T> T snapshotWork(Undisturbed.Work<T> work) throws IOException {
        enter();
        try {
            Undisturbed.requireUninterrupted();
            return undisturbed("snapshots", () -> {
                synchronized (snapshots) {
                    return work.run();
                }
            });
        } finally {
            leave();
        }
    }

    /** Flushes a table and links its SSTables to a directory of their own. */
    public Path snapshot(LiveTable table, String name) throws IOException {
        return snapshotWork(() -> {
            snapshots.undo();
            return snapshotAlone(table, name);
        });
    }

    private Path snapshotAlone(LiveTable table, String name) throws IOException {
        return alone(
                table,
                () -> operations.snapshot(table, name, environment.clock().instant()));
    }

    /** Ranges were repaired as a whole. */
    public void repaired(LiveTable table, List<TokenRange> ranges, long seconds) throws IOException {
        alone(table, () -> table.directory().update(content -> content.withRepaired(ranges, seconds)));
    }

    /**
     * Ends what is under way, flushes, and releases everything, whoever is interrupted; open cursors fail at their next step.
     * What could not be flushed is in the commit log. Whoever closes it again waits as well.
     *
     * @throws IllegalStateException on a thread of the store: nothing is closed
     */
    @Override
    public void close() throws IOException {
        StoreWait.requireMayWait();
        if (!state.close()) {
            closing.join();
            return;
        }
        try {
            gate.close(state::closedFailure);
            Undisturbed.call(environment, "close", () -> {
                end();
                return null;
            });
        } finally {
            closing.complete(null);
        }
    }

    private void end() throws IOException {
        while (callers.get() > 0) {
            LockSupport.parkNanos(CLOSING_POLL_NANOS);
        }
        compactions.close();
        boolean wasSound = state.isSound();
        IOException failure = null;
        try {
            StoreWait.await(log.between(position -> position));
            for (LiveTable table : tables.live().values()) {
                if (state.isSound()) {
                    StoreWait.await(flushes.flush(table));
                }
            }
        } catch (IOException e) {
            failure = e;
        }
        try {
            // Behind it nothing comes any more: all that could send is done.
            CompletableFuture<Void> ended = new CompletableFuture<>();
            log.end(ended);
            StoreWait.await(ended);
        } catch (IOException e) {
            failure = e;
        } finally {
            metrics.close();
            tables.live().values().forEach(LiveTable::close);
            callbacks.close();
            executors.forEach(ScheduledExecutorService::shutdown);
            awaitCare();
        }
        // What a full disk keeps from being flushed is in the log; of what a failed sync has lost somebody must hear.
        if (failure != null
                && (state.isSound()
                        || wasSound && StorageException.failedSync(failure).isPresent())) {
            throw failure;
        }
    }

    /** What is obsolete is deleted now or never: whoever opens the directory next may give its name to another SSTable. */
    private void awaitCare() throws InterruptedIOException {
        try {
            while (!care.awaitTermination(1, TimeUnit.MINUTES)) {
                // Deletions end.
            }
        } catch (InterruptedException e) {
            throw StoreWait.interrupted("its obsolete SSTables may still be there");
        }
    }
}
