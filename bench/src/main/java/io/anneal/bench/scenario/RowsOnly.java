package io.anneal.bench.scenario;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.node.Receiving;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;

/** A replica that takes no SSTable as it is, as a node of another version would not: so it is sent rows. */
record RowsOnly(Replica replica) implements Replica {
    static ReplicaSource of(ReplicaSource source) {
        return new ReplicaSource() {
            @Override
            public Replica open(String keyspace, String table, Optional<UUID> staged) throws IOException {
                return new RowsOnly(source.open(keyspace, table, staged));
            }
        };
    }

    @Override
    public String name() {
        return replica.name();
    }

    @Override
    public TableSchema schema() {
        return replica.schema();
    }

    @Override
    public long localDeletionTimeMaxSeconds() {
        return replica.localDeletionTimeMaxSeconds();
    }

    @Override
    public void checkReceiving() throws IOException {
        replica.checkReceiving();
    }

    @Override
    public FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException {
        return replica.scan(range, localDeletionTimeMaxSeconds);
    }

    @Override
    public Receiving receive(UUID sessionId, long importDeadlineSeconds) {
        return replica.receive(sessionId, importDeadlineSeconds);
    }

    @Override
    public void close() throws IOException {
        replica.close();
    }
}
