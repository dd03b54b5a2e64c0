package io.anneal.repair;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.StagedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * One replica's data of one table, as repair reads and writes it: everything that is live when it is opened, merged and
 * normalised but not purged. Whoever opened it closes it.
 */
public interface ReplicaTable extends Closeable {
    /** Directory or store, for reports. */
    String name();

    TableSchema schema();

    int sstableCount();

    long dataBytes();

    /** The latest local deletion time that what it writes can hold: rule 13's ceiling for this replica. */
    long localDeletionTimeMaxSeconds();

    /** The moment from which its data dates; empty for data that is read as it is now. */
    default Optional<Instant> asOf() {
        return Optional.empty();
    }

    /** What could not be checked, or what the operator should know; a sentence each. */
    default List<String> notes() {
        return List.of();
    }

    /** Whether there is a place for what the replica receives; without one it can only be compared. */
    boolean canReceive();

    /**
     * Everything in a range.
     *
     * @param localDeletionTimeMaxSeconds rule 13's ceiling, to which the merge clamps
     */
    FragmentCursor scan(TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException;

    /**
     * Starts the writer that takes what the replica receives.
     *
     * @param sessionId the session that received it
     * @param importDeadlineSeconds when it must be imported at the latest, seconds since 1970
     */
    StagedWriter newOutput(UUID sessionId, long importDeadlineSeconds) throws IOException;

    /** Opens tables by name. */
    interface Opener {
        /** @throws IOException naming the directory when the table is not there or cannot take part in a repair */
        ReplicaTable open(String keyspace, String table) throws IOException;
    }
}
