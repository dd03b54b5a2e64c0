package io.anneal.node;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.SystemKeyspaces;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.store.LiveFiles;
import io.anneal.store.SSTables;
import io.anneal.store.ShardReads;
import io.anneal.store.TableViews;
import io.anneal.store.directory.CassandraDirectory;
import io.anneal.store.directory.CorruptSnapshotException;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.TableDirectories;
import io.anneal.store.directory.TableSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica whose data is a Cassandra directory: it is only read, and what the replica receives goes to a staging directory.
 * What is staged counts as the replica's data only when its run is named. Refuses the tables that a repair by import
 * would harm. Safe for any thread; the staging directory belongs to the caller.
 */
public final class CassandraReplicas implements ReplicaSource {
    private static final Logger LOG = LoggerFactory.getLogger(CassandraReplicas.class);
    /** What {@code repairedAt} says when no incremental repair has seen the SSTable. */
    private static final long UNREPAIRED = 0;

    private final List<Path> directories;
    private final Optional<Path> schemaFile;
    private final Optional<StagingArea> staging;
    private final String name;
    /** By keyspace. */
    private final Map<String, List<Long>> diskBoundaries;

    private final boolean areWritesChecked;
    private final Optional<KeptDirectory> kept;

    /**
     * @param directories one, or one a disk
     * @param schemaFile the schema text to use instead of the one beside the SSTables
     * @param staging where received rows go; without it the replica can only be compared
     */
    public CassandraReplicas(List<Path> directories, Optional<Path> schemaFile, Optional<StagingArea> staging) {
        this(
                directories,
                schemaFile,
                staging,
                name(Objects.requireNonNull(directories, "directories")),
                Map.of(),
                false,
                Optional.empty());
    }

    private CassandraReplicas(
            List<Path> directories,
            Optional<Path> schemaFile,
            Optional<StagingArea> staging,
            String name,
            Map<String, List<Long>> diskBoundaries,
            boolean areWritesChecked,
            Optional<KeptDirectory> kept) {
        this.areWritesChecked = areWritesChecked;
        this.kept = kept;
        this.diskBoundaries = Map.copyOf(diskBoundaries);
        this.directories = List.copyOf(directories);
        this.schemaFile = Objects.requireNonNull(schemaFile, "schemaFile");
        this.staging = Objects.requireNonNull(staging, "staging");
        this.name = name;
    }

    private static String name(List<Path> directories) {
        return directories.size() == 1 ? directories.get(0).toString() : directories.toString();
    }

    /** The same under another name than that of its directories, for reports. */
    public CassandraReplicas named(String other) {
        Objects.requireNonNull(other, "other");
        return new CassandraReplicas(directories, schemaFile, staging, other, diskBoundaries, areWritesChecked, kept);
    }

    /**
     * The same for tables of which the caller knows, from their node, that an import bypasses no materialized view and no change data
     * capture, or may: then neither is looked for. That a table has no SSTable is told as little: its node was asked where they are.
     */
    public CassandraReplicas withViewsAndCdcChecked() {
        return new CassandraReplicas(directories, schemaFile, staging, name, diskBoundaries, true, kept);
    }

    /**
     * The same for a node with several data directories, so that no SSTable that it imports lies in two of them.
     *
     * @param byKeyspace the last token of each directory but the last one, ascending
     */
    public CassandraReplicas withDiskBoundaries(Map<String, List<Long>> byKeyspace) {
        Objects.requireNonNull(byKeyspace, "byKeyspace");
        return new CassandraReplicas(directories, schemaFile, staging, name, byKeyspace, areWritesChecked, kept);
    }

    /** The same, of whose tables a repair keeps what it finds, and does not read again what has not changed since. */
    public CassandraReplicas withKept(KeptDirectory place) {
        Objects.requireNonNull(place, "place");
        return new CassandraReplicas(
                directories, schemaFile, staging, name, diskBoundaries, areWritesChecked, Optional.of(place));
    }

    @Override
    public List<String> tables(String keyspace) throws IOException {
        Objects.requireNonNull(keyspace, "keyspace");
        return CassandraDirectory.of(directories).tables().stream()
                .filter(table -> table.keyspace().equals(keyspace))
                .map(TableDirectories::table)
                .distinct()
                .sorted()
                .toList();
    }

    @Override
    public List<Long> diskBoundaries(String keyspace) {
        Objects.requireNonNull(keyspace, "keyspace");
        return diskBoundaries.getOrDefault(keyspace, List.of());
    }

    @Override
    public Replica open(String keyspace, String table, Optional<UUID> staged) throws IOException {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(staged, "staged");
        String qualifiedName = keyspace + "." + table;
        if (SystemKeyspaces.contains(keyspace)) {
            throw new ReplicaException("tables of a system keyspace are not repaired from outside, table="
                    + qualifiedName + ", directories=" + directories);
        }
        CassandraDirectory node = CassandraDirectory.of(directories);
        TableDirectories found = node.table(keyspace, table);
        TableSource source = TableSource.of(found, schemaFile);
        TableSchema schema = source.schemaText()
                .orElseThrow(() -> new ReplicaException(
                        "table has no schema text beside its SSTables, as a snapshot has, table=" + qualifiedName
                                + ", directories=" + found.directories(),
                        ReplicaException.Remedy.SCHEMA_TEXT));
        Seen seen = seen(source);
        boolean tellsTruncation = found.tellTruncation();
        OptionalLong truncatedMicros = found.truncatedMicros();
        TableViews views = TableViews.of(found, schemaFile);
        if (!areWritesChecked) {
            refuse(schema, views);
        }
        Optional<String> textId = TableDirectories.id(schema);
        if (schemaFile.isEmpty()) {
            refuseContradiction(found, textId);
        }
        // A text that was given may be older than the table.
        Optional<String> tableId = found.id().or(() -> textId);
        Set<Descriptor> descriptors = new LinkedHashSet<>(source.descriptors());
        if (staged.isPresent()) {
            descriptors.addAll(
                    staging.orElseThrow(() -> StagingArea.unknown(staged.get(), schema.qualifiedName(), "none"))
                            .sstables(schema, tableId, staged.get()));
        }
        // When a node lost its data, its other tables tell what it loads.
        Optional<SSTableVersion> shown = descriptors.isEmpty() ? node.newestWrittenVersion() : Optional.empty();
        SSTables sstables = SSTables.open(new TableSource(found, List.copyOf(descriptors), Optional.of(schema)));
        try {
            refuseLegacyCounters(sstables);
        } catch (ReplicaException e) {
            sstables.close();
            throw e;
        }
        warnOfIncrementalRepair(sstables);
        return new Table(
                name,
                this,
                seen,
                sstables,
                shown.orElse(sstables.newestWrittenVersion()),
                schemaFile.isEmpty() ? tableId : textId,
                tableId,
                staging,
                diskBoundaries(keyspace),
                notes(sstables, views),
                new TableHistory(tellsTruncation, truncatedMicros, oldestWriteMicros(sstables)),
                kept.flatMap(place -> tableId.map(id -> new KnownData(place, id, sstables))));
    }

    /**
     * What lies in the directories, by which it is known whether somebody changed that.
     *
     * @param dataFiles which file each SSTable's data is
     */
    private record Seen(
            List<Path> directories,
            List<UUID> dataIds,
            Optional<TableSchema> schema,
            Map<Descriptor, String> dataFiles,
            Optional<Instant> asOf) {
        /** Empty if it is the same. */
        Optional<String> changeTo(Seen now) {
            if (!directories.equals(now.directories) || !dataIds.equals(now.dataIds)) {
                return Optional.of("directories");
            }
            if (!schema.flatMap(TableDirectories::id).equals(now.schema.flatMap(TableDirectories::id))) {
                return Optional.of("table id");
            }
            Optional<String> difference = schema.isPresent() && now.schema.isPresent()
                    ? schema.get().differenceFrom(now.schema.get())
                    : Optional.<String>empty();
            if (difference.isPresent() || schema.isPresent() != now.schema.isPresent()) {
                return Optional.of("schema: " + difference.orElse("no text"));
            }
            if (!dataFiles.equals(now.dataFiles)) {
                return Optional.of("SSTables");
            }
            return asOf.equals(now.asOf) ? Optional.empty() : Optional.of("date");
        }
    }

    private static Seen seen(TableSource source) throws IOException {
        TableDirectories found = source.directories();
        Map<Descriptor, String> dataFiles = new HashMap<>();
        for (Descriptor sstable : source.descriptors()) {
            Formats.requireRead(sstable);
            BasicFileAttributes data = Files.readAttributes(sstable.file(Component.DATA), BasicFileAttributes.class);
            dataFiles.put(sstable, data.fileKey() + " " + data.size());
        }
        return new Seen(
                found.directories(), DataIds.of(found.directories()), source.schemaText(), dataFiles, found.asOf());
    }

    private Seen seen(String keyspace, String table) throws IOException {
        return seen(TableSource.of(CassandraDirectory.of(directories).table(keyspace, table), schemaFile));
    }

    private static long oldestWriteMicros(SSTables sstables) {
        return sstables.readers().stream()
                .mapToLong(reader -> reader.statistics().minTimestampMicros())
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private static void refuseContradiction(TableDirectories found, Optional<String> textId) throws ReplicaException {
        if (found.id().isPresent() && textId.isPresent() && !found.id().equals(textId)) {
            throw new ReplicaException("schema text beside the SSTables is of another table than their path: take a new"
                    + " snapshot, table=" + found.qualifiedName() + ", path-id="
                    + found.id().get() + ", text-id=" + textId.get() + ", directories=" + found.directories());
        }
    }

    /** Imported rows count as unrepaired, so the next incremental repair reads them again. */
    private static void warnOfIncrementalRepair(SSTables sstables) {
        List<SSTableReader> repaired = sstables.readers().stream()
                .filter(reader -> reader.statistics().repairedAtMillis() != UNREPAIRED)
                .toList();
        if (!repaired.isEmpty()) {
            LOG.warn(
                    "table is under incremental repair, and what is imported counts as unrepaired, table={},"
                            + " repairedSSTables={}, sstables={}, first={}",
                    sstables.schema().qualifiedName(),
                    repaired.size(),
                    sstables.readers().size(),
                    repaired.get(0).descriptor());
        }
    }

    private List<String> notes(SSTables sstables, TableViews views) {
        List<String> notes = new ArrayList<>();
        // Who asks the node knows its directories from it.
        if (sstables.readers().isEmpty() && !areWritesChecked) {
            notes.add("replica has no SSTable of the table: is it the right directory");
        }
        List<Descriptor> overflowed = sstables.readers().stream()
                .filter(reader -> reader.statistics().hasOverflowedExpiry())
                .map(SSTableReader::descriptor)
                .toList();
        if (!overflowed.isEmpty()) {
            notes.add(
                    "expiries past 2038 overflowed (CASSANDRA-14092); here they count as they were meant, so rows that nodes"
                            + " before 5.0 take for expired are there again where they are repaired, sstables="
                            + overflowed);
        }
        if (!views.complete() && !areWritesChecked) {
            notes.add(
                    "whether materialized views are fed from the table was not checked, as nothing here lists them all:"
                            + " give the text of the whole keyspace, or a data directory with the node's"
                            + " system_schema, searched=" + views.searched());
        }
        if (!views.unread().isEmpty()) {
            notes.add("what may name materialized views of the table could not be read, files=" + views.unread());
        }
        return notes;
    }

    private static void refuse(TableSchema schema, TableViews views) throws ReplicaException {
        String reason = null;
        if (schema.isViewBase() || !views.names().isEmpty()) {
            reason = "import would bypass the table's materialized views, views=" + views.names();
        } else if (schema.options().cdc()) {
            reason = "import would bypass change data capture";
        }
        if (reason != null) {
            throw new ReplicaException(reason + ", table=" + schema.qualifiedName());
        }
    }

    /** Shards of Cassandra 2.0 and earlier mean something only on the node that they lie on. */
    private static void refuseLegacyCounters(SSTables sstables) throws ReplicaException {
        for (SSTableReader reader : sstables.readers()) {
            if (reader.statistics().hasLegacyCounterShards()) {
                throw new ReplicaException("counters with local or remote shards of Cassandra 2.0 or earlier are not"
                        + " repaired, table=" + sstables.schema().qualifiedName() + ", sstable="
                        + reader.descriptor());
            }
        }
    }

    /**
     * A table's SSTables.
     *
     * @param version the newest that the node is known to load; what it receives is written so
     * @param tableId which one text given for all replicas overrides
     * @param stagedTableId which it does not
     */
    private record Table(
            String name,
            CassandraReplicas source,
            Seen seen,
            SSTables sstables,
            SSTableVersion version,
            Optional<String> tableId,
            Optional<String> stagedTableId,
            Optional<StagingArea> staging,
            List<Long> diskBoundaries,
            List<String> notes,
            TableHistory history,
            Optional<KnownData> known)
            implements Replica {
        @Override
        public Optional<Instant> asOf(List<TokenRange> ranges) {
            return seen.asOf();
        }

        @Override
        public List<UUID> dataIds() {
            return seen.dataIds();
        }

        @Override
        public TableSchema schema() {
            return sstables.schema();
        }

        @Override
        public void checkReceiving() throws IOException {
            requireUnchanged();
            staging.orElseThrow(() -> new ReplicaException(
                            "replica is read-only: it needs a staging directory to receive rows, replica=" + name))
                    .checkReceiving(schema(), stagedTableId);
        }

        /** What was made of a snapshot that is gone since, or is another one by now, is nothing to import. */
        private void requireUnchanged() throws IOException {
            String change;
            try {
                Optional<String> found = seen.changeTo(source.seen(schema().keyspace(), schema().name()));
                if (found.isEmpty()) {
                    return;
                }
                change = found.get();
            } catch (NoSuchFileException | CorruptSnapshotException gone) {
                change = gone.getMessage();
            }
            throw new ReplicaException(
                    "replica's data was removed or replaced while it was read: take a new snapshot and"
                            + " leave it there until the end, replica=" + name + ", directories=" + seen.directories()
                            + ", change=" + change);
        }

        @Override
        public FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException {
            return sstables.scan(range, localDeletionTimeMaxSeconds);
        }

        @Override
        public FragmentCursor read(DecoratedKey key, Slices slices) throws IOException {
            return sstables.read(key, slices, false);
        }

        @Override
        public ShardReads reads() {
            return sstables;
        }

        @Override
        public long localDeletionTimeMaxSeconds() {
            return version.localDeletionTimeMaxSeconds();
        }

        /** A node that has versions of 5.0 reads all; one that shows none of them may be of 4.0. */
        @Override
        public Set<SSTableVersion> loadedVersions() {
            return EnumSet.range(SSTableVersion.MA, version);
        }

        @Override
        public Receiving receive(UUID sessionId, long importDeadlineSeconds) {
            return staging.orElseThrow()
                    .start(sessionId, schema(), stagedTableId, importDeadlineSeconds, config(), diskBoundaries);
        }

        @Override
        public Receiving receiveKept(UUID id, long keptUntilSeconds, UUID sessionId, long importDeadlineSeconds)
                throws IOException {
            return staging.orElseThrow()
                    .startKept(
                            id,
                            keptUntilSeconds,
                            sessionId,
                            schema(),
                            stagedTableId,
                            importDeadlineSeconds,
                            config(),
                            diskBoundaries);
        }

        /** What is for several directories comes in as many sessions. */
        @Override
        public boolean keepsReceived() {
            return staging.isPresent() && diskBoundaries.isEmpty();
        }

        private SSTableWriterConfig config() {
            return SSTableWriterConfig.received(sstables.estimatedPartitionCount(), version, schema().options());
        }

        @Override
        public LiveFiles pin(Predicate<TokenRange.Linear> wanted) throws IOException {
            return sstables.liveFiles(wanted);
        }

        @Override
        public void close() throws IOException {
            sstables.close();
        }
    }
}
