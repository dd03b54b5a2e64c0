package io.anneal.node;

import io.anneal.fragment.FragmentCursor;
import io.anneal.io.AtomicFile;
import io.anneal.io.Directories;
import io.anneal.io.OutputFile;
import io.anneal.io.StorageException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.FragmentWriter;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableTarget;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.SSTableWriterConfig;
import io.anneal.sstable.StagedSSTable;
import io.anneal.store.directory.Formats;
import io.anneal.store.directory.StagingDirectory;
import io.anneal.table.ReceivingPlace;
import io.anneal.table.ReceivingPlaces;
import io.anneal.table.SSTableLinks;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The staging directory of one replica, with a record of which run wrote which SSTables there, for which table id, and
 * until when they may be imported. What is staged is no data of the replica until it is imported: it may wait here for
 * long, while its rows are deleted and the deletions purged. The record names an SSTable before its first byte is
 * written, so that opening the directory after a crash removes what an unfinished run left, and nothing else. Safe to
 * share between threads.
 */
public final class StagingArea implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(StagingArea.class);

    /** A server may run thousands of repairs that find nothing before the first of them expires. */
    private static final int EMPTY_RUNS_MAX = 300;

    private static final String RECEIVING = ".anneal.receiving";

    private final StagingDirectory staging;
    private final InstantSource clock;
    private final ReceivingPlaces receiving;
    private StagingFile content;
    /** Why nobody knows which names the disk has: of the directories, and which form of the record. */
    private volatile IOException unsynced;

    private StagingArea(StagingDirectory staging, InstantSource clock, StagingFile content) {
        this.staging = staging;
        this.clock = clock;
        this.content = content;
        receiving = new ReceivingPlaces(staging.directory().resolve(RECEIVING));
    }

    /**
     * Creates the directory when it is not there, takes it, and removes what an unfinished run left.
     *
     * @param owner whose SSTables go there, in one line; the first run settles it
     * @throws ReplicaException when the directory is another owner's
     * @throws IllegalStateException when another process, or another object of this one, has it
     */
    public static StagingArea open(Path directory, String owner, InstantSource clock) throws IOException {
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(clock, "clock");
        StagingDirectory staging = StagingDirectory.open(directory);
        boolean opened = false;
        try {
            // Who was killed may have written the record, and not forced its name to the disk.
            Directories.sync(staging.directory());
            StagingFile content = read(file(staging)).orElse(new StagingFile(owner.replaceAll("\\R", " "), List.of()));
            StagingArea repair = new StagingArea(staging, clock, content);
            repair.requireOwner(owner.replaceAll("\\R", " "));
            repair.sweep();
            repair.forget();
            if (Files.isDirectory(staging.directory().resolve(RECEIVING))) {
                repair.receiving.forget(clock.instant());
            }
            opened = true;
            return repair;
        } finally {
            if (!opened) {
                staging.close();
            }
        }
    }

    private static Path file(StagingDirectory staging) {
        return staging.directory().resolve(StagingFile.FILE);
    }

    private static Optional<StagingFile> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new StorageException("read", file, e);
        }
        return Optional.of(StagingFile.parse(file, bytes));
    }

    private void requireOwner(String owner) throws ReplicaException {
        if (!content.owner().equals(owner)) {
            throw new ReplicaException(
                    "staging directory is another replica's, whose node would import this one's rows:"
                            + " give each its own, directory=" + staging.directory() + ", owner=" + content.owner()
                            + ", replica="
                            + owner);
        }
    }

    private void sweep() throws IOException {
        for (StagingFile.Run run : content.runs()) {
            if (!run.complete()) {
                LOG.info(
                        "what an unfinished run left is removed, run={}, directory={}, sstables={}",
                        run.id(),
                        directory(run),
                        run.sstables());
                if (Files.isDirectory(directory(run))) {
                    StagedSSTable.sweep(directory(run));
                }
                discard(run.id());
            }
        }
    }

    /** Marks what was imported or removed since, and leaves out runs of which nothing is left that anybody may ask for. */
    private void forget() throws IOException {
        List<StagingFile.Run> held = content.runs().stream().map(this::held).toList();
        long without = held.stream().filter(StagingArea::isEmpty).count();
        List<StagingFile.Run> kept = new ArrayList<>();
        for (StagingFile.Run run : held) {
            if (!isEmpty(run) || (!isExpired(run) && without <= EMPTY_RUNS_MAX)) {
                kept.add(run);
            }
            without -= isEmpty(run) ? 1 : 0;
        }
        if (!kept.equals(content.runs())) {
            change(kept);
        }
    }

    private static boolean isEmpty(StagingFile.Run run) {
        return run.complete() && run.sstables().isEmpty();
    }

    private StagingFile.Run held(StagingFile.Run run) {
        StagingFile.Run held = run;
        for (String sstable : run.sstables()) {
            if (run.complete() && !descriptor(run, sstable).has(Component.DATA)) {
                held = held.without(sstable);
            }
        }
        return held;
    }

    private void change(List<StagingFile.Run> runs) throws IOException {
        StagingFile changed = new StagingFile(content.owner(), runs);
        synced(() -> {
            AtomicFile.replace(file(staging), changed.print(), OutputFile.CREATE_NEW);
            return changed;
        });
        content = changed;
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    /** Does something that syncs directories, unless that failed once. */
    private <T> T synced(Work<T> work) throws IOException {
        requireSynced();
        try {
            return work.run();
        } catch (IOException e) {
            if (StorageException.leavesNamesUnsynced(e)) {
                unsynced = e;
            }
            throw e;
        }
    }

    /** Else nothing that either form of the record names may be touched until the directory is opened again. */
    private void requireSynced() throws StorageException {
        IOException reason = unsynced;
        if (reason != null) {
            throw new StorageException("write, until it is opened again,", file(staging), reason);
        }
    }

    private Path directory(StagingFile.Run run) {
        return staging.directory().resolve(run.keyspace()).resolve(run.table());
    }

    private Descriptor descriptor(StagingFile.Run run, String sstable) {
        Path list = directory(run).resolve(sstable + "-" + Component.TOC.fileSuffix());
        return Descriptor.of(list)
                .filter(Descriptor::hasKnownName)
                .orElseThrow(() -> new IllegalStateException("no name of an SSTable, file=" + list));
    }

    private boolean isExpired(StagingFile.Run run) {
        return clock.instant().getEpochSecond() > run.importDeadlineSeconds();
    }

    /** The directory that a table's SSTables are imported from. */
    public Path tableDirectory(TableSchema schema) {
        Objects.requireNonNull(schema, "schema");
        return tableDirectory(schema.keyspace(), schema.name());
    }

    /** What a table's SSTables are imported from. */
    public Path tableDirectory(String keyspace, String table) {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        return staging.tableDirectory(keyspace, table);
    }

    /**
     * Refuses to add SSTables to what must not be imported: the operator imports a whole directory.
     *
     * @param tableId 32 hexadecimal digits, if it is known
     * @throws ReplicaException naming the SSTable, the reason, and what to do
     */
    public synchronized void checkReceiving(TableSchema schema, Optional<String> tableId) throws IOException {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(tableId, "tableId");
        forget();
        for (Descriptor sstable : staging.sstables(schema)) {
            if (isBeingWritten(schema, sstable)) {
                continue;
            }
            Optional<String> reason = reasonAgainst(schema, tableId, sstable);
            if (reason.isPresent()) {
                throw new ReplicaException("staging directory holds what must not be imported with new SSTables: remove"
                        + " it, or give another directory, sstable=" + sstable + ", reason=" + reason.get());
            }
        }
    }

    /** By a run that goes on beside: what a run of another process left unfinished is gone since this was opened. */
    private boolean isBeingWritten(TableSchema schema, Descriptor sstable) {
        return content.runs().stream()
                .anyMatch(run -> !run.complete()
                        && run.isOf(schema.keyspace(), schema.name())
                        && run.sstables().contains(sstable.baseName()));
    }

    private Optional<String> reasonAgainst(TableSchema schema, Optional<String> tableId, Descriptor sstable)
            throws IOException {
        Optional<String> lacking = missing(sstable);
        if (lacking.isPresent()) {
            return lacking;
        }
        for (StagingFile.Run run : content.runs()) {
            if (run.isOf(schema.keyspace(), schema.name()) && run.sstables().contains(sstable.baseName())) {
                Optional<String> reason = reasonAgainst(run, tableId);
                return reason.isPresent() ? reason : reasonAgainst(run, sstable);
            }
        }
        return Optional.of("no run of a repair wrote it here");
    }

    /** Cassandra's import looks at all of it only where it is told to. */
    private static Optional<String> reasonAgainst(StagingFile.Run run, Descriptor sstable) throws IOException {
        Long written = run.dataBytes().get(sstable.baseName());
        long bytes = Files.size(sstable.file(Component.DATA));
        return written == null || written == bytes
                ? Optional.empty()
                : Optional.of("its data file was cut short or replaced, bytes=" + bytes + ", written=" + written);
    }

    private static Optional<String> missing(Descriptor sstable) throws IOException {
        List<Component> missing = sstable.has(Component.TOC) ? sstable.missing() : List.of(Component.TOC);
        return missing.isEmpty()
                ? Optional.empty()
                : Optional.of("it lacks components, missing="
                        + missing.stream().map(Component::fileSuffix).toList());
    }

    private Optional<String> reasonAgainst(StagingFile.Run run, Optional<String> tableId) {
        if (run.tableId().isPresent() && tableId.isPresent() && !run.tableId().equals(tableId)) {
            return Optional.of("the table was dropped and made again, staged-id="
                    + run.tableId().get() + ", id=" + tableId.get());
        }
        if (!run.tableId().equals(tableId)) {
            return Optional.of("it is not known whether it is the same table, as only one of the ids is, "
                    + run.tableId().map(id -> "staged-id=" + id).orElseGet(() -> "id=" + tableId.orElseThrow()));
        }
        if (isExpired(run)) {
            return Optional.of("deletions of its rows may have been purged since, run=" + run.id()
                    + ", import-deadline=" + Instant.ofEpochSecond(run.importDeadlineSeconds()));
        }
        return Optional.empty();
    }

    /**
     * What a run staged for a table and is not imported yet: all its sessions that have ended, whose ids have the same upper half.
     *
     * @param runId of any of them
     * @throws ReplicaException when no such run finished here, some of it is gone, or nothing of it may be imported any more
     */
    public synchronized List<Descriptor> sstables(TableSchema schema, Optional<String> tableId, UUID runId)
            throws IOException {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(tableId, "tableId");
        Objects.requireNonNull(runId, "runId");
        forget();
        List<StagingFile.Run> sessions = content.runs().stream()
                .filter(known -> known.complete() && known.isOfRun(runId))
                .filter(known -> known.isOf(schema.keyspace(), schema.name()))
                .toList();
        if (sessions.isEmpty()) {
            throw unknown(runId, schema.qualifiedName(), staging.directory());
        }
        List<Descriptor> sstables = new ArrayList<>();
        for (StagingFile.Run session : sessions) {
            requireUsable(session, runId, schema, tableId);
            session.sstables().forEach(sstable -> sstables.add(descriptor(session, sstable)));
        }
        return sstables;
    }

    private void requireUsable(StagingFile.Run run, UUID runId, TableSchema schema, Optional<String> tableId)
            throws IOException {
        if (!run.gone().isEmpty()) {
            throw new ReplicaException(
                    "what the run staged is gone, imported or moved away: compare new snapshots without it, run="
                            + runId
                            + ", table=" + schema.qualifiedName() + ", sstables="
                            + run.gone().stream()
                                    .map(gone -> descriptor(run, gone))
                                    .toList(),
                    ReplicaException.Remedy.NOT_STAGED);
        }
        Optional<String> reason = reasonAgainst(run, tableId);
        for (String sstable : run.sstables()) {
            Descriptor descriptor = descriptor(run, sstable);
            reason = reason.isPresent()
                    ? reason
                    : reasonAgainst(run, descriptor).map(why -> why + ", sstable=" + descriptor);
        }
        if (reason.isPresent()) {
            throw new ReplicaException("what the run staged cannot be counted, run=" + runId + ", table="
                    + schema.qualifiedName() + ", directory=" + staging.directory() + ", reason=" + reason.get());
        }
    }

    static ReplicaException unknown(UUID runId, String qualifiedName, Object place) {
        return new ReplicaException(
                "no such run finished here, run=" + runId + ", table=" + qualifiedName + ", directory=" + place);
    }

    /** Prepares what a session writes for a table; nothing is written yet. */
    public Receiving start(
            UUID runId,
            TableSchema schema,
            Optional<String> tableId,
            long importDeadlineSeconds,
            SSTableWriterConfig config) {
        Objects.requireNonNull(runId, "runId");
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(tableId, "tableId");
        Objects.requireNonNull(config, "config");
        return start(runId, schema, tableId, importDeadlineSeconds, config, List.of());
    }

    /** @param diskBoundaries of the node that imports it, see {@link ReplicaSource#diskBoundaries} */
    Receiving start(
            UUID runId,
            TableSchema schema,
            Optional<String> tableId,
            long importDeadlineSeconds,
            SSTableWriterConfig config,
            List<Long> diskBoundaries) {
        StagingFile.Run run =
                new StagingFile.Run(runId, schema.keyspace(), schema.name(), tableId, importDeadlineSeconds);
        return new StagedRun(this, run, schema, config, diskBoundaries);
    }

    /**
     * The same for what is kept until so many seconds after 1970 when it ends early: goes on with what one of this id has kept; while
     * another one does, nothing is kept.
     *
     * @param diskBoundaries of the node that imports it, see {@link ReplicaSource#diskBoundaries}
     */
    public Receiving startKept(
            UUID id,
            long keptUntilSeconds,
            UUID runId,
            TableSchema schema,
            Optional<String> tableId,
            long importDeadlineSeconds,
            SSTableWriterConfig config,
            List<Long> diskBoundaries)
            throws IOException {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(runId, "runId");
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(tableId, "tableId");
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(diskBoundaries, "diskBoundaries");
        Optional<ReceivingPlace> place = receiving.kept(id.toString(), keptUntilSeconds);
        if (place.isEmpty()) {
            return start(runId, schema, tableId, importDeadlineSeconds, config, diskBoundaries);
        }
        StagingFile.Run run =
                new StagingFile.Run(runId, schema.keyspace(), schema.name(), tableId, importDeadlineSeconds);
        return new KeptRun(this, run, schema, config, diskBoundaries, place.get());
    }

    /** Brings to where they are imported from what a run has received elsewhere, as a whole; the caller removes it there. */
    List<Descriptor> link(StagingFile.Run run, TableSchema schema, List<Descriptor> received) throws IOException {
        List<Descriptor> linked = new ArrayList<>();
        add(run);
        boolean complete = false;
        try {
            for (Descriptor source : received) {
                SSTableVersion version = SSTableVersion.of(source).orElseThrow();
                try (SSTableReader reader = Formats.open(source)) {
                    reader.requireColumnOrder();
                }
                linked.add(synced(() -> {
                    Descriptor target = staging.next(schema, version, sstable -> record(run.id(), sstable));
                    SSTableLinks.link(source, target);
                    Directories.sync(target.directory());
                    return target;
                }));
            }
            complete(run.id());
            complete = true;
            return linked;
        } finally {
            if (!complete) {
                discard(run.id());
            }
        }
    }

    StagedSSTable stage(TableSchema schema, SSTableVersion version, StagingDirectory.BeforeWriting record)
            throws IOException {
        return synced(() -> StagedSSTable.of(
                staging.next(schema, version, record),
                renaming -> synced(() -> {
                    renaming.run();
                    return null;
                })));
    }

    SSTableTarget target(TableSchema schema, StagingDirectory.BeforeWriting record) {
        SSTableTarget target = staging.target(schema, record);
        return config -> new SyncedWriter(synced(() -> target.start(config)));
    }

    /** Tells the area of a sync that failed when all was written. */
    private final class SyncedWriter implements FragmentWriter {
        private final FragmentWriter inner;

        SyncedWriter(FragmentWriter inner) {
            this.inner = inner;
        }

        @Override
        public void append(FragmentCursor cursor) throws IOException {
            inner.append(cursor);
        }

        @Override
        public void appendCurrent(FragmentCursor cursor) throws IOException {
            inner.appendCurrent(cursor);
        }

        @Override
        public long dataLengthBytes() {
            return inner.dataLengthBytes();
        }

        @Override
        public Descriptor finish() throws IOException {
            return synced(inner::finish);
        }

        @Override
        public void close() throws IOException {
            inner.close();
        }
    }

    /** @throws ReplicaException when a run of this id was here before */
    synchronized void add(StagingFile.Run run) throws IOException {
        if (content.runs().stream().anyMatch(known -> known.id().equals(run.id()))) {
            throw new ReplicaException(
                    "a run of this id was staged here before, run=" + run.id() + ", directory=" + staging.directory());
        }
        change(Stream.concat(content.runs().stream(), Stream.of(run)).toList());
    }

    /** The same for one that wrote nothing: it need be known only where no other session of its run is. */
    synchronized void addEmpty(StagingFile.Run session) throws IOException {
        boolean isKnown = content.runs().stream()
                .anyMatch(known -> known.complete()
                        && known.isOfRun(session.id())
                        && !known.id().equals(session.id())
                        && known.isOf(session.keyspace(), session.table()));
        if (!isKnown) {
            add(session);
        }
    }

    /** Whether a session is at writing here: what lies here is not whole. */
    public synchronized boolean isReceiving() {
        return content.runs().stream().anyMatch(run -> !run.complete());
    }

    /** Takes note of an SSTable that a run is about to write. */
    synchronized void record(UUID runId, Descriptor sstable) throws IOException {
        List<StagingFile.Run> changed = new ArrayList<>();
        for (StagingFile.Run run : content.runs()) {
            changed.add(run.id().equals(runId) ? run.with(sstable.baseName()) : run);
        }
        change(changed);
    }

    /** The earliest deadline of what finished runs have here for a table: an import takes all of it. */
    synchronized long importDeadlineSeconds(TableSchema schema) {
        return content.runs().stream()
                .filter(run -> run.complete() && run.isOf(schema.keyspace(), schema.name()))
                .filter(run -> !held(run).sstables().isEmpty())
                .mapToLong(StagingFile.Run::importDeadlineSeconds)
                .min()
                .orElse(Receiving.NO_DEADLINE);
    }

    /**
     * Merges small SSTables that several sessions of a run have staged for a table, into as few as size limit, time windows and disks
     * allow. What counts is the same after it, whenever it ends. Call it while nothing is received or imported here.
     *
     * @param diskBoundaries of the node that imports it, see {@link ReplicaSource#diskBoundaries}
     * @throws IOException when what it began could not be removed: nothing may be imported until the directory is opened again. What
     *     can't be read, or has no room, is left as it is
     */
    public void compact(TableSchema schema, List<Long> diskBoundaries) throws IOException {
        Objects.requireNonNull(schema, "schema");
        Objects.requireNonNull(diskBoundaries, "diskBoundaries");
        if (isReceiving()) {
            throw new IllegalStateException("sessions write here still, directory=" + staging.directory());
        }
        new StagedCompaction(this, schema, diskBoundaries).run();
    }

    /** Sessions that have ended, and of which all is here. */
    synchronized List<StagingFile.Run> whole(TableSchema schema) throws IOException {
        forget();
        return content.runs().stream()
                .filter(run -> run.complete() && run.gone().isEmpty() && run.isOf(schema.keyspace(), schema.name()))
                .toList();
    }

    /** Those of a session that are as it wrote them, and not larger. */
    List<Descriptor> small(StagingFile.Run session, long dataBytesMax) throws IOException {
        List<Descriptor> small = new ArrayList<>();
        for (String name : session.sstables()) {
            Descriptor sstable = descriptor(session, name);
            if (session.dataBytes().getOrDefault(name, Long.MAX_VALUE) <= dataBytesMax
                    && reasonAgainst(session, sstable).isEmpty()) {
                small.add(sstable);
            }
        }
        return small;
    }

    /**
     * From now on what a run wrote is a session's, in the place of SSTables of sessions of its table, and these are the run's. It stays
     * one that is not finished: discarding it removes them.
     *
     * @param writing as it began
     * @param keeper of them a session of the same run
     * @param sources length of the data file of each, by base name
     */
    synchronized void exchange(StagingFile.Run writing, StagingFile.Run keeper, Map<String, Long> sources)
            throws IOException {
        List<StagingFile.Run> changed = new ArrayList<>();
        for (StagingFile.Run run : content.runs()) {
            if (run.id().equals(writing.id())) {
                changed.add(writing.exchanged(Set.of(), sources));
            } else if (run.id().equals(keeper.id())) {
                changed.add(run.exchanged(sources.keySet(), written(recorded(writing.id())))
                        .importedBy(writing.importDeadlineSeconds()));
            } else if (!run.isOf(writing.keyspace(), writing.table())) {
                changed.add(run);
            } else if (!sources.keySet().containsAll(run.sstables())
                    || run.sstables().isEmpty()) {
                changed.add(run.exchanged(sources.keySet(), Map.of()));
            }
            // One that has nothing left is known by the keeper.
        }
        change(changed);
    }

    private StagingFile.Run recorded(UUID runId) {
        return content.runs().stream()
                .filter(run -> run.id().equals(runId))
                .findFirst()
                .orElseThrow();
    }

    /** From now on what the run wrote counts, and is kept; what it began and gave up is forgotten. */
    synchronized void complete(UUID runId) throws IOException {
        List<StagingFile.Run> changed = new ArrayList<>();
        for (StagingFile.Run run : content.runs()) {
            changed.add(run.id().equals(runId) ? run.completed(written(run)) : run);
        }
        change(changed);
    }

    private Map<String, Long> written(StagingFile.Run run) throws IOException {
        Map<String, Long> written = new LinkedHashMap<>();
        for (String sstable : run.sstables()) {
            Descriptor descriptor = descriptor(run, sstable);
            if (descriptor.has(Component.DATA)) {
                written.put(sstable, Files.size(descriptor.file(Component.DATA)));
            }
        }
        return written;
    }

    /** Removes a run's SSTables, then its record: a removal that is cut short is done at the next opening. */
    synchronized void discard(UUID runId) throws IOException {
        requireSynced();
        List<StagingFile.Run> kept = new ArrayList<>();
        for (StagingFile.Run run : content.runs()) {
            if (!run.id().equals(runId)) {
                kept.add(run);
                continue;
            }
            for (String sstable : run.sstables()) {
                StagedSSTable.reopen(descriptor(run, sstable)).discard();
                descriptor(run, sstable).delete();
            }
            if (Files.isDirectory(directory(run))) {
                Directories.sync(directory(run));
            }
        }
        // Where the record has no room it names an unfinished run of which nothing is here, and no more.
        content = new StagingFile(content.owner(), kept);
        change(kept);
    }

    /** Gives the directory up. */
    @Override
    public void close() throws IOException {
        staging.close();
    }
}
