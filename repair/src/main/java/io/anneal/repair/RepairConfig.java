package io.anneal.repair;

import io.anneal.key.TokenRange;
import java.util.UUID;

/**
 * What one repair is asked to do.
 *
 * @param bufferBytes size of each replica's row buffer
 * @param purgeTimeSeconds T of the canonical form, seconds since 1970
 * @param hashSeed seed of the item hashes; another one for every session
 * @param localDeletionTimeMaxSeconds lowest ceiling of the participants' write formats
 * @param dryRun whether differences are found and counted, and nothing is written
 * @param allowEmpty whether a replica may hold nothing where others hold much
 */
public record RepairConfig(
        UUID sessionId,
        String keyspace,
        String table,
        TokenRange range,
        int bufferBytes,
        long purgeTimeSeconds,
        long hashSeed,
        long localDeletionTimeMaxSeconds,
        boolean dryRun,
        boolean allowEmpty) {
    /** What {@code nb} can hold. */
    public static final long NB_LOCAL_DELETION_TIME_MAX_SECONDS = Integer.MAX_VALUE - 1L;

    public static final int BUFFER_MAX_BYTES = 32 << 20;
    public static final int BUFFER_MIN_BYTES = 1 << 20;
    /** A replica without a row is taken for a mistake when another one holds at least so many. */
    public static final int MUCH_ITEMS = 1_000;

    public RepairConfig {
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
