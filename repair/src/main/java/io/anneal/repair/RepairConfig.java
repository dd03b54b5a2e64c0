package io.anneal.repair;

import io.anneal.key.TokenRange;
import io.anneal.repair.message.Waiver;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What one repair is asked to do.
 *
 * @param bufferBytes size of each replica's row buffer
 * @param purgeTimeSeconds T of the canonical form, seconds since 1970
 * @param hashSeed seed of the item hashes; another one for every session
 * @param dryRun whether differences are found and counted, and nothing is written
 * @param staged the run whose SSTables count as the replicas' data although they are not imported yet
 * @param waivers what is not refused
 */
public record RepairConfig(
        UUID sessionId,
        String keyspace,
        String table,
        TokenRange range,
        int bufferBytes,
        long purgeTimeSeconds,
        long hashSeed,
        boolean dryRun,
        Optional<UUID> staged,
        Set<Waiver> waivers) {
    public static final int BUFFER_MAX_BYTES = 32 << 20;
    public static final int BUFFER_MIN_BYTES = 1 << 20;
    /** A replica without a row is taken for a mistake when another one holds at least so many. */
    public static final int MUCH_ITEMS = 1_000;

    public RepairConfig {
        waivers = Set.copyOf(waivers);
        if (bufferBytes < 1) {
            throw new IllegalArgumentException("row buffer has no room, bufferBytes=" + bufferBytes);
        }
    }

    /** The row buffer that a budget allows: half of each replica's share, between 1 and 32 MiB. */
    public static int bufferBytes(long budgetBytes, int participants) {
        long share = budgetBytes / (participants * 2L);
        return (int) Math.max(BUFFER_MIN_BYTES, Math.min(BUFFER_MAX_BYTES, share));
    }
}
