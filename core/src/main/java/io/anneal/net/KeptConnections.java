package io.anneal.net;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One connection for each address, which all who ask share: made when it is needed, and anew after it has ended. Safe for
 * any thread.
 */
final class KeptConnections implements Connector {
    private final NetClient client;
    private final long patienceMs;
    private final Map<InetSocketAddress, KeptConnection> kept = new ConcurrentHashMap<>();

    KeptConnections(NetClient client, long patienceMs) {
        this.client = client;
        this.patienceMs = patienceMs;
    }

    @Override
    public CompletableFuture<Connection> connect(InetSocketAddress address) {
        return kept.computeIfAbsent(address, client::keep).get(patienceMs);
    }
}
