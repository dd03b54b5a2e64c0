package io.anneal.net;

import java.util.Map;
import java.util.UUID;

/**
 * Who a node says it is in the handshake. The layers above decide what must match; the network compares nothing here.
 *
 * @param nodeId      identity of the process or of the replica behind it
 * @param clusterName name of the cluster or of the store
 * @param attributes  further facts, opaque to the network; few and short, since a handshake message is bounded
 */
public record NodeIdentity(UUID nodeId, String clusterName, Map<String, String> attributes) {
    public NodeIdentity {
        attributes = Map.copyOf(attributes);
    }
}
