package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.memtable.Memtable;
import java.util.concurrent.atomic.AtomicBoolean;

/** A memtable of one shard, with the place in the commit log that it reaches to. The shard's thread writes; any may read. */
final class LiveMemtable extends Counted {
    private final Memtable memtable;
    private final int shard;
    private final MemoryGate gate;
    private final AtomicBoolean flushAsked = new AtomicBoolean();

    /** Of the last mutation applied; read by others only once the memtable has been switched. */
    private volatile CommitLogPosition reached;

    private volatile boolean keptFromReuse;
    private boolean gone;
    private volatile long lingeringBytes;

    /** @param reached the end of what memtables before this one hold */
    LiveMemtable(Memtable memtable, int shard, CommitLogPosition reached, MemoryGate gate) {
        this.memtable = memtable;
        this.shard = shard;
        this.reached = reached;
        this.gate = gate;
    }

    Memtable memtable() {
        return memtable;
    }

    int shard() {
        return shard;
    }

    CommitLogPosition reached() {
        return reached;
    }

    void reached(CommitLogPosition position) {
        reached = position;
    }

    /** Whether this call is the first to ask for a flush. */
    boolean askFlush() {
        return flushAsked.compareAndSet(false, true);
    }

    /** It was empty when its turn came, and may be asked again. */
    void forgetFlush() {
        flushAsked.set(false);
    }

    boolean isFlushAsked() {
        return flushAsked.get();
    }

    /** All of it is in an SSTable, or needed no more: only cursors hold it still, and who flushes it. */
    synchronized void linger() {
        if (!gone && lingeringBytes == 0) {
            lingeringBytes = memtable.occupiedBytes();
            gate.lingers(lingeringBytes);
        }
    }

    /** What it occupies once only cursors hold it; 0 before. */
    long lingeringBytes() {
        return lingeringBytes;
    }

    /** When it is released its memory is left to the garbage collector: somebody may hold views of it that nobody knows of. */
    void keepFromReuse() {
        keptFromReuse = true;
    }

    @Override
    protected synchronized void released() {
        gone = true;
        memtable.release(!keptFromReuse);
        gate.lingers(-lingeringBytes);
    }
}
