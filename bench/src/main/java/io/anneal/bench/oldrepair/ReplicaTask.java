package io.anneal.bench.oldrepair;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.io.Texts;
import io.anneal.node.Node;
import io.anneal.node.Replica;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/**
 * What one replica is asked to read or to take.
 *
 * @param id of what it takes: nothing else that it takes has it
 * @param replica name at its node
 * @param localDeletionTimeMaxSeconds rule 13's ceiling
 */
record ReplicaTask(UUID id, String replica, String keyspace, String table, long localDeletionTimeMaxSeconds) {
    static ReplicaTask of(BaselineTask task, int number, BaselineMember member, long localDeletionTimeMaxSeconds) {
        UUID id = new UUID(task.id().getMostSignificantBits(), task.id().getLeastSignificantBits() + number);
        return new ReplicaTask(id, member.replica(), task.keyspace(), task.table(), localDeletionTimeMaxSeconds);
    }

    Replica open(Node node) throws IOException {
        return node.replicas().get(replica).open(keyspace, table, Optional.empty());
    }

    ReplicaTask at(BaselineMember member) {
        return new ReplicaTask(id, member.replica(), keyspace, table, localDeletionTimeMaxSeconds);
    }

    void encode(ByteWriter out) {
        Texts.write(out, id);
        Texts.write(out, replica);
        Texts.write(out, keyspace);
        Texts.write(out, table);
        out.writeLong(localDeletionTimeMaxSeconds);
    }

    static ReplicaTask decode(ByteReader in) {
        return new ReplicaTask(Texts.readId(in), Texts.read(in), Texts.read(in), Texts.read(in), in.readLong());
    }
}
