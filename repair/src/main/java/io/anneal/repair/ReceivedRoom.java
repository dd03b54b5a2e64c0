package io.anneal.repair;

/**
 * Counts what a window keeps of what it received, and refuses more. A row that stays where it lies in its message keeps the
 * whole message. Belongs to the session's thread.
 */
final class ReceivedRoom {
    /** What a row or deletion takes besides its bytes: its position with a copy of the clustering, the entry of a map. */
    static final int ITEM_BYTES = 320;

    private static final byte[] NONE = new byte[0];

    private final long maxBytes;
    private long keptBytes;
    /** The message that was counted last: its rows come one after the other. */
    private byte[] counted = NONE;

    ReceivedRoom(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** A row or a deletion in an array of its own. */
    void keepItem(int lengthBytes) throws RepairException {
        keep((long) ITEM_BYTES + lengthBytes);
    }

    void giveBackItem(int lengthBytes) {
        keptBytes -= (long) ITEM_BYTES + lengthBytes;
        assert keptBytes >= 0 : keptBytes;
    }

    /** A message of which a row is kept. */
    void keepMessage(byte[] message) throws RepairException {
        if (message != counted) {
            counted = message;
            keep(message.length);
        }
    }

    private void keep(long bytes) throws RepairException {
        if (bytes > maxBytes - keptBytes) {
            throw new RepairException(
                    "more was received in one window than the row buffers of all replicas hold, bytes="
                            + (keptBytes + bytes) + ", maxBytes=" + maxBytes);
        }
        keptBytes += bytes;
    }

    void clear() {
        keptBytes = 0;
        counted = NONE;
    }
}
