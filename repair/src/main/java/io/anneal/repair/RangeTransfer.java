package io.anneal.repair;

import io.anneal.key.TokenRange;
import io.anneal.node.Replica;
import io.anneal.node.Waiver;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Brings SSTables as they are to a replica that holds next to nothing, before it is compared with the others row by row: that is
 * less work than sending it as many rows. Repair knows no streaming: the program that puts a node together fills this in.
 */
@FunctionalInterface
public interface RangeTransfer {
    /**
     * What is brought.
     *
     * @param table {@code keyspace.table}
     * @param source of this process only if the target is, too
     * @param target takes in at once what it receives
     * @param waivers what is not refused of either
     * @param bytesPerSecond at most, about; 0 for as fast as it goes
     * @param leftAs an id under which the target leaves what comes, for a session to go on with ({@link Replica#receiveKept}); empty
     *     where it takes it in at once
     */
    record Task(
            String table,
            List<TokenRange> ranges,
            RepairMember source,
            RepairMember target,
            Set<Waiver> waivers,
            long bytesPerSecond,
            Optional<UUID> leftAs) {}

    /** Hears how far it is. */
    @FunctionalInterface
    interface Progress {
        /**
         * While this waits, no more is to come but for a second or so.
         *
         * @param share of the source's data that has come, up to 1
         * @param bytes that have come
         */
        void came(double share, long bytes) throws IOException;
    }

    /**
     * Returns when the target holds, or has left, what the source holds in the ranges. Runs on a thread of its own, and may wait; an interrupt
     * ends it.
     *
     * @throws IOException when it could not: the repair then sends rows
     */
    void transfer(Task task, Progress progress) throws IOException;
}
