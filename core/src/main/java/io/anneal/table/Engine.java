package io.anneal.table;

import io.anneal.commitlog.CommitLog;
import io.anneal.commitlog.CommitLogConfig;
import io.anneal.commitlog.CommitLogPosition;
import io.anneal.commitlog.CommitLogReplay;
import io.anneal.compaction.CompactionStrategy;
import io.anneal.fragment.Mutation;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.memtable.MemtablePool;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
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
    private final StoreEnvironment environment;
    private final SSTableFormats formats;
    private final ShardRule shards;
    private final StoreState state;
    private final MemtablePool pool;
    private final StoreMetrics metrics;
    private final MemoryGate gate;
    private final Map<UUID, LiveTable> tables = new ConcurrentHashMap<>();
    private final Map<UUID, UnreadableTable> unreadable = new ConcurrentHashMap<>();
    private final List<ScheduledExecutorService> executors = new ArrayList<>();
    private final ScheduledExecutorService care;
    private final List<ShardWriter> shardWriters = new ArrayList<>();
    private final Flushes flushes;
    private final Compactions compactions;
    /** Callers on their way to a mailbox: nothing is shut down while there is one. */
    private final AtomicInteger callers = new AtomicInteger();

    private final TimestampClock timestamps;
    private final OpenCursors cursors = new OpenCursors();
    private final Callbacks callbacks;

    /** When the first call has closed it. */
    private final CompletableFuture<Void> closing = new CompletableFuture<>();

    private LogWriter log;
    private TableCare tableCare;
    private WritePath writes;

    private Engine(
            Path directory,
            ShardRule shards,
            StoreConfig config,
            StoreEnvironment environment,
            SSTableFormats formats) {
        this.directory = directory;
        this.config = config;
        this.environment = environment;
        this.formats = formats;
        this.shards = shards;
        state = new StoreState(directory.toString());
        pool = new MemtablePool(config.memtableBudgetBytes());
        metrics = new StoreMetrics(directory.toString(), environment.nanoTime());
        metrics.memtables(pool::usedBytes, pool::budgetBytes);
        gate = new MemoryGate(pool, this::relieveMemory, environment.nanoTime(), metrics::admissionWaited);
        care = executor("care");
        callbacks = new Callbacks(environment.threads(), executor("callbacks"));
        List<ScheduledExecutorService> flushExecutors = new ArrayList<>();
        for (int shard = 0; shard < shards.shardCount(); shard++) {
            shardWriters.add(new ShardWriter(
                    executor("shard-" + shard), gate, state, environment.nanoTime(), this::relieveMemory));
            flushExecutors.add(executor("flush-" + shard));
        }
        flushes = new Flushes(
                tables,
                shardWriters,
                flushExecutors,
                gate,
                state,
                config.version(),
                environment.nanoTime(),
                this::afterFlush,
                config.memtableBudgetBytes() / 2);
        timestamps = new TimestampClock(environment.clock());
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
                () -> pool.usedBytes() + config.commitLogSegmentBytes());
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
     * @throws io.anneal.commitlog.CorruptCommitLogException when acknowledged writes cannot be read, unless told to go on
     */
    public static Engine open(
            Path directory, ShardRule shards, StoreConfig config, StoreEnvironment environment, SSTableFormats formats)
            throws IOException {
        Engine engine = new Engine(directory, shards, config, environment, formats);
        boolean opened = false;
        try {
            engine.openTables();
            engine.openLog();
            opened = true;
            return engine;
        } finally {
            if (!opened) {
                engine.tables.values().forEach(LiveTable::close);
                engine.executors.forEach(ScheduledExecutorService::shutdown);
            }
        }
    }

    private void openTables() throws IOException {
        Path data = directory.resolve(DATA);
        TableCatalogue.sweep(data);
        for (Path tableDirectory : TableCatalogue.list(data)) {
            try {
                openTable(tableDirectory);
            } catch (StorageException e) {
                // The disk's failure is no table's.
                throw e;
            } catch (IOException | RuntimeException e) {
                UnreadableTable apart = UnreadableTable.of(tableDirectory, e);
                unreadable.put(apart.id(), apart);
                LOG.error(
                        "table cannot be opened and is set apart, its part of the commit log is kept: mend it and open the"
                                + " store again, or drop it, table={}, directory={}",
                        apart.qualifiedName(),
                        tableDirectory,
                        e);
            }
        }
    }

    /** Touches no file of the table before all of it is found right. */
    private void openTable(Path tableDirectory) throws IOException {
        TableDirectory found = TableDirectory.read(tableDirectory, formats, OutputFile.CREATE_NEW);
        formats.requireWritable(found.schema().options());
        CompactionStrategy.of(found.schema());
        LiveTable table = table(found);
        boolean opened = false;
        try {
            table.openSSTables();
            found.sweep();
            opened = true;
        } finally {
            if (!opened) {
                tables.remove(table.id());
                metrics.removeTable(table.metrics());
                table.close();
            }
        }
    }

    private LiveTable table(TableDirectory tableDirectory) {
        LiveTable table = new LiveTable(
                tableDirectory,
                config.version(),
                shards,
                pool,
                gate,
                metrics.addTable(tableDirectory.schema().qualifiedName(), shards.shardCount()),
                cursors,
                environment.nanoTime(),
                sstable -> dispose(tableDirectory, sstable));
        table.metrics().pending(() -> compactions.pendingCount(table), () -> compactions.pendingBytes(table));
        tables.put(table.id(), table);
        return table;
    }

    /** Nobody holds the SSTable any more. */
    private void dispose(TableDirectory tableDirectory, LiveSSTable sstable) {
        try {
            care.execute(() -> close(tableDirectory, sstable));
        } catch (RejectedExecutionException e) {
            // A cursor was closed behind the store; what is obsolete goes at the next start.
            close(sstable);
        }
    }

    private static void close(TableDirectory tableDirectory, LiveSSTable sstable) {
        close(sstable);
        if (sstable.isObsolete()) {
            try {
                tableDirectory.delete(sstable.descriptor());
            } catch (IOException e) {
                LOG.warn("SSTable could not be deleted, the next start does it, sstable={}", sstable, e);
            }
        }
    }

    private static void close(LiveSSTable sstable) {
        try {
            sstable.reader().close();
        } catch (IOException e) {
            LOG.warn("SSTable could not be closed, sstable={}", sstable, e);
        }
    }

    private void openLog() throws IOException {
        Path commitLog = directory.resolve(COMMIT_LOG);
        Recovery recovery = new Recovery(tables, unreadable, shards, flushes, gate, config.memtableBudgetBytes() / 2);
        CommitLogReplay.Report replayed = recovery.run(commitLog, config.skipCorruptCommitLog());
        timestamps.goOnAfter(replayed.clockMicros());
        tables.values().forEach(table -> table.sstables().forEach(timestamps::follow));
        // A segment id that some manifest calls flushed must not come again: its mutations would not be replayed.
        long highestSegment = Stream.concat(
                        tables.values().stream().map(table -> table.directory().content()),
                        unreadable.values().stream().flatMap(table -> table.manifest().stream()))
                .flatMap(content -> content.flushed().values().stream())
                .mapToLong(CommitLogPosition::segmentId)
                .max()
                .orElse(CommitLogPosition.NONE.segmentId());
        CommitLog opened = CommitLog.open(
                commitLog,
                CommitLogConfig.defaults()
                        .withSegmentSizeBytes(config.commitLogSegmentBytes())
                        .withCompression(config.commitLogCompression()),
                highestSegment);
        opened.releaseReplayed(recovery.kept());
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
        writes = new WritePath(shards, state, gate, log, callbacks, environment.nanoTime());
        metrics.commitLog(log::segmentCount, log::lengthBytes);
        log.start();
        care.scheduleWithFixedDelay(cursors::sweep, CURSORS_SWEEP_SECONDS, CURSORS_SWEEP_SECONDS, TimeUnit.SECONDS);
        tableCare = new TableCare(shards, log, shardWriters, flushes, compactions, formats, state, timestamps);
        if (config.isJmx()) {
            metrics.startJmx();
        }
        compactions.watch(tables.values(), care);
    }

    private void relieveMemory() {
        flushes.relieveMemory();
    }

    private void afterFlush(LiveTable table, LiveMemtable memtable) {
        log.release(table.id(), memtable.shard(), memtable.reached());
        compactions.consider(table);
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
        return List.copyOf(tables.values());
    }

    /** What stopped the store from taking writes; null while it takes them. */
    public StorageException failure() {
        return state.failure();
    }

    /** @throws IllegalStateException when the store is closed */
    public void requireOpen() {
        state.requireOpen();
    }

    /** Everything that is counted and timed, by name; {@code docs/metrics.md} has the names. */
    public SortedMap<String, Number> metrics() {
        return metrics.values();
    }

    /** Microseconds since 1970 by the clock, but more than the last one given out, by an earlier opening too. */
    public long nextTimestampMicros() {
        return timestamps.next();
    }

    public StoreEnvironment environment() {
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

    /**
     * The interrupt of this thread, which stays interrupted.
     *
     * @param sequel what has become, or becomes, of what it asked for
     */
    static InterruptedIOException interrupted(String sequel) {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted " + sequel);
    }

    /** @throws IllegalStateException on a thread that the store works with: it would wait for itself */
    public static void requireMayWait() {
        if (Mailbox.isReceiving()) {
            throw new IllegalStateException(
                    "a thread of the store cannot wait for the store: use the asynchronous calls");
        }
    }

    /** Waits for what the store was asked for; its own threads must not. */
    static <T> T await(CompletableFuture<T> asked) throws IOException {
        if (!asked.isDone()) {
            requireMayWait();
        }
        try {
            return asked.get();
        } catch (InterruptedException e) {
            throw interrupted("while waiting for the store: what was asked for goes on");
        } catch (ExecutionException e) {
            throw asIOException(e.getCause());
        }
    }

    /** What is thrown to a caller; an unchecked exception is thrown here. */
    static IOException asIOException(Throwable failure) {
        if (failure instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return failure instanceof IOException known ? known : new IOException(failure);
    }

    /** @param schema with an id; the table must not exist */
    public LiveTable createTable(TableSchema schema) throws IOException {
        enter();
        try {
            Undisturbed.requireUninterrupted();
            requireSound();
            requireNewId(schema);
            return Undisturbed.call(environment, "create", () -> {
                CommitLogPosition written = Undisturbed.join(log.between(position -> position));
                return table(TableDirectory.create(
                        directory.resolve(DATA), schema, shards, written, formats, OutputFile.CREATE_NEW));
            });
        } finally {
            leave();
        }
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
            requireMayWait();
            table.administration().lockInterruptibly();
            try {
                state.requireOpen();
                table.requireOpen();
                requireSound();
                return Undisturbed.call(environment, "care-of-" + table.schema().qualifiedName(), work);
            } finally {
                table.administration().unlock();
            }
        } catch (InterruptedException e) {
            throw interrupted(Undisturbed.BEFORE);
        } finally {
            leave();
        }
    }

    /** Tables are told apart by it in the commit log. */
    private void requireNewId(TableSchema schema) {
        for (LiveTable table : tables.values()) {
            if (table.schema().id().equals(schema.id())) {
                throw new IllegalStateException("another table has the id, table=" + schema.qualifiedName() + ", id="
                        + schema.id().orElse("") + ", other="
                        + table.schema().qualifiedName());
            }
        }
        for (UnreadableTable table : unreadable.values()) {
            if (schema.id().equals(Optional.of(table.id().toString()))) {
                throw new IllegalStateException("a table that cannot be opened has the id, table="
                        + schema.qualifiedName() + ", id=" + table.id() + ", other=" + table.qualifiedName());
            }
        }
    }

    /** Tables that could not be opened, by name, and why. */
    public Map<String, Exception> unreadable() {
        Map<String, Exception> reasons = new TreeMap<>();
        unreadable.values().forEach(table -> reasons.put(table.qualifiedName(), table.reason()));
        return reasons;
    }

    /** Forgets what there is of tables that could not be opened, but for their snapshots. */
    public void dropUnreadable(String qualifiedName) throws IOException {
        enter();
        try {
            requireSound();
            for (UnreadableTable table : unreadable.values()) {
                if (table.qualifiedName().equals(qualifiedName)) {
                    TableDirectory.drop(table.directory());
                    unreadable.remove(table.id());
                    log.releaseTable(table.id());
                }
            }
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
            tableCare.drop(table, () -> {
                tables.remove(table.id());
                metrics.removeTable(table.metrics());
            });
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
            await(flush);
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
        await(startCompaction(table));
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
            tableCare.truncate(table);
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
            tableCare.alter(table, change);
            return null;
        });
    }

    /**
     * Takes foreign SSTables in, as they are: all of them or none. Each is verified first.
     *
     * @throws io.anneal.sstable.CorruptSSTableException when one is wrong or does not fit the schema
     * @throws IllegalArgumentException when one has another partitioner, or legacy counters
     */
    public void importSSTables(LiveTable table, List<Descriptor> foreign) throws IOException {
        alone(table, () -> {
            tableCare.importSSTables(table, foreign);
            compactions.consider(table);
            return null;
        });
    }

    /** Flushes a table and links its SSTables to a directory of their own. */
    public Path snapshot(LiveTable table, String name) throws IOException {
        return alone(
                table, () -> tableCare.snapshot(table, name, environment.clock().instant()));
    }

    /** A range was repaired as a whole. */
    public void repaired(LiveTable table, TokenRange range, long seconds) throws IOException {
        alone(table, () -> table.directory().update(content -> content.withRepaired(range, seconds)));
    }

    /**
     * Ends what is under way, flushes, and releases everything, whoever is interrupted; open cursors fail at their next step.
     * What could not be flushed is in the commit log. Whoever closes it again waits as well.
     *
     * @throws IllegalStateException on a thread of the store: nothing is closed
     */
    @Override
    public void close() throws IOException {
        requireMayWait();
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
        IOException failure = null;
        try {
            await(log.between(position -> position));
            for (LiveTable table : tables.values()) {
                if (state.isSound()) {
                    await(flushes.flush(table));
                }
            }
        } catch (IOException e) {
            failure = e;
        }
        try {
            // Behind it nothing comes any more: all that could send is done.
            CompletableFuture<Void> ended = new CompletableFuture<>();
            log.end(ended);
            await(ended);
        } catch (IOException e) {
            failure = e;
        } finally {
            metrics.close();
            tables.values().forEach(LiveTable::close);
            callbacks.close();
            executors.forEach(ScheduledExecutorService::shutdown);
        }
        if (failure != null && state.isSound()) {
            throw failure;
        }
    }
}
