package io.anneal.net;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** Counts the connections whose peers have proven themselves, in all and of each node. Safe for any thread. */
final class ProvenConnections {
    private final int countMax;
    private final int countPerPeerMax;
    private final Map<UUID, Integer> countByNode = new HashMap<>();

    private int count;

    ProvenConnections(NetLimits limits) {
        this.countMax = limits.connectionsMax();
        this.countPerPeerMax = limits.connectionsPerPeerMax();
    }

    /** @throws PeerException if a limit is reached; then it does not count */
    synchronized void add(String peer, UUID nodeId) throws PeerException {
        if (count >= countMax) {
            throw tooMany(peer, "server has as many connections as it allows, max=" + countMax);
        }
        int countOfNode = countByNode.getOrDefault(nodeId, 0);
        if (countOfNode >= countPerPeerMax) {
            throw tooMany(
                    peer,
                    "server has as many connections of this node as it allows, max=" + countPerPeerMax + ", nodeId="
                            + nodeId);
        }
        countByNode.put(nodeId, countOfNode + 1);
        count++;
    }

    private static PeerException tooMany(String peer, String reason) {
        return new PeerException(peer, Handshake.STEP, PeerException.TOO_MANY_CONNECTIONS, reason);
    }

    synchronized void remove(UUID nodeId) {
        countByNode.computeIfPresent(nodeId, (id, countOfNode) -> countOfNode == 1 ? null : countOfNode - 1);
        count--;
        assert count >= 0 : count;
    }

    synchronized int count() {
        return count;
    }
}
