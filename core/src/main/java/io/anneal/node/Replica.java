package io.anneal.node;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import io.anneal.store.LiveFiles;
import io.anneal.store.ShardReads;
import io.anneal.store.directory.TableDirectories;
import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * One replica's data of one table, as repair reads and writes it: everything that is live when it is opened, merged and
 * normalised but not purged. Whoever opened it closes it.
 */
public interface Replica extends Closeable {
    /** Directory or store, for reports. */
    String name();

    /** Ids of the places where its data lies: two replicas that have one in common are one; none when no other can have the data. */
    default List<UUID> dataIds() throws IOException {
        return List.of();
    }

    TableSchema schema();

    /** What tells its table from another of the same name, 32 hexadecimal digits; empty when nothing here tells it. */
    default Optional<String> tableId() {
        return TableDirectories.id(schema());
    }

    /** The latest local deletion time that what it writes can hold: rule 13's ceiling for this replica. */
    long localDeletionTimeMaxSeconds();

    /** The moment from which its data of some ranges dates; empty for data that is read as it is now. */
    default Optional<Instant> asOf(List<TokenRange> ranges) {
        return Optional.empty();
    }

    /** What it knows of truncations of its table. */
    default TableHistory history() {
        return TableHistory.UNKNOWN;
    }

    /** Versions of SSTables that whoever has the data reads, so that it may receive them as they are; none unless it tells. */
    default Set<SSTableVersion> loadedVersions() {
        return Set.of();
    }

    /** Its SSTables, and what a repair may keep of them for the next; empty where nothing is kept, or its data is more than SSTables. */
    default Optional<KnownData> known() {
        return Optional.empty();
    }

    /** What could not be checked, or what the operator should know; a sentence each. */
    default List<String> notes() {
        return List.of();
    }

    /**
     * Refuses to receive.
     *
     * @throws ReplicaException when there is no place for what the replica receives, so that it can only be compared, or the
     *     place holds what must not be imported along with it
     */
    void checkReceiving() throws IOException;

    /**
     * Everything in a range.
     *
     * @param localDeletionTimeMaxSeconds rule 13's ceiling, to which the merge clamps
     */
    FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException;

    /**
     * One partition, or some rows of it, nothing purged; the partition's deletion and static row in any case. May yield more: other
     * rows, and other partitions of its token.
     */
    default FragmentCursor read(DecoratedKey key, Slices slices) throws IOException {
        return scan(new TokenRange.Linear(key.token(), key.token()), CanonicalEncoder.UNCLAMPED);
    }

    /**
     * The same data by shard, for reads that stop and go on.
     *
     * @throws UnsupportedOperationException when it is no replica of a store or a directory
     */
    default ShardReads reads() {
        throw new UnsupportedOperationException("replica is not read by shard, replica=" + name());
    }

    /**
     * Prepares what the replica receives in a session; nothing is written yet.
     *
     * @param importDeadlineSeconds when it must be imported at the latest, seconds since 1970
     */
    Receiving receive(UUID sessionId, long importDeadlineSeconds);

    /**
     * The same, but what was received is kept when it ends early, also by a crash, where the replica can; the next one of this id
     * goes on with it.
     *
     * @param keptUntilSeconds when it is removed, seconds since 1970
     */
    default Receiving receiveKept(UUID id, long keptUntilSeconds, UUID sessionId, long importDeadlineSeconds)
            throws IOException {
        return receive(sessionId, importDeadlineSeconds);
    }

    /** Whether {@link #receiveKept} goes on with what one of the same id left, to the last SSTable. */
    default boolean keepsReceived() {
        return false;
    }

    /**
     * Pins the files of the replica's SSTables: a table of a store is flushed first. The caller closes them, before or after the
     * replica.
     *
     * @param wanted by first and last token; an SSTable that does not tell them is wanted in any case
     * @throws ReplicaException when it is no replica that lies in files
     * @throws java.nio.file.NoSuchFileException when a file of a Cassandra directory was deleted since the replica was opened
     */
    default LiveFiles pin(Predicate<TokenRange.Linear> wanted) throws IOException {
        throw new ReplicaException("replica has no files, replica=" + name());
    }

    /**
     * Whether what it receives is its data as soon as a session ends well. If not, it waits for somebody's import, and may never
     * be imported.
     */
    default boolean takesInAtOnce() {
        return false;
    }

    /** Whether nothing of it can be read any more, since its store is closed or its table dropped. For any thread. */
    default boolean isGone() {
        return false;
    }

    /**
     * Ranges were repaired on all replicas that there are: their data dates from then, and what was deleted before may be purged
     * by tables whose deletions wait for that.
     *
     * @param seconds when the repair began by its master's clock, since 1970
     */
    default void repaired(List<TokenRange> ranges, long seconds) throws IOException {}
}
