package io.anneal.net;

import io.netty.channel.Channel;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * The accepted connections that have not proven themselves, by the address that they come from. Each counts until its proof
 * or until its socket is closed. One more than allowed ends the oldest of the address that has the most: sockets that do
 * nothing keep nobody from another address out, however fast they come. After the limits of OpenSSH's server for each
 * source, and its early drop at random. Safe for any thread.
 */
final class UnprovenConnections {
    private final int countMax;
    private final RandomGenerator lots;
    // In the order in which they came, so that a simulated run repeats itself.
    private final Map<Object, List<Channel>> bySource = new LinkedHashMap<>();
    private int count;

    UnprovenConnections(int countMax, RandomGenerator lots) {
        this.countMax = countMax;
        this.lots = lots;
    }

    void add(Channel newest, InetAddress address) {
        Object source = PeerAddress.source(address);
        Channel displaced;
        synchronized (this) {
            bySource.computeIfAbsent(source, first -> new ArrayList<>()).add(newest);
            count++;
            displaced = count > countMax ? removeOne() : null;
            assert count <= countMax : count;
        }
        newest.closeFuture().addListener(closed -> remove(newest, address));
        if (displaced != null) {
            displaced.eventLoop().execute(() -> end(displaced));
        }
    }

    /** The oldest of the address with the most; of several of these, by lot. */
    private Channel removeOne() {
        int most = bySource.values().stream().mapToInt(List::size).max().orElseThrow();
        List<List<Channel>> drawnFrom = bySource.values().stream()
                .filter(connections -> connections.size() == most)
                .toList();
        List<Channel> drawn = drawnFrom.get(lots.nextInt(drawnFrom.size()));
        Channel oldest = drawn.remove(0);
        count--;
        bySource.values().removeIf(List::isEmpty);
        return oldest;
    }

    private void end(Channel displaced) {
        HandshakeHandler handshake = displaced.pipeline().get(HandshakeHandler.class);
        // Without one it has proven itself in the meantime.
        if (handshake != null) {
            handshake.displace(countMax);
            // Its peer may take its time to close; the socket would stay open for so long, and counts no more.
            // Past the handlers, of which one may wait for the peer before it closes.
            displaced.pipeline().firstContext().close();
        }
    }

    synchronized void remove(Channel connection, InetAddress address) {
        bySource.computeIfPresent(PeerAddress.source(address), (source, connections) -> {
            if (connections.remove(connection)) {
                count--;
            }
            return connections.isEmpty() ? null : connections;
        });
    }

    synchronized int count() {
        return count;
    }
}
