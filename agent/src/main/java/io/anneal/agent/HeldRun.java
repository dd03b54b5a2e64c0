package io.anneal.agent;

import io.anneal.environment.HostEnvironment;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.KeptDirectory;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaException;
import io.anneal.node.StagingArea;
import io.anneal.sstable.Descriptor;
import io.anneal.store.SSTables;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The tables that an agent holds for one run: guarded at its node, read as the node's snapshot, and with a directory for what
 * they are to receive. A thread at a time, but {@link #open}, which any may call. Closing it lets nothing go at the node.
 */
final class HeldRun implements Closeable {
    private final UUID id;
    private final HostEnvironment host;
    private final NodeConnection connection;
    /** Of the node, for messages. */
    private final String address;

    private final List<LiveTable> tables;
    private final GuardedTables guarded;
    private final StagingArea staging;
    private final KeptDirectory kept;
    private volatile Optional<Snapshot> snapshot = Optional.empty();
    /** Imports that have not ended well: who gave up waiting for one knows of no end, and the node may move the files yet. */
    private final Set<LiveTable> importing = new HashSet<>();

    private int imported;
    /** The last look found nothing staged, and nothing that had changed: there is nothing for an import to guard, or to say. */
    private boolean isCheckedWithNothingStaged;

    /**
     * @param directories of all tables, one or one a disk each
     * @param diskBoundaries by keyspace
     */
    private record Snapshot(
            Instant at, Instant doneAt, List<Path> directories, Map<String, List<Long>> diskBoundaries) {}

    private HeldRun(
            UUID id,
            HostEnvironment host,
            NodeConnection connection,
            String address,
            List<LiveTable> tables,
            GuardedTables guarded,
            StagingArea staging,
            KeptDirectory kept) {
        this.kept = kept;
        this.id = id;
        this.host = host;
        this.connection = connection;
        this.address = address;
        this.tables = tables;
        this.guarded = guarded;
        this.staging = staging;
    }

    /**
     * Holds deletions in tables.
     *
     * @param qualifiedTables each as {@code keyspace.table}
     * @param wanted how deletions are kept
     * @param directory for what they receive, which is there
     * @param kept where repairs keep what they know of tables
     */
    static HeldRun hold(
            NodeConnection connection,
            HostEnvironment host,
            FenceLease lease,
            UUID id,
            List<String> qualifiedTables,
            GuardedTables.Fence wanted,
            Path directory,
            KeptDirectory kept)
            throws IOException {
        LiveNode node = connection.node();
        List<LiveTable> tables = new ArrayList<>();
        for (String name : qualifiedTables) {
            int dot = name.indexOf('.');
            tables.add(node.table(name.substring(0, Math.max(0, dot)), name.substring(dot + 1))
                    .orElseThrow(() ->
                            new LiveNodeException("table is not there, node=" + node.address() + ", table=" + name)));
        }
        StagingArea staging = StagingArea.open(directory, node.hostId().toString(), host.clock());
        boolean held = false;
        try {
            GuardedTables guarded = GuardedTables.hold(node, tables, lease, host.clock(), tag(id), wanted);
            held = true;
            return new HeldRun(id, host, connection, node.address(), List.copyOf(tables), guarded, staging, kept);
        } finally {
            if (!held) {
                staging.close();
            }
        }
    }

    /** Of the snapshots of a run: each of them is known by it as ours. */
    static String tag(UUID run) {
        return "anneal-" + run;
    }

    UUID id() {
        return id;
    }

    /** Takes the snapshot, if that is not done. */
    AgentSnapshot takeSnapshot() throws IOException {
        if (snapshot.isEmpty()) {
            // By the connection of the hold: a node that was started again since holds nothing, and is not compared in
            // vain.
            Instant at = guarded.takeSnapshot();
            Instant doneAt = host.clock().instant();
            LiveNode node = connection.node();
            List<Path> directories = new ArrayList<>();
            Map<String, List<Long>> diskBoundaries = new HashMap<>();
            for (LiveTable table : tables) {
                directories.addAll(node.snapshotDirectories(tag(id), table));
                if (!diskBoundaries.containsKey(table.keyspace())) {
                    diskBoundaries.put(table.keyspace(), node.diskBoundaries(table.keyspace()));
                }
            }
            snapshot = Optional.of(new Snapshot(at, doneAt, List.copyOf(directories), Map.copyOf(diskBoundaries)));
        }
        Instant at = snapshot.get().at();
        return new AgentSnapshot(
                at, snapshot.get().doneAt(), Duration.between(at, guarded.deadline(at, Duration.ZERO)));
    }

    /** When the snapshot began, if it is taken. */
    Optional<Instant> snapshotAt() {
        return snapshot.map(Snapshot::at);
    }

    /** @param name by which reports know the replica */
    Replica open(String name, String keyspace, String table, Optional<UUID> staged) throws IOException {
        Optional<Snapshot> taken = snapshot;
        if (taken.isEmpty() || tables.stream().noneMatch(held -> isOf(held, keyspace, table))) {
            throw new ReplicaException("table has no snapshot of the run that holds here, table=" + keyspace + "."
                    + table + ", run=" + id);
        }
        return new CassandraReplicas(taken.get().directories(), Optional.empty(), Optional.of(staging))
                .named(name)
                .withViewsAndCdcChecked()
                .withDiskBoundaries(taken.get().diskBoundaries())
                .withKept(kept)
                .open(keyspace, table, staged);
    }

    private static boolean isOf(LiveTable held, String keyspace, String table) {
        return held.keyspace().equals(keyspace) && held.name().equals(table);
    }

    List<String> tables(String keyspace) {
        return tables.stream()
                .filter(table -> table.keyspace().equals(keyspace))
                .map(LiveTable::name)
                .toList();
    }

    /** See {@link GuardedTables#isTooLate}. */
    boolean isTooLate() {
        return guarded.isTooLate();
    }

    /**
     * What is staged and not imported yet, read to the end; nothing of tables for which nothing is. Before that small SSTables of it are
     * merged, since each session has written its own. Where it must not be imported that is said, and no error that comes of it, as of a
     * snapshot that went by its time to live.
     */
    List<StagedContent> look() throws IOException {
        requireWritten();
        Instant deadline = guarded.deadline(requireSnapshot(), Duration.ZERO);
        isCheckedWithNothingStaged = false;
        guarded.requireUnchanged(connection.node(), deadline);
        List<StagedContent> contents = new ArrayList<>();
        Map<LiveTable, Path> found = staged(Set.of());
        isCheckedWithNothingStaged = found.isEmpty();
        for (Map.Entry<LiveTable, Path> table : found.entrySet()) {
            LiveTable name = table.getKey();
            try (Replica own = open(address, name.keyspace(), name.name(), Optional.empty())) {
                if (!importing.contains(name)) {
                    staging.compact(
                            own.schema(),
                            snapshot.orElseThrow().diskBoundaries().get(name.keyspace()));
                }
                try (SSTables staged = SSTables.open(own.schema(), descriptors(table.getValue()))) {
                    contents.add(
                            StagedContent.of(name, staged, own, host.clock().instant()));
                }
            }
        }
        return contents;
    }

    private static List<Descriptor> descriptors(Path directory) throws IOException {
        return LiveNode.data(directory).stream()
                .map(data -> Descriptor.of(data).orElseThrow())
                .toList();
    }

    private Map<LiveTable, Path> staged(Set<String> leftOut) throws IOException {
        Map<LiveTable, Path> staged = new LinkedHashMap<>();
        for (LiveTable table : tables) {
            Path directory = staging.tableDirectory(table.keyspace(), table.name());
            if (!leftOut.contains(table.qualifiedName())
                    && !LiveNode.data(directory).isEmpty()) {
                staged.put(table, directory);
            }
        }
        return staged;
    }

    private Instant requireSnapshot() throws LiveNodeException {
        return snapshot.orElseThrow(() -> new LiveNodeException(
                        "nothing is imported: no snapshot is taken, node=" + address + ", run=" + id))
                .at();
    }

    private void requireWritten() throws LiveNodeException {
        if (staging.isReceiving()) {
            throw new LiveNodeException(
                    "nothing is imported: a session of the run is writing still, node=" + address + ", run=" + id);
        }
    }

    /**
     * Imports what was staged and is not imported yet; answers how many SSTables were imported, by earlier calls too. What has changed
     * since the snapshot is said though nothing is staged: what was compared is the node's no longer.
     *
     * @param leftOut tables of which nothing is imported, by qualified name
     * @param earliestSnapshot of all replicas
     * @param skewMost between their clocks
     */
    int importAll(Instant earliestSnapshot, Duration skewMost, Set<String> leftOut) throws IOException {
        requireSnapshot();
        requireWritten();
        Instant deadline = guarded.deadline(earliestSnapshot, skewMost);
        Map<LiveTable, Path> staged = staged(leftOut);
        if (staged.isEmpty() && isCheckedWithNothingStaged) {
            return imported;
        }
        LiveNode now = connection.node();
        guarded.requireUnchanged(now, deadline);
        for (Map.Entry<LiveTable, Path> table : staged.entrySet()) {
            importing.add(table.getKey());
            imported += guarded.importAll(now, Map.of(table.getKey(), table.getValue()), deadline);
            importing.remove(table.getKey());
        }
        return imported;
    }

    @Override
    public void close() throws IOException {
        staging.close();
    }
}
