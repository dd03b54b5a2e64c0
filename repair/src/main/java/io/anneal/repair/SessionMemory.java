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
    /** So many sessions of the largest buffer fit into that half of the budget which they may take. */
    private static final int SESSIONS = 4;
    /** Who take part in most repairs; more of them fill a replica's buffers less often. */
    private static final int PARTICIPANTS = 3;

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
        long mostBytes = Math.max(
                RepairConfig.BUFFER_MIN_BYTES,
                budget.totalBytes() / (2 * SESSIONS * RepairConfig.sessionBytes(1, PARTICIPANTS)));
        int bufferBytes = (int) Math.min(Math.min(askedBytes, RepairConfig.BUFFER_MAX_BYTES), mostBytes);
        long neededBytes = RepairConfig.sessionBytes(bufferBytes, PARTICIPANTS);
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
