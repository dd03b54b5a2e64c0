package io.anneal.table;

import io.anneal.sstable.SSTableVersion;
import java.time.Duration;

/**
 * How a store works; {@link #defaults()}, changed by the {@code with} methods. Only the shard count and the sync mode change what
 * users see; the rest trades memory and disk for speed. Immutable.
 *
 * @param shardCount threads that own data, each a part of it; a store may be opened with another number than before
 * @param memtableBudgetBytes what memtables and writes on their way may occupy; writers wait beyond it
 * @param syncMode what an acknowledgement is worth
 * @param syncPeriod between syncs when periodic
 * @param groupWindow how long the first write of a group waits for others
 * @param commitLogSegmentBytes the length of a file of the commit log
 * @param commitLogBudgetBytes the oldest memtables are flushed when the commit log takes more
 * @param commitLogCompression whether the commit log is compressed with LZ4
 * @param skipCorruptCommitLog whether to go on where the commit log is corrupt, losing what cannot be read, instead of
 *     refusing to open
 * @param version which SSTables are written
 * @param compactionThreads how many compactions run at once; 0 for none but those asked for
 * @param compactionBytesPerSecond how much compactions read at most; 0 for no limit
 * @param isJmx whether metrics are shown to JMX
 */
public record StoreConfig(
        int shardCount,
        long memtableBudgetBytes,
        SyncMode syncMode,
        Duration syncPeriod,
        Duration groupWindow,
        int commitLogSegmentBytes,
        long commitLogBudgetBytes,
        boolean commitLogCompression,
        boolean skipCorruptCommitLog,
        SSTableVersion version,
        int compactionThreads,
        long compactionBytesPerSecond,
        boolean isJmx) {
    private static final int SHARDS_MAX = 1024;
    private static final long MEMTABLE_BUDGET_MIN_BYTES = 1L << 20;
    private static final int SEGMENT_MIN_BYTES = 64 << 10;

    public StoreConfig {
        if (shardCount < 1 || shardCount > SHARDS_MAX) {
            throw new IllegalArgumentException(
                    "shard count is not from 1 to " + SHARDS_MAX + ", shardCount=" + shardCount);
        }
        if (memtableBudgetBytes < MEMTABLE_BUDGET_MIN_BYTES) {
            throw new IllegalArgumentException("memtables have too little memory, memtableBudgetBytes="
                    + memtableBudgetBytes + ", minBytes=" + MEMTABLE_BUDGET_MIN_BYTES);
        }
        if (commitLogSegmentBytes < SEGMENT_MIN_BYTES || commitLogBudgetBytes < commitLogSegmentBytes) {
            throw new IllegalArgumentException("commit log is too small, commitLogSegmentBytes=" + commitLogSegmentBytes
                    + ", minBytes=" + SEGMENT_MIN_BYTES + ", commitLogBudgetBytes=" + commitLogBudgetBytes);
        }
        if (syncPeriod.toNanos() <= 0 || groupWindow.toNanos() <= 0) {
            throw new IllegalArgumentException(
                    "duration is not positive, syncPeriod=" + syncPeriod + ", groupWindow=" + groupWindow);
        }
        if (!version.isWritten()) {
            throw new IllegalArgumentException("SSTables of this version are not written, version=" + version.text());
        }
        if (compactionThreads < 0 || compactionBytesPerSecond < 0) {
            throw new IllegalArgumentException("compaction settings are negative, compactionThreads="
                    + compactionThreads + ", compactionBytesPerSecond=" + compactionBytesPerSecond);
        }
    }

    /**
     * A shard a processor, 256 MiB for memtables, every write on disk before it is acknowledged, a commit log of up to 2 GiB,
     * SSTables of version {@code nb}, one compaction at a time at 64 MiB/s.
     */
    public static StoreConfig defaults() {
        return new StoreConfig(
                Math.min(SHARDS_MAX, Runtime.getRuntime().availableProcessors()),
                256L << 20,
                SyncMode.BATCH,
                Duration.ofSeconds(10),
                Duration.ofMillis(1),
                32 << 20,
                2L << 30,
                false,
                false,
                SSTableVersion.NB,
                1,
                64L << 20,
                false);
    }

    public StoreConfig withShardCount(int value) {
        return new StoreConfig(
                value,
                memtableBudgetBytes,
                syncMode,
                syncPeriod,
                groupWindow,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                commitLogCompression,
                skipCorruptCommitLog,
                version,
                compactionThreads,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withMemtableBudgetBytes(long value) {
        return new StoreConfig(
                shardCount,
                value,
                syncMode,
                syncPeriod,
                groupWindow,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                commitLogCompression,
                skipCorruptCommitLog,
                version,
                compactionThreads,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withSyncMode(SyncMode value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                value,
                syncPeriod,
                groupWindow,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                commitLogCompression,
                skipCorruptCommitLog,
                version,
                compactionThreads,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withSyncPeriod(Duration value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                syncMode,
                value,
                groupWindow,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                commitLogCompression,
                skipCorruptCommitLog,
                version,
                compactionThreads,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withGroupWindow(Duration value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                syncMode,
                syncPeriod,
                value,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                commitLogCompression,
                skipCorruptCommitLog,
                version,
                compactionThreads,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withCommitLogSegmentBytes(int value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                syncMode,
                syncPeriod,
                groupWindow,
                value,
                commitLogBudgetBytes,
                commitLogCompression,
                skipCorruptCommitLog,
                version,
                compactionThreads,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withCommitLogBudgetBytes(long value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                syncMode,
                syncPeriod,
                groupWindow,
                commitLogSegmentBytes,
                value,
                commitLogCompression,
                skipCorruptCommitLog,
                version,
                compactionThreads,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withCommitLogCompression(boolean value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                syncMode,
                syncPeriod,
                groupWindow,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                value,
                skipCorruptCommitLog,
                version,
                compactionThreads,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withSkipCorruptCommitLog(boolean value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                syncMode,
                syncPeriod,
                groupWindow,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                commitLogCompression,
                value,
                version,
                compactionThreads,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withVersion(SSTableVersion value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                syncMode,
                syncPeriod,
                groupWindow,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                commitLogCompression,
                skipCorruptCommitLog,
                value,
                compactionThreads,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withCompactionThreads(int value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                syncMode,
                syncPeriod,
                groupWindow,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                commitLogCompression,
                skipCorruptCommitLog,
                version,
                value,
                compactionBytesPerSecond,
                isJmx);
    }

    public StoreConfig withCompactionBytesPerSecond(long value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                syncMode,
                syncPeriod,
                groupWindow,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                commitLogCompression,
                skipCorruptCommitLog,
                version,
                compactionThreads,
                value,
                isJmx);
    }

    public StoreConfig withJmx(boolean value) {
        return new StoreConfig(
                shardCount,
                memtableBudgetBytes,
                syncMode,
                syncPeriod,
                groupWindow,
                commitLogSegmentBytes,
                commitLogBudgetBytes,
                commitLogCompression,
                skipCorruptCommitLog,
                version,
                compactionThreads,
                compactionBytesPerSecond,
                value);
    }
}
