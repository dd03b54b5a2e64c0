package io.anneal.repair;

import io.anneal.io.ByteBudget;
import io.anneal.net.NetLimits;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;

/**
 * What sessions hold, out of the budget of their node: windows, what is read ahead, what is received, and messages that
 * have come in whole. A session has its place before it opens a table. All places together take half of the budget at most;
 * the rest is left to streams and to messages that come in. Safe for any thread.
 */
final class SessionMemory {
    /** Sessions that a node has room for whose peers ask for as much as they can get. */
    static final int SESSIONS_OF_NODE = 4;

    private final ByteBudget budget;
    private final int sessionsLeast;

    /** @param sessionsLeast so many sessions of the largest buffer fit into what they may take together */
    SessionMemory(ByteBudget budget, int sessionsLeast) {
        this.budget = budget;
        this.sessionsLeast = sessionsLeast;
    }

    /** A session's place. */
    final class Place implements AutoCloseable {
        private final int bufferBytes;
        private final long reservedBytes;
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
            }
        }
    }

    /**
     * The largest row buffer that a place has.
     *
     * @param participants replicas of the session, wherever they are
     * @param replicasHere of those, the replicas of this node
     * @param sessions how many the master runs at once: all fit side by side, if their buffers can be as large as a buffer must be
     */
    int bufferBytesMost(int participants, int replicasHere, int sessions) {
        long eachBytes = RepairConfig.sessionBytes(1, participants) * replicasHere;
        long usableBytes = Math.max(0, budget.lastingBytes() - streamBytes(participants));
        long fairBytes = usableBytes / Math.max(sessionsLeast, sessions) / eachBytes;
        // With little memory there is room for the replicas of one session, should all be of this node.
        long leastBytes = usableBytes / (RepairConfig.sessionBytes(1, participants) * participants);
        long wantedBytes = Math.max(fairBytes, Math.min(RepairConfig.BUFFER_MIN_BYTES, leastBytes));
        return (int) Math.min(RepairConfig.BUFFER_MAX_BYTES, wantedBytes);
    }

    /** What the session's own streams may hold, at both ends: it would wait for itself if it took that, too. */
    private static long streamBytes(int participants) {
        return 2L * participants * NetLimits.DEFAULT.initialCreditBytes();
    }

    /**
     * Takes a place for all replicas that a session has here, one in most.
     *
     * @param askedBytes row buffer that the master wants
     * @param sessions how many the master runs at once
     * @throws RequestException when there is no room now, or would not be with no other session
     */
    Place take(int askedBytes, int participants, int replicasHere, int sessions) throws RequestException {
        int bufferBytes = Math.min(askedBytes, bufferBytesMost(participants, replicasHere, sessions));
        if (bufferBytes < 1) {
            throw new RequestException(
                    RepairCode.TOO_LARGE,
                    "memory is too little for a session of so many replicas, replicas=" + participants
                            + ", budgetBytes=" + budget.totalBytes() + ", neededBytes="
                            + 2
                                    * (streamBytes(participants)
                                            + RepairConfig.sessionBytes(1, participants) * replicasHere));
        }
        long neededBytes = RepairConfig.sessionBytes(bufferBytes, participants) * replicasHere;
        assert neededBytes + streamBytes(participants) <= budget.lastingBytes() : "fits alone, or is refused for good";
        if (!budget.tryReserveLasting(neededBytes)) {
            throw new RequestException(
                    PeerException.BUSY,
                    "no memory for another repair session, try again later, neededBytes=" + neededBytes
                            + ", reservedBytes=" + budget.reservedBytes() + ", budgetBytes=" + budget.totalBytes());
        }
        return new Place(bufferBytes, neededBytes);
    }
}
