package io.anneal.simulation;

import io.anneal.net.Connection;
import io.anneal.net.Connector;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A new connection whenever one is asked for, in the place of the one before to that address; closed with this. */
final class OneConnectionEach implements Connector, AutoCloseable {
    private final Connector connector;
    private final Map<InetSocketAddress, Connection> open = new HashMap<>();

    OneConnectionEach(Connector connector) {
        this.connector = connector;
    }

    @Override
    public CompletableFuture<Connection> connect(InetSocketAddress address) {
        Connection before = open.remove(address);
        if (before != null) {
            before.close();
        }
        CompletableFuture<Connection> connected = connector.connect(address);
        connected.thenAccept(connection -> open.put(address, connection));
        return connected;
    }

    @Override
    public void close() {
        open.values().forEach(Connection::close);
    }
}
