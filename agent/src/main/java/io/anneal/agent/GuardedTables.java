package io.anneal.agent;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
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
    private final Fence fence;

    private NodeMoment before;
    private Instant snapshotAt;

    /** How deletions are kept until the import. */
    public enum Fence {
        /** Compactions purge none of the tables. */
        HELD,
        /**
         * Compactions purge as ever, where nobody may forbid it: then half of the time is left, since nothing but the time keeps what
         * is deleted meanwhile.
         */
        NONE,
        /** Nothing is going to be imported: nothing of the node changes, but that it has a snapshot. */
        UNNEEDED
    }

    private GuardedTables(
            LiveNode node, List<LiveTable> tables, FenceLease lease, InstantSource clock, String tag, Fence fence) {
        this.fence = fence;
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
     * @throws LiveNodeException when one of them must not be imported into, or nodes do not agree, or are moving, or the node does not
     *     let who asks do what has to be done
     */
    public static GuardedTables hold(
            LiveNode node, List<LiveTable> tables, FenceLease lease, InstantSource clock, String tag)
            throws IOException {
        return hold(node, tables, lease, clock, tag, Fence.HELD);
    }

    /** The same with a choice of the fence. */
    public static GuardedTables hold(
            LiveNode node, List<LiveTable> tables, FenceLease lease, InstantSource clock, String tag, Fence fence)
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
        if (fence != Fence.UNNEEDED) {
            requireCountersReached(node, tables);
        }
        if (fence == Fence.HELD) {
            lease.hold(node, tables);
        }
        return new GuardedTables(node, tables, lease, clock, tag, fence);
    }

    /** Whether the cache of counters may be emptied shows by doing so, which costs some reads; after an import it is too late. */
    private static void requireCountersReached(LiveNode node, List<LiveTable> tables) throws LiveNodeException {
        Optional<LiveTable> counters =
                tables.stream().filter(LiveTable::hasCounters).findFirst();
        if (counters.isPresent()) {
            try {
                node.invalidateCounterCache();
            } catch (LiveNodeException e) {
                throw new LiveNodeException(
                        "rows must not be imported into a table with counters where the node's cache of them may not be"
                                + " emptied: give the JMX role EXECUTE on mbean:" + NodeBeans.caches() + ", table="
                                + counters.get().qualifiedName() + ", node=" + node.address() + ", reason="
                                + e.getMessage(),
                        e);
            }
        }
    }

    /** Takes the snapshot; answers when that began, by this machine's clock. */
    public Instant takeSnapshot() throws IOException {
        if (before != null) {
            throw new IllegalStateException("snapshot is taken, tag=" + tag);
        }
        // What changes before the files are linked counts as changed afterwards, which is safe.
        NodeMoment moment = node.moment(tables);
        // As it is sent and shown; a part of a millisecond earlier is on the safe side.
        Instant at = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        before = moment;
        snapshotAt = at;
        node.takeSnapshot(tag, tables, gcGrace());
        return at;
    }

    /**
     * Until when rows may be imported: a deletion written after the earliest snapshot cannot be purged sooner. Without a fence it is half
     * of that.
     *
     * @param earliestSnapshot of all replicas; the own one counts, whatever this says
     * @param skewMost between their clocks
     */
    public Instant deadline(Instant earliestSnapshot, Duration skewMost) {
        boolean isOwnEarlier = snapshotAt != null && snapshotAt.isBefore(earliestSnapshot);
        return (isOwnEarlier ? snapshotAt : earliestSnapshot)
                .plus(fence == Fence.NONE ? gcGrace().dividedBy(2) : gcGrace())
                .minus(skewMost);
    }

    /**
     * Whether nothing may be imported any more, however the clocks are, so that to hold on is in vain. Where nothing was to be imported
     * nobody waits for it.
     */
    boolean isTooLate() {
        return snapshotAt != null
                && fence != Fence.UNNEEDED
                && !clock.instant().isBefore(deadline(snapshotAt, Duration.ZERO));
    }

    /** Of the table that keeps deletions for the shortest time. */
    private Duration gcGrace() {
        return Duration.ofSeconds(
                tables.stream().mapToInt(LiveTable::gcGraceSeconds).min().orElseThrow());
    }

    /**
     * Imports what is staged for tables, each if nothing of it has changed since the snapshot. What changes in the moment of an
     * import is seen right after it, and said. Answers how many SSTables it were.
     *
     * @param now the same node by a connection that answers: that of the hold has broken if the node was restarted
     * @param staged by table, each directory ending with the names of keyspace and table
     * @param deadline as {@link #deadline} says, of all replicas
     * @throws LiveNodeException when it must not be done, or was not; tables before the one it names have theirs
     */
    public int importAll(LiveNode now, Map<LiveTable, Path> staged, Instant deadline) throws IOException {
        int imported = 0;
        for (Map.Entry<LiveTable, Path> table : staged.entrySet()) {
            if (!tables.contains(table.getKey())) {
                throw new IllegalArgumentException(
                        "table is not guarded, table=" + table.getKey().qualifiedName());
            }
            // Of one table what is its own: all of each at the imports of all would be asked as often as there are
            // tables.
            List<LiveTable> one = List.of(table.getKey());
            requireUnchanged(now, one, deadline);
            imported += importInto(now, table.getKey(), table.getValue());
            Optional<String> since = change(now, one, deadline);
            if (since.isPresent()) {
                throw LiveNodeException.over(
                        "rows were imported while the node changed: deleted ones may be back, node=" + node.address()
                                + ", table=" + table.getKey().qualifiedName() + ", reason=" + since.get());
            }
        }
        return imported;
    }

    private static int importInto(LiveNode node, LiveTable table, Path staged) throws IOException {
        int imported;
        try {
            imported = node.importSSTables(table, staged);
        } catch (IOException e) {
            try {
                emptyCounterCache(node, table);
            } catch (LiveNodeException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
        emptyCounterCache(node, table);
        return imported;
    }

    private static void emptyCounterCache(LiveNode node, LiveTable table) throws LiveNodeException {
        if (table.hasCounters()) {
            try {
                node.invalidateCounterCache();
            } catch (LiveNodeException e) {
                throw new LiveNodeException(
                        "counters were imported, and the node's cache of them could not be emptied: run 'nodetool"
                                + " invalidatecountercache' there, or increments start from old values, table="
                                + table.qualifiedName() + ", node=" + node.address() + ", reason=" + e.getMessage(),
                        e);
            }
        }
    }

    /** See {@link #importAll}: what must be so of all tables, of those too for which nothing is staged, for the snapshot to tell of the node. */
    void requireUnchanged(LiveNode now, Instant deadline) throws IOException {
        requireUnchanged(now, tables, deadline);
    }

    private void requireUnchanged(LiveNode now, List<LiveTable> some, Instant deadline) throws IOException {
        Optional<String> change = change(now, some, deadline);
        if (change.isPresent()) {
            throw LiveNodeException.over("nothing is imported: deleted rows might come back; take new snapshots, node="
                    + node.address() + ", snapshot=" + snapshotAt + ", reason=" + change.get());
        }
    }

    private Optional<String> change(LiveNode now, List<LiveTable> some, Instant deadline) throws IOException {
        if (before == null) {
            throw new IllegalStateException("snapshot is not taken, tag=" + tag);
        }
        if (fence == Fence.UNNEEDED) {
            return Optional.of("it was said that nothing would be imported, and nothing is held");
        }
        Optional<String> change = before.of(some).changeTo(now.moment(some));
        if (change.isPresent()) {
            return change;
        }
        for (LiveTable table : some) {
            if (fence == Fence.HELD && !now.neverPurges(table)) {
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
