package io.anneal.repair;

import io.anneal.net.Connector;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Replicas;
import java.net.InetSocketAddress;
import java.util.Objects;

/** One of the replicas that a {@link Repair} makes equal: of this process, or of another node. */
public sealed interface RepairMember {
    /** The tables of a replica in this process. */
    static RepairMember here(ReplicaSource tables) {
        return new Here("", tables);
    }

    /** The same, under a name by which reports and another run know it: no other of the repair has it. */
    static RepairMember here(String name, ReplicaSource tables) {
        return new Here(name, tables);
    }

    /** A node that answers repairs, and has one replica; the connection stays the connector's. */
    static RepairMember at(Connector connector, InetSocketAddress address) {
        return at(connector, address, Replicas.THE_ONLY_ONE);
    }

    /** One of the replicas of a node, by its name there. */
    static RepairMember at(Connector connector, InetSocketAddress address, String name) {
        return new There(connector, address, name);
    }

    record Here(String name, ReplicaSource tables) implements RepairMember {
        public Here {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(tables, "tables");
        }
    }

    record There(Connector connector, InetSocketAddress address, String name) implements RepairMember {
        public There {
            Objects.requireNonNull(connector, "connector");
            Objects.requireNonNull(address, "address");
            Objects.requireNonNull(name, "name");
        }
    }
}
