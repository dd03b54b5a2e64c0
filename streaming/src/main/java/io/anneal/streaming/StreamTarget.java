package io.anneal.streaming;

import io.anneal.net.Connector;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Replicas;
import java.net.InetSocketAddress;
import java.util.Objects;

/** A replica that is to have data: of this process, or of a node that fetches it itself. */
public sealed interface StreamTarget {
    /** The tables of a replica in this process. */
    static StreamTarget here(ReplicaSource tables) {
        return new Here(tables);
    }

    /** A node that answers streaming, and has one replica; the connection stays the connector's. */
    static StreamTarget at(Connector connector, InetSocketAddress address) {
        return at(connector, address, Replicas.THE_ONLY_ONE);
    }

    /** One of the replicas of a node, by its name there. */
    static StreamTarget at(Connector connector, InetSocketAddress address, String replica) {
        return new There(connector, address, replica);
    }

    /** For units, without spaces. */
    String name();

    record Here(ReplicaSource tables) implements StreamTarget {
        public Here {
            Objects.requireNonNull(tables, "tables");
        }

        @Override
        public String name() {
            return "here";
        }
    }

    record There(Connector connector, InetSocketAddress address, String replica) implements StreamTarget {
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
}
