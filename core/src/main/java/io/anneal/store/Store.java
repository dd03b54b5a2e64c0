package io.anneal.store;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableAlteration;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.directory.CorruptStoreException;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.StoreDirectory;
import io.anneal.store.directory.StoreFile;
import io.anneal.store.directory.StoreLock;
import io.anneal.table.Engine;
import io.anneal.table.LiveTable;
import io.anneal.table.SSTableFormats;
import io.anneal.table.StoreConfig;
import io.anneal.table.StoreSnapshots;
import io.anneal.table.StoreWait;
import io.anneal.table.Undisturbed;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;

/**
 * An embedded store: tables in a directory, laid out as Cassandra lays them out, that survive any crash. A write that was
 * acknowledged is there when the store is opened again, by default even after a loss of power. One process at a time. Any
 * thread.
 *
 * <pre>{@code
 * try (Store store = Store.open(Path.of("data"))) {
 *     Table people = store.createTable("CREATE TABLE IF NOT EXISTS app.people (id int PRIMARY KEY, name text)");
 *     people.row().key("id", 7).set("name", "Ada").insert();
 * }
 * }</pre>
 *
 * <p>When the disk fails, the store takes no more writes, says why ({@link #failure()}), and goes on reading: what is on a disk
 * after a failed sync nobody knows before the store is opened again.
 */
public final class Store implements Closeable {
    private static final SSTableFormats FORMATS = new SSTableFormats() {
        @Override
        public SSTableReader open(Descriptor descriptor) throws IOException {
            return Formats.open(descriptor);
        }

        @Override
        public void requireWritable(TableOptions options) {
            Formats.requireWritable(options);
        }

        @Override
        public FragmentWriter write(Path directory, String generation, TableSchema schema, SSTableWriterConfig config)
                throws IOException {
            return Formats.write(directory, generation, schema, config);
        }
    };

    private final Path directory;
    private final HostEnvironment environment;
    /** Closed with the store: its lock, or the tables that are only read. */
    private final Closeable held;
    /** Empty when the store is read-only. */
    private final Optional<Engine> engine;

    private final Optional<ReadOnlyTables> foreign;

    private Store(
            Path directory,
            HostEnvironment environment,
            Closeable held,
            Optional<Engine> engine,
            Optional<ReadOnlyTables> foreign) {
        this.directory = directory;
        this.environment = environment;
        this.held = held;
        this.engine = engine;
        this.foreign = foreign;
    }

    /** Opens the store of a directory, or makes one there, with {@link StoreConfig#defaults()}. */
    public static Store open(Path directory) throws IOException {
        return open(directory, StoreConfig.defaults());
    }

    /** Opens the store of a directory, or makes one there. */
    public static Store open(Path directory, StoreConfig config) throws IOException {
        return open(directory, config, HostEnvironment.system());
    }

    /**
     * Opens the store of a directory, or makes one there: replays its commit log, so that all that was acknowledged is there. A
     * table that cannot be opened keeps nobody from the others: it is among the {@link #unreadable()}.
     *
     * @throws IllegalStateException when another process, or this one, has it open: names the process
     * @throws InterruptedIOException when this thread is interrupted already: nothing is opened; later it is opened all the same
     * @throws CorruptStoreException when the directory's own files are wrong
     * @throws io.anneal.commitlog.CorruptCommitLogException when acknowledged writes cannot be read
     */
    public static Store open(Path directory, StoreConfig config, HostEnvironment environment) throws IOException {
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(environment, "environment");
        Undisturbed.requireUninterrupted();
        // Names of files are compared, and those that a directory lists begin as its own does.
        Path absolute = directory.toAbsolutePath();
        return Undisturbed.call(environment, "open", () -> openHere(absolute, config, environment));
    }

    private static Store openHere(Path directory, StoreConfig config, HostEnvironment environment) throws IOException {
        try {
            return openLocked(directory, config, environment);
        } catch (IOException e) {
            StorageException.failedSync(e)
                    .ifPresent(failure -> StoreDirectory.failedSync(directory)
                            .write(failure, environment.clock().instant()));
            throw e;
        }
    }

    private static Store openLocked(Path directory, StoreConfig config, HostEnvironment environment)
            throws IOException {
        Optional<Instant> lastOpen = StoreLock.lastOpen(directory);
        Closeable lock = StoreLock.take(directory, environment.clock());
        boolean opened = false;
        try {
            StoreFile file = storeFile(directory, environment);
            Engine engine = Engine.open(
                    directory,
                    lastOpen,
                    new ShardRule(config.shardCount(), file.ignoredBits()),
                    config,
                    environment,
                    FORMATS);
            Store store = new Store(directory, environment, lock, Optional.of(engine), Optional.empty());
            opened = true;
            return store;
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    /**
     * Opens directories of Cassandra's, snapshots, or a store that is closed, as a store that is only read: data directories,
     * those of keyspaces or tables, several of them as one node's. Nothing is written there. A table that cannot be opened is
     * among the {@link #unreadable()} ones. Whatever writes throws an {@link UnsupportedOperationException}.
     *
     * @throws IllegalStateException when a directory is that of a store that is open, or whose commit log holds writes that no
     *     SSTable has: a snapshot of it may be read
     */
    public static Store openReadOnly(Path... directories) throws IOException {
        Objects.requireNonNull(directories, "directories");
        return openReadOnly(List.of(directories), HostEnvironment.system());
    }

    /** The same at a time of one's own. */
    public static Store openReadOnly(List<Path> directories, HostEnvironment environment) throws IOException {
        Objects.requireNonNull(directories, "directories");
        Objects.requireNonNull(environment, "environment");
        if (directories.isEmpty()) {
            throw new IllegalArgumentException("no directory is given to be read");
        }
        ReadOnlyTables tables = ReadOnlyTables.open(directories);
        return new Store(directories.get(0), environment, tables, Optional.empty(), Optional.of(tables));
    }

    private Engine engine() {
        return engine.orElseThrow(
                () -> new UnsupportedOperationException("store is read-only, directory=" + directory));
    }

    private static StoreFile storeFile(Path directory, HostEnvironment environment) throws IOException {
        Optional<StoreFile> there = StoreFile.read(directory);
        if (there.isPresent()) {
            return there.get();
        }
        StoreFile made = new StoreFile(ShardRule.IGNORED_BITS_DEFAULT, environment.newId());
        made.create(directory, OutputFile.CREATE_NEW);
        return made;
    }

    /** Where it lies; of a store that is read-only the first directory. */
    public Path directory() {
        return directory;
    }

    /** The time that it writes and purges by. */
    public InstantSource clock() {
        return environment.clock();
    }

    /**
     * Makes a table from {@code CREATE TABLE} text, with the {@code CREATE TYPE}s that it needs. What else a schema's text may
     * hold, as keyspaces and indexes, is passed over. Where the text says {@code IF NOT EXISTS}, a table of that name is taken
     * as it is.
     *
     * @throws SchemaException when the text is wrong, describes no table or several, or one that a store cannot hold
     * @throws io.anneal.schema.UnsupportedTypeException when a type in it cannot be handled
     * @throws IllegalStateException when there is a table of that name
     */
    public Table createTable(String cql) throws IOException {
        Objects.requireNonNull(cql, "cql");
        CqlSchema text = CqlSchema.parse(cql, "text");
        TableSchema described = TableRules.only(text);
        synchronized (this) {
            Optional<Table> there = findTable(described.qualifiedName());
            return there.isPresent() && text.saysIfNotExists(described) ? there.get() : createTable(described);
        }
    }

    /**
     * Makes a table; one without an id gets one, one that knows nothing of gc grace Cassandra's.
     *
     * @throws SchemaException when a store cannot hold it: it says why
     * @throws IllegalStateException when there is a table of that name
     */
    public Table createTable(TableSchema schema) throws IOException {
        Objects.requireNonNull(schema, "schema");
        TableSchema accepted = TableRules.accepted(schema);
        synchronized (this) {
            if (find(schema.qualifiedName()).isPresent()) {
                throw new IllegalStateException("table exists already, table=" + schema.qualifiedName());
            }
            TableSchema identified = accepted.id().isPresent()
                    ? accepted
                    : accepted.withId(environment.newId().toString());
            return Table.of(engine(), engine().createTable(identified));
        }
    }

    /**
     * Changes a table by {@code ALTER TABLE} text: one statement, with the {@code CREATE TYPE}s that its new columns need. The
     * same as {@link #alterTable(TableAlteration)}. Where the text says {@code IF EXISTS}, a missing table is left alone.
     *
     * @throws SchemaException when the text is wrong, or the change is not allowed: it says why, and nothing is changed
     * @throws io.anneal.schema.UnsupportedTypeException when a type in it cannot be handled
     * @throws IllegalArgumentException when there is no such table
     */
    public void alterTable(String cql) throws IOException {
        Objects.requireNonNull(cql, "cql");
        alterTable(TableAlteration.parse(cql));
    }

    /**
     * Changes a table. Writes to it wait meanwhile, for as long as it takes to flush it; reads that have begun go on as they
     * began. Each {@link Table} follows. After a crash the table has the old schema or the new one. A mutation that was built
     * before keeps its meaning, and is refused if it writes to a column that was dropped.
     *
     * @throws SchemaException when the change is not allowed: it says why, and nothing is changed
     * @throws io.anneal.schema.UnsupportedTypeException when a type in it cannot be handled
     * @throws IllegalArgumentException when there is no such table
     */
    public void alterTable(TableAlteration alteration) throws IOException {
        Objects.requireNonNull(alteration, "alteration");
        Engine opened = engine();
        synchronized (this) {
            if (alteration.saysIfExists() && find(alteration.qualifiedName()).isEmpty()) {
                return;
            }
            opened.alterTable(
                    table(alteration.qualifiedName()).liveTable(),
                    schema -> TableRules.accepted(alteration.applyTo(schema, opened.nextTimestampMicros())));
        }
    }

    /**
     * A table by its name.
     *
     * @param qualifiedName keyspace, dot, table
     * @throws IllegalArgumentException when there is none: names those that there are
     * @throws IllegalStateException when it is one of the {@link #unreadable()}
     */
    public Table table(String qualifiedName) {
        Objects.requireNonNull(qualifiedName, "qualifiedName");
        return findTable(qualifiedName)
                .orElseThrow(() -> new IllegalArgumentException("store has no such table, table=" + qualifiedName
                        + ", tables="
                        + tables().stream()
                                .map(table -> table.schema().qualifiedName())
                                .toList()));
    }

    /** A table by its name, if there is one. */
    public Optional<Table> findTable(String qualifiedName) {
        Objects.requireNonNull(qualifiedName, "qualifiedName");
        if (foreign.isEmpty()) {
            return find(qualifiedName).map(table -> Table.of(engine(), table));
        }
        requireReadable(qualifiedName);
        return Optional.ofNullable(foreign.get().readable().get(qualifiedName)).map(this::readOnly);
    }

    private Table readOnly(RowSource source) {
        return Table.readOnly(source, environment.clock());
    }

    private void requireReadable(String qualifiedName) {
        Exception reason = unreadable().get(qualifiedName);
        if (reason != null) {
            throw new IllegalStateException(
                    "table cannot be read, table=" + qualifiedName + ", reason=" + reason.getMessage(), reason);
        }
    }

    private Optional<LiveTable> find(String qualifiedName) {
        engine().requireOpen();
        requireReadable(qualifiedName);
        return engine().table(qualifiedName);
    }

    /** All tables, by name. */
    public List<Table> tables() {
        if (foreign.isPresent()) {
            return foreign.get().readable().values().stream()
                    .map(this::readOnly)
                    .toList();
        }
        return engine().tables().stream()
                .sorted(Comparator.comparing(table -> table.schema().qualifiedName()))
                .map(table -> Table.of(engine(), table))
                .toList();
    }

    /**
     * Tables that were found and cannot be opened, by name, and why. Their files stay as they are, and so does their part of the
     * commit log: once the files are mended, the next opening has all that was acknowledged.
     */
    public Map<String, Exception> unreadable() {
        return foreign.map(ReadOnlyTables::unreadable).orElseGet(() -> engine().unreadable());
    }

    /** Forgets a table with its data, also one that is among the {@link #unreadable()}; snapshots stay. Open cursors fail at their next step. */
    public void dropTable(String qualifiedName) throws IOException {
        Objects.requireNonNull(qualifiedName, "qualifiedName");
        synchronized (this) {
            if (engine().unreadable().containsKey(qualifiedName)) {
                engine().dropUnreadable(qualifiedName);
            } else {
                engine().dropTable(table(qualifiedName).liveTable());
            }
        }
    }

    /** Collects writes to several partitions or tables, which last together. */
    public StoreBatch batch() {
        engine().requireOpen();
        return new StoreBatch(engine());
    }

    /** Writes everything in memory to SSTables. */
    public void flush() throws IOException {
        engine().flush(engine().tables());
    }

    /** Compacts all tables. */
    public void compact() throws IOException {
        for (Table table : tables()) {
            table.compact();
        }
    }

    /**
     * Takes a snapshot of every table: of all or of none, even when the process ends meanwhile. Each table is kept as it is at
     * some moment of this call, after what was acknowledged before it. Those that are {@link #unreadable()} have none.
     *
     * @param name letters, digits and {@code _.+:-}, at most 247
     * @return the directories
     * @throws IllegalStateException when a table, or one that was dropped, has a snapshot of this name
     */
    public synchronized List<Path> snapshot(String name) throws IOException {
        Objects.requireNonNull(name, "name");
        Engine opened = engine();
        List<LiveTable> tables = tables().stream().map(Table::liveTable).toList();
        return tables.isEmpty() ? List.of() : opened.snapshot(tables, name);
    }

    /** The snapshots that there are by name, of dropped tables too. */
    public synchronized List<StoreSnapshot> snapshots() throws IOException {
        return StoreSnapshot.of(engine().snapshots());
    }

    /**
     * Deletes a snapshot of whatever tables have one of this name, dropped ones too.
     *
     * @throws IllegalArgumentException when there is none: names those that there are
     */
    public synchronized void deleteSnapshot(String name) throws IOException {
        Objects.requireNonNull(name, "name");
        Engine opened = engine();
        List<StoreSnapshots.Entry> there = opened.snapshots();
        List<StoreSnapshots.Entry> named =
                there.stream().filter(entry -> entry.name().equals(name)).toList();
        if (named.isEmpty()) {
            throw new IllegalArgumentException("store has no such snapshot, name=" + name + ", snapshots="
                    + there.stream()
                            .map(StoreSnapshots.Entry::name)
                            .distinct()
                            .sorted()
                            .toList());
        }
        opened.deleteSnapshots(named);
    }

    /**
     * What the store does, as numbers by name: {@code docs/metrics.md} has the names and what to watch. With {@link
     * StoreConfig#isJmx()} the same are MBeans. Empty when the store is read-only.
     */
    public SortedMap<String, Number> metrics() {
        return engine.map(Engine::metrics).orElseGet(Collections::emptySortedMap);
    }

    /** The same in Prometheus' text format; each name has the store's directory and the table as labels. */
    public String metricsText() {
        return engine.map(Engine::metricsText).orElse("");
    }

    /** Why the store takes no writes any more; empty while it takes them. */
    public Optional<StorageException> failure() {
        return engine.flatMap(opened -> Optional.ofNullable(opened.failure()));
    }

    /**
     * When a sync of this store failed, in which file and why, if that was not acknowledged since: it may have been in an earlier
     * opening. What such a sync was to make last may be in the machine's memory alone, which {@code docs/embed.md} says how to
     * mend.
     */
    public Optional<String> failedSync() {
        return StoreDirectory.failedSync(directory).read();
    }

    /**
     * Forgets that a sync failed in an earlier opening, once the machine has started anew and its disk was looked at. Without
     * one does nothing.
     *
     * @throws StorageException when the store has stopped writing in this opening: it is opened again first
     */
    public void acknowledgeFailedSync() throws IOException {
        engine().acknowledgeFailedSync();
    }

    /**
     * Finishes what was begun, flushes and gives the directory up. Cursors that are open fail at their next step and keep their
     * files until they are closed. What a full disk keeps from being flushed waits in the commit log.
     */
    @Override
    public void close() throws IOException {
        StoreWait.requireMayWait();
        try (held) {
            if (engine.isPresent()) {
                engine.get().close();
            }
        }
    }
}
