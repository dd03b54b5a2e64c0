package io.anneal.conformance;

import io.anneal.bench.peer.CassandraPeer;
import java.util.List;

/**
 * The keyspace {@code ks} of random tables, in Cassandras that other tests use too. Who uses it locks it as a resource,
 * since others may run beside.
 */
final class SharedKeyspace {
    static final String RESOURCE = "keyspace ks";

    private static final String DROP = "DROP KEYSPACE IF EXISTS ks";
    private static final String CREATE =
            "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";

    private SharedKeyspace() {}

    /** Empties it, of user types too: a table's are those of its seed. */
    static void recreate(CassandraPeer peer) {
        peer.executeAll(List.of(DROP, CREATE));
    }

    /** Leaves nothing of it, in whatever versions were written. */
    static void dropEverywhere(Peers peers) {
        for (WrittenVersion version : WrittenVersion.values()) {
            peers.of(version.peer()).execute(DROP);
        }
    }
}
