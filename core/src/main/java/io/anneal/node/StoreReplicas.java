package io.anneal.node;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableVersion;
import io.anneal.sstable.StagedSSTable;
import io.anneal.sstable.StagedWriter;
import io.anneal.store.LiveFiles;
import io.anneal.store.ShardReads;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableIntake;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Replicas that are tables of an open store: read as they are while they are written, flushed and compacted, and what they
 * receive is theirs at once when a session ends well. Nothing is staged, and nothing waits for an import. The store belongs
 * to the caller.
 */
public final class StoreReplicas implements ReplicaSource {
    private final Store store;
    private final String name;

    public StoreReplicas(Store store) {
        this(store, Objects.requireNonNull(store, "store").directory().toString());
    }

    private StoreReplicas(Store store, String name) {
        this.store = store;
        this.name = name;
    }

    /** The same under another name than that of its directory, for reports. */
    public StoreReplicas named(String other) {
        Objects.requireNonNull(other, "other");
        return new StoreReplicas(store, other);
    }

    /** @param staged makes no difference: what a run gave the store is its data */
    @Override
    public Replica open(String keyspace, String table, Optional<UUID> staged) throws IOException {
        Objects.requireNonNull(keyspace, "keyspace");
        Objects.requireNonNull(table, "table");
        Objects.requireNonNull(staged, "staged");
        String qualifiedName = keyspace + "." + table;
        Table found = store.findTable(qualifiedName)
                .orElseThrow(() -> new ReplicaException(
                        "store has no such table, table=" + qualifiedName + ", store=" + store.directory()));
        return new LiveReplica(
                name, store.directory(), found, store.clock(), store.clock().instant());
    }

    @Override
    public List<String> tables(String keyspace) {
        Objects.requireNonNull(keyspace, "keyspace");
        return Stream.concat(
                        store.tables().stream().map(table -> table.schema().qualifiedName()),
                        store.unreadable().keySet().stream())
                .filter(table -> table.startsWith(keyspace + "."))
                .map(table -> table.substring(keyspace.length() + 1))
                .sorted()
                .toList();
    }

    /**
     * A table in a session.
     *
     * @param clock the store's
     * @param opened when it was, by that clock
     */
    private record LiveReplica(String name, Path directory, Table table, InstantSource clock, Instant opened)
            implements Replica {
        @Override
        public List<UUID> dataIds() throws IOException {
            return DataIds.of(List.of(directory));
        }

        @Override
        public Optional<Instant> asOf(List<TokenRange> ranges) {
            return table.asOf(ranges);
        }

        @Override
        public TableHistory history() {
            return new TableHistory(true, table.truncatedMicros(), table.oldestWriteMicros());
        }

        @Override
        public TableSchema schema() {
            return table.schema();
        }

        @Override
        public long localDeletionTimeMaxSeconds() {
            return table.writtenVersion().localDeletionTimeMaxSeconds();
        }

        @Override
        public Set<SSTableVersion> loadedVersions() {
            return EnumSet.allOf(SSTableVersion.class);
        }

        @Override
        public void checkReceiving() throws IOException {
            // A store that is open for writing can, while it has the table. No file is opened.
            table.intake().close();
        }

        @Override
        public FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException {
            return table.scan(range, localDeletionTimeMaxSeconds);
        }

        @Override
        public FragmentCursor read(DecoratedKey key, Slices slices) throws IOException {
            return table.read(key, slices, false);
        }

        @Override
        public ShardReads reads() {
            return table;
        }

        @Override
        public Receiving receive(UUID sessionId, long importDeadlineSeconds) {
            return new TakenIn(table.intake(), schema(), importDeadlineSeconds, clock);
        }

        @Override
        public Receiving receiveKept(UUID id, long keptUntilSeconds, UUID sessionId, long importDeadlineSeconds)
                throws IOException {
            return new TakenIn(
                    table.keptIntake(id.toString(), keptUntilSeconds), schema(), importDeadlineSeconds, clock);
        }

        @Override
        public LiveFiles pin(Predicate<TokenRange.Linear> wanted) throws IOException {
            return table.liveFiles(wanted);
        }

        @Override
        public boolean takesInAtOnce() {
            return true;
        }

        @Override
        public boolean isGone() {
            return !table.isOpen();
        }

        /** A master whose clock is ahead must not have purged what was deleted here after it read. */
        @Override
        public void repaired(List<TokenRange> ranges, long seconds) throws IOException {
            table.repaired(ranges, Math.min(seconds, opened.getEpochSecond()));
        }

        @Override
        public void close() {
            // The table is the store's.
        }
    }

    private record TakenIn(TableIntake intake, TableSchema schema, long importDeadlineSeconds, InstantSource clock)
            implements Receiving {
        @Override
        public StagedWriter newWriter() {
            return intake.newWriter();
        }

        @Override
        public StagedSSTable newSSTable(SSTableVersion version) throws IOException {
            return intake.newSSTable(version);
        }

        @Override
        public Optional<String> kept() throws IOException {
            return intake.kept();
        }

        @Override
        public void keep(String how) throws IOException {
            intake.keep(how);
        }

        @Override
        public void requireNotTruncated() {
            intake.requireNotTruncated();
        }

        @Override
        public void retain(Set<String> baseNames) throws IOException {
            intake.retain(baseNames);
        }

        @Override
        public StagedSSTable reopen(String baseName) {
            return intake.reopen(baseName);
        }

        @Override
        public void suspend() throws IOException {
            intake.suspend();
        }

        @Override
        public void remove(Descriptor sstable) throws IOException {
            sstable.delete();
        }

        @Override
        public long complete() throws IOException {
            DataAge.requireInTime(schema, importDeadlineSeconds, clock);
            intake.complete();
            return NO_DEADLINE;
        }

        @Override
        public void close() throws IOException {
            intake.close();
        }
    }
}
