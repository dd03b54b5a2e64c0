package io.anneal.net;

import io.anneal.io.ByteBudget;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the connections whose peers have proven themselves, in all and of each peer, and gives each peer its share of the
 * memory: none takes more than half of it, however many connections and streams it has. A peer is what has been proven of
 * it: the node id that its certificate names, else its certificate, without TLS its address. Never what it says. Safe for
 * any thread.
 */
final class ProvenConnections {
    private final int countMax;
    private final int countPerPeerMax;
    private final ByteBudget budget;
    private final Map<Object, Peer> peers = new HashMap<>();

    private int count;

    private static final class Peer {
        private final ByteBudget share;
        private int count;

        Peer(ByteBudget share) {
            this.share = share;
        }
    }

    ProvenConnections(NetLimits limits, ByteBudget budget) {
        this.budget = budget;
        this.countMax = limits.connectionsMax();
        this.countPerPeerMax = limits.connectionsPerPeerMax();
    }

    /** @throws PeerException if a limit is reached; then it does not count */
    synchronized void add(String peerName, Object peerKey) throws PeerException {
        if (count >= countMax) {
            throw tooMany(peerName, "server has as many connections as it allows, max=" + countMax);
        }
        Peer peer = peers.computeIfAbsent(peerKey, first -> new Peer(newShare()));
        if (peer.count >= countPerPeerMax) {
            throw tooMany(peerName, "server has as many connections of this peer as it allows, max=" + countPerPeerMax);
        }
        peer.count++;
        count++;
    }

    private ByteBudget newShare() {
        return budget.share();
    }

    /** What all connections of the peer may occupy together. */
    synchronized ByteBudget budgetOf(Object peerKey) {
        Peer peer = peers.get(peerKey);
        return peer == null ? newShare() : peer.share; // None: it was closed in the meantime.
    }

    private static PeerException tooMany(String peer, String reason) {
        return new PeerException(peer, Handshake.STEP, PeerException.TOO_MANY_CONNECTIONS, reason);
    }

    synchronized void remove(Object peerKey) {
        Peer peer = peers.get(peerKey);
        peer.count--;
        count--;
        if (peer.count == 0) {
            peers.remove(peerKey);
        }
        assert count >= 0 && peer.count >= 0 : count;
    }

    synchronized int count() {
        return count;
    }
}
