package io.anneal.table;

import io.anneal.commitlog.CommitLog;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.StorageException;
import io.anneal.key.TokenRange;
import io.anneal.memtable.Memtable;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Compression;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Makes SSTables of memtables: when they take too much memory, the largest first; when they hold back too much of the commit
 * log, the oldest first; and when somebody asks. A shard's flushes run one after the other, so that what is flushed of its
 * commit log is always a prefix. Any thread.
 */
final class Flushes {
    /** Told what becomes of every flush, on its thread. */
    interface Listener {
        void flushed(LiveTable table, LiveMemtable memtable);

        void failed(LiveTable table, Throwable reason);
    }

    private final Map<UUID, LiveTable> tables;
    private final List<ShardWriter> shards;
    private final List<? extends Executor> executors;
    private final MemoryGate gate;
    private final StoreState state;
    private final LongSupplier nanoTime;
    private final Listener listener;
    private final long memoryThresholdBytes;

    /**
     * @param shards by number
     * @param executors for each shard's flushes, one at a time
     * @param memoryThresholdBytes of memtables not being flushed
     */
    Flushes(
            Map<UUID, LiveTable> tables,
            List<ShardWriter> shards,
            List<? extends Executor> executors,
            MemoryGate gate,
            StoreState state,
            LongSupplier nanoTime,
            Listener listener,
            long memoryThresholdBytes) {
        this.tables = tables;
        this.shards = shards;
        this.executors = executors;
        this.gate = gate;
        this.state = state;
        this.nanoTime = nanoTime;
        this.listener = listener;
        this.memoryThresholdBytes = memoryThresholdBytes;
    }

    /** Flushes all that is in a table's memtables now, and waits for what is being flushed already. */
    CompletableFuture<Void> flush(LiveTable table) {
        CompletableFuture<?>[] all = new CompletableFuture<?>[shards.size()];
        for (int shard = 0; shard < all.length; shard++) {
            all[shard] = flush(table, shard);
        }
        return CompletableFuture.allOf(all);
    }

    /** Waits for the flushes that were asked for, and begins none. */
    CompletableFuture<Void> passed() {
        CompletableFuture<?>[] all = executors.stream()
                .map(executor -> CompletableFuture.runAsync(() -> {}, executor))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(all);
    }

    private CompletableFuture<Void> flush(LiveTable table, int shard) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        shards.get(shard).run(() -> {
            try {
                Optional<LiveMemtable> full = table.switchMemtable(shard);
                if (full.isEmpty()) {
                    table.activeMemtables().get(shard).forgetFlush();
                }
                executors.get(shard).execute(() -> flush(table, shard, full, done));
            } catch (RuntimeException | Error e) {
                state.stop(e);
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private void flush(LiveTable table, int shard, Optional<LiveMemtable> full, CompletableFuture<Void> done) {
        try {
            if (full.isPresent()) {
                flush(table, full.get());
            }
            done.complete(null);
        } catch (IOException | RuntimeException | Error e) {
            table.metrics().shard(shard).flushFailed();
            if (state.isSound()) {
                listener.failed(table, e);
            }
            state.stop(e);
            done.completeExceptionally(e);
        }
    }

    /** Behind a flush that failed none may succeed: it would release the commit log of what is in memory only. */
    private void requireSound() throws StorageException {
        if (!state.isSound()) {
            throw state.refusal();
        }
    }

    private void flush(LiveTable table, LiveMemtable memtable) throws IOException {
        try {
            requireSound();
            write(table, memtable);
        } finally {
            memtable.release();
        }
    }

    private void write(LiveTable table, LiveMemtable memtable) throws IOException {
        long startNanos = nanoTime.getAsLong();
        Optional<LiveSSTable> written = write(table, memtable.memtable(), memtable.shard(), table.version());
        try {
            table.flushed(memtable, written);
        } finally {
            written.ifPresent(Counted::release);
        }
        memtable.linger();
        table.metrics()
                .shard(memtable.shard())
                .flushed(
                        written.map(sstable -> sstable.candidate().onDiskBytes())
                                .orElse(0L),
                        nanoTime.getAsLong() - startNanos);
        listener.flushed(table, memtable);
    }

    /** Nothing, when deletions have left nothing of it. */
    Optional<LiveSSTable> write(LiveTable table, Memtable memtable, int shard, SSTableVersion version)
            throws IOException {
        TableSchema schema = memtable.schema();
        SSTableWriterConfig config = SSTableWriterConfig.defaults(Math.max(1, memtable.partitionCount()))
                .withVersion(version)
                .withCompression(Compression.of(schema.options()))
                .withBase(base(memtable));
        Descriptor descriptor;
        FragmentCursor cursor = MergeCursor.of(schema, List.of(memtable.scan(TokenRange.Linear.ALL)));
        try (cursor;
                FragmentWriter writer = table.directory().target(schema).start(config)) {
            writer.append(cursor);
            if (writer.dataLengthBytes() == 0) {
                return Optional.empty();
            }
            descriptor = writer.finish();
        }
        return Optional.of(table.open(descriptor, shard));
    }

    private static EncodingBase base(Memtable memtable) {
        return EncodingBase.of(
                memtable.minTimestampMicros(),
                memtable.minLocalDeletionTimeSeconds(),
                memtable.maxLocalDeletionTimeSeconds(),
                memtable.minTtlSeconds());
    }

    /** Has the largest memtables flushed until those that are left take no more than they may. */
    void relieveMemory() {
        if (gate.usedBytes() <= memoryThresholdBytes) {
            return;
        }
        while (true) {
            long unaskedBytes = 0;
            long largestBytes = 0;
            LiveTable table = null;
            LiveMemtable largest = null;
            for (LiveTable candidate : tables.values()) {
                for (LiveMemtable memtable :
                        candidate.isClosed() ? List.<LiveMemtable>of() : candidate.activeMemtables()) {
                    long bytes = memtable.memtable().isEmpty()
                            ? 0
                            : memtable.memtable().occupiedBytes();
                    if (bytes > 0 && !memtable.isFlushAsked()) {
                        unaskedBytes += bytes;
                        if (bytes > largestBytes) {
                            largestBytes = bytes;
                            largest = memtable;
                            table = candidate;
                        }
                    }
                }
            }
            if (largest == null || unaskedBytes <= memoryThresholdBytes) {
                return;
            }
            ask(table, largest);
        }
    }

    /** Has those flushed whose mutations lie in the oldest segment; on the log's thread. */
    void relieveLog(CommitLog log, long budgetBytes) {
        if (log.lengthBytes() - log.keptBytes() <= budgetBytes) {
            return;
        }
        for (CommitLog.Dirty dirty : log.oldestDirty()) {
            LiveTable table = tables.get(dirty.table());
            if (table != null && !table.isFlushing(dirty.shard())) {
                ask(table, table.activeMemtables().get(dirty.shard()));
            }
        }
    }

    private void ask(LiveTable table, LiveMemtable memtable) {
        if (memtable.askFlush()) {
            flush(table, memtable.shard());
        }
    }
}
