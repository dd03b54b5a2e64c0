package io.anneal.bench.oldrepair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.node.Node;
import io.anneal.node.Replica;
import io.anneal.node.Replicas;
import java.io.IOException;
import java.util.Optional;

/**
 * What one replica is asked to read or to take.
 *
 * @param table {@code keyspace.table}
 * @param localDeletionTimeMaxSeconds rule 13's ceiling
 */
record ReplicaTask(String table, long localDeletionTimeMaxSeconds) {
    /** Of the node's only replicas. */
    static Replica open(Node node, String table) throws IOException {
        int dot = table.indexOf('.');
        return node.replicas()
                .get(Replicas.THE_ONLY_ONE)
                .open(table.substring(0, dot), table.substring(dot + 1), Optional.empty());
    }

    Replica open(Node node) throws IOException {
        return open(node, table);
    }

    void encode(ByteWriter out) {
        Texts.write(out, table);
        out.writeLong(localDeletionTimeMaxSeconds);
    }

    static ReplicaTask decode(ByteReader in) {
        return new ReplicaTask(Texts.read(in), in.readLong());
    }
}
