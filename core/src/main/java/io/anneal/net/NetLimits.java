package io.anneal.net;

/**
 * Bounds of connections.
 *
 * @param initialCreditBytes bytes that a peer may send on a stream before it is read; reserved for each stream
 * @param windowBytesMax     bytes that a peer may send ahead on a stream that is read, where memory allows
 * @param messageBytesMax    longest request and longest answer that is taken in whole
 * @param streamsMax         streams that a peer may have open on one connection
 * @param connectionsMax     connections that a server keeps at once
 */
public record NetLimits(
        int initialCreditBytes, int windowBytesMax, int messageBytesMax, int streamsMax, int connectionsMax) {
    static final int INITIAL_CREDIT_BYTES_MIN = 1 << 10;

    public static final NetLimits DEFAULT = new NetLimits(32 << 10, 1 << 20, 512 << 20, 4096, 256);

    public NetLimits {
        if (initialCreditBytes < INITIAL_CREDIT_BYTES_MIN || windowBytesMax < initialCreditBytes) {
            throw new IllegalArgumentException("credit is out of bounds, initialCreditBytes=" + initialCreditBytes
                    + ", min=" + INITIAL_CREDIT_BYTES_MIN + ", windowBytesMax=" + windowBytesMax);
        }
        if (messageBytesMax < 1 || streamsMax < 1 || connectionsMax < 1) {
            throw new IllegalArgumentException("limit must be positive, messageBytesMax=" + messageBytesMax
                    + ", streamsMax=" + streamsMax + ", connectionsMax=" + connectionsMax);
        }
    }
}
