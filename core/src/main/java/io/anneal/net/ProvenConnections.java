package io.anneal.net;

import io.anneal.io.ByteBudget;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Counts the connections whose peers have proven themselves, in all and of each node, and gives each node its share of the
 * memory: no peer takes more than half of it, however many connections and streams it has. Safe for any thread.
 */
final class ProvenConnections {
    private final int countMax;
    private final int countPerPeerMax;
    private final ByteBudget budget;
    private final Map<UUID, Peer> peers = new HashMap<>();

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
    synchronized void add(String peerName, UUID nodeId) throws PeerException {
        if (count >= countMax) {
            throw tooMany(peerName, "server has as many connections as it allows, max=" + countMax);
        }
        Peer peer = peers.computeIfAbsent(nodeId, id -> new Peer(newShare()));
        if (peer.count >= countPerPeerMax) {
            throw tooMany(
                    peerName,
                    "server has as many connections of this node as it allows, max=" + countPerPeerMax + ", nodeId="
                            + nodeId);
        }
        peer.count++;
        count++;
    }

    private ByteBudget newShare() {
        return budget.share();
    }

    /** What all connections of the node may occupy together. */
    synchronized ByteBudget budgetOf(UUID nodeId) {
        Peer peer = peers.get(nodeId);
        return peer == null ? newShare() : peer.share; // None: it was closed in the meantime.
    }

    private static PeerException tooMany(String peer, String reason) {
        return new PeerException(peer, Handshake.STEP, PeerException.TOO_MANY_CONNECTIONS, reason);
    }

    synchronized void remove(UUID nodeId) {
        Peer peer = peers.get(nodeId);
        peer.count--;
        count--;
        if (peer.count == 0) {
            peers.remove(nodeId);
        }
        assert count >= 0 && peer.count >= 0 : count;
    }

    synchronized int count() {
        return count;
    }
}
