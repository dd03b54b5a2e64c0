package io.anneal.repair;

import io.anneal.io.ByteBudget;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Row buffers of the sessions of a node, out of its budget: a session has its place before it opens a table. One session
 * always has, however small the budget. Safe for any thread.
 */
final class SessionMemory {
    /** Of the budget at most, so that several sessions fit and what they are sent, too. */
    private static final int BUFFER_PARTS = 16;
    /** The window, and what is read ahead of it. */
    private static final int BUFFERS = 2;

    private final ByteBudget budget;
    private final AtomicInteger sessions = new AtomicInteger();

    SessionMemory(ByteBudget budget) {
        this.budget = budget;
    }

    /** A session's place. */
    final class Place implements AutoCloseable {
        private final int bufferBytes;
        private long reservedBytes;
        private boolean closed;

        private Place(int bufferBytes, long reservedBytes) {
            this.bufferBytes = bufferBytes;
            this.reservedBytes = reservedBytes;
        }

        /** Size of the row buffer, which may be less than was asked for. */
        int bufferBytes() {
            return bufferBytes;
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                budget.release(reservedBytes);
                sessions.decrementAndGet();
            }
        }
    }

    /**
     * Takes a place.
     *
     * @param askedBytes row buffer that the master wants
     * @throws RequestException when there is no room now
     */
    Place take(int askedBytes) throws RequestException {
        long mostBytes = Math.max(RepairConfig.BUFFER_MIN_BYTES, budget.totalBytes() / BUFFER_PARTS);
        int bufferBytes = (int) Math.min(Math.min(askedBytes, RepairConfig.BUFFER_MAX_BYTES), mostBytes);
        long neededBytes = (long) BUFFERS * bufferBytes;
        int before = sessions.getAndIncrement();
        if (budget.tryReserveSpare(neededBytes)) {
            return new Place(bufferBytes, neededBytes);
        }
        if (before == 0) {
            return new Place(bufferBytes, 0);
        }
        sessions.decrementAndGet();
        throw new RequestException(
                PeerException.BUSY,
                "no memory for another repair session, try again later, neededBytes=" + neededBytes + ", sessions="
                        + before + ", budgetBytes=" + budget.totalBytes());
    }
}
