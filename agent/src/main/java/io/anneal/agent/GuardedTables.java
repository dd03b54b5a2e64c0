package io.anneal.agent;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Tables of a live node between a snapshot and an import, by the rule that nothing deleted comes back:
 *
 * <ol>
 *   <li>hold deletions ({@link #hold}), on all replicas before the first snapshot;
 *   <li>take the snapshot ({@link #takeSnapshot});
 *   <li>just before the import, see that nothing has changed that makes the snapshot's rows others than the node's
 *       ({@link #importAll});
 *   <li>let deletions go, and remove the snapshot ({@link #close}).
 * </ol>
 *
 * A thread at a time.
 */
public final class GuardedTables implements Closeable {
    private final LiveNode node;
    private final List<LiveTable> tables;
    private final FenceLease lease;
    private final InstantSource clock;
    private final String tag;

    private NodeMoment before;
    private Instant snapshotAt;

    private GuardedTables(LiveNode node, List<LiveTable> tables, FenceLease lease, InstantSource clock, String tag) {
        this.node = node;
        this.tables = List.copyOf(tables);
        this.lease = lease;
        this.clock = clock;
        this.tag = tag;
    }

    /**
     * Holds deletions in the tables until it is closed.
     *
     * @param clock of the node's machine
     * @param tag of the snapshot to come
     * @throws LiveNodeException when one of them must not be imported into, or nodes do not agree, or are moving
     */
    public static GuardedTables hold(
            LiveNode node, List<LiveTable> tables, FenceLease lease, InstantSource clock, String tag)
            throws IOException {
        for (LiveTable table : tables) {
            if (!table.objections().isEmpty()) {
                throw new LiveNodeException("rows must not be imported into the table, table=" + table.qualifiedName()
                        + ", node=" + node.address() + ", reason=" + String.join("; ", table.objections()));
            }
        }
        Optional<String> unrest = node.moment(tables).unrest();
        if (unrest.isPresent()) {
            throw new LiveNodeException(
                    "nothing may be imported now, node=" + node.address() + ", reason=" + unrest.get());
        }
        lease.hold(node, tables);
        return new GuardedTables(node, tables, lease, clock, tag);
    }

    /** Takes the snapshot; answers when that began, by this machine's clock. */
    public Instant takeSnapshot() throws IOException {
        if (before != null) {
            throw new IllegalStateException("snapshot is taken, tag=" + tag);
        }
        // What changes before the files are linked counts as changed afterwards, which is safe.
        NodeMoment moment = node.moment(tables);
        Instant at = clock.instant();
        before = moment;
        snapshotAt = at;
        node.takeSnapshot(tag, tables, gcGrace());
        return at;
    }

    /**
     * Until when rows may be imported: a deletion written after the earliest snapshot cannot be purged sooner.
     *
     * @param earliestSnapshot of all replicas
     * @param skewMost between their clocks
     */
    public Instant deadline(Instant earliestSnapshot, Duration skewMost) {
        return earliestSnapshot.plus(gcGrace()).minus(skewMost);
    }

    /** Of the table that keeps deletions for the shortest time. */
    private Duration gcGrace() {
        return Duration.ofSeconds(
                tables.stream().mapToInt(LiveTable::gcGraceSeconds).min().orElseThrow());
    }

    /**
     * Imports what is staged for the tables, if nothing has changed since the snapshot. What changes in the moment of an
     * import is seen right after it, and said. Answers how many SSTables it were.
     *
     * @param staged by table, each directory ending with the names of keyspace and table
     * @param deadline as {@link #deadline} says, of all replicas
     * @throws LiveNodeException when it must not be done, or was not; tables before the one it names have theirs
     */
    public int importAll(Map<LiveTable, Path> staged, Instant deadline) throws IOException {
        int imported = 0;
        for (Map.Entry<LiveTable, Path> table : staged.entrySet()) {
            if (!tables.contains(table.getKey())) {
                throw new IllegalArgumentException(
                        "table is not guarded, table=" + table.getKey().qualifiedName());
            }
            requireUnchanged(deadline);
            imported += node.importSSTables(table.getKey(), table.getValue());
            Optional<String> since = change(deadline);
            if (since.isPresent()) {
                throw new LiveNodeException("rows were imported while the node changed: deleted ones may be back, node="
                        + node.address() + ", table=" + table.getKey().qualifiedName() + ", reason=" + since.get());
            }
        }
        return imported;
    }

    private void requireUnchanged(Instant deadline) throws IOException {
        Optional<String> change = change(deadline);
        if (change.isPresent()) {
            throw new LiveNodeException("nothing is imported: deleted rows might come back; take new snapshots, node="
                    + node.address() + ", snapshot=" + snapshotAt + ", reason=" + change.get());
        }
    }

    private Optional<String> change(Instant deadline) throws IOException {
        if (before == null) {
            throw new IllegalStateException("snapshot is not taken, tag=" + tag);
        }
        Optional<String> change = before.changeTo(node.moment(tables));
        if (change.isPresent()) {
            return change;
        }
        for (LiveTable table : tables) {
            if (!node.neverPurges(table)) {
                return Optional.of("deletions are no longer held, table=" + table.qualifiedName());
            }
        }
        return clock.instant().isBefore(deadline)
                ? Optional.empty()
                : Optional.of("deletions written since the snapshot may be purged, deadline=" + deadline);
    }

    /** Lets deletions go, and removes the snapshot. What fails stays in the lease, for who starts next. */
    @Override
    public void close() throws IOException {
        try {
            lease.reset(node);
        } finally {
            if (before != null) {
                node.clearSnapshot(tag, tables.stream().map(LiveTable::keyspace).collect(Collectors.toSet()));
            }
        }
    }
}
