package io.anneal.net;

import io.netty.channel.Channel;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The accepted connections that have not proven themselves, in the order in which they came. Each counts until its proof
 * or until its socket is closed. One more than allowed ends the oldest, so sockets that do nothing keep nobody out. Safe
 * for any thread.
 */
final class UnprovenConnections {
    private final int countMax;
    private final Set<Channel> byAge = new LinkedHashSet<>();

    UnprovenConnections(int countMax) {
        this.countMax = countMax;
    }

    void add(Channel newest) {
        Channel oldest;
        synchronized (this) {
            byAge.add(newest);
            oldest = byAge.size() > countMax ? removeOldest() : null;
            assert byAge.size() <= countMax : byAge.size();
        }
        newest.closeFuture().addListener(closed -> remove(newest));
        if (oldest != null) {
            oldest.eventLoop().execute(() -> end(oldest));
        }
    }

    private Channel removeOldest() {
        Iterator<Channel> oldestFirst = byAge.iterator();
        Channel oldest = oldestFirst.next();
        oldestFirst.remove();
        return oldest;
    }

    private void end(Channel oldest) {
        HandshakeHandler handshake = oldest.pipeline().get(HandshakeHandler.class);
        // Without one it has proven itself in the meantime.
        if (handshake != null) {
            handshake.displace(countMax);
            // Its peer may take its time to close; the socket would stay open for so long, and counts no more.
            // Past the handlers, of which one may wait for the peer before it closes.
            oldest.pipeline().firstContext().close();
        }
    }

    synchronized void remove(Channel connection) {
        byAge.remove(connection);
    }

    synchronized int count() {
        return byAge.size();
    }
}
