package io.anneal.io;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A number of bytes that may be occupied at once. Who finds no room is refused and never waits, since a peer may wait
 * for what they hold. What is held for long leaves half free, what is good to have a quarter, so that none of those who
 * hold memory keeps the others out. A share of a budget is bounded by both. Safe for any thread.
 */
public final class ByteBudget {
    private static final int QUARTERS = 4;

    private final long totalBytes;
    private final Optional<ByteBudget> whole;
    private final AtomicLong reservedBytes = new AtomicLong();
    private final AtomicLong reservedBytesMost = new AtomicLong();
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicBoolean beyond = new AtomicBoolean();

    private ByteBudget(long totalBytes, Optional<ByteBudget> whole) {
        if (totalBytes < 1) {
            throw new IllegalArgumentException("budget must be positive, totalBytes=" + totalBytes);
        }
        this.totalBytes = totalBytes;
        this.whole = whole;
    }

    public static ByteBudget of(long totalBytes) {
        return new ByteBudget(totalBytes, Optional.empty());
    }

    /**
     * One holder's part of this budget: what is reserved there is reserved here too. It may hold as much as it leaves free,
     * so alone half of the whole, beside another a quarter: however many take all they can get, something is left for the
     * next (the dynamic threshold of Choudhury and Hahne, 1998).
     */
    public ByteBudget share() {
        return new ByteBudget(Math.max(1, totalBytes / 2), Optional.of(this));
    }

    /** Reserves the bytes, or nothing. */
    public boolean tryReserve(long bytes) {
        return tryReserve(bytes, QUARTERS);
    }

    /** As {@link #tryReserve}, only while a quarter stays free: for what is good to have. */
    public boolean tryReserveSpare(long bytes) {
        return tryReserve(bytes, QUARTERS - 1);
    }

    /** As {@link #tryReserve}, only while half stays free: for what is held long, as by a session. */
    public boolean tryReserveLasting(long bytes) {
        return tryReserve(bytes, QUARTERS / 2);
    }

    /** The most that {@link #tryReserveLasting} gives out. */
    public long lastingBytes() {
        return usableBytes(QUARTERS / 2);
    }

    private long usableBytes(int quarters) {
        return totalBytes * quarters / QUARTERS;
    }

    private boolean tryReserve(long bytes, int quarters) {
        assert bytes >= 0 : bytes;
        long before;
        do {
            before = reservedBytes.get();
            long freeElsewhereBytes = whole.isPresent() ? whole.get().freeBytes() - bytes : Long.MAX_VALUE;
            if (bytes > Math.min(usableBytes(quarters), freeElsewhereBytes) - before) {
                return false;
            }
        } while (!reservedBytes.compareAndSet(before, before + bytes));
        if (whole.isPresent() && !whole.get().tryReserve(bytes, quarters)) {
            reservedBytes.addAndGet(-bytes);
            return false;
        }
        reservedBytesMost.accumulateAndGet(reservedBytes.get(), Math::max);
        return true;
    }

    /** Gives bytes back that were reserved. */
    public void release(long bytes) {
        assert bytes >= 0 : bytes;
        long left = reservedBytes.addAndGet(-bytes);
        assert left >= 0 : left;
        whole.ifPresent(budget -> budget.release(bytes));
    }

    /**
     * Lets one holder at a time go beyond the budget, so that what is larger than the whole can pass, alone.
     *
     * @return false while another does
     */
    public boolean tryGoBeyond() {
        return whole.isPresent() ? whole.get().tryGoBeyond() : beyond.compareAndSet(false, true);
    }

    public void comeBack() {
        if (whole.isPresent()) {
            whole.get().comeBack();
        } else {
            beyond.set(false);
        }
    }

    /** Counts one more among those who share the budget. */
    public void join() {
        holders.incrementAndGet();
        whole.ifPresent(ByteBudget::join);
    }

    public void leave() {
        int left = holders.decrementAndGet();
        assert left >= 0 : left;
        whole.ifPresent(ByteBudget::leave);
    }

    /** What each of those who share the budget may hold if a quarter of it is given out, between two bounds. */
    public long fairBytes(long leastBytes, long mostBytes) {
        long fair = totalBytes / QUARTERS / Math.max(1, holders.get());
        long here = Math.max(leastBytes, Math.min(mostBytes, fair));
        return whole.isPresent() ? Math.min(here, whole.get().fairBytes(leastBytes, mostBytes)) : here;
    }

    private long freeBytes() {
        return totalBytes - reservedBytes.get();
    }

    public long totalBytes() {
        return totalBytes;
    }

    public long reservedBytes() {
        return reservedBytes.get();
    }

    /** The most that was ever reserved at once. */
    public long reservedBytesMost() {
        return reservedBytesMost.get();
    }
}
