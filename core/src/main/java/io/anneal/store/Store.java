package io.anneal.store;

import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.table.Engine;
import io.anneal.table.LiveTable;
import io.anneal.table.SSTableFormats;
import io.anneal.table.StoreConfig;
import io.anneal.table.StoreEnvironment;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An embedded store: tables in a directory, laid out as Cassandra lays them out, that survive any crash. A write that was
 * acknowledged is there when the store is opened again, by default even after a loss of power. One process at a time. Any
 * thread.
 *
 * <pre>{@code
 * try (Store store = Store.open(Path.of("data"))) {
 *     Table people = store.createTable("CREATE TABLE app.people (id int PRIMARY KEY, name text)");
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
        public FragmentWriter write(Path directory, String generation, TableSchema schema, SSTableWriterConfig config)
                throws IOException {
            return Formats.write(directory, generation, schema, config);
        }
    };

    private final Path directory;
    private final DirectoryLock lock;
    private final Engine engine;

    private Store(Path directory, DirectoryLock lock, Engine engine) {
        this.directory = directory;
        this.lock = lock;
        this.engine = engine;
    }

    /** Opens the store of a directory, or makes one there, with {@link StoreConfig#defaults()}. */
    public static Store open(Path directory) throws IOException {
        return open(directory, StoreConfig.defaults());
    }

    /** Opens the store of a directory, or makes one there. */
    public static Store open(Path directory, StoreConfig config) throws IOException {
        return open(directory, config, StoreEnvironment.system());
    }

    /**
     * Opens the store of a directory, or makes one there: replays its commit log, so that all that was acknowledged is there.
     *
     * @throws IllegalStateException when another process, or this one, has it open: names the process
     * @throws CorruptStoreException when the directory's own files are wrong
     * @throws io.anneal.commitlog.CorruptCommitLogException when acknowledged writes cannot be read
     * @throws io.anneal.sstable.CorruptSSTableException when an SSTable is missing, or its small components are wrong
     */
    public static Store open(Path directory, StoreConfig config, StoreEnvironment environment) throws IOException {
        DirectoryLock lock = StoreLock.take(directory, environment.clock().instant());
        boolean opened = false;
        try {
            StoreFile file = storeFile(directory, environment);
            Engine engine = Engine.open(
                    directory, new ShardRule(config.shardCount(), file.ignoredBits()), config, environment, FORMATS);
            Store store = new Store(directory, lock, engine);
            opened = true;
            return store;
        } finally {
            if (!opened) {
                lock.close();
            }
        }
    }

    private static StoreFile storeFile(Path directory, StoreEnvironment environment) throws IOException {
        Optional<StoreFile> there = StoreFile.read(directory);
        if (there.isPresent()) {
            return there.get();
        }
        StoreFile made =
                new StoreFile(ShardRule.IGNORED_BITS_DEFAULT, environment.ids().get());
        made.create(directory, OutputFile.CREATE_NEW);
        return made;
    }

    /** Where it lies. */
    public Path directory() {
        return directory;
    }

    /**
     * Makes a table from {@code CREATE TABLE} text, before which {@code CREATE TYPE} may stand.
     *
     * @throws SchemaException when the text is wrong, or describes no table or several
     * @throws IllegalStateException when there is a table of that name
     */
    public Table createTable(String cql) throws IOException {
        CqlSchema schema = CqlSchema.parse(cql, "text");
        Collection<TableSchema> described = schema.tables();
        if (described.size() != 1) {
            throw new SchemaException("text does not describe one table, tables="
                    + described.stream().map(TableSchema::qualifiedName).toList() + ", refused=" + schema.refusals());
        }
        return createTable(described.iterator().next());
    }

    /** Makes a table; one without an id gets one. */
    public Table createTable(TableSchema schema) throws IOException {
        synchronized (this) {
            if (find(schema.qualifiedName()).isPresent()) {
                throw new IllegalStateException("table exists already, table=" + schema.qualifiedName());
            }
            TableSchema identified = schema.id().isPresent()
                    ? schema
                    : schema.withId(engine.environment().ids().get().toString());
            return Table.of(engine, engine.createTable(identified));
        }
    }

    /**
     * A table by its name.
     *
     * @param qualifiedName keyspace, dot, table
     * @throws IllegalArgumentException when there is none: names those that there are
     */
    public Table table(String qualifiedName) {
        return findTable(qualifiedName)
                .orElseThrow(() -> new IllegalArgumentException("store has no such table, table=" + qualifiedName
                        + ", tables="
                        + tables().stream()
                                .map(table -> table.schema().qualifiedName())
                                .toList()));
    }

    /** A table by its name, if there is one. */
    public Optional<Table> findTable(String qualifiedName) {
        return find(qualifiedName).map(table -> Table.of(engine, table));
    }

    private Optional<LiveTable> find(String qualifiedName) {
        return engine.tables().stream()
                .filter(table -> table.schema().qualifiedName().equals(qualifiedName))
                .findFirst();
    }

    /** All tables, by name. */
    public List<Table> tables() {
        return engine.tables().stream()
                .sorted(Comparator.comparing(table -> table.schema().qualifiedName()))
                .map(table -> Table.of(engine, table))
                .toList();
    }

    /** Forgets a table with its data; snapshots stay. Open cursors fail at their next step. */
    public void dropTable(String qualifiedName) throws IOException {
        synchronized (this) {
            engine.dropTable(table(qualifiedName).liveTable());
        }
    }

    /** Writes everything in memory to SSTables. */
    public void flush() throws IOException {
        List<CompletableFuture<Void>> asked = new ArrayList<>();
        for (Table table : tables()) {
            asked.add(table.flushAsync());
        }
        for (CompletableFuture<Void> flushed : asked) {
            Engine.await(flushed);
        }
    }

    /** Compacts all tables. */
    public void compact() throws IOException {
        for (Table table : tables()) {
            table.compact();
        }
    }

    /**
     * Takes a snapshot of every table.
     *
     * @return the directories
     */
    public List<Path> snapshot(String name) throws IOException {
        List<Path> snapshots = new ArrayList<>();
        for (Table table : tables()) {
            snapshots.add(table.snapshot(name));
        }
        return snapshots;
    }

    /** Why the store takes no writes any more; empty while it takes them. */
    public Optional<StorageException> failure() {
        return Optional.ofNullable(engine.failure());
    }

    /**
     * Finishes what was begun, flushes and gives the directory up. Cursors that are open fail at their next step and keep their
     * files until they are closed. What a full disk keeps from being flushed waits in the commit log.
     */
    @Override
    public void close() throws IOException {
        try (lock) {
            engine.close();
        }
    }
}
