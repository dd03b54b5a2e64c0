package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.fragment.CorruptItemException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * A shard's thread at work: applies to memtables what the commit log has, and switches them. Whatever memtables of the shard
 * hold is touched here only, by one thread at a time: the shard's, or that of the log when the shard's is idle.
 */
final class ShardWriter {
    private final MemoryGate gate;
    private final StoreState state;
    private final LongSupplier nanoTime;
    private final Mailbox<Runnable> mailbox;

    /** @param memoryWatch told after every round, to have memtables flushed when they take too much */
    ShardWriter(Executor executor, MemoryGate gate, StoreState state, LongSupplier nanoTime, Runnable memoryWatch) {
        this.gate = gate;
        this.state = state;
        this.nanoTime = nanoTime;
        mailbox = new Mailbox<>(executor, messages -> {
            messages.forEach(this::attempt);
            attempt(memoryWatch);
        });
    }

    /** The outermost loop of the shard's thread: what one piece of work fails by must not keep back the next. */
    private void attempt(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            state.stop(e);
        }
    }

    /** Runs on the shard's thread, behind everything sent before; must not throw. */
    void run(Runnable work) {
        mailbox.send(work);
    }

    /** @param reached the end of the last of them, in the log */
    void apply(List<PendingWrite> writes, CommitLogPosition reached) {
        run(() -> applyAll(writes, reached));
    }

    /** The same, on the caller's thread unless the shard's is at work. */
    void applyHere(List<PendingWrite> writes, CommitLogPosition reached) {
        mailbox.sendHere(() -> applyAll(writes, reached));
    }

    private void applyAll(List<PendingWrite> writes, CommitLogPosition reached) {
        // One for all: they have waited for the same sync, and are acknowledged together.
        long nowNanos = nanoTime.getAsLong();
        for (PendingWrite write : writes) {
            boolean isApplied = false;
            try {
                write.table().apply(write.shard(), write.mutation(), reached);
                isApplied = true;
                write.table().metrics().shard(write.shard()).writeDone(nowNanos - write.startNanos());
            } catch (CorruptItemException | RuntimeException | Error e) {
                // It was checked when it came. What the log has and the memtable has not must not be flushed past.
                state.stop(e);
            }
            gate.leave(write.mutation().lengthBytes());
            if (isApplied) {
                write.receipt().applied();
            } else {
                write.receipt().failed(state.refusal());
            }
        }
    }
}
