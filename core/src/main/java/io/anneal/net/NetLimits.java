package io.anneal.net;

/**
 * Bounds of connections.
 *
 * @param initialCreditBytes     bytes that a peer may send on a stream before it is read; reserved for each stream
 * @param windowBytesMax         bytes that a peer may send ahead on a stream that is read, where memory allows
 * @param messageBytesMax        longest request and longest answer that is taken in whole
 * @param streamsMax             streams that a peer may have open on one connection
 * @param connectionsMax         connections that a server keeps at once, those of peers that have proven themselves
 * @param connectionsPerPeerMax  of those, connections of one peer
 * @param unprovenConnectionsMax connections that a server keeps in their handshake; one more ends the oldest of the
 *                               address with the most
 */
public record NetLimits(
        int initialCreditBytes,
        int windowBytesMax,
        int messageBytesMax,
        int streamsMax,
        int connectionsMax,
        int connectionsPerPeerMax,
        int unprovenConnectionsMax) {
    static final int INITIAL_CREDIT_BYTES_MIN = 1 << 10;

    /** One message at a time may go beyond the budget: it and its copies must leave room for all else in the heap. */
    private static final int MESSAGE_HEAP_PARTS = 4;

    private static final int MESSAGE_BYTES_MAX = 512 << 20;

    /** A message is at most a quarter of the heap, and at most 512 MiB. */
    public static final NetLimits DEFAULT = new NetLimits(32 << 10, 1 << 20, ofHeap(), 1024, 256, 64, 256);

    public NetLimits {
        if (initialCreditBytes < INITIAL_CREDIT_BYTES_MIN || windowBytesMax < initialCreditBytes) {
            throw new IllegalArgumentException("credit is out of bounds, initialCreditBytes=" + initialCreditBytes
                    + ", min=" + INITIAL_CREDIT_BYTES_MIN + ", windowBytesMax=" + windowBytesMax);
        }
        if (messageBytesMax < 1
                || streamsMax < 1
                || connectionsMax < 1
                || connectionsPerPeerMax < 1
                || unprovenConnectionsMax < 1) {
            throw new IllegalArgumentException("limit must be positive, messageBytesMax=" + messageBytesMax
                    + ", streamsMax=" + streamsMax + ", connectionsMax=" + connectionsMax
                    + ", connectionsPerPeerMax=" + connectionsPerPeerMax + ", unprovenConnectionsMax="
                    + unprovenConnectionsMax);
        }
    }

    private static int ofHeap() {
        return (int) Math.min(MESSAGE_BYTES_MAX, Runtime.getRuntime().maxMemory() / MESSAGE_HEAP_PARTS);
    }

    public NetLimits withConnections(int connections, int connectionsPerPeer, int unprovenConnections) {
        return new NetLimits(
                initialCreditBytes,
                windowBytesMax,
                messageBytesMax,
                streamsMax,
                connections,
                connectionsPerPeer,
                unprovenConnections);
    }

    public NetLimits withStreams(int initialCredit, int windowMax, int messageMax, int streams) {
        return new NetLimits(
                initialCredit,
                windowMax,
                messageMax,
                streams,
                connectionsMax,
                connectionsPerPeerMax,
                unprovenConnectionsMax);
    }
}
