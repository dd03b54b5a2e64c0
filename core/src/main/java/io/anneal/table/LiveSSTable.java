package io.anneal.table;

import io.anneal.compaction.CompactionCandidate;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;

/** An open SSTable of a live table. Closed by its last holder, and then deleted if a compaction has replaced it. */
final class LiveSSTable extends Counted {
    private static final Duration REST = Duration.ofMinutes(1);
    private static final Duration REST_MAX = Duration.ofMinutes(16);

    private final SSTableReader reader;
    private final CompactionCandidate candidate;
    private final Consumer<LiveSSTable> disposal;

    private volatile boolean obsolete;
    private volatile boolean compacting;
    // Guarded by Compactions.
    private int failedCompactions;
    private long restsUntilNanos;

    private LiveSSTable(SSTableReader reader, CompactionCandidate candidate, Consumer<LiveSSTable> disposal) {
        this.reader = reader;
        this.candidate = candidate;
        this.disposal = disposal;
    }

    /**
     * Takes over an open SSTable.
     *
     * @param shard the only one that it has data of, or {@link ListedSSTable#SHARED}
     * @param disposal closes the reader, and deletes the files of what is obsolete; must not throw
     */
    static LiveSSTable of(SSTableReader reader, int shard, Consumer<LiveSSTable> disposal) throws IOException {
        boolean taken = false;
        try {
            LiveSSTable sstable = new LiveSSTable(reader, CompactionCandidate.of(reader, shard), disposal);
            taken = true;
            return sstable;
        } finally {
            if (!taken) {
                reader.close();
            }
        }
    }

    SSTableReader reader() {
        return reader;
    }

    /** What strategies see of it. */
    CompactionCandidate candidate() {
        return candidate;
    }

    Descriptor descriptor() {
        return reader.descriptor();
    }

    /** The shard that all its data belongs to, or {@link ListedSSTable#SHARED}. */
    int shard() {
        return candidate.shard();
    }

    boolean isObsolete() {
        return obsolete;
    }

    /** No manifest names it any more: its files go with the last holder. */
    void becomeObsolete() {
        obsolete = true;
    }

    boolean isCompacting() {
        return compacting;
    }

    void compacting(boolean busy) {
        compacting = busy;
    }

    /** A compaction of it has failed: it rests for a minute, for twice as long each time, for {@link #REST_MAX} at most. */
    void compactionFailed(long nowNanos) {
        long restNanos = Math.min(REST.toNanos() << Math.min(failedCompactions, 10), REST_MAX.toNanos());
        failedCompactions++;
        restsUntilNanos = nowNanos + restNanos;
    }

    /** Whether nothing begins with it unless somebody asks, since that has just failed. */
    boolean isResting(long nowNanos) {
        return failedCompactions > 0 && restsUntilNanos - nowNanos > 0;
    }

    @Override
    protected void released() {
        disposal.accept(this);
    }

    @Override
    public String toString() {
        return descriptor().toString();
    }
}
