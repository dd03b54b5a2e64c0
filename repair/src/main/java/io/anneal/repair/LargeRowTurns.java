package io.anneal.repair;

import io.anneal.fragment.LargeRows;
import io.anneal.key.KeyView;
import io.anneal.net.NetLimits;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets one session of the process at a time read a row that is larger than its row buffer, and refuses rows that could not be
 * sent. A turn ends when the row lies in the file, at the latest with the step that reads; so nobody waits for a peer in it.
 * Belongs to one session.
 */
final class LargeRowTurns implements LargeRows {
    /** Of the process, as its heap is. */
    private static final ReentrantLock TURN = new ReentrantLock();

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
    public void enter(KeyView key, long lengthBytes) throws RepairException {
        requireSendable(key, lengthBytes);
        if (lengthBytes > unturnedBytesMax && !TURN.isHeldByCurrentThread()) {
            TURN.lock();
        }
    }

    /** A row is sent as one message, and must leave room for others. */
    void requireSendable(KeyView key, long lengthBytes) throws RepairException {
        long maxBytes = NetLimits.DEFAULT.messageBytesMax();
        if (lengthBytes > maxBytes) {
            throw new RepairException(
                    "row is too large for the memory of this process: one of a repair takes at most a quarter of the heap,"
                            + " replica=" + replica + ", table=" + table + ", key=" + key.toDecoratedKey()
                            + ", lengthBytes=" + lengthBytes + ", maxBytes=" + maxBytes,
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
