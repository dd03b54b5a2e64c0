package io.anneal.table;

import io.anneal.memtable.MemtablePool;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Where writers wait for memory, before they hold anything: what is on its way and what memtables occupy stays within the
 * budget. A mutation larger than the budget passes when nothing else is on its way. Any thread; no lock where there is room.
 */
final class MemoryGate {
    private final MemtablePool pool;
    private final long budgetBytes;
    private final Runnable relief;
    private final LongSupplier nanoTime;
    private final LongConsumer waits;
    private final AtomicLong underWayBytes = new AtomicLong();
    /** Of memtables that are flushed already and that only open cursors hold. */
    private final AtomicLong lingeringBytes = new AtomicLong();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private volatile int waiting;
    private volatile Supplier<RuntimeException> closed;

    /**
     * @param relief makes somebody flush; asked by those who wait
     * @param waits told how many nanoseconds a writer had to wait
     */
    MemoryGate(MemtablePool pool, Runnable relief, LongSupplier nanoTime, LongConsumer waits) {
        this.pool = pool;
        this.budgetBytes = pool.budgetBytes();
        this.relief = relief;
        this.nanoTime = nanoTime;
        this.waits = waits;
    }

    /** Waits until there is room. */
    void enter(int bytes) throws InterruptedException {
        if (!tryEnter(bytes)) {
            long startNanos = nanoTime.getAsLong();
            waitAndEnter(bytes);
            waits.accept(nanoTime.getAsLong() - startNanos);
        }
    }

    /** Does not wait: for those on whom the room depends. */
    void enterAnyway(int bytes) {
        underWayBytes.addAndGet(bytes);
    }

    private boolean tryEnter(int bytes) {
        if (closed != null) {
            throw closed.get();
        }
        long before = underWayBytes.getAndAdd(bytes);
        if (before + bytes + usedBytes() <= budgetBytes || before == 0 && usedBytes() <= budgetBytes / 2) {
            return true;
        }
        underWayBytes.addAndGet(-bytes);
        return false;
    }

    private void waitAndEnter(int bytes) throws InterruptedException {
        boolean entered = false;
        while (!entered) {
            // Not under the lock: who frees memory takes it.
            relief.run();
            lock.lockInterruptibly();
            try {
                // Whoever frees memory reads this behind freeing it, so that none misses one who has begun to wait.
                waiting++;
                entered = tryEnter(bytes);
                if (!entered) {
                    room.await();
                    entered = tryEnter(bytes);
                }
            } finally {
                waiting--;
                lock.unlock();
            }
        }
    }

    /** What was on its way has arrived in a memtable, or never will. */
    void leave(long bytes) {
        underWayBytes.addAndGet(-bytes);
        signal();
    }

    /**
     * A memtable is flushed, or was and is gone now. What is left of it until the last cursor is closed does not count: a
     * caller who writes while it reads would wait for itself.
     */
    void lingers(long bytes) {
        lingeringBytes.addAndGet(bytes);
        signal();
    }

    /** What memtables occupy that are not flushed yet. */
    long usedBytes() {
        return pool.usedBytes() - lingeringBytes.get();
    }

    private void signal() {
        if (waiting > 0) {
            lock.lock();
            try {
                room.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Whoever waits, or comes later, gets the reason. */
    void close(Supplier<RuntimeException> reason) {
        closed = reason;
        lock.lock();
        try {
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long underWayBytes() {
        return underWayBytes.get();
    }
}
