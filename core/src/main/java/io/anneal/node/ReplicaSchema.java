package io.anneal.node;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.net.Connection;
import io.anneal.net.PeerAddress;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import java.util.Optional;

/** The schema of a replica against that of a peer who wants to read it. */
public final class ReplicaSchema {
    private ReplicaSchema() {}

    /**
     * Refuses a peer that numbers the table's columns in another order than this side, as earlier releases do with some names.
     *
     * @throws ReplicaException naming the peer
     */
    public static void requireSameOrder(Connection peer, TableSchema schema) throws ReplicaException {
        if (peer.encodingVersion() < CanonicalEncoder.LAYOUT_VERSION && schema.isRenumbered()) {
            throw new ReplicaException(
                    "one side runs an earlier Anneal, which numbers columns of this table in another order"
                            + " than Cassandra: update it, peer=" + PeerAddress.text(peer.address()) + ", table="
                            + schema.qualifiedName() + ", encodingVersion=" + peer.encodingVersion() + ", needed="
                            + CanonicalEncoder.LAYOUT_VERSION);
        }
    }

    /**
     * Refuses a peer whose table is another one.
     *
     * @param text the peer's {@code CREATE TABLE}
     * @param peer what it is here, as {@code reader}
     * @throws ReplicaException naming the difference
     */
    public static void require(Replica replica, String text, String peer) throws ReplicaException {
        TableSchema own = replica.schema();
        Optional<String> difference;
        try {
            difference = CqlSchema.parse(text, "schema of the " + peer)
                    .table(own.keyspace(), own.name())
                    .map(own::differenceFrom)
                    .orElse(Optional.of("the " + peer + " sent no schema of the table"));
        } catch (SchemaException unusable) {
            difference = Optional.of(unusable.getMessage());
        }
        if (difference.isPresent()) {
            throw new ReplicaException("schema differs from the " + peer + "'s, replica=" + replica.name() + ", table="
                    + own.qualifiedName() + ", difference=" + difference.get());
        }
    }
}
