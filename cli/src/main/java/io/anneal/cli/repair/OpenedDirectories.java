package io.anneal.cli.repair;

import com.google.common.io.Closer;
import io.anneal.cli.command.StoreOpening;
import io.anneal.environment.HostEnvironment;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StagingArea;
import io.anneal.node.StoreReplicas;
import io.anneal.repair.RepairException;
import io.anneal.store.Store;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.table.StoreConfig;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Replicas that are directories of this machine, for as long as a repair needs them. Cassandra's are read, and written beside; a
 * store is opened where it is to be written, and is otherwise read by its manifests. One thread.
 */
final class OpenedDirectories implements Closeable {
    private final HostEnvironment host;
    private final Optional<Path> schemaFile;
    private final Optional<Path> out;
    private final boolean dryRun;
    private final Closer opened = Closer.create();

    /** @param out where new SSTables of each that is no store go, or lie */
    OpenedDirectories(HostEnvironment host, Optional<Path> schemaFile, Optional<Path> out, boolean dryRun) {
        this.host = host;
        this.schemaFile = schemaFile;
        this.out = out;
        this.dryRun = dryRun;
    }

    ReplicaSource open(NamedReplica replica) throws IOException {
        Optional<StoreDirectory> store = replica.store();
        if (store.isPresent()) {
            return dryRun ? closed(replica) : open(replica, store.get());
        }
        Optional<StagingArea> staging = out.isPresent() ? Optional.of(staging(replica, out.get())) : Optional.empty();
        return new CassandraReplicas(List.of(replica.directory()), schemaFile, staging).named(replica.name());
    }

    private ReplicaSource open(NamedReplica replica, StoreDirectory found) throws IOException {
        Store store = StoreOpening.forRepairs(found, StoreConfig.defaults().withCompactionThreads(0), host);
        opened.register(store);
        return new StoreReplicas(store).named(replica.name());
    }

    /** What a run gave it is its own data, and nothing is staged. It knows its tables, as one that is open does. */
    private static ReplicaSource closed(NamedReplica replica) {
        ReplicaSource files = new CassandraReplicas(List.of(replica.directory()), Optional.empty(), Optional.empty())
                .named(replica.name());
        return (keyspace, table, staged) -> files.open(keyspace, table, Optional.empty());
    }

    private StagingArea staging(NamedReplica replica, Path parent) throws IOException {
        Path directory = parent.resolve(replica.name());
        if (dryRun && !Files.isDirectory(directory)) {
            // Nothing is made by looking.
            throw new RepairException("nothing is staged there, directory=" + directory);
        }
        StagingArea staging = StagingArea.open(directory, replica.owner(), host.clock());
        opened.register(staging);
        return staging;
    }

    @Override
    public void close() throws IOException {
        opened.close();
    }
}
