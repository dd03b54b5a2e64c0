package io.anneal.table;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.ShardRule;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.metrics.TableMetrics;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.SSTableCursor;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** Reads a table's live sets: a cursor for each memtable and SSTable, merged. Any thread, without a lock. */
final class LiveReads {
    private final ShardRule shards;
    private final TableMetrics metrics;
    private final OpenCursors cursors;
    private final LongSupplier nanoTime;
    private final BooleanSupplier closed;
    private final Predicate<LiveSet> isCurrent;
    private final FailureNotices notices;

    /**
     * @param closed whether the table is: cursors fail from then on
     * @param isCurrent whether a set has the table's data still
     */
    LiveReads(
            ShardRule shards,
            TableMetrics metrics,
            OpenCursors cursors,
            LongSupplier nanoTime,
            BooleanSupplier closed,
            Predicate<LiveSet> isCurrent,
            FailureNotices notices) {
        this.shards = shards;
        this.metrics = metrics;
        this.cursors = cursors;
        this.nanoTime = nanoTime;
        this.closed = closed;
        this.isCurrent = isCurrent;
        this.notices = notices;
    }

    /** Reads a range; takes over the caller's hold of the set. */
    FragmentCursor scan(LiveSet set, TokenRange.Linear range, long localDeletionTimeMaxSeconds) throws IOException {
        List<FragmentCursor> opened = new ArrayList<>();
        try {
            for (LiveMemtable memtable : set.active()) {
                opened.add(memtable.memtable().scan(range));
            }
            for (LiveMemtable memtable : set.flushing()) {
                opened.add(memtable.memtable().scan(range));
            }
            for (LiveSSTable sstable : set.sstables()) {
                opened.add(sstable.reader().scan(set.schema(), range));
            }
            return live(
                    validated(MergeCursor.of(set.schema(), opened, localDeletionTimeMaxSeconds), false),
                    set,
                    metrics::scanDone);
        } catch (IOException | RuntimeException e) {
            abandon(opened, set, e);
            LiveCursor.requireOpen(closed, set.schema().qualifiedName(), e);
            throw e;
        }
    }

    /** Reads a shard's part of a range, behind a key; takes over the caller's hold of the set. */
    ReadCursor scan(LiveSet set, int shard, TokenRange.Linear range, Optional<DecoratedKey> after) throws IOException {
        List<FragmentCursor> opened = new ArrayList<>();
        try {
            for (LiveMemtable memtable : set.memtables(shard)) {
                opened.add(memtable.memtable().scan(range, after));
            }
            for (LiveSSTable sstable : set.sstables(shard)) {
                SSTableCursor all = sstable.reader().scan(set.schema(), range, after);
                opened.add(sstable.shard() == shard ? all : ShardCursor.of(sstable.reader(), all, shards, shard));
            }
            return live(validated(MergeCursor.of(set.schema(), opened), false), set, metrics::scanDone);
        } catch (IOException | RuntimeException e) {
            abandon(opened, set, e);
            LiveCursor.requireOpen(closed, set.schema().qualifiedName(), e);
            throw e;
        }
    }

    /** Reads slices of a partition; takes over the caller's hold of the set. */
    ReadCursor partition(LiveSet set, DecoratedKey key, Slices slices, boolean reversed) throws IOException {
        long startNanos = nanoTime.getAsLong();
        List<FragmentCursor> opened = new ArrayList<>();
        try {
            int shard = shards.shardOf(key.token());
            int sstableCount = 0;
            for (LiveMemtable memtable : set.memtables(shard)) {
                memtable.memtable().read(key, slices, reversed).ifPresent(opened::add);
            }
            for (LiveSSTable sstable : set.sstables(shard)) {
                Optional<SSTableCursor> found = sstable.reader().read(set.schema(), key, slices, reversed);
                if (found.isPresent()) {
                    opened.add(found.get());
                    sstableCount++;
                }
            }
            int sstablesRead = sstableCount;
            MergeCursor merged =
                    reversed ? MergeCursor.ofReversed(set.schema(), opened) : MergeCursor.of(set.schema(), opened);
            return live(
                    validated(merged, reversed),
                    set,
                    (rowCount, tombstoneCount) -> metrics.shard(shard)
                            .readDone(nanoTime.getAsLong() - startNanos, sstablesRead, tombstoneCount));
        } catch (IOException | RuntimeException e) {
            abandon(opened, set, e);
            LiveCursor.requireOpen(closed, set.schema().qualifiedName(), e);
            throw e;
        }
    }

    private ReadCursor live(FragmentCursor merged, LiveSet set, LiveCursor.Listener listener) {
        return new LiveCursor(
                merged, set, isCurrent, cursors, closed, set.schema().qualifiedName(), listener, notices);
    }

    private static FragmentCursor validated(FragmentCursor merged, boolean reversed) {
        if (!LiveReads.class.desiredAssertionStatus()) {
            return merged;
        }
        return reversed ? FragmentStreamValidator.ofReversed(merged) : FragmentStreamValidator.of(merged);
    }

    private void abandon(List<? extends Closeable> opened, LiveSet set, Exception failure) {
        if (failure instanceof CorruptSSTableException corrupt && !closed.getAsBoolean()) {
            notices.sstableCorrupt(set.schema().qualifiedName(), corrupt);
        }
        for (Closeable closeable : opened) {
            try {
                closeable.close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
        set.release();
    }
}
