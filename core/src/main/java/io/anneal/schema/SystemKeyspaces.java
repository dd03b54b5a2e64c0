package io.anneal.schema;

import java.util.Locale;
import java.util.Set;

/** The keyspaces that Cassandra keeps for itself: their tables are no user's, and no other program may make them. */
public final class SystemKeyspaces {
    private static final Set<String> NAMES = Set.of(
            "system",
            "system_schema",
            "system_auth",
            "system_distributed",
            "system_traces",
            "system_virtual_schema",
            "system_views",
            "system_cluster_metadata");

    private SystemKeyspaces() {}

    /** Whether the keyspace is one of them, in whatever case, as Cassandra compares them. */
    public static boolean contains(String keyspace) {
        return NAMES.contains(keyspace.toLowerCase(Locale.ROOT));
    }

    /** @throws SchemaException when the table is of one of them: a node that was handed it would take it for its own */
    public static void refuse(TableSchema table) {
        if (contains(table.keyspace())) {
            throw new SchemaException(
                    "keyspace is one of Cassandra's own, of which a store holds no tables: choose another"
                            + " name, keyspace=" + table.keyspace() + ", table=" + table.qualifiedName());
        }
    }
}
