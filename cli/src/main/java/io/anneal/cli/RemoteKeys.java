package io.anneal.cli;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.VerbHandlers;
import io.anneal.net.Waiting;
import io.anneal.node.Receiving;
import io.anneal.repair.RemoteParticipant;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairRunner;
import io.anneal.repair.message.OpenSession;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.SessionTerms;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Single partitions of servers: a dry repair session over one token, in which all that the replica has is asked for. It hands
 * out the merge of its files, nothing purged. One thread.
 */
final class RemoteKeys implements Closeable {
    /** So early that nothing has expired by then, nor is past gc_grace. */
    private static final long PURGE_NOTHING_SECONDS = 0;

    private final ExecutorService executor;
    private final NetClient client;
    private final SecureRandom random;

    private RemoteKeys(ExecutorService executor, NetClient client, SecureRandom random) {
        this.executor = executor;
        this.client = client;
        this.random = random;
    }

    static RemoteKeys open(NetConfig config) {
        SecureRandom random = new SecureRandom();
        ExecutorService executor = Executors.newCachedThreadPool();
        boolean opened = false;
        try {
            NetClient client = NetClient.open(config, new VerbHandlers(executor), random);
            opened = true;
            return new RemoteKeys(executor, client, random);
        } finally {
            if (!opened) {
                executor.shutdownNow();
            }
        }
    }

    /** The partition as the replica has it, or nothing. */
    Optional<FetchedPartition> read(String address, TableSchema schema, DecoratedKey key) throws IOException {
        FetchedPartition partition = new FetchedPartition(schema, key);
        try (RemoteParticipant replica = new RemoteParticipant(
                new PatientConnector(client).open(RepairRunner.address(address)),
                schema.clustering().size())) {
            Waiting.result(replica.open(new OpenSession(
                    UUID.randomUUID(),
                    schema.keyspace(),
                    schema.name(),
                    SchemaText.print(schema),
                    PURGE_NOTHING_SECONDS,
                    random.nextLong(),
                    RepairConfig.BUFFER_MIN_BYTES,
                    true,
                    Optional.empty())));
            Waiting.result(replica.agree(new SessionTerms(CanonicalEncoder.UNCLAMPED, Receiving.NO_DEADLINE)));
            Waiting.result(replica.startPart(new TokenRange.Linear(key.token(), key.token())));
            RingPosition boundary;
            do {
                boundary = Waiting.result(replica.fill()).last();
                Waiting.result(replica.window(boundary));
                for (Phase phase : Phase.values()) {
                    long[] hashes = Waiting.result(replica.hashes(phase));
                    if (hashes.length > 0) {
                        partition.add(Waiting.result(replica.fetch(phase, hashes, Integer.MAX_VALUE)));
                    }
                }
            } while (!boundary.isEnd());
            Waiting.result(replica.finish());
        }
        return partition.conclude() ? Optional.of(partition) : Optional.empty();
    }

    @Override
    public void close() {
        client.close();
        executor.shutdownNow();
    }
}
