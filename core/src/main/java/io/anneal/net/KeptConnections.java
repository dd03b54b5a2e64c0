package io.anneal.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One connection for each address, which all who ask share: made when it is needed, and anew after it has ended. Safe for
 * any thread.
 */
final class KeptConnections implements Connector {
    private final NetClient client;
    private final long patienceMs;
    private final Map<InetSocketAddress, Kept> kept = new ConcurrentHashMap<>();

    /** A connection, and the credentials that it was made by. */
    private record Kept(KeptConnection connection, Optional<TlsMaterial> credentials) {}

    KeptConnections(NetClient client, long patienceMs) {
        this.client = client;
        this.patienceMs = patienceMs;
    }

    @Override
    public CompletableFuture<Connection> connect(InetSocketAddress address) {
        Optional<TlsMaterial> credentials;
        try {
            credentials = client.credentials();
        } catch (IOException unfit) {
            return CompletableFuture.failedFuture(unfit);
        }
        // By other certificates the peer may be no one to talk to any more. What goes on over the old connection ends
        // there.
        return kept.compute(address, (to, known) -> {
                    if (known != null && known.credentials().equals(credentials)) {
                        return known;
                    }
                    if (known != null) {
                        known.connection().drain();
                    }
                    return new Kept(client.keep(to), credentials);
                })
                .connection()
                .get(patienceMs);
    }
}
