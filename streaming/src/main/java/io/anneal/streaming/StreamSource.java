package io.anneal.streaming;

import io.anneal.net.Connector;
import io.anneal.net.PeerAddress;
import io.anneal.node.Replicas;
import java.net.InetSocketAddress;

/**
 * A node that gives data.
 *
 * @param connector reaches it; the connection stays the connector's
 * @param replica name of the replica there, as {@link Replicas#get} takes it
 */
public record StreamSource(Connector connector, InetSocketAddress address, String replica) {
    /** A node that has one replica. */
    public static StreamSource at(Connector connector, InetSocketAddress address) {
        return new StreamSource(connector, address, Replicas.THE_ONLY_ONE);
    }

    /** One of the replicas of a node, by its name there. */
    public static StreamSource at(Connector connector, InetSocketAddress address, String replica) {
        return new StreamSource(connector, address, replica);
    }

    /** For units, without spaces. */
    String name() {
        return name(address, replica);
    }

    static String name(InetSocketAddress address, String replica) {
        String node = PeerAddress.text(address);
        return replica.isEmpty()
                ? node
                : node + "/" + replica.replace("%", "%25").replace(" ", "%20");
    }
}
