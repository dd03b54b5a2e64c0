package io.anneal.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** Opens connections to peers; an interface, so that a simulated network can stand in for the real one. */
public interface Connector {
    /**
     * Connects and shakes hands. Fails with {@link PeerException}, {@link CorruptFrameException} or
     * {@link io.anneal.io.UnsupportedVersionException}, within the connect and handshake time limits.
     */
    CompletableFuture<Connection> connect(InetSocketAddress address);

    /** As {@link #connect}, and waits. */
    default Connection open(InetSocketAddress address) throws IOException {
        return Waiting.result(connect(address));
    }
}
