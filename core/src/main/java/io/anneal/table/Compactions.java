package io.anneal.table;

import io.anneal.compaction.Compaction;
import io.anneal.compaction.CompactionCancelledException;
import io.anneal.compaction.CompactionCandidate;
import io.anneal.compaction.CompactionContext;
import io.anneal.compaction.CompactionProgress;
import io.anneal.compaction.CompactionPurge;
import io.anneal.compaction.CompactionResult;
import io.anneal.compaction.CompactionTask;
import io.anneal.compaction.CompactionView;
import io.anneal.compaction.RepairTimes;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.RateLimiter;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Compression;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs compactions: what a table's strategy wants whenever its SSTables have changed, and every minute, since what they hold
 * expires; and all of a table when somebody asks. Writes and reads go on meanwhile; a crash before the manifest is replaced
 * changes nothing. Any thread.
 *
 * <p>What somebody asks for has a thread of its own, and takes the place of whatever runs of the same table. What does not fit
 * on the disk is not begun; what has failed is not tried again at once.
 */
final class Compactions implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Compactions.class);

    private static final long WATCH_SECONDS = 60;
    /** What takes longer is long: one thread is kept for what is not. */
    private static final long LONG_SECONDS = 60;
    /** Of a compaction, where no rate is set. */
    private static final long BYTES_PER_SECOND = 64L << 20;

    /** A compaction under way; started are the generations that it has begun to write. */
    private record Running(
            LiveTable table, List<LiveSSTable> inputs, Compaction compaction, Collection<String> started) {
        long unwrittenBytesMax() {
            CompactionProgress progress = compaction.progress();
            double share = 1 - progress.readBytes() / (double) Math.max(1, progress.totalBytes());
            return (long) (compaction.task().outputBytesMax() * share);
        }
    }

    private final TableQueue queue;
    private final int threads;
    private final Executor asked;
    private final ShardRule shards;
    private final HostEnvironment environment;
    private final StoreState state;
    private final FailureNotices notices;
    private final RateLimiter limiter;
    private final CompactionRoom room;
    private final long longBytes;

    private final Set<Running> running = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Dropped ones, as long as somebody may still ask for them. */
    private final Set<LiveTable> stopped = Collections.newSetFromMap(new WeakHashMap<>());
    /** Tables of which everything is being compacted: nothing else begins there. */
    private final Set<LiveTable> exclusive = new HashSet<>();

    private boolean closed;

    /**
     * @param executors each for one compaction at a time; none where nothing is compacted unless somebody asks
     * @param asked for what somebody asks for
     * @param keptFreeBytes how much of the disk is left to others
     */
    Compactions(
            List<? extends Executor> executors,
            Executor asked,
            ShardRule shards,
            StoreConfig config,
            HostEnvironment environment,
            StoreState state,
            FailureNotices notices,
            LongSupplier keptFreeBytes) {
        queue = new TableQueue(executors, this::compactNext);
        threads = executors.size();
        this.asked = asked;
        this.shards = shards;
        this.environment = environment;
        this.state = state;
        this.notices = notices;
        room = new CompactionRoom(keptFreeBytes, environment.nanoTime());
        long rate = config.compactionBytesPerSecond();
        limiter = new RateLimiter(rate, environment.nanoTime(), environment.sleeper());
        longBytes = LONG_SECONDS * (rate == RateLimiter.UNLIMITED ? BYTES_PER_SECOND : rate);
    }

    /** From now on asks the strategy of each table every minute. */
    void watch(Collection<LiveTable> tables, ScheduledExecutorService executor) {
        if (threads > 0) {
            tables.forEach(this::consider);
            executor.scheduleWithFixedDelay(
                    () -> tables.forEach(this::consider), WATCH_SECONDS, WATCH_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** A table's SSTables, or the time, have changed: does what its strategy wants, until that is nothing. */
    void consider(LiveTable table) {
        if (threads > 0) {
            queue.add(table);
        }
    }

    private void compactNext(LiveTable table) {
        Optional<Running> next = Optional.empty();
        try {
            synchronized (this) {
                if (closed || stopped.contains(table) || exclusive.contains(table) || !state.isSound()) {
                    return;
                }
                next = beginNext(table);
            }
            if (next.isPresent()) {
                // There may be more to do, at the same time and afterwards.
                consider(table);
                run(next.get());
                consider(table);
            }
        } catch (CompactionCancelledException e) {
            LOG.debug("compaction was cancelled, table={}", table.schema().qualifiedName());
        } catch (IOException | RuntimeException | Error e) {
            table.metrics().compactionFailed();
            notices.compactionFailed(table, e);
            List<LiveSSTable> inputs = next.map(Running::inputs).orElse(List.of());
            synchronized (this) {
                long nowNanos = nanoTime();
                inputs.forEach(input -> input.compactionFailed(nowNanos));
            }
            LOG.error(
                    "compaction failed, its inputs stay as they are and rest for some minutes, table={}, inputs={}",
                    table.schema().qualifiedName(),
                    inputs,
                    e);
        }
    }

    /** Takes up what the strategy wants most of what may begin now. */
    private Optional<Running> beginNext(LiveTable table) {
        assert Thread.holdsLock(this);
        LiveSet set = table.acquire();
        try {
            long nowNanos = nanoTime();
            List<CompactionCandidate> idle = new ArrayList<>();
            List<CompactionCandidate> busy = new ArrayList<>();
            for (LiveSSTable sstable : set.sstables()) {
                (sstable.isCompacting() || sstable.isResting(nowNanos) ? busy : idle).add(sstable.candidate());
            }
            while (true) {
                Optional<CompactionTask> task = table.strategy().next(view(set, idle, busy));
                if (task.isEmpty()) {
                    return Optional.empty();
                }
                if (!isKeptWaiting(task.get()) && room.fits(table, task.get(), reservedBytes())) {
                    return Optional.of(begin(table, set, task.get()));
                }
                // What else is there to do, as long as this has to wait?
                idle.removeAll(task.get().inputs());
                busy.addAll(task.get().inputs());
            }
        } finally {
            set.release();
        }
    }

    private CompactionView view(LiveSet set, List<CompactionCandidate> idle, List<CompactionCandidate> busy) {
        return new CompactionView(idle, busy, set.memtableMinTimestampMicros(), nowSeconds());
    }

    /** Whether the last thread that is free would take long for it. */
    private boolean isKeptWaiting(CompactionTask task) {
        return threads > 1
                && isLong(task)
                && running.stream()
                                .filter(other ->
                                        isLong(other.compaction().task()) && !exclusive.contains(other.table()))
                                .count()
                        >= threads - 1;
    }

    private boolean isLong(CompactionTask task) {
        return task.outputBytesMax() > longBytes;
    }

    /** What those under way have still to write at most. */
    private long reservedBytes() {
        Map<LiveTable, Long> byTable = new HashMap<>();
        for (Running other : running) {
            // Those of a table as a whole run one behind the other.
            byTable.merge(
                    other.table(),
                    other.unwrittenBytesMax(),
                    exclusive.contains(other.table()) ? Math::max : Long::sum);
        }
        return byTable.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Compacts all that a table has now. */
    CompletableFuture<Void> compactAll(LiveTable table) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        asked.execute(() -> {
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
            requireOpen(table);
            boolean added = exclusive.add(table);
            assert added : table;
        }
        try {
            cancelRunning(table);
            // What was shared meets its shard's own only once it has been divided.
            for (boolean isFirst = true; runMajor(table, isFirst); isFirst = false) {
                LOG.debug(
                        "shared SSTables are divided, table={}", table.schema().qualifiedName());
            }
        } finally {
            synchronized (this) {
                exclusive.remove(table);
                notifyAll();
            }
            consider(table);
        }
    }

    private void requireOpen(LiveTable table) throws StorageException {
        if (closed || stopped.contains(table)) {
            throw new IllegalStateException(
                    "table is being closed or dropped, table=" + table.schema().qualifiedName());
        }
        if (!state.isSound()) {
            throw state.refusal();
        }
    }

    /** Ends what runs of a table; returns when nothing does any more. */
    private void cancelRunning(LiveTable table) throws InterruptedIOException {
        synchronized (this) {
            while (isRunning(table)) {
                running.stream()
                        .filter(task -> task.table() == table)
                        .forEach(task -> task.compaction().cancel());
                await();
            }
        }
    }

    private boolean isRunning(LiveTable table) {
        return running.stream().anyMatch(compaction -> compaction.table() == table);
    }

    /** Compacts everything once; whether some of it was shared. */
    private boolean runMajor(LiveTable table, boolean isFirst) throws IOException {
        List<Running> begun = new ArrayList<>();
        try {
            synchronized (this) {
                requireOpen(table);
                beginMajor(table, isFirst, begun);
            }
            for (Running task : begun) {
                run(task);
            }
        } finally {
            synchronized (this) {
                begun.forEach(this::end);
            }
        }
        return begun.stream().anyMatch(task -> task.inputs().get(0).shard() == ListedSSTable.SHARED);
    }

    private void beginMajor(LiveTable table, boolean isFirst, List<Running> begun) throws StorageException {
        LiveSet set = table.acquire();
        try {
            List<CompactionTask> tasks = table.strategy().major(view(set, set.candidates(), List.of()));
            if (isFirst) {
                // Later the room is that of what was replaced, once it is deleted.
                long neededBytes = tasks.stream()
                        .mapToLong(CompactionTask::outputBytesMax)
                        .max()
                        .orElse(0);
                room.require(table, neededBytes, reservedBytes());
            }
            for (CompactionTask task : tasks) {
                begun.add(begin(table, set, task));
            }
        } finally {
            set.release();
        }
    }

    private void await() throws InterruptedIOException {
        try {
            wait();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for compactions");
        }
    }

    /** Takes up a task: its inputs are held, and busy until {@link #end(Running)}. */
    private Running begin(LiveTable table, LiveSet set, CompactionTask task) {
        assert Thread.holdsLock(this);
        Map<SSTableReader, LiveSSTable> byReader = new IdentityHashMap<>();
        set.sstables().forEach(sstable -> byReader.put(sstable.reader(), sstable));
        List<LiveSSTable> inputs = task.inputs().stream()
                .map(input -> byReader.get(input.reader()))
                .toList();
        Collection<String> started = new ConcurrentLinkedQueue<>();
        Running begun =
                new Running(table, inputs, new Compaction(task, context(table, task, inputs, started)), started);
        for (LiveSSTable input : inputs) {
            assert !input.isCompacting() : input;
            input.retainHeld();
            input.compacting(true);
        }
        running.add(begun);
        return begun;
    }

    private long nanoTime() {
        return environment.nanoTime().getAsLong();
    }

    private long nowSeconds() {
        return environment.clock().instant().getEpochSecond();
    }

    private CompactionContext context(
            LiveTable table, CompactionTask task, List<LiveSSTable> inputs, Collection<String> started) {
        TableSchema schema = table.schema();
        Set<LiveSSTable> compacting = Set.copyOf(inputs);
        return new CompactionContext(
                schema,
                SSTableWriterConfig.defaults(1)
                        .withVersion(table.version())
                        .withCompression(Compression.of(schema.options())),
                table.directory().target(schema, started::add),
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
        long startNanos = nanoTime();
        List<LiveSSTable> outputs = new ArrayList<>();
        boolean replaced = false;
        try {
            CompactionResult result = task.compaction().run();
            for (CompactionResult.Output output : result.outputs()) {
                outputs.add(table.open(output.descriptor(), output.shard()));
            }
            table.compacted(task.inputs(), outputs);
            replaced = true;
            table.metrics().compacted(result.readBytes(), result.writtenBytes(), nanoTime() - startNanos);
            LOG.debug(
                    "compacted, table={}, reason={}, inputs={}, outputs={}",
                    table.schema().qualifiedName(),
                    task.compaction().task().reason(),
                    task.inputs(),
                    outputs);
        } catch (IOException e) {
            state.heed(e);
            throw e;
        } finally {
            release(task, outputs, replaced);
            synchronized (this) {
                end(task);
                notifyAll();
            }
        }
    }

    /** Of what was written nothing is left that did not get live. */
    private static void release(Running task, List<LiveSSTable> outputs, boolean replaced) {
        Set<String> unwanted = new HashSet<>(task.started());
        for (LiveSSTable output : outputs) {
            unwanted.remove(output.descriptor().generation());
            if (!replaced) {
                output.becomeObsolete();
            }
            output.release();
        }
        try {
            task.table().directory().abandon(unwanted);
        } catch (IOException e) {
            LOG.warn(
                    "what a compaction wrote in vain could not be deleted, the next start does it, table={}, generations={}",
                    task.table().schema().qualifiedName(),
                    unwanted,
                    e);
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
        queue.remove(table);
        synchronized (this) {
            stopped.add(table);
            room.forget(table);
            cancelRunning(table);
            while (exclusive.contains(table)) {
                await();
            }
        }
    }

    /** Takes {@link #stop} back. */
    void goOn(LiveTable table) {
        synchronized (this) {
            stopped.remove(table);
        }
    }

    /** About how many compactions a table's strategy wants. */
    long pendingCount(LiveTable table) {
        return table.strategy()
                .pending(new CompactionView(table.candidates(), List.of(), Long.MAX_VALUE, nowSeconds()));
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
        queue.close();
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
