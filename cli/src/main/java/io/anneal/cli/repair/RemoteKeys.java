package io.anneal.cli.repair;

import io.anneal.key.DecoratedKey;
import io.anneal.net.Connector;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.VerbHandlers;
import io.anneal.node.PartitionReads;
import io.anneal.repair.RepairRunner;
import io.anneal.schema.TableSchema;
import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Single partitions of servers, as they have them, nothing purged. One thread. */
public final class RemoteKeys implements Closeable {
    private final ExecutorService executor;
    private final NetClient client;
    private final Connector nodes;

    private RemoteKeys(ExecutorService executor, NetClient client) {
        this.executor = executor;
        this.client = client;
        nodes = client.keepAll(RepairServer.CONNECT_PATIENCE_MS);
    }

    public static RemoteKeys open(NetConfig config) {
        ExecutorService executor = Executors.newCachedThreadPool();
        boolean opened = false;
        try {
            NetClient client = NetClient.open(config, new VerbHandlers(executor), new SecureRandom());
            opened = true;
            return new RemoteKeys(executor, client);
        } finally {
            if (!opened) {
                executor.shutdownNow();
            }
        }
    }

    /** The partition as the replica has it, or nothing. */
    public Optional<FetchedPartition> read(String address, TableSchema schema, DecoratedKey key) throws IOException {
        FetchedPartition partition = new FetchedPartition(schema, key);
        PartitionReads.read(nodes.open(RepairRunner.address(address)), schema, key, partition::add);
        return partition.conclude() ? Optional.of(partition) : Optional.empty();
    }

    @Override
    public void close() {
        client.close();
        executor.shutdownNow();
    }
}
