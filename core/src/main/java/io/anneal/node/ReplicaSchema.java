package io.anneal.node;

import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import java.util.Optional;

/** The schema of a replica against that of a peer who wants to read it. */
public final class ReplicaSchema {
    private ReplicaSchema() {}

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
