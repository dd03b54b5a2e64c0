package io.anneal.net;

/**
 * How long a connection waits, in milliseconds; each wait of this package is one of these.
 *
 * @param connectMs   for the machine to accept the connection
 * @param handshakeMs from the accepted connection to the end of the handshake
 * @param requestMs   for the response to a request, unless the request brings its own; for a message that a thread waits for
 * @param idleMs      without a byte from the peer, which is asked for a sign of life before, until it counts as lost
 * @param writeMs     without a byte taken by the peer while something waits to be sent
 * @param closeMs     for the peer to take notice of a close, and for the event loops to end
 * @param streamIdleMs without a byte or a credit on an open stream, until it is reset
 */
public record NetTimeouts(
        long connectMs, long handshakeMs, long requestMs, long idleMs, long writeMs, long closeMs, long streamIdleMs) {
    public static final NetTimeouts DEFAULT = new NetTimeouts(5_000, 15_000, 60_000, 60_000, 60_000, 2_000, 600_000);

    public NetTimeouts {
        if (connectMs < 1
                || connectMs > Integer.MAX_VALUE
                || handshakeMs < 1
                || requestMs < 1
                || idleMs < 3
                || writeMs < 1
                || closeMs < 1
                || streamIdleMs < 1) {
            throw new IllegalArgumentException("time limit is out of bounds, connectMs=" + connectMs + ", handshakeMs="
                    + handshakeMs + ", requestMs=" + requestMs + ", idleMs=" + idleMs + ", writeMs=" + writeMs
                    + ", closeMs=" + closeMs + ", streamIdleMs=" + streamIdleMs);
        }
    }
}
