package io.anneal.node;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Opens replicas by the name of their table. Safe for any thread. */
public interface ReplicaSource {
    /**
     * Opens what is live of a table now; the caller closes it.
     *
     * @param staged the run whose SSTables count as the replica's data although they are not imported yet
     * @throws IOException naming the place when the table is not there or cannot take part
     */
    Replica open(String keyspace, String table, Optional<UUID> staged) throws IOException;

    /**
     * The names of a keyspace's tables that are there, those that can't be opened too; none if there is nothing of the keyspace.
     *
     * @throws IOException when it can't be told
     */
    default List<String> tables(String keyspace) throws IOException {
        throw new ReplicaException("replica does not tell which tables it has: name them, keyspace=" + keyspace);
    }

    /**
     * The last token of each data directory but the last one, ascending, where what a replica receives goes to several
     * directories by token: no SSTable may have tokens of two of them. None where there is one directory.
     */
    default List<Long> diskBoundaries(String keyspace) {
        return List.of();
    }
}
