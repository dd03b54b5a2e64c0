package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.schema.CqlSchema;
import io.anneal.schema.SchemaException;
import io.anneal.schema.SchemaText;
import io.anneal.schema.TableSchema;
import io.anneal.schema.UnsupportedTypeException;
import io.anneal.sstable.Component;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableTarget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The directory of one table in a store, laid out as Cassandra lays it out: {@code <keyspace>/<table>-<32 hex of the id>/}
 * with {@code schema.cql}, {@code MANIFEST} and the SSTables' files. Gives out generations, which are numbers that ascend
 * and are never used twice while a file of theirs is there. Opening it deletes what a crash left of SSTables that were being
 * written or no longer live. Safe to share between threads.
 */
public final class TableDirectory {
    public static final String SCHEMA_FILE = "schema.cql";

    /** Below it lies what tables receive and have not taken in; see {@code TableIntake}. */
    static final String RECEIVING = "receiving";

    private final Path directory;
    private final SSTableFormats formats;
    private final Manifest manifest;
    private final Snapshots snapshots;

    /** Generations that the manifest names as written or obsolete and whose files are gone: its next form leaves them out. */
    private final Set<String> gone = ConcurrentHashMap.newKeySet();

    private final OutputFile.Opener opener;
    private final ReceivingPlaces receiving;

    private volatile TableSchema schema;
    private long lastGeneration;

    private TableDirectory(
            Path directory,
            TableSchema schema,
            SSTableFormats formats,
            Manifest manifest,
            Snapshots snapshots,
            OutputFile.Opener opener) {
        this.directory = directory;
        this.schema = schema;
        this.formats = formats;
        this.manifest = manifest;
        this.snapshots = snapshots;
        this.opener = opener;
        receiving = new ReceivingPlaces(directory.resolve(RECEIVING));
    }

    /**
     * Makes the directory of a new table: it is there with all it needs, or not at all. Snapshots of an earlier table of this id
     * become its own.
     *
     * @param data the store's directory of keyspaces
     * @param schema with an id
     * @param written where the commit log stands: what it holds of an earlier table of this id is none of this one's
     * @throws IllegalStateException when the directory exists and holds more than snapshots
     * @throws SchemaException when the schema cannot be kept as text
     */
    public static TableDirectory create(
            Path data,
            TableSchema schema,
            ShardRule shards,
            CommitLogPosition written,
            SSTableFormats formats,
            OutputFile.Opener opener)
            throws IOException {
        UUID id = tableId(schema);
        byte[] text = schemaText(schema);
        ManifestContent empty = ManifestContent.empty(schema.keyspace(), schema.name(), id, shards)
                .withAllFlushed(written);
        ManifestContent content = schema.isRenumbered() ? empty.withRenumberedLog() : empty;
        TableDirectoryName name = new TableDirectoryName(schema.name(), id);
        Path directory = data.resolve(schema.keyspace()).resolve(name.toString());
        Path making = TableCatalogue.making(directory);
        for (Path remainder : List.of(making, TableCatalogue.dropped(directory))) {
            if (Files.exists(remainder)) {
                TableCatalogue.removeRemainder(remainder);
            }
        }
        boolean wasDropped = Files.exists(directory);
        if (wasDropped && !TableCatalogue.isDropped(directory)) {
            throw new IllegalStateException("table's directory exists already, directory=" + directory);
        }
        Directories.create(making);
        AtomicFile.replace(making.resolve(SCHEMA_FILE), text, opener);
        Manifest.create(making, content, opener);
        if (wasDropped) {
            TableCatalogue.moveSnapshots(directory, making);
            Directories.deleteTree(directory.resolve(RECEIVING));
            Directories.deleteFile(directory);
        }
        Directories.rename(making, directory);
        Directories.sync(directory.getParent());
        return new TableDirectory(
                directory, schema, formats, Manifest.open(directory, opener), new Snapshots(directory, opener), opener);
    }

    /**
     * What a table's {@link #SCHEMA_FILE} says.
     *
     * @throws SchemaException when reading it again would give another table
     */
    static byte[] schemaText(TableSchema schema) {
        String text = SchemaText.print(schema);
        boolean same = CqlSchema.parse(text, Path.of(SCHEMA_FILE))
                .table(schema.keyspace(), schema.name())
                .filter(schema::equals)
                .isPresent();
        if (!same) {
            throw new SchemaException("schema cannot be kept as text: reading it gives another table, table="
                    + schema.qualifiedName() + ", text=" + text);
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static UUID tableId(TableSchema schema) {
        String id = schema.id()
                .orElseThrow(() -> new IllegalArgumentException("schema has no id, table=" + schema.qualifiedName()));
        return UUID.fromString(id);
    }

    /**
     * Opens a table's directory and tidies it up. SSTables that nobody knows are moved aside; those that a crash left
     * unfinished or no longer needed are deleted.
     *
     * @throws CorruptManifestException when manifest or schema text are missing, wrong, or another table's
     * @throws CorruptSSTableException when a live SSTable is missing: names it
     * @throws io.anneal.io.UnsupportedVersionException when another release wrote the manifest
     */
    public static TableDirectory open(Path directory, SSTableFormats formats, OutputFile.Opener opener)
            throws IOException {
        TableDirectory opened = read(directory, formats, opener);
        opened.sweep(Instant.MAX);
        return opened;
    }

    /** The same before it is tidied up: {@link #sweep()} does that once everything has been found right. */
    static TableDirectory read(Path directory, SSTableFormats formats, OutputFile.Opener opener) throws IOException {
        Manifest manifest = Manifest.open(directory, opener);
        TableSchema schema = readSchema(directory, manifest.content());
        TableDirectory opened =
                new TableDirectory(directory, schema, formats, manifest, new Snapshots(directory, opener), opener);
        opened.sstables();
        return opened;
    }

    /** Deletes and moves aside what does not belong here; before anything is written. */
    void sweep(Instant now) throws IOException {
        snapshots.sweep();
        receiving.forget(now);
        lastGeneration = TableSweep.run(directory, manifest);
    }

    /**
     * The schema that the text in a table's directory tells.
     *
     * @throws CorruptManifestException when it is missing, wrong, or not the table that the manifest names
     */
    public static TableSchema readSchema(Path directory, ManifestContent content) throws IOException {
        Path file = directory.resolve(SCHEMA_FILE);
        TableDirectoryName named = new TableDirectoryName(content.table(), content.tableId());
        if (!named.toString().equals(directory.getFileName().toString())) {
            throw new CorruptManifestException(
                    directory.resolve(Manifest.FILE),
                    CorruptManifestException.NO_LINE,
                    "manifest is another table's, table=" + content.qualifiedName() + ", id=" + content.tableId());
        }
        try {
            TableSchema schema = CqlSchema.read(file)
                    .table(content.keyspace(), content.table())
                    .orElseThrow(() -> new SchemaException("table is not described here"));
            if (!tableId(schema).equals(content.tableId())) {
                throw new SchemaException("table has another id, id=" + tableId(schema));
            }
            return schema;
        } catch (IOException | SchemaException | UnsupportedTypeException | IllegalArgumentException e) {
            throw new CorruptManifestException(
                    file,
                    CorruptManifestException.NO_LINE,
                    "schema text of a table cannot be used, table=" + content.qualifiedName() + ", id="
                            + content.tableId() + ", reason=" + e.getMessage(),
                    e);
        }
    }

    public Path directory() {
        return directory;
    }

    public TableSchema schema() {
        return schema;
    }

    /**
     * Replaces the schema text. When this fails the old one is still there; a crash may bring it back until {@link #sync} has
     * returned. Nothing of the commit log may be needed any more that was written by a schema with other columns.
     */
    public void alter(TableSchema altered) throws IOException {
        if (altered.isRenumbered()) {
            update(ManifestContent::withRenumberedLog);
        }
        AtomicFile.put(directory.resolve(SCHEMA_FILE), schemaText(altered), opener);
        schema = altered;
    }

    /** Forces the names of the directory's files to the disk. */
    public void sync() throws StorageException {
        Directories.sync(directory);
    }

    public UUID tableId() {
        return manifest.content().tableId();
    }

    /** What is live now. */
    public ManifestContent content() {
        return manifest.content();
    }

    /** Changes the manifest: on the disk first, then for all to see. See {@link Manifest#update}. */
    public ManifestContent update(UnaryOperator<ManifestContent> change) throws IOException {
        Set<String> leftOut = Set.copyOf(gone);
        ManifestContent changed =
                manifest.update(content -> change.apply(content).withoutFiles(leftOut));
        gone.removeAll(leftOut);
        return changed;
    }

    /**
     * The live SSTables by the manifest, in its order.
     *
     * @throws CorruptSSTableException when the files of one are missing, or of two under one generation
     */
    public Map<ListedSSTable, Descriptor> sstables() throws IOException {
        return sstables(directory, manifest.content());
    }

    /** The same for those who only look at a directory. */
    public static Map<ListedSSTable, Descriptor> sstables(Path directory, ManifestContent content) throws IOException {
        Map<String, Descriptor> found = descriptors(directory, content);
        Map<ListedSSTable, Descriptor> live = new LinkedHashMap<>();
        for (ListedSSTable sstable : content.sstables()) {
            live.put(sstable, sstable(directory, content, sstable, found));
        }
        return live;
    }

    /**
     * The files of SSTables in a table's directory that its manifest does not name, neither as live nor as written or
     * obsolete: somebody put them there.
     */
    public static Map<Descriptor, List<Path>> unlisted(Path directory, ManifestContent content) throws IOException {
        Set<String> listed = content.dead();
        content.sstables().forEach(sstable -> listed.add(sstable.generation()));
        Map<Descriptor, List<Path>> unlisted = new LinkedHashMap<>();
        for (Path file : Directories.list(directory)) {
            Descriptor.of(file)
                    .filter(sstable -> !listed.contains(sstable.generation()))
                    .ifPresent(sstable -> unlisted.computeIfAbsent(sstable, first -> new ArrayList<>())
                            .add(file));
        }
        return unlisted;
    }

    /** Only one of them. */
    public static Descriptor sstable(Path directory, ManifestContent content, ListedSSTable sstable)
            throws IOException {
        return sstable(directory, content, sstable, descriptors(directory, content));
    }

    private static Descriptor sstable(
            Path directory, ManifestContent content, ListedSSTable sstable, Map<String, Descriptor> found)
            throws CorruptSSTableException {
        Descriptor descriptor = found.get(sstable.generation());
        if (descriptor == null || !descriptor.has(Component.DATA)) {
            throw new CorruptSSTableException(
                    directory,
                    CorruptSSTableException.NO_POSITION,
                    "SSTable is missing though the manifest lists it, generation=" + sstable.generation() + ", table="
                            + content.qualifiedName());
        }
        return descriptor;
    }

    /** Those of live generations, by generation. */
    private static Map<String, Descriptor> descriptors(Path directory, ManifestContent content) throws IOException {
        Set<String> live =
                content.sstables().stream().map(ListedSSTable::generation).collect(Collectors.toSet());
        Map<String, Descriptor> found = new LinkedHashMap<>();
        for (Path file : Directories.list(directory)) {
            Descriptor descriptor = Descriptor.of(file).orElse(null);
            if (descriptor == null || !live.contains(descriptor.generation())) {
                continue;
            }
            Descriptor other = found.putIfAbsent(descriptor.generation(), descriptor);
            if (other != null && !other.equals(descriptor)) {
                throw new CorruptSSTableException(
                        file,
                        CorruptSSTableException.NO_POSITION,
                        "two SSTables have one generation, other=" + other.baseName());
            }
        }
        return found;
    }

    public SSTableReader openReader(Descriptor descriptor) throws IOException {
        return formats.open(descriptor);
    }

    /**
     * A place for new SSTables, each under a new generation, which the manifest names as written before its first byte.
     *
     * @param of which the rows are that come; the table may be altered meanwhile
     */
    public SSTableTarget target(TableSchema of) {
        return target(of, generation -> {});
    }

    /** The same; says which generation it is before there is a file of it. */
    SSTableTarget target(TableSchema of, Consumer<String> listener) {
        return config -> {
            String generation = startWriting(1).get(0);
            listener.accept(generation);
            return formats.write(directory, generation, of, config);
        };
    }

    /** New generations, named as written in the manifest: their files are deleted at the next start unless they get live. */
    public List<String> startWriting(int count) throws IOException {
        List<String> generations = new ArrayList<>(count);
        synchronized (this) {
            for (int i = 0; i < count; i++) {
                generations.add(Long.toString(++lastGeneration));
            }
        }
        update(content -> content.withWriting(generations));
        return generations;
    }

    /**
     * Deletes what there is of SSTables that were started and are not wanted; nobody writes or reads them any more. The
     * manifest's next form forgets them.
     */
    public void abandon(Collection<String> generations) throws IOException {
        if (generations.isEmpty() || manifest.isLost()) {
            return;
        }
        for (Path file : Directories.list(directory)) {
            Descriptor descriptor = Descriptor.of(file).orElse(null);
            if (descriptor != null && generations.contains(descriptor.generation())) {
                Directories.deleteFile(file);
            }
        }
        gone.addAll(generations);
    }

    /**
     * Deletes an SSTable's files: of one that is obsolete and has no reader, or was written and never got live. The manifest's
     * next form forgets it; until then a crash lets the next start delete what is left.
     *
     * @throws IllegalStateException when the SSTable is live
     */
    public void delete(Descriptor descriptor) throws IOException {
        String generation = descriptor.generation();
        if (content().sstables().stream().anyMatch(s -> s.generation().equals(generation))) {
            throw new IllegalStateException("SSTable is live, sstable=" + descriptor);
        }
        if (manifest.isLost()) {
            // What the disk calls live may be either form's.
            return;
        }
        deleteFiles(descriptor);
        gone.add(generation);
    }

    static void deleteFiles(Descriptor descriptor) throws StorageException {
        for (Component component : Component.values()) {
            Directories.deleteFile(descriptor.file(component));
        }
    }

    /** Where what the table receives lies until it is taken in. */
    public ReceivingPlaces receiving() {
        return receiving;
    }

    /**
     * Gives foreign SSTables new generations here, as hard links, or as copies where links are not possible. They are synced
     * and named as written; the caller opens them, and lists or deletes them.
     */
    public List<Descriptor> link(List<Descriptor> foreign) throws IOException {
        List<String> generations = startWriting(foreign.size());
        List<Descriptor> linked = new ArrayList<>();
        for (int i = 0; i < foreign.size(); i++) {
            Descriptor source = foreign.get(i);
            Descriptor target = new Descriptor(directory, source.version(), generations.get(i), source.format());
            SSTableLinks.link(source, target);
            linked.add(target);
        }
        Directories.sync(directory);
        return linked;
    }

    /**
     * Links SSTables, with what describes them, to {@code snapshots/<name>/}, which Cassandra and this library read as the
     * table. Whoever calls sees to it that they are not deleted meanwhile.
     *
     * @return the snapshot's directory
     * @throws IllegalStateException when there is a snapshot of this name
     */
    public Path snapshot(String name, Collection<Descriptor> sstables, Instant now) throws IOException {
        // Its manifest says from when the data dates, since whoever reads it goes by that.
        OptionalLong asOf = content().asOfSeconds(List.of(TokenRange.FULL));
        return snapshots.take(name, schema, sstables, asOf.isPresent() ? Instant.ofEpochSecond(asOf.getAsLong()) : now);
    }

    /**
     * Removes the table: its name first, at once, then its files. Snapshots stay where they are. Nothing may read it any more.
     */
    public void drop() throws IOException {
        drop(directory);
    }

    static void drop(Path directory) throws IOException {
        Path movedAside = TableCatalogue.dropped(directory);
        Directories.rename(directory, movedAside);
        Directories.sync(directory.getParent());
        TableCatalogue.removeRemainder(movedAside);
    }

    /** Takes the table's name from it; when that fails it is as it was. The name is still to be forced. */
    void moveAside() throws StorageException {
        Directories.rename(directory, movedAside());
    }

    void forceMovedAside() throws StorageException {
        Directories.sync(directory.getParent());
    }

    /** Deletes all but snapshots. */
    void removeMovedAside() throws StorageException {
        TableCatalogue.removeRemainder(movedAside());
    }

    private Path movedAside() {
        return TableCatalogue.dropped(directory);
    }
}
