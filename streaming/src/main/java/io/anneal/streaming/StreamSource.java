package io.anneal.streaming;

import io.anneal.net.Connector;
import io.anneal.net.PeerAddress;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Replicas;
import java.net.InetSocketAddress;
import java.util.Objects;

/** A replica that gives data: of this process, or of a node. */
public sealed interface StreamSource {
    /** The tables of a replica in this process, for a target in this process. */
    static StreamSource here(ReplicaSource tables) {
        return new Here(tables, StreamService.SECTIONS_MIN_BYTES);
    }

    /** A node that answers streaming, and has one replica; the connection stays the connector's. */
    static StreamSource at(Connector connector, InetSocketAddress address) {
        return at(connector, address, Replicas.THE_ONLY_ONE);
    }

    /** One of the replicas of a node, by its name there. */
    static StreamSource at(Connector connector, InetSocketAddress address, String replica) {
        return new There(connector, address, replica);
    }

    /** For units, without spaces. */
    String name();

    /**
     * A replica of this process.
     *
     * @param sectionsMinBytes of an SSTable that has less than this of the ranges the rows come
     */
    record Here(ReplicaSource tables, long sectionsMinBytes) implements StreamSource {
        public Here {
            Objects.requireNonNull(tables, "tables");
        }

        @Override
        public String name() {
            return "here";
        }
    }

    /**
     * A node.
     *
     * @param replica name of the replica there, as {@link Replicas#get} takes it
     */
    record There(Connector connector, InetSocketAddress address, String replica) implements StreamSource {
        public There {
            Objects.requireNonNull(connector, "connector");
            Objects.requireNonNull(address, "address");
            Objects.requireNonNull(replica, "replica");
        }

        @Override
        public String name() {
            return StreamSource.name(address, replica);
        }
    }

    /** Of a replica of a node, as its unit calls it. */
    static String name(InetSocketAddress address, String replica) {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(replica, "replica");
        String node = PeerAddress.text(address);
        return replica.isEmpty()
                ? node
                : node + "/" + replica.replace("%", "%25").replace(" ", "%20");
    }
}
