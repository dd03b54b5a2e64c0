package io.anneal.table;

import io.anneal.commitlog.CommitLogConfig;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.MutationLimit;
import io.anneal.metrics.TableSelection;
import io.anneal.sstable.SSTableVersion;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How a store works; {@link #defaults()}, changed by the {@code with} methods. Only the shard count and the sync mode change what
 * users see; the rest trades memory and disk for speed. Immutable.
 *
 * @param shardCount threads that own data, each a part of it; a store may be opened with another number than before
 * @param memtableBudgetBytes what memtables and writes on their way may occupy; writers wait beyond it
 * @param mutationMaxBytes what a mutation, or a batch of them, may come to, where each row and each cell of the row that has
 *     most counts 128 bytes more; 0 for what memory allows: the memtables' budget or 16 MiB, whichever is more, but no more
 *     than an eighth of the heap nor than 256 MiB
 * @param syncMode what an acknowledgement is worth
 * @param syncPeriod between syncs when periodic; at most an hour
 * @param groupWindow how long the first write of a group waits for others; at most a minute
 * @param commitLogSegmentBytes the length of a file of the commit log
 * @param commitLogBudgetBytes the oldest memtables are flushed when the commit log takes more
 * @param commitLogCompression whether the commit log is compressed with LZ4
 * @param skipCorruptCommitLog whether to go on where the commit log is corrupt, losing what cannot be read, instead of
 *     refusing to open
 * @param version which SSTables are written; a table that has some of a later format, whose deletion times this one does not
 *     hold, goes on with that
 * @param compactionThreads how many compactions the store begins by itself run at once; 0 for none but those asked for, which
 *     have a thread of their own
 * @param compactionBytesPerSecond how much all compactions together read at most; 0 for no limit
 * @param readThreads how many reads of {@code Table.rows(keys)}, {@code rowAsync} and the like run at once; threads start when
 *     they are needed
 * @param isJmx whether metrics are shown to JMX
 * @param tableMetrics which tables have metrics of their own, beside the totals of all
 * @param isForRepairs whether a process other than its own program opens it, for repairs, streams or a snapshot: since nothing
 *     else is written meanwhile, its data keeps the date at which its program last had it open
 * @param listener hears what fails
 */
public record StoreConfig(
        int shardCount,
        long memtableBudgetBytes,
        long mutationMaxBytes,
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
        int readThreads,
        boolean isJmx,
        TableSelection tableMetrics,
        boolean isForRepairs,
        StoreListener listener) {
    private static final int SHARDS_MAX = 1024;
    private static final int READ_THREADS_DEFAULT = 8;
    private static final int READ_THREADS_MAX = 1024;
    private static final int TABLES_SHOWN_DEFAULT = 10;
    private static final long MEMTABLE_BUDGET_MIN_BYTES = 1L << 20;
    private static final long MEMTABLE_BUDGET_BYTES = 256L << 20;
    private static final int MEMTABLE_HEAP_PARTS = 3;
    private static final long MUTATION_MAX_MIN_BYTES = 16L << 20;
    private static final int MUTATION_HEAP_PARTS = 8;
    private static final Duration SYNC_PERIOD_MIN = Duration.ofMillis(1);
    private static final Duration SYNC_PERIOD_MAX = Duration.ofHours(1);
    private static final Duration GROUP_WINDOW_MIN = Duration.ofNanos(1);
    private static final Duration GROUP_WINDOW_MAX = Duration.ofMinutes(1);
    private static final int SEGMENT_MIN_BYTES = 64 << 10;
    private static final int COMPACTION_THREADS_MAX = 1024;
    private static final long COMPACTION_MAX_BYTES_PER_SECOND = 1L << 40;

    private static final int COMPACTION_THREADS_DEFAULT_MIN = 2;
    private static final int COMPACTION_THREADS_DEFAULT_MAX = 4;

    public StoreConfig {
        Objects.requireNonNull(syncMode, "syncMode");
        Objects.requireNonNull(syncPeriod, "syncPeriod");
        Objects.requireNonNull(groupWindow, "groupWindow");
        Objects.requireNonNull(version, "version");
        Objects.requireNonNull(tableMetrics, "tableMetrics");
        Objects.requireNonNull(listener, "listener");
        requireWithin("shardCount", shardCount, 1, SHARDS_MAX);
        requireWithin("memtableBudgetBytes", memtableBudgetBytes, MEMTABLE_BUDGET_MIN_BYTES, Long.MAX_VALUE);
        requireWithin("mutationMaxBytes", mutationMaxBytes, 0, Mutation.LENGTH_MAX_BYTES);
        requireWithin("syncPeriod", syncPeriod, SYNC_PERIOD_MIN, SYNC_PERIOD_MAX);
        requireWithin("groupWindow", groupWindow, GROUP_WINDOW_MIN, GROUP_WINDOW_MAX);
        requireWithin(
                "commitLogSegmentBytes",
                commitLogSegmentBytes,
                SEGMENT_MIN_BYTES,
                CommitLogConfig.SEGMENT_SIZE_MAX_BYTES);
        // One segment at least.
        requireWithin("commitLogBudgetBytes", commitLogBudgetBytes, commitLogSegmentBytes, Long.MAX_VALUE);
        if (!version.isWritten()) {
            throw new IllegalArgumentException("SSTables of this version are not written, version=" + version.text());
        }
        requireWithin("compactionThreads", compactionThreads, 0, COMPACTION_THREADS_MAX);
        requireWithin("compactionBytesPerSecond", compactionBytesPerSecond, 0, COMPACTION_MAX_BYTES_PER_SECOND);
        requireWithin("readThreads", readThreads, 1, READ_THREADS_MAX);
    }

    private static void requireWithin(String name, long value, long min, long max) {
        requireOrdered(name, value, min, max);
    }

    private static void requireWithin(String name, Duration value, Duration min, Duration max) {
        requireOrdered(name, value, min, max);
    }

    private static <T extends Comparable<T>> void requireOrdered(String name, T value, T min, T max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(
                    "option of the store is out of range, " + name + "=" + value + ", min=" + min + ", max=" + max);
        }
    }

    /**
     * A shard a processor, 256 MiB for memtables or a third of the heap if that is less, every write on disk before it is acknowledged, a commit log of up to 2 GiB,
     * SSTables of version {@code nb}, two compactions at once, with more processors up to four, at 64 MiB/s together, metrics of
     * the ten largest tables.
     */
    public static StoreConfig defaults() {
        int processors = Runtime.getRuntime().availableProcessors();
        return new StoreConfig(
                Math.min(SHARDS_MAX, processors),
                Math.min(MEMTABLE_BUDGET_BYTES, heapMaxBytes() / MEMTABLE_HEAP_PARTS),
                0,
                SyncMode.BATCH,
                Duration.ofSeconds(10),
                Duration.ofMillis(1),
                32 << 20,
                2L << 30,
                false,
                false,
                SSTableVersion.NB,
                Math.max(COMPACTION_THREADS_DEFAULT_MIN, Math.min(processors, COMPACTION_THREADS_DEFAULT_MAX)),
                64L << 20,
                READ_THREADS_DEFAULT,
                false,
                TableSelection.largest(TABLES_SHOWN_DEFAULT),
                false,
                StoreListener.NONE);
    }

    public StoreConfig withShardCount(int value) {
        return changed(draft -> draft.shardCount = value);
    }

    public StoreConfig withMemtableBudgetBytes(long value) {
        return changed(draft -> draft.memtableBudgetBytes = value);
    }

    public StoreConfig withMutationMaxBytes(long value) {
        return changed(draft -> draft.mutationMaxBytes = value);
    }

    public StoreConfig withSyncMode(SyncMode syncMode) {
        return changed(draft -> draft.syncMode = syncMode);
    }

    public StoreConfig withSyncPeriod(Duration syncPeriod) {
        return changed(draft -> draft.syncPeriod = syncPeriod);
    }

    public StoreConfig withGroupWindow(Duration groupWindow) {
        return changed(draft -> draft.groupWindow = groupWindow);
    }

    public StoreConfig withCommitLogSegmentBytes(int value) {
        return changed(draft -> draft.commitLogSegmentBytes = value);
    }

    public StoreConfig withCommitLogBudgetBytes(long value) {
        return changed(draft -> draft.commitLogBudgetBytes = value);
    }

    public StoreConfig withCommitLogCompression(boolean value) {
        return changed(draft -> draft.commitLogCompression = value);
    }

    public StoreConfig withSkipCorruptCommitLog(boolean value) {
        return changed(draft -> draft.skipCorruptCommitLog = value);
    }

    public StoreConfig withVersion(SSTableVersion version) {
        return changed(draft -> draft.version = version);
    }

    public StoreConfig withCompactionThreads(int value) {
        return changed(draft -> draft.compactionThreads = value);
    }

    public StoreConfig withCompactionBytesPerSecond(long value) {
        return changed(draft -> draft.compactionBytesPerSecond = value);
    }

    public StoreConfig withReadThreads(int value) {
        return changed(draft -> draft.readThreads = value);
    }

    public StoreConfig withJmx(boolean value) {
        return changed(draft -> draft.isJmx = value);
    }

    public StoreConfig withTableMetrics(TableSelection tableMetrics) {
        return changed(draft -> draft.tableMetrics = tableMetrics);
    }

    public StoreConfig withForRepairs(boolean value) {
        return changed(draft -> draft.isForRepairs = value);
    }

    public StoreConfig withListener(StoreListener listener) {
        return changed(draft -> draft.listener = listener);
    }

    /** What follows from {@link #mutationMaxBytes()} in a heap like this process'. */
    MutationLimit mutationLimit() {
        long maxBytes = mutationMaxBytes > 0 ? mutationMaxBytes : mutationMaxBytes(memtableBudgetBytes, heapMaxBytes());
        return new MutationLimit(maxBytes, ", or raise StoreConfig.withMutationMaxBytes, with a heap to hold it");
    }

    private static long heapMaxBytes() {
        return Runtime.getRuntime().maxMemory();
    }

    /** While a mutation is made there are four of it: the value, its copy, what is encoded, and the mutation itself. */
    static long mutationMaxBytes(long memtableBudgetBytes, long heapMaxBytes) {
        long ofMemtables = Math.max(memtableBudgetBytes, MUTATION_MAX_MIN_BYTES);
        return Math.min(Mutation.LENGTH_MAX_BYTES, Math.min(ofMemtables, heapMaxBytes / MUTATION_HEAP_PARTS));
    }

    private StoreConfig changed(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.conclude();
    }

    /** The same fields while one of them is changed. */
    private static final class Draft {
        private int shardCount;
        private long memtableBudgetBytes;
        private long mutationMaxBytes;
        private SyncMode syncMode;
        private Duration syncPeriod;
        private Duration groupWindow;
        private int commitLogSegmentBytes;
        private long commitLogBudgetBytes;
        private boolean commitLogCompression;
        private boolean skipCorruptCommitLog;
        private SSTableVersion version;
        private int compactionThreads;
        private long compactionBytesPerSecond;
        private int readThreads;
        private boolean isJmx;
        private TableSelection tableMetrics;
        private boolean isForRepairs;
        private StoreListener listener;

        private Draft(StoreConfig config) {
            shardCount = config.shardCount;
            memtableBudgetBytes = config.memtableBudgetBytes;
            mutationMaxBytes = config.mutationMaxBytes;
            syncMode = config.syncMode;
            syncPeriod = config.syncPeriod;
            groupWindow = config.groupWindow;
            commitLogSegmentBytes = config.commitLogSegmentBytes;
            commitLogBudgetBytes = config.commitLogBudgetBytes;
            commitLogCompression = config.commitLogCompression;
            skipCorruptCommitLog = config.skipCorruptCommitLog;
            version = config.version;
            compactionThreads = config.compactionThreads;
            compactionBytesPerSecond = config.compactionBytesPerSecond;
            readThreads = config.readThreads;
            isJmx = config.isJmx;
            tableMetrics = config.tableMetrics;
            isForRepairs = config.isForRepairs;
            listener = config.listener;
        }

        private StoreConfig conclude() {
            return new StoreConfig(
                    shardCount,
                    memtableBudgetBytes,
                    mutationMaxBytes,
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
                    readThreads,
                    isJmx,
                    tableMetrics,
                    isForRepairs,
                    listener);
        }
    }
}
