package io.anneal.cli;

import io.anneal.net.Connection;
import io.anneal.net.Connector;
import io.anneal.net.KeptConnection;
import io.anneal.net.NetClient;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;

/** Waits for a server that is just started, or has too much to do for the moment. The connection is the caller's. */
record PatientConnector(NetClient client) implements Connector {
    private static final long PATIENCE_MS = 5_000;

    @Override
    public CompletableFuture<Connection> connect(InetSocketAddress address) {
        KeptConnection kept = client.keep(address);
        // One that comes too late is closed.
        return kept.get(PATIENCE_MS).whenComplete((connection, failure) -> {
            if (failure != null) {
                kept.close();
            }
        });
    }
}
