package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.compaction.CompactionCandidate;
import io.anneal.compaction.CompactionStrategy;
import io.anneal.fragment.CorruptItemException;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Mutation;
import io.anneal.key.DecoratedKey;
import io.anneal.key.KeyView;
import io.anneal.key.ShardRule;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.memtable.Memtable;
import io.anneal.memtable.MemtablePool;
import io.anneal.metrics.TableMetrics;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One table while its store is open: its live set, reading from it, and every way in which it changes. Reads come from any
 * thread and take no lock. Mutations and switches of a shard's memtable come from that shard's thread. What changes the
 * SSTables replaces the manifest first and the live set behind it, one change at a time.
 */
public final class LiveTable {
    private static final Logger LOG = LoggerFactory.getLogger(LiveTable.class);

    /** The live set's parts while a change is made. */
    private record Parts(List<LiveMemtable> active, List<LiveMemtable> flushing, List<LiveSSTable> sstables) {}

    /** A truncation under way: what was written up to a place in the commit log goes. */
    private record Truncation(CommitLogPosition upTo, long micros, CompletableFuture<Void> done) {
        boolean spares(LiveMemtable memtable) {
            return memtable.reached().compareTo(upTo) > 0;
        }
    }

    private final TableDirectory directory;
    /** Raised under the lock of this. */
    private volatile long truncations;

    private final ShardRule shards;
    private final MemtablePool pool;
    private final MemoryGate gate;
    private final TableMetrics metrics;
    private final Consumer<LiveSSTable> disposal;
    /** Held by what is done with the table as a whole. */
    private final ReentrantLock administration = new ReentrantLock();

    private final LiveReads reads;
    private volatile WriteRules rules;
    private volatile LiveSet current;
    private volatile Truncation truncation;
    private volatile boolean closed;

    private boolean released;

    /**
     * @param disposal of SSTables that nobody holds any more: closes them, and deletes those that are obsolete
     */
    LiveTable(
            TableDirectory directory,
            SSTableVersion version,
            ShardRule shards,
            MemtablePool pool,
            MemoryGate gate,
            TableMetrics metrics,
            OpenCursors cursors,
            LongSupplier nanoTime,
            Consumer<LiveSSTable> disposal,
            FailureNotices notices) {
        this.directory = directory;
        this.shards = shards;
        this.pool = pool;
        this.gate = gate;
        this.metrics = metrics;
        rules = new WriteRules(directory.schema(), version);
        this.disposal = disposal;
        reads = new LiveReads(shards, metrics, cursors, nanoTime, () -> closed, this::isCurrent, notices);
        List<LiveMemtable> active = new ArrayList<>();
        for (int shard = 0; shard < shards.shardCount(); shard++) {
            active.add(newMemtable(schema(), shard, CommitLogPosition.NONE));
        }
        current = new LiveSet(schema(), truncations, active, List.of(), List.of());
        active.forEach(Counted::release);
        metrics.live(
                () -> current.sstables().size(),
                () -> current.sstables().stream()
                        .mapToLong(sstable -> sstable.candidate().onDiskBytes())
                        .sum());
        metrics.repaired(
                this::ringRepairedSeconds,
                () -> directory.content().repairTimes().stream()
                        .mapToLong(RepairTime::seconds)
                        .min()
                        .orElse(0),
                () -> schema().options().gcGraceSeconds());
        for (int shard = 0; shard < shards.shardCount(); shard++) {
            int number = shard;
            metrics.shard(shard).memtableBytes(() -> memtableBytes(number));
        }
    }

    private long ringRepairedSeconds() {
        long seconds = RepairedRanges.earliest(directory.content().repairTimes(), List.of(TokenRange.FULL));
        return seconds == RepairedRanges.NEVER ? 0 : seconds;
    }

    private long memtableBytes(int shard) {
        return current.memtables(shard).stream()
                .mapToLong(memtable -> memtable.memtable().occupiedBytes())
                .sum();
    }

    /** Opens all that the manifest lists; before the table is used. */
    void openSSTables() throws IOException {
        boolean sameShards = directory.content().shards().equals(shards);
        List<LiveSSTable> opened = new ArrayList<>();
        try {
            for (Map.Entry<ListedSSTable, Descriptor> listed :
                    directory.sstables().entrySet()) {
                int shard = sameShards ? listed.getKey().shard() : ListedSSTable.SHARED;
                opened.add(open(listed.getValue(), shard));
            }
            synchronized (this) {
                reachAsFarAs(opened);
                change(parts -> new Parts(parts.active(), parts.flushing(), opened));
            }
        } finally {
            opened.forEach(Counted::release);
        }
    }

    /** Opens an SSTable of the table's directory, for the caller to hold. */
    LiveSSTable open(Descriptor descriptor, int shard) throws IOException {
        LiveSSTable sstable = LiveSSTable.of(directory.openReader(descriptor), shard, disposal);
        sstable.reader().listenToFilter(new FilterCounts(metrics));
        return sstable;
    }

    private LiveMemtable newMemtable(TableSchema schema, int shard, CommitLogPosition reached) {
        return new LiveMemtable(new Memtable(schema, pool), shard, reached, gate);
    }

    /** As it is now; {@link #alter} replaces it. */
    public TableSchema schema() {
        return rules.schema();
    }

    public UUID id() {
        return directory.tableId();
    }

    public TableDirectory directory() {
        return directory;
    }

    TableMetrics metrics() {
        return metrics;
    }

    CompactionStrategy strategy() {
        return rules.strategy();
    }

    /** Held by whoever truncates, imports into, copies, changes or drops the table: one at a time. */
    ReentrantLock administration() {
        return administration;
    }

    /** @throws IllegalStateException when it is closed or dropped */
    public boolean isOpen() {
        return !closed;
    }

    public void requireOpen() {
        if (closed) {
            throw closedFailure();
        }
    }

    // Reading.

    /** What the table consists of now; the caller releases it. */
    LiveSet acquire() {
        while (true) {
            if (closed) {
                throw closedFailure();
            }
            LiveSet set = current;
            if (set.retain()) {
                return set;
            }
        }
    }

    /** The SSTables of now, which stay as long as the caller holds them. */
    public HeldSSTables hold() {
        LiveSet set = acquire();
        try {
            return HeldSSTables.of(set);
        } finally {
            set.release();
        }
    }

    /** Which SSTables it writes: the store's, or one that holds the deletion times of an SSTable which the store's does not hold. */
    public SSTableVersion version() {
        return rules.version();
    }

    /** What a table holds must fit into what it is compacted to. */
    private void reachAsFarAs(List<LiveSSTable> arrived) {
        assert Thread.holdsLock(this);
        for (LiveSSTable sstable : arrived) {
            boolean overflowed = sstable.reader().statistics().hasOverflowedExpiry();
            SSTableVersion theirs = overflowed
                    ? SSTableVersion.OA
                    : SSTableVersion.of(sstable.descriptor()).orElseThrow();
            if (theirs.isWritten()
                    && theirs.localDeletionTimeMaxSeconds() > version().localDeletionTimeMaxSeconds()) {
                LOG.info(
                        "table has times of a later format than the store writes, and goes on with that, table={},"
                                + " format={}, store={}",
                        schema().qualifiedName(),
                        theirs.text(),
                        version().text());
                rules = new WriteRules(schema(), theirs);
            }
        }
    }

    /** How often it was truncated while it was open. */
    public long truncations() {
        return truncations;
    }

    /** How many SSTables are live. */
    public int sstableCount() {
        return current.sstables().size();
    }

    /** Data of all live SSTables, uncompressed. */
    public long sstableBytes() {
        return current.sstables().stream()
                .mapToLong(sstable -> sstable.reader().dataLengthBytes())
                .sum();
    }

    /** Partitions of all live SSTables, one in several of them counted several times. */
    public long estimatedPartitionCount() {
        return current.sstables().stream()
                .mapToLong(sstable -> sstable.reader().statistics().estimatedPartitionCount())
                .sum();
    }

    /** The live SSTables as strategies see them, for those who only count: they are not held. */
    List<CompactionCandidate> candidates() {
        return current.candidates();
    }

    /** Whether what a set has is the table's data still, written since or not. */
    private boolean isCurrent(LiveSet set) {
        return !closed && set.schema() == schema() && set.truncations() == truncations;
    }

    private IllegalStateException closedFailure() {
        return new IllegalStateException("table is closed or dropped, table=" + schema().qualifiedName());
    }

    /**
     * The merge of everything in a range, as it is now: normalised, nothing purged. Whatever is written, flushed or compacted
     * behind this call does not change what the cursor sees. The caller closes it, and keeps memory and files until then.
     *
     * @param localDeletionTimeMaxSeconds rule 13's ceiling
     * @throws IllegalStateException when the table is closed, from the cursor too
     */
    public FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException {
        return reads.scan(acquire(), range, localDeletionTimeMaxSeconds);
    }

    /**
     * The merge of what a shard holds of a range, as it is now; otherwise as {@link #scan(TokenRange.Linear, long)}.
     *
     * @param after only partitions behind this key are read
     */
    public ReadCursor scan(int shard, TokenRange.Linear range, Optional<DecoratedKey> after) throws IOException {
        return reads.scan(acquire(), shard, range, after);
    }

    /** Which shard has which tokens. */
    public ShardRule shards() {
        return shards;
    }

    /**
     * The merge of what there is of one partition, as it is now; yields nothing when there is none.
     *
     * @param slices which rows; partition deletion and static row are there in any case
     * @param reversed whether rows come against clustering order
     */
    public ReadCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException {
        return reads.partition(acquire(), key, slices, reversed);
    }

    /** Those that are live now; for those who know that nobody changes them meanwhile. */
    List<LiveSSTable> sstables() {
        return current.sstables();
    }

    /** By shard; they may be switched at any moment. */
    List<LiveMemtable> activeMemtables() {
        return current.active();
    }

    boolean isFlushing(int shard) {
        return current.flushing().stream().anyMatch(memtable -> memtable.shard() == shard);
    }

    /**
     * A mutation as the table takes it now: by the schema that it has. On the log's thread.
     *
     * @throws CorruptItemException when it could not be applied once it is in the commit log
     */
    Mutation accept(Mutation mutation) throws CorruptItemException {
        return rules.accept(mutation);
    }

    // Writing: each shard's thread.

    void apply(int shard, Mutation mutation, CommitLogPosition reached) throws CorruptItemException {
        LiveMemtable active = current.active().get(shard);
        active.memtable().apply(mutation);
        active.reached(reached);
    }

    /**
     * Puts a new memtable in the place of one that holds something, which is to be flushed; or leaves an empty one. The caller
     * holds what it gets: the table may be truncated meanwhile.
     */
    Optional<LiveMemtable> switchMemtable(int shard) {
        synchronized (this) {
            LiveMemtable full = closed ? null : current.active().get(shard);
            if (full == null || full.memtable().isEmpty()) {
                return Optional.empty();
            }
            full.retainHeld();
            LiveMemtable empty = newMemtable(schema(), shard, full.reached());
            change(parts -> {
                List<LiveMemtable> active = new ArrayList<>(parts.active());
                active.set(shard, empty);
                List<LiveMemtable> flushing = new ArrayList<>(parts.flushing());
                flushing.add(full);
                return new Parts(active, flushing, parts.sstables());
            });
            empty.release();
            return Optional.of(full);
        }
    }

    // Changes.

    /**
     * Takes up a schema that the directory has already. All memtables are empty, and nothing is written meanwhile; cursors that
     * are open go on by the schema that they began with.
     */
    void alter(TableSchema altered) {
        synchronized (this) {
            assert current.flushing().isEmpty();
            rules = new WriteRules(altered, version());
            List<LiveMemtable> empty = new ArrayList<>();
            for (LiveMemtable memtable : current.active()) {
                assert memtable.memtable().isEmpty();
                empty.add(newMemtable(altered, memtable.shard(), memtable.reached()));
            }
            change(parts -> new Parts(empty, List.of(), parts.sstables()));
            empty.forEach(Counted::release);
        }
    }

    private static List<ListedSSTable> listed(List<LiveSSTable> sstables) {
        return sstables.stream()
                .map(sstable -> new ListedSSTable(sstable.descriptor().generation(), sstable.shard()))
                .toList();
    }

    private static List<String> generations(List<LiveSSTable> sstables) {
        return sstables.stream()
                .map(sstable -> sstable.descriptor().generation())
                .toList();
    }

    private void change(UnaryOperator<Parts> change) {
        assert Thread.holdsLock(this);
        LiveSet before = current;
        Parts parts = change.apply(new Parts(before.active(), before.flushing(), before.sstables()));
        current = new LiveSet(schema(), truncations, parts.active(), parts.flushing(), parts.sstables());
        before.release();
    }

    /**
     * A memtable has become an SSTable, or nothing when all of it had been shadowed. The caller has opened the SSTable and
     * releases it. A memtable that was truncated meanwhile is dropped with what was written of it; one that a truncation
     * spares waits for it, since what is flushed of the commit log is always a prefix.
     */
    void flushed(LiveMemtable memtable, Optional<LiveSSTable> written) throws IOException {
        Truncation underWay = truncation;
        if (underWay != null && underWay.spares(memtable)) {
            Undisturbed.join(underWay.done());
        }
        synchronized (this) {
            boolean wanted =
                    !released && directory.content().flushed(memtable.shard()).compareTo(memtable.reached()) < 0;
            if (wanted) {
                directory.update(
                        content -> content.withSSTables(listed(written.stream().toList()), List.of())
                                .withFlushed(memtable.shard(), memtable.reached()));
            } else {
                written.ifPresent(LiveSSTable::becomeObsolete);
            }
            if (!released) {
                replaceFlushed(memtable, wanted ? written.stream().toList() : List.of());
            }
        }
    }

    /**
     * The same of a memtable that was filled from the commit log: how much of that is flushed is for the caller to say, who
     * releases the SSTable here, too.
     */
    void recovered(LiveMemtable memtable, Optional<LiveSSTable> written) throws IOException {
        synchronized (this) {
            List<LiveSSTable> arrived = written.stream().toList();
            directory.update(content -> content.withSSTables(listed(arrived), List.of()));
            reachAsFarAs(arrived);
            replaceFlushed(memtable, arrived);
        }
        memtable.linger();
    }

    private void replaceFlushed(LiveMemtable memtable, List<LiveSSTable> written) {
        change(parts -> {
            List<LiveMemtable> flushing = new ArrayList<>(parts.flushing());
            flushing.remove(memtable);
            List<LiveSSTable> sstables = new ArrayList<>(parts.sstables());
            sstables.addAll(written);
            return new Parts(parts.active(), flushing, sstables);
        });
    }

    /**
     * SSTables have been rewritten. The caller has opened the new ones and releases them.
     *
     * @return whether they took the place of the old ones; not when those are gone meanwhile, by truncation
     */
    boolean compacted(List<LiveSSTable> inputs, List<LiveSSTable> outputs) throws IOException {
        boolean wanted;
        synchronized (this) {
            wanted = !released && current.sstables().containsAll(inputs);
            if (wanted) {
                directory.update(content -> content.withSSTables(listed(outputs), generations(inputs)));
                inputs.forEach(LiveSSTable::becomeObsolete);
                Set<LiveSSTable> gone = new HashSet<>(inputs);
                change(parts -> {
                    List<LiveSSTable> sstables = new ArrayList<>(parts.sstables());
                    sstables.removeIf(gone::contains);
                    sstables.addAll(outputs);
                    return new Parts(parts.active(), parts.flushing(), sstables);
                });
            } else {
                outputs.forEach(LiveSSTable::becomeObsolete);
            }
        }
        return wanted;
    }

    /** Foreign SSTables have come, by their own names here. The caller has opened them and releases them. */
    void imported(List<LiveSSTable> arrived) throws IOException {
        synchronized (this) {
            if (closed) {
                throw closedFailure();
            }
            directory.update(content -> content.withSSTables(listed(arrived), List.of()));
            reachAsFarAs(arrived);
            change(parts -> {
                List<LiveSSTable> sstables = new ArrayList<>(parts.sstables());
                sstables.addAll(arrived);
                return new Parts(parts.active(), parts.flushing(), sstables);
            });
        }
    }

    /**
     * Begins a truncation. Until it ends nothing changes for readers; each shard's memtable is to be switched before anything
     * that was written later comes to it.
     *
     * @param upTo what goes
     * @param micros when, by the clock that stamps writes
     */
    void beginTruncation(CommitLogPosition upTo, long micros) {
        truncation = new Truncation(upTo, micros, new CompletableFuture<>());
    }

    /** All that the truncation is about goes at once: for readers, and on the disk. When it fails so does every later flush. */
    void endTruncation() throws IOException {
        Truncation underWay = truncation;
        try {
            truncate(underWay);
            truncation = null;
            underWay.done().complete(null);
        } catch (IOException | RuntimeException | Error e) {
            underWay.done().completeExceptionally(e);
            throw e;
        }
    }

    private void truncate(Truncation underWay) throws IOException {
        synchronized (this) {
            LiveSet before = current;
            directory.update(content -> content.truncated(underWay.upTo(), underWay.micros()));
            truncations++;
            before.sstables().forEach(LiveSSTable::becomeObsolete);
            List<LiveMemtable> spared =
                    before.flushing().stream().filter(underWay::spares).toList();
            before.flushing().stream()
                    .filter(memtable -> !underWay.spares(memtable))
                    .forEach(LiveMemtable::linger);
            change(parts -> new Parts(parts.active(), spared, List.of()));
        }
    }

    /** Nobody reads it, writes to it or has it flushed any more; what is under way goes on. May be taken back. */
    void refuse(boolean refused) {
        closed = refused;
    }

    /** No more use of it: cursors fail at their next step, and what they hold goes when they are closed. */
    void close() {
        closed = true;
        synchronized (this) {
            if (!released) {
                released = true;
                current.active().forEach(LiveMemtable::linger);
                current.release();
            }
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** The least timestamp of all that it holds, {@link Long#MAX_VALUE} if that is nothing. */
    public long minTimestampMicros() {
        LiveSet set = acquire();
        try {
            return set.minTimestampMicros();
        } finally {
            set.release();
        }
    }

    /**
     * The least timestamp of what may hold a key and is not being compacted: what was deleted later than that may be needed
     * still.
     */
    long minTimestampMicros(KeyView key, Set<LiveSSTable> compacting) {
        LiveSet set = acquire();
        try {
            return set.minTimestampMicros(key, shards.shardOf(key.token()), compacting);
        } catch (IOException e) {
            // What cannot be asked may have anything.
            return Long.MIN_VALUE;
        } finally {
            set.release();
        }
    }
}
