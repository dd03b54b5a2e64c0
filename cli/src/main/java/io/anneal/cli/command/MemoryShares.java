package io.anneal.cli.command;

import io.anneal.io.ByteBudget;

/**
 * How {@code --memory} is divided, which is the size of the heap, too: half for the row buffers of repairs, an eighth for
 * what peers send. One message of a peer at a time may go beyond that eighth, up to a quarter of the heap
 * ({@link io.anneal.net.NetLimits#DEFAULT}). What is left is for all else: files that are open, copies of messages.
 */
public final class MemoryShares {
    private static final int ROW_BUFFER_PARTS = 2;
    private static final int NETWORK_PARTS = 8;

    private final long rowBufferBytes;
    private final ByteBudget network;

    public MemoryShares(long totalBytes) {
        rowBufferBytes = totalBytes / ROW_BUFFER_PARTS;
        network = ByteBudget.of(totalBytes / NETWORK_PARTS);
    }

    long rowBufferBytes() {
        return rowBufferBytes;
    }

    /** One for all connections of the process, whoever has made them. */
    ByteBudget network() {
        return network;
    }
}
