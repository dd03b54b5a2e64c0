package io.anneal.net;

/**
 * Bounds of one connection, and of a server's number of connections.
 *
 * @param payloadBytesMax     longest payload taken from a peer, before and after decompression
 * @param requestsInFlightMax requests of one connection that are not answered yet
 * @param inboundBytesMax     request bytes held by handlers of one connection before its socket is read no further;
 *                            one request always passes
 * @param outboundBytesMax    bytes of one connection that wait to be sent; one frame always passes
 * @param connectionsMax      connections that a server keeps at once, those of peers that have proven themselves
 * @param connectionsPerPeerMax    of those, connections of one node id
 * @param unprovenConnectionsMax connections that a server keeps in their handshake; one more ends the oldest of them
 */
public record NetLimits(
        int payloadBytesMax,
        int requestsInFlightMax,
        long inboundBytesMax,
        long outboundBytesMax,
        int connectionsMax,
        int connectionsPerPeerMax,
        int unprovenConnectionsMax) {

    public static final NetLimits DEFAULT =
            new NetLimits(FrameDescriptor.PAYLOAD_BYTES_MAX_DEFAULT, 256, 32L << 20, 32L << 20, 256, 16, 64);

    public NetLimits {
        if (payloadBytesMax < FrameDescriptor.HANDSHAKE_PAYLOAD_BYTES_MAX
                || payloadBytesMax > FrameDescriptor.PAYLOAD_BYTES_LIMIT) {
            throw new IllegalArgumentException("payload limit is out of bounds, payloadBytesMax=" + payloadBytesMax
                    + ", from=" + FrameDescriptor.HANDSHAKE_PAYLOAD_BYTES_MAX + ", to="
                    + FrameDescriptor.PAYLOAD_BYTES_LIMIT);
        }
        if (requestsInFlightMax < 1
                || inboundBytesMax < 1
                || outboundBytesMax < 1
                || connectionsMax < 1
                || connectionsPerPeerMax < 1
                || unprovenConnectionsMax < 1) {
            throw new IllegalArgumentException("limit must be positive, requestsInFlightMax=" + requestsInFlightMax
                    + ", inboundBytesMax=" + inboundBytesMax + ", outboundBytesMax=" + outboundBytesMax
                    + ", connectionsMax=" + connectionsMax + ", connectionsPerPeerMax=" + connectionsPerPeerMax
                    + ", unprovenConnectionsMax=" + unprovenConnectionsMax);
        }
    }

    public NetLimits withConnections(int connections, int connectionsPerPeer, int unprovenConnections) {
        return new NetLimits(
                payloadBytesMax,
                requestsInFlightMax,
                inboundBytesMax,
                outboundBytesMax,
                connections,
                connectionsPerPeer,
                unprovenConnections);
    }
}
