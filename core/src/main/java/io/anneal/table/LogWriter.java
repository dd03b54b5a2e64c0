package io.anneal.table;

import io.anneal.commitlog.BatchRecord;
import io.anneal.commitlog.CommitLog;
import io.anneal.commitlog.CommitLogPosition;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.Mutation;
import io.anneal.io.StorageException;
import io.anneal.metrics.StoreMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The commit log's thread at work: appends what has come, makes it last as the sync mode says, and passes it on to the shards,
 * in the order in which it lies in the log. Nothing reaches a memtable before it has reached the disk, so that no reader sees
 * what a crash would take back. Once the log has failed nothing is accepted any more: what a failed sync has left on the disk
 * nobody knows.
 */
final class LogWriter {
    /** What comes to the log's thread. */
    sealed interface Message permits PendingWrite, PendingBatch, Request {}

    /** What others ask of the log's thread. */
    non-sealed interface Request extends Message {
        void run() throws StorageException;
    }

    /** Some 50 microseconds: a fraction of a sync. */
    private static final int GATHERING_POLLS = 1000;

    /** With so few shards, and so processors, handing writes over costs more than applying them meanwhile wins. */
    private static final int FEW_SHARDS = 2;
    /** More are applied while the log goes on. */
    private static final int APPLIED_HERE_MAX = 256;

    private final CommitLog log;
    private final SyncMode mode;
    private final Duration window;
    private final ScheduledExecutorService executor;
    private final List<ShardWriter> shards;
    private final StoreState state;
    private final MemoryGate gate;
    private final LongSupplier clockMicros;
    private final LongSupplier nanoTime;
    private final StoreMetrics metrics;
    private final Consumer<CommitLog> spaceWatch;
    private final Mailbox<Message> mailbox;
    private final List<List<PendingWrite>> byShard = new ArrayList<>();

    /** Writes that wait, by table. */
    private final Map<UUID, List<Message>> held = new HashMap<>();

    /** Appended and not yet passed on. */
    private final List<PendingWrite> gathered = new ArrayList<>();

    /** Of a group that gathers; null when none does. */
    private ScheduledFuture<?> windowEnd;

    private boolean hasEnded;
    /** Since the last sync. */
    private long writtenCount;

    private volatile long lengthBytes;
    private volatile long segmentCount;

    /**
     * @param window between syncs when periodic, of a group's gathering
     * @param clockMicros the last timestamp given out, which the log remembers
     * @param spaceWatch told after every round, to have the oldest segments flushed when they take too much
     */
    LogWriter(
            CommitLog log,
            SyncMode mode,
            Duration window,
            ScheduledExecutorService executor,
            List<ShardWriter> shards,
            StoreState state,
            MemoryGate gate,
            LongSupplier clockMicros,
            LongSupplier nanoTime,
            StoreMetrics metrics,
            Consumer<CommitLog> spaceWatch) {
        this.log = log;
        this.mode = mode;
        this.window = window;
        this.executor = executor;
        this.shards = shards;
        this.state = state;
        this.gate = gate;
        this.clockMicros = clockMicros;
        this.nanoTime = nanoTime;
        this.metrics = metrics;
        this.spaceWatch = spaceWatch;
        mailbox = new Mailbox<>(executor, this::receive, mode == SyncMode.BATCH ? GATHERING_POLLS : 0);
        shards.forEach(shard -> byShard.add(new ArrayList<>()));
    }

    void start() {
        if (mode == SyncMode.PERIODIC) {
            executor.scheduleWithFixedDelay(
                    () -> request(this::syncUnlessEnded), window.toNanos(), window.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** Writes of several partitions, which last together. */
    void write(PendingBatch batch) {
        mailbox.send(batch);
    }

    void write(PendingWrite write) {
        mailbox.send(write);
    }

    /** What a shard of a table wrote up to a position is needed no more. */
    void release(UUID table, int shard, CommitLogPosition upTo) {
        request(() -> log.release(table, shard, upTo));
    }

    /** Nothing of a table is needed any more. */
    void releaseTable(UUID table) {
        request(() -> log.releaseTable(table));
    }

    /**
     * Brings all that was sent before to the disk and to the shards, then does something on the log's thread: between what was
     * sent before and what is sent later.
     *
     * @param work is told where the log stands, which is on the disk in every mode; must not wait
     */
    <T> CompletableFuture<T> between(Function<CommitLogPosition, T> work) {
        CompletableFuture<T> done = new CompletableFuture<>();
        request(() -> {
            try {
                makeLast();
                if (log.syncedPosition().compareTo(log.position()) < 0) {
                    sync();
                }
                done.complete(work.apply(log.position()));
            } catch (StorageException | RuntimeException | Error e) {
                fail(done, e);
            }
        });
        return done;
    }

    /** Lets the writes of a table wait from here on, until {@link #resume}; what came before is with the shards then. */
    CompletableFuture<Void> hold(UUID table) {
        return between(position -> {
            held.put(table, new ArrayList<>());
            return null;
        });
    }

    /** Goes on with the writes that wait, if there are any, in the order in which they came. */
    void resume(UUID table) {
        request(() -> {
            List<Message> waiting = held.remove(table);
            if (waiting != null) {
                waiting.forEach(this::append);
            }
        });
    }

    /** Brings the timestamps to the disk that were given out, though nothing was written with them. */
    CompletableFuture<Void> rememberClock() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        request(() -> {
            try {
                makeLast();
                log.clockMicros(clockMicros.getAsLong());
                log.syncClock();
                done.complete(null);
            } catch (StorageException | RuntimeException | Error e) {
                fail(done, e);
            }
        });
        return done;
    }

    private void request(Request request) {
        mailbox.send(request);
    }

    private void receive(List<Message> messages) {
        // First: a section that is full is written while more is appended.
        log.clockMicros(clockMicros.getAsLong());
        for (Message message : messages) {
            if (message instanceof Request request) {
                attempt(request);
            } else {
                append(message);
            }
        }
        if (mode != SyncMode.GROUP) {
            attempt(this::makeLast);
        } else if (!gathered.isEmpty() && windowEnd == null) {
            windowEnd = ScarceMemory.insist(
                    () -> executor.schedule(() -> request(this::closeWindow), window.toNanos(), TimeUnit.NANOSECONDS));
        }
        lengthBytes = log.lengthBytes();
        segmentCount = log.segmentCount();
        spaceWatch.accept(log);
    }

    /** Of segments that are still needed. */
    long lengthBytes() {
        return lengthBytes;
    }

    long segmentCount() {
        return segmentCount;
    }

    private void closeWindow() throws StorageException {
        windowEnd = null;
        makeLast();
    }

    private void attempt(Request request) {
        try {
            request.run();
        } catch (StorageException | RuntimeException | Error e) {
            // The outermost loop of the log's thread: whoever waits must hear of it.
            fail(e);
        }
    }

    /** Who waits hears of it when the store has stopped, and the failure is noted: not before. */
    private void fail(CompletableFuture<?> waiting, Throwable reason) {
        fail(reason);
        waiting.completeExceptionally(reason);
    }

    private void fail(Throwable reason) {
        state.stop(reason);
        refuse(gathered);
        byShard.forEach(this::refuse);
    }

    private void refuse(List<PendingWrite> writes) {
        for (PendingWrite write : writes) {
            refuse(write);
        }
        writes.clear();
    }

    private void append(Message message) {
        int gatheredBefore = gathered.size();
        try {
            if (message instanceof PendingWrite write) {
                append(write);
            } else if (message instanceof PendingBatch batch) {
                append(batch);
            }
        } catch (RuntimeException | Error e) {
            // By want of memory, before the log had anything of it: of this caller alone, who must hear of it.
            gathered.subList(Math.min(gatheredBefore, gathered.size()), gathered.size())
                    .clear();
            StorageException reason = state.ofOneWrite(e);
            if (message instanceof PendingWrite write) {
                refuse(write, reason);
            } else if (message instanceof PendingBatch batch) {
                batch.writes().forEach(write -> refuse(write, reason));
            }
        }
    }

    private void append(PendingWrite write) {
        if (!state.isSound()) {
            refuse(write);
            return;
        }
        if (waits(write, write)) {
            return;
        }
        PendingWrite accepted;
        try {
            accepted = accepted(write);
        } catch (RuntimeException | Error e) {
            refuse(write, notTaken(e));
            return;
        }
        account(write, accepted);
        gathered.add(accepted);
        attempt(() -> log.append(accepted.table().id(), accepted.shard(), accepted.mutation()));
    }

    /** All of it in one record, or nothing when one mutation is wrong. Waits as a whole. */
    private void append(PendingBatch batch) {
        List<PendingWrite> writes = batch.writes();
        if (!state.isSound()) {
            writes.forEach(this::refuse);
            return;
        }
        for (PendingWrite write : writes) {
            if (waits(write, batch)) {
                return;
            }
        }
        List<PendingWrite> accepted = new ArrayList<>(writes.size());
        BatchRecord record;
        try {
            for (PendingWrite write : writes) {
                accepted.add(accepted(write));
            }
            record = BatchRecord.of(accepted.stream()
                    .map(write -> new CommitLog.Append(write.table().id(), write.shard(), write.mutation()))
                    .toList());
        } catch (RuntimeException | Error e) {
            Throwable reason = notTaken(e);
            writes.forEach(write -> refuse(write, reason));
            return;
        }
        for (int i = 0; i < writes.size(); i++) {
            account(writes.get(i), accepted.get(i));
        }
        gathered.addAll(accepted);
        attempt(() -> log.appendTogether(record));
    }

    /**
     * What a caller is told whose write is not taken, whatever it failed by: that memory is used up, too, is of this caller
     * alone as long as the log has nothing of the write.
     */
    private Throwable notTaken(Throwable failure) {
        return failure instanceof IllegalStateException || failure instanceof IllegalArgumentException
                ? failure
                : state.ofOneWrite(failure);
    }

    /** Whether the table of a write is held; if so, what the write is part of waits for it. */
    private boolean waits(PendingWrite write, Message whole) {
        List<Message> waiting = held.isEmpty() ? null : held.get(write.table().id());
        return waiting != null && waiting.add(whole);
    }

    /**
     * The write itself, unless its mutation was made by another schema than the table has now.
     *
     * @throws IllegalStateException when the table was dropped since it was sent
     * @throws IllegalArgumentException when it does not fit the table
     */
    private static PendingWrite accepted(PendingWrite write) {
        write.table().requireOpen();
        try {
            Mutation accepted = write.table().accept(write.mutation());
            return accepted == write.mutation()
                    ? write
                    : new PendingWrite(write.table(), write.shard(), accepted, write.receipt(), write.startNanos());
        } catch (CorruptItemException e) {
            throw new IllegalArgumentException(
                    "mutation does not fit the table, table="
                            + write.table().schema().qualifiedName() + ", reason=" + e.reason(),
                    e);
        }
    }

    /** It holds memory for what it is now. */
    private void account(PendingWrite write, PendingWrite accepted) {
        if (accepted != write) {
            gate.enterAnyway(accepted.mutation().lengthBytes());
            gate.leave(write.mutation().lengthBytes());
        }
    }

    private void makeLast() throws StorageException {
        if (gathered.isEmpty()) {
            return;
        }
        if (mode == SyncMode.PERIODIC) {
            log.write();
        } else {
            sync();
        }
        long mutationBytes = 0;
        for (PendingWrite write : gathered) {
            mutationBytes += write.mutation().lengthBytes();
        }
        metrics.commitLogWritten(gathered.size(), mutationBytes);
        for (PendingWrite write : gathered) {
            byShard.get(write.shard()).add(write);
        }
        writtenCount += gathered.size();
        gathered.clear();
        CommitLogPosition reached = log.position();
        for (int shard = 0; shard < byShard.size(); shard++) {
            List<PendingWrite> writes = byShard.get(shard);
            if (!writes.isEmpty()) {
                // What this throws says that the shard has none of them.
                if (shards.size() <= FEW_SHARDS && writes.size() <= APPLIED_HERE_MAX) {
                    shards.get(shard).applyHere(List.copyOf(writes), reached);
                } else {
                    shards.get(shard).apply(List.copyOf(writes), reached);
                }
                writes.clear();
            }
        }
    }

    private void sync() throws StorageException {
        long startNanos = nanoTime.getAsLong();
        log.sync();
        metrics.commitLogSynced(
                mode == SyncMode.PERIODIC ? writtenCount : gathered.size(), nanoTime.getAsLong() - startNanos);
        writtenCount = 0;
    }

    /** A period may be over while the store closes. */
    private void syncUnlessEnded() throws StorageException {
        if (!hasEnded) {
            sync();
        }
    }

    private void refuse(PendingWrite write) {
        refuse(write, state.refusal());
    }

    private void refuse(PendingWrite write, Throwable reason) {
        gate.leave(write.mutation().lengthBytes());
        write.receipt().failed(reason);
    }

    /** Makes what is gathered last and closes the log; nothing may be sent behind it. */
    void end(CompletableFuture<Void> ended) {
        request(() -> {
            try {
                makeLast();
                hasEnded = true;
                if (windowEnd != null) {
                    // The executor would not end before.
                    windowEnd.cancel(false);
                }
                log.close();
                ended.complete(null);
            } catch (StorageException | RuntimeException | Error e) {
                fail(ended, e);
            }
        });
    }
}
