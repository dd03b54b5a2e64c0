package io.anneal.store;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.MutationLimit;
import io.anneal.key.DecoratedKey;
import io.anneal.key.ShardRule;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.directory.TableSource;
import io.anneal.table.Engine;
import io.anneal.table.HeldSSTables;
import io.anneal.table.LiveTable;
import io.anneal.table.ReadCursor;
import io.anneal.table.Reads;
import io.anneal.table.StoreSnapshots;
import io.anneal.table.Undisturbed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table of an open {@link Store}. Any thread; reads take no lock and see what was acknowledged before they began. After the
 * store is closed or the table dropped every call throws an {@link IllegalStateException}, and so does the next step of an
 * open cursor.
 *
 * <pre>{@code
 * table.row().key("id", 7).set("name", "Ada").insert();
 * Optional<TableRow> row = table.row(Map.of("id", 7));
 * }</pre>
 */
public final class Table implements ShardReads {
    private static final Logger LOG = LoggerFactory.getLogger(Table.class);

    /** What a store that can be written to has behind a table. */
    private record Live(Engine engine, LiveTable table) implements RowSource, MutationSink {
        @Override
        public TableSchema schema() {
            return table.schema();
        }

        @Override
        public FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException {
            engine.requireOpen();
            return table.scan(range, localDeletionTimeMaxSeconds);
        }

        @Override
        public ShardRule shards() {
            return table.shards();
        }

        @Override
        public ReadCursor scan(int shard, TokenRange.Linear range, Optional<DecoratedKey> after) throws IOException {
            engine.requireOpen();
            return table.scan(shard, range, after);
        }

        @Override
        public ReadCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException {
            engine.requireOpen();
            return table.read(key, slices, reversed);
        }

        @Override
        public void apply(Mutation mutation) throws IOException {
            engine.apply(table, mutation);
        }

        @Override
        public CompletableFuture<Void> applyAsync(Mutation mutation) {
            return engine.applyAsync(table, mutation);
        }

        @Override
        public MutationLimit mutationLimit() {
            return engine.mutationLimit();
        }

        @Override
        public long nextTimestampMicros() {
            return engine.nextTimestampMicros();
        }

        @Override
        public long nowSeconds() {
            return engine.environment().clock().instant().getEpochSecond();
        }
    }

    private final RowSource source;
    private final RowReads reads;
    private final InstantSource clock;
    /** Empty when the store is read-only. */
    private final Optional<Live> live;

    private Table(RowSource source, InstantSource clock, Optional<Live> live) {
        this.source = source;
        this.reads = new RowReads(source);
        this.clock = clock;
        this.live = live;
    }

    static Table of(Engine engine, LiveTable table) {
        Live live = new Live(engine, table);
        return new Table(live, engine.environment().clock(), Optional.of(live));
    }

    static Table readOnly(RowSource source, InstantSource clock) {
        return new Table(source, clock, Optional.empty());
    }

    @Override
    public TableSchema schema() {
        return source.schema();
    }

    /** {@inheritDoc} Of a store that is read-only everything is one shard. */
    @Override
    public ShardRule shards() {
        return source.shards();
    }

    private Live live() {
        Live writable = live.orElseThrow(
                () -> new UnsupportedOperationException("store is read-only, table=" + schema().qualifiedName()));
        writable.engine().requireOpen();
        return writable;
    }

    // Writing.

    /** Begins a write to a row, applied when it ends: the call that ends it returns once it is acknowledged. */
    public RowBuilder row() {
        return TableMutation.row(schema(), live());
    }

    /** Begins the deletion of a range of rows, applied when it ends. */
    public RangeDeletionBuilder rangeDeletion() {
        return TableMutation.rangeDeletion(schema(), live());
    }

    /** Collects several writes to one partition, which become visible and lasting together. */
    public TableMutation mutation() {
        return new TableMutation(schema(), live());
    }

    /**
     * Applies a mutation; returns once it lasts as the store's sync mode says, and is visible. A large one is kept, not copied.
     *
     * @throws IllegalArgumentException when it does not fit the table, or is larger than {@link
     *     io.anneal.table.StoreConfig#withMutationMaxBytes} allows: nothing is written
     * @throws io.anneal.io.StorageException when the disk failed: whether this mutation lasts is not known
     * @throws java.io.InterruptedIOException when the thread is interrupted: says whether that was before anything was done, or
     *     whether the mutation lasts is not known
     */
    public void apply(Mutation mutation) throws IOException {
        Objects.requireNonNull(mutation, "mutation");
        live().apply(mutation);
    }

    /**
     * The same without waiting for the disk; waits where memory for writes is used up.
     *
     * @return completed on the thread for callbacks, or by {@link io.anneal.environment.HostEnvironment#withCallbacks the executor
     *     given for them}; what depends on it may use the store, but one that blocks holds up other callbacks,
     *     and one that waits for another future of the store waits for itself on that thread
     */
    public CompletableFuture<Void> applyAsync(Mutation mutation) {
        Objects.requireNonNull(mutation, "mutation");
        return live().applyAsync(mutation);
    }

    // Reading.

    /** All rows, as they are when the first is asked for. The caller closes them. */
    public TableRows rows() {
        return rows(TokenRange.FULL);
    }

    /** The rows of a range, as they are when the first is asked for. The caller closes them. */
    public TableRows rows(TokenRange range) {
        Objects.requireNonNull(range, "range");
        return reads.rows(range, nowSeconds());
    }

    /**
     * The rows of a partition, as they are when the first is asked for. The caller closes them.
     *
     * @param keyValues of the partition key's columns, in order
     */
    public TableRows partition(Object... keyValues) {
        return partition(RowRange.ALL, keyValues);
    }

    /** Some rows of a partition, as {@link RowRange} says. The caller closes them. */
    public TableRows partition(RowRange range, Object... keyValues) {
        Objects.requireNonNull(range, "range");
        Objects.requireNonNull(keyValues, "keyValues");
        return reads.partition(range, nowSeconds(), keyValues);
    }

    /** The row of a primary key, by column names; with the partition key alone the partition's static values. */
    public Optional<TableRow> row(Map<String, ?> primaryKey) throws IOException {
        Objects.requireNonNull(primaryKey, "primaryKey");
        return reads.row(primaryKey, nowSeconds());
    }

    /**
     * The rows of many primary keys, each as {@link #row} gives it, read at once by the store's threads for reading and this one.
     *
     * @return in the order of the keys
     * @throws IOException when a read fails: names its key
     * @throws IllegalArgumentException when a key is none, before anything is read
     */
    public List<Optional<TableRow>> rows(List<? extends Map<String, ?>> primaryKeys) throws IOException {
        Objects.requireNonNull(primaryKeys, "primaryKeys");
        return all(reads.rowTasks(primaryKeys, nowSeconds()));
    }

    /**
     * The same without waiting. Cancelling the future gives up reads that have not begun.
     *
     * @return completed by a thread of the store: what depends on it must not wait for other asynchronous reads there
     */
    public CompletableFuture<List<Optional<TableRow>>> rowsAsync(List<? extends Map<String, ?>> primaryKeys) {
        Objects.requireNonNull(primaryKeys, "primaryKeys");
        return live().engine().readAllAsync(reads.rowTasks(primaryKeys, nowSeconds()));
    }

    /** As {@link #row}, without waiting; otherwise as {@link #rowsAsync}. */
    public CompletableFuture<Optional<TableRow>> rowAsync(Map<String, ?> primaryKey) {
        Objects.requireNonNull(primaryKey, "primaryKey");
        CompletableFuture<List<Optional<TableRow>>> reading = rowsAsync(List.of(primaryKey));
        CompletableFuture<Optional<TableRow>> row = reading.thenApply(rows -> rows.get(0));
        // Giving up the one gives up the other.
        row.whenComplete((read, failure) -> reading.cancel(false));
        return row;
    }

    /**
     * Rows of many partitions, each as {@link #partition} gives them, read as {@link #rows(List)} reads. All are held in memory:
     * bound them by {@link RowRange#limit}.
     *
     * @param keys of each partition the values of the key's columns, in order
     * @return in the order of the keys; no rows where there is no partition
     */
    public List<List<TableRow>> partitions(RowRange range, List<? extends List<?>> keys) throws IOException {
        Objects.requireNonNull(range, "range");
        Objects.requireNonNull(keys, "keys");
        return all(reads.partitionTasks(range, keys, nowSeconds()));
    }

    /** The same without waiting, as {@link #rowsAsync}. */
    public CompletableFuture<List<List<TableRow>>> partitionsAsync(RowRange range, List<? extends List<?>> keys) {
        Objects.requireNonNull(range, "range");
        Objects.requireNonNull(keys, "keys");
        return live().engine().readAllAsync(reads.partitionTasks(range, keys, nowSeconds()));
    }

    /** A store that is read-only has no threads: the caller's reads. */
    private <V> List<V> all(List<Reads.Task<V>> tasks) throws IOException {
        return live.isPresent() ? live().engine().readAll(tasks) : RowReads.inTurn(tasks);
    }

    private long nowSeconds() {
        return clock.instant().getEpochSecond();
    }

    /**
     * Everything in a range as fragments: merged, deletions with it, nothing purged, as it is now. The caller closes the cursor,
     * which keeps files and memory until then.
     */
    public FragmentCursor scan(TokenRange.Linear range) throws IOException {
        Objects.requireNonNull(range, "range");
        return source.scan(range);
    }

    /**
     * The same with local deletion times clamped, as a comparison with another replica needs it.
     *
     * @param localDeletionTimeMaxSeconds the latest that all of them can hold
     */
    public FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException {
        Objects.requireNonNull(range, "range");
        return source.scan(range, localDeletionTimeMaxSeconds);
    }

    @Override
    public ReadCursor scan(int shard, TokenRange.Linear range, Optional<DecoratedKey> after) throws IOException {
        Objects.requireNonNull(range, "range");
        Objects.requireNonNull(after, "after");
        return source.scan(shard, range, after);
    }

    @Override
    public ReadCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(slices, "slices");
        return source.read(key, slices, reversed);
    }

    // Care.

    /** Writes everything in memory to SSTables. */
    public void flush() throws IOException {
        live().engine().flush(List.of(live().table()));
    }

    /** The same without waiting; completed as {@link #applyAsync} says. */
    public CompletableFuture<Void> flushAsync() {
        return live().engine().flushAsync(live().table());
    }

    /** Rewrites all SSTables of the table, each shard's to one, or to what the table's strategy takes for the same. */
    public void compact() throws IOException {
        live().engine().compact(live().table());
    }

    /** The same without waiting; completed as {@link #applyAsync} says. */
    public CompletableFuture<Void> compactAsync() {
        return live().engine().compactAsync(live().table());
    }

    /**
     * Keeps the table as it is now: flushes, and links its SSTables below {@code snapshots/}, as Cassandra does.
     *
     * @param name of a directory that is not there yet
     * @return the directory, which {@code nodetool import} and {@link Store#openReadOnly} take
     */
    public Path snapshot(String name) throws IOException {
        Objects.requireNonNull(name, "name");
        return live().engine().snapshot(live().table(), name);
    }

    /** The table's snapshots by name, whether they are of this table alone or of all. */
    public List<StoreSnapshot> snapshots() throws IOException {
        return StoreSnapshot.of(snapshotEntries());
    }

    private List<StoreSnapshots.Entry> snapshotEntries() throws IOException {
        Path directory = live().table().directory().directory();
        return live().engine().snapshots().stream()
                .filter(entry -> entry.tableDirectory().equals(directory))
                .toList();
    }

    /**
     * Deletes a snapshot of this table; other tables keep theirs.
     *
     * @throws IllegalArgumentException when there is none of this name
     */
    public void deleteSnapshot(String name) throws IOException {
        Objects.requireNonNull(name, "name");
        StoreSnapshots.Entry named = snapshotEntries().stream()
                .filter(entry -> entry.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "table has no such snapshot, table=" + schema().qualifiedName() + ", name=" + name));
        live().engine().deleteSnapshots(List.of(named));
    }

    /**
     * Takes in the SSTables of a directory, or those whose components are named: verified, then linked or copied, all or none.
     * Data that was deleted here long ago, so that the deletion is purged, comes back with them. A snapshot that is older than
     * gc_grace makes the table {@linkplain #staleSince() stale}.
     *
     * @return how many
     * @throws io.anneal.sstable.CorruptSSTableException when one is wrong
     * @throws io.anneal.io.UnsupportedVersionException when one is of a version that is not read, as those of Cassandra 2.x
     * @throws io.anneal.schema.SchemaException when one is right but does not fit the table, as when this lacks a column
     * @throws IllegalStateException when the directory is that of a store that is open, or has writes that no SSTable has
     */
    public int importSSTables(Path... files) throws IOException {
        Objects.requireNonNull(files, "files");
        Undisturbed.requireUninterrupted();
        String name = schema().qualifiedName();
        if (files.length == 0) {
            throw new IllegalArgumentException("no SSTables are named, table=" + name);
        }
        TableSource source = Undisturbed.call(
                live().engine().environment(), "import", () -> TableSource.of(List.of(files), Optional.empty()));
        source.schemaText()
                .map(TableSchema::qualifiedName)
                .filter(described -> !described.equals(name))
                .ifPresent(described -> LOG.warn(
                        "imported SSTables are of another table, table={}, described={}, files={}",
                        name,
                        described,
                        List.of(files)));
        List<Descriptor> foreign = source.descriptors();
        live().engine()
                .importSSTables(live().table(), foreign, source.directories().snapshotTaken());
        return foreign.size();
    }

    /** Forgets all that was written before. Snapshots stay. */
    public void truncate() throws IOException {
        live().engine().truncate(live().table());
    }

    /** Whether it can be read: until it is dropped, or the store is closed. */
    public boolean isOpen() {
        return live.map(writable -> writable.table().isOpen()).orElse(true);
    }

    /** Which SSTables it writes. */
    public SSTableVersion writtenVersion() {
        return live().table().version();
    }

    /** How many SSTables are live. */
    public int sstableCount() {
        return live().table().sstableCount();
    }

    /** Data of all live SSTables, uncompressed. */
    public long sstableBytes() {
        return live().table().sstableBytes();
    }

    /**
     * Flushes, and pins the files of all live SSTables; what is written while they are open is not among them. The caller closes
     * them: the store keeps them until then.
     */
    public LiveFiles liveFiles() throws IOException {
        return liveFiles(tokens -> true);
    }

    /** The same of those that are wanted, by their first and last token. */
    public LiveFiles liveFiles(Predicate<TokenRange.Linear> wanted) throws IOException {
        Objects.requireNonNull(wanted, "wanted");
        flush();
        live().engine().requireOpen();
        LiveTable table = live().table();
        HeldSSTables held = table.hold();
        return LiveFiles.of(held.schema(), held.readers(), wanted, Optional.of(table::requireOpen), held);
    }

    /**
     * Takes rows from elsewhere that are there for readers all at once, or never: for whoever has many, in ring order. Unlike
     * {@link #importSSTables} it writes the SSTables itself. What was deleted here long ago, so that the deletion is purged,
     * comes back with them.
     */
    public TableIntake intake() {
        return TableIntake.of(live().engine(), live().table());
    }

    /**
     * The same, but what it received is kept when it ends early, also by a crash, and the next intake of this name goes on with
     * it. A truncation ends it.
     *
     * @param untilSeconds when an opening of the store removes what was kept, seconds since 1970
     */
    public TableIntake keptIntake(String name, long untilSeconds) throws IOException {
        Objects.requireNonNull(name, "name");
        return TableIntake.kept(live().engine(), live().table(), name, untilSeconds);
    }

    /**
     * Ranges were repaired as a whole: deletions made before may be purged by tables whose {@code tombstone_gc} is {@code repair}.
     */
    public void repaired(List<TokenRange> ranges, long seconds) throws IOException {
        Objects.requireNonNull(ranges, "ranges");
        live().engine().repaired(live().table(), ranges, seconds);
    }

    /**
     * Until when it knew of what was deleted on other replicas, if the store was closed afterwards for longer than gc_grace, or a
     * snapshot of then was imported: rows of it may have been deleted of which no replica knows any more. Empty once it was truncated, or repaired as a whole.
     */
    public Optional<Instant> staleSince() {
        OptionalLong seconds = live().table().directory().content().staleSeconds();
        return seconds.isPresent() ? Optional.of(Instant.ofEpochSecond(seconds.getAsLong())) : Optional.empty();
    }

    /**
     * From when the data of some ranges dates: empty when it is as it is now. It is not if the table is {@linkplain #staleSince()
     * stale}, or the store was opened {@linkplain io.anneal.table.StoreConfig#isForRepairs for repairs}; then it dates from when its
     * program last had it open, or from the last repair of all these ranges among all replicas.
     */
    public Optional<Instant> asOf(List<TokenRange> ranges) {
        Objects.requireNonNull(ranges, "ranges");
        OptionalLong seconds = live().table().directory().content().asOfSeconds(ranges);
        return seconds.isPresent() ? Optional.of(Instant.ofEpochSecond(seconds.getAsLong())) : Optional.empty();
    }

    /** When it was truncated last, by the clock that stamps its writes, in microseconds since 1970; empty if it never was. */
    public OptionalLong truncatedMicros() {
        return live().table().directory().content().truncatedMicros();
    }

    /** The earliest write time of all that it holds, deletions too, in microseconds since 1970; {@link Long#MAX_VALUE} if that is nothing. */
    public long oldestWriteMicros() {
        return live().table().minTimestampMicros();
    }

    Engine engine() {
        return live().engine();
    }

    MutationSink sink() {
        return live();
    }

    LiveTable liveTable() {
        return live().table();
    }
}
