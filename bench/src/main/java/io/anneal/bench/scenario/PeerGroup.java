package io.anneal.bench.scenario;

import io.anneal.net.Connection;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** The processes beside this one that a comparison runs in, with a connection to each. One thread. */
final class PeerGroup implements Closeable {
    /** Opens a connection to a process. */
    interface Connecting {
        Connection open(InetSocketAddress address) throws IOException;
    }

    private final Closeable own;
    private final List<PeerJvm> peers = new ArrayList<>();
    private final List<Connection> connections = new ArrayList<>();

    /** @param own what this process has, closed after the others */
    PeerGroup(Closeable own) {
        this.own = own;
    }

    /** Owns it from now on. */
    void add(PeerJvm peer) {
        peers.add(peer);
    }

    /**
     * Connects to all that were added.
     *
     * @param place of the port, see {@link PeerJvm#address}
     */
    void connect(int place, Connecting connecting) throws IOException {
        for (PeerJvm peer : peers) {
            connections.add(connecting.open(peer.address(place)));
        }
    }

    List<PeerJvm> peers() {
        return peers;
    }

    List<Connection> connections() {
        return connections;
    }

    /** The most memory that one of them takes while something runs. */
    long peakBytes(Contender.Work work) throws IOException {
        for (Connection connection : connections) {
            StoreNode.watch(connection);
        }
        work.run();
        long peakBytes = 0;
        for (Connection connection : connections) {
            peakBytes = Math.max(peakBytes, StoreNode.watched(connection));
        }
        return peakBytes;
    }

    @Override
    public void close() throws IOException {
        try (own) {
            for (PeerJvm peer : peers) {
                peer.close();
            }
        }
    }
}
