package io.anneal.repair;

import io.anneal.io.Arguments;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.node.Waiver;
import io.anneal.repair.message.ReadRate;
import io.anneal.repair.row.RowBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What one repair is asked to do.
 *
 * @param ranges apart from each other; one session repairs them all
 * @param bufferBytes size of each replica's row buffer
 * @param purgeTimeSeconds T of the canonical form, seconds since 1970
 * @param hashSeed seed of the item hashes; another one for every session
 * @param dryRun whether differences are found and counted, and nothing is written
 * @param allReplicas whether there are no other replicas of the ranges
 * @param staged the run whose SSTables count as the replicas' data although they are not imported yet
 * @param waivers what is not refused
 * @param sessions how many such repairs run at once: each replica gives each its share of memory
 * @param rate of the masters of all of them together: bounds this one's windows, and its caller waits between two of them
 * @param readsAll whether what is known of an earlier repair, and has not changed since, is read again
 * @param recent what was written later than so long before the session, or before the oldest replica's data dates, is not compared
 */
public record RepairConfig(
        UUID sessionId,
        String keyspace,
        String table,
        List<TokenRange> ranges,
        int bufferBytes,
        long purgeTimeSeconds,
        long hashSeed,
        boolean dryRun,
        boolean allReplicas,
        Optional<UUID> staged,
        Set<Waiver> waivers,
        int sessions,
        ReadRate rate,
        Optional<Duration> recent,
        boolean readsAll) {
    public static final int BUFFER_MAX_BYTES = 32 << 20;
    public static final int BUFFER_MIN_BYTES = 1 << 20;
    /** Buffers of a replica beside those of what it receives: the window, what is read ahead, and what is on its way. */
    private static final int OWN_BUFFERS = 3;

    /** A replica without a row is taken for a mistake when another one holds at least so many. */
    public static final int MUCH_ITEMS = 1_000;

    public RepairConfig {
        Arguments.positive("sessions", sessions);
        ranges = List.copyOf(ranges);
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException("a repair needs a range");
        }
        waivers = Set.copyOf(waivers);
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("row buffer has no room, bufferBytes=" + bufferBytes);
        }
    }

    /** The ranges as a log and an error name them. */
    String rangesText() {
        return ranges.size() == 1 ? ranges.get(0).toString() : ranges.get(0) + " and " + (ranges.size() - 1) + " more";
    }

    /**
     * Memory that one replica may take in a session, in which it may lack all that the others hold: a buffer for each of
     * them, and its own.
     */
    public static long sessionBytes(int bufferBytes, int participants) {
        return (participants - 1L + OWN_BUFFERS) * bufferBytes;
    }

    /** The largest row buffer of replicas that are all in this process. */
    public static int bufferBytes(ByteBudget budget, int participants) {
        return new SessionMemory(budget, 1).bufferBytesMost(participants, participants, 1);
    }

    /** Rows, or deletions, that a window of such a buffer has at most, each of which weighs something beside its bytes. */
    static long windowItemsMax(int bufferBytes) {
        return 4L * Math.max(bufferBytes, BUFFER_MIN_BYTES) / RowBuffer.ROW_OVERHEAD_BYTES;
    }

    /**
     * What a replica keeps at most of what it is sent for one window. Each of the others has a buffer there, with a last row
     * that may be as large, and versions are kept beside what they were merged to: more than that is a mistake of the sender.
     */
    static long receivedBytesMax(int bufferBytes, int participants) {
        return 4L * participants * Math.max(bufferBytes, BUFFER_MIN_BYTES);
    }
}
