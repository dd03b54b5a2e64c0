package io.anneal.table;

import io.anneal.compaction.Compaction;
import io.anneal.compaction.CompactionCancelledException;
import io.anneal.compaction.CompactionCandidate;
import io.anneal.compaction.CompactionContext;
import io.anneal.compaction.CompactionPurge;
import io.anneal.compaction.CompactionResult;
import io.anneal.compaction.CompactionTask;
import io.anneal.compaction.CompactionView;
import io.anneal.compaction.RepairTimes;
import io.anneal.io.RateLimiter;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Compression;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs compactions: what a table's strategy wants whenever its SSTables have changed, and all of them when somebody asks.
 * Writes and reads go on meanwhile; a crash before the manifest is replaced changes nothing. Any thread.
 */
final class Compactions implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Compactions.class);

    /** A compaction under way. */
    private record Running(LiveTable table, List<LiveSSTable> inputs, Compaction compaction) {}

    private final List<? extends Executor> executors;
    private final boolean isAutomatic;
    private final SSTableVersion version;
    private final ShardRule shards;
    private final StoreEnvironment environment;
    private final StoreState state;
    private final FailureNotices notices;
    private final RateLimiter limiter;
    private final AtomicInteger turn = new AtomicInteger();

    private final Set<Running> running = new HashSet<>();
    /** Dropped ones, as long as somebody may still ask for them. */
    private final Set<LiveTable> stopped = Collections.newSetFromMap(new WeakHashMap<>());
    /** Tables of which everything is being compacted: nothing else begins there. */
    private final Set<LiveTable> exclusive = new HashSet<>();

    private boolean closed;

    /** @param executors at least one, each for one compaction at a time */
    Compactions(
            List<? extends Executor> executors,
            ShardRule shards,
            StoreConfig config,
            StoreEnvironment environment,
            StoreState state,
            FailureNotices notices) {
        this.executors = executors;
        this.isAutomatic = config.compactionThreads() > 0;
        this.version = config.version();
        this.shards = shards;
        this.environment = environment;
        this.state = state;
        this.notices = notices;
        limiter = new RateLimiter(config.compactionBytesPerSecond(), environment.nanoTime(), environment.sleeper());
    }

    /** A table's SSTables have changed: does what its strategy wants, until that is nothing. */
    void consider(LiveTable table) {
        if (!isAutomatic) {
            return;
        }
        try {
            nextExecutor().execute(() -> {
                if (compactNext(table)) {
                    consider(table);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug(
                    "store is closed, compaction is left to the next start, table={}",
                    table.schema().qualifiedName());
        }
    }

    private Executor nextExecutor() {
        return executors.get(Math.floorMod(turn.getAndIncrement(), executors.size()));
    }

    /** Whether something was done, and so there may be more. */
    private boolean compactNext(LiveTable table) {
        List<Running> next;
        synchronized (this) {
            if (closed || stopped.contains(table) || exclusive.contains(table) || !state.isSound()) {
                return false;
            }
            next = begin(table, view -> table.strategy().next(view).stream().toList());
        }
        if (next.isEmpty()) {
            return false;
        }
        try {
            run(next.get(0));
            return true;
        } catch (CompactionCancelledException e) {
            LOG.debug("compaction was cancelled, table={}", table.schema().qualifiedName());
        } catch (IOException | RuntimeException | Error e) {
            table.metrics().compactionFailed();
            notices.compactionFailed(table, e);
            LOG.error(
                    "compaction failed, its inputs stay as they are, table={}, inputs={}",
                    table.schema().qualifiedName(),
                    next.get(0).inputs(),
                    e);
        }
        return false;
    }

    /** Compacts all that a table has now. */
    CompletableFuture<Void> compactAll(LiveTable table) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        nextExecutor().execute(() -> {
            try {
                runAll(table);
                done.complete(null);
            } catch (IOException | RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private void runAll(LiveTable table) throws IOException {
        synchronized (this) {
            awaitTurn(table);
            exclusive.add(table);
        }
        try {
            // What was shared meets its shard's own only once it has been divided.
            while (runMajor(table)) {
                LOG.debug(
                        "shared SSTables are divided, table={}", table.schema().qualifiedName());
            }
        } finally {
            synchronized (this) {
                exclusive.remove(table);
                notifyAll();
            }
        }
        consider(table);
    }

    /** Compacts everything once; whether some of it was shared. */
    private boolean runMajor(LiveTable table) throws IOException {
        List<Running> tasks;
        synchronized (this) {
            tasks = begin(table, view -> table.strategy().major(view));
        }
        try {
            for (Running task : tasks) {
                run(task);
            }
        } finally {
            synchronized (this) {
                tasks.forEach(this::end);
            }
        }
        return tasks.stream().anyMatch(task -> task.inputs().get(0).shard() == ListedSSTable.SHARED);
    }

    /** Waits until nothing of a table is being compacted. */
    private void awaitTurn(LiveTable table) throws InterruptedIOException {
        while (!closed && !stopped.contains(table) && (exclusive.contains(table) || isRunning(table))) {
            await();
        }
        if (closed || stopped.contains(table)) {
            throw new IllegalStateException(
                    "table is being closed or dropped, table=" + table.schema().qualifiedName());
        }
    }

    private boolean isRunning(LiveTable table) {
        return running.stream().anyMatch(compaction -> compaction.table() == table);
    }

    private void await() throws InterruptedIOException {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for compactions");
        }
    }

    /** Takes up the tasks that are chosen: their inputs are held, and busy until {@link #end(Running)}. */
    private List<Running> begin(LiveTable table, Function<CompactionView, List<CompactionTask>> choice) {
        assert Thread.holdsLock(this);
        LiveSet set = table.acquire();
        try {
            Map<SSTableReader, LiveSSTable> byReader = new IdentityHashMap<>();
            List<CompactionCandidate> idle = new ArrayList<>();
            List<CompactionCandidate> busy = new ArrayList<>();
            for (LiveSSTable sstable : set.sstables()) {
                byReader.put(sstable.reader(), sstable);
                (sstable.isCompacting() ? busy : idle).add(sstable.candidate());
            }
            CompactionView view = new CompactionView(idle, busy, set.memtableMinTimestampMicros(), nowSeconds());
            List<Running> begun = new ArrayList<>();
            for (CompactionTask task : choice.apply(view)) {
                List<LiveSSTable> inputs = task.inputs().stream()
                        .map(input -> byReader.get(input.reader()))
                        .toList();
                for (LiveSSTable input : inputs) {
                    input.retainHeld();
                    input.compacting(true);
                }
                Running compaction = new Running(table, inputs, new Compaction(task, context(table, task, inputs)));
                running.add(compaction);
                begun.add(compaction);
            }
            return begun;
        } finally {
            set.release();
        }
    }

    private long nowSeconds() {
        return environment.clock().instant().getEpochSecond();
    }

    private CompactionContext context(LiveTable table, CompactionTask task, List<LiveSSTable> inputs) {
        TableSchema schema = table.schema();
        Set<LiveSSTable> compacting = Set.copyOf(inputs);
        return new CompactionContext(
                schema,
                SSTableWriterConfig.defaults(1).withVersion(version).withCompression(Compression.of(schema.options())),
                table.directory(),
                shards,
                CompactionPurge.of(
                        schema.options(),
                        task,
                        nowSeconds(),
                        token -> lastRepairSeconds(table, token),
                        key -> table.minTimestampMicros(key, compacting)),
                limiter);
    }

    private static long lastRepairSeconds(LiveTable table, long token) {
        long latest = RepairTimes.NEVER;
        for (RepairTime time : table.directory().content().repairTimes()) {
            if (time.range().contains(token)) {
                latest = Math.max(latest, time.seconds());
            }
        }
        return latest;
    }

    private void run(Running task) throws IOException {
        LiveTable table = task.table();
        long startNanos = environment.nanoTime().getAsLong();
        List<LiveSSTable> outputs = new ArrayList<>();
        try {
            CompactionResult result = task.compaction().run();
            open(table, result, outputs);
            replace(task, outputs);
            table.metrics()
                    .compacted(
                            result.readBytes(),
                            result.writtenBytes(),
                            environment.nanoTime().getAsLong() - startNanos);
            LOG.debug(
                    "compacted, table={}, reason={}, inputs={}, outputs={}",
                    table.schema().qualifiedName(),
                    task.compaction().task().reason(),
                    task.inputs(),
                    outputs);
        } finally {
            synchronized (this) {
                end(task);
                notifyAll();
            }
        }
    }

    private static void open(LiveTable table, CompactionResult result, List<LiveSSTable> outputs) throws IOException {
        boolean opened = false;
        try {
            for (CompactionResult.Output output : result.outputs()) {
                outputs.add(table.open(output.descriptor(), output.shard()));
            }
            opened = true;
        } finally {
            if (!opened) {
                for (LiveSSTable output : outputs) {
                    output.becomeObsolete();
                    output.release();
                }
            }
        }
    }

    private void replace(Running task, List<LiveSSTable> outputs) throws IOException {
        try {
            task.table().compacted(task.inputs(), outputs);
        } catch (StorageException e) {
            // What the disk says is live nobody knows: nothing may be built on that.
            state.fail(e);
            throw e;
        } finally {
            outputs.forEach(Counted::release);
        }
    }

    private void end(Running task) {
        assert Thread.holdsLock(this);
        if (running.remove(task)) {
            for (LiveSSTable input : task.inputs()) {
                input.compacting(false);
                input.release();
            }
        }
    }

    /** Ends the table's compactions for good; returns when there is none any more. */
    void stop(LiveTable table) throws InterruptedIOException {
        synchronized (this) {
            stopped.add(table);
            while (isRunning(table) || exclusive.contains(table)) {
                running.stream()
                        .filter(task -> task.table() == table)
                        .forEach(task -> task.compaction().cancel());
                await();
            }
        }
    }

    /** About how many compactions a table's strategy wants. */
    long pendingCount(LiveTable table) {
        LiveSet set = table.acquire();
        try {
            List<CompactionCandidate> all =
                    set.sstables().stream().map(LiveSSTable::candidate).toList();
            return table.strategy()
                    .pending(new CompactionView(all, List.of(), set.memtableMinTimestampMicros(), nowSeconds()));
        } finally {
            set.release();
        }
    }

    /** How many bytes of a table's data compactions have still to read. */
    long pendingBytes(LiveTable table) {
        synchronized (this) {
            return running.stream()
                    .filter(task -> task.table() == table)
                    .map(task -> task.compaction().progress())
                    .mapToLong(progress -> progress.totalBytes() - progress.readBytes())
                    .sum();
        }
    }

    /** Ends all compactions; returns when there is none any more. */
    @Override
    public void close() throws InterruptedIOException {
        synchronized (this) {
            closed = true;
            notifyAll();
            while (!running.isEmpty() || !exclusive.isEmpty()) {
                running.forEach(task -> task.compaction().cancel());
                await();
            }
        }
    }
}
