package io.anneal.repair;

import io.anneal.fragment.LargeRows;
import io.anneal.key.KeyView;
import io.anneal.net.NetLimits;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one session of the process at a time hold a row that is larger than its row buffer, and refuses rows of which the heap
 * does not hold the copies that a merge needs. A turn ends when the row lies in the file, at the latest with the step that reads,
 * receives or writes; so nobody waits for a peer in it. Belongs to one session.
 */
final class LargeRowTurns implements LargeRows {
    /** Of the process, as its heap is. */
    private static final ReentrantLock TURN = new ReentrantLock();

    /** What a cell takes beside its bytes in the rows that are merged, and in what comes out. */
    static final int CELL_BYTES = 128;

    private final String replica;
    private final String table;
    private final long unturnedBytesMax;

    /** @param unturnedBytesMax rows up to this length stay in memory and need no turn */
    LargeRowTurns(String replica, String table, long unturnedBytesMax) {
        this.replica = replica;
        this.table = table;
        this.unturnedBytesMax = unturnedBytesMax;
    }

    @Override
    public void enter(KeyView key, long lengthBytes, long cells) throws RepairException {
        requireSendable(key, lengthBytes, cells);
        if (lengthBytes + cells * CELL_BYTES > unturnedBytesMax) {
            enter();
        }
    }

    void enter() {
        if (!TURN.isHeldByCurrentThread()) {
            TURN.lock();
        }
    }

    /** A row is sent as one message, and must leave room for others. */
    void requireSendable(KeyView key, long lengthBytes, long cells) throws RepairException {
        long maxBytes = NetLimits.DEFAULT.messageBytesMax();
        if (lengthBytes + cells * CELL_BYTES > maxBytes) {
            throw new RepairException(
                    "row is too large for the memory of this process: one of a repair takes at most a quarter of the heap,"
                            + " and a cell of a collection counts for " + CELL_BYTES + " bytes more, replica=" + replica
                            + ", table=" + table + ", key=" + key.toDecoratedKey() + ", lengthBytes=" + lengthBytes
                            + ", cells=" + cells + ", maxBytes=" + maxBytes,
                    Optional.empty(),
                    Optional.of(RepairCode.TOO_LARGE));
        }
    }

    void leave() {
        if (TURN.isHeldByCurrentThread()) {
            TURN.unlock();
        }
    }
}
