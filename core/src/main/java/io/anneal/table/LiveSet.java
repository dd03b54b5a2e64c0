package io.anneal.table;

import io.anneal.compaction.CompactionCandidate;
import io.anneal.key.KeyView;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a table consists of at one moment: its memtables, those still being flushed among them, and its SSTables. Replaced as
 * a whole by every switch, flush and compaction; a reader holds one as long as it reads, and with it all that is in it.
 * Immutable; any thread.
 */
final class LiveSet extends Counted {
    private final TableSchema schema;
    private final long truncations;
    private final List<LiveMemtable> active;
    private final List<LiveMemtable> flushing;
    private final List<LiveSSTable> sstables;
    private final List<List<LiveSSTable>> sstablesByShard;

    /**
     * Holds everything in it, which the caller holds as well.
     *
     * @param schema of the table, which reads all that is in the set
     * @param truncations how many the table has behind it
     * @param active by shard
     * @param flushing oldest first
     */
    LiveSet(
            TableSchema schema,
            long truncations,
            List<LiveMemtable> active,
            List<LiveMemtable> flushing,
            List<LiveSSTable> sstables) {
        this.schema = schema;
        this.truncations = truncations;
        this.active = List.copyOf(active);
        this.flushing = List.copyOf(flushing);
        this.sstables = List.copyOf(sstables);
        List<List<LiveSSTable>> byShard = new ArrayList<>(active.size());
        for (int shard = 0; shard < active.size(); shard++) {
            int owner = shard;
            byShard.add(sstables.stream()
                    .filter(sstable -> sstable.shard() == owner || sstable.shard() == ListedSSTable.SHARED)
                    .toList());
        }
        sstablesByShard = List.copyOf(byShard);
        active.forEach(Counted::retainHeld);
        flushing.forEach(Counted::retainHeld);
        sstables.forEach(Counted::retainHeld);
    }

    TableSchema schema() {
        return schema;
    }

    long truncations() {
        return truncations;
    }

    List<LiveMemtable> active() {
        return active;
    }

    List<LiveMemtable> flushing() {
        return flushing;
    }

    List<LiveSSTable> sstables() {
        return sstables;
    }

    /** The SSTables as strategies see them. */
    List<CompactionCandidate> candidates() {
        return sstables.stream().map(LiveSSTable::candidate).toList();
    }

    /** The SSTables that may hold keys of a shard. */
    List<LiveSSTable> sstables(int shard) {
        return sstablesByShard.get(shard);
    }

    /** The memtables that hold keys of a shard. */
    List<LiveMemtable> memtables(int shard) {
        List<LiveMemtable> memtables = new ArrayList<>(2);
        memtables.add(active.get(shard));
        for (LiveMemtable memtable : flushing) {
            if (memtable.shard() == shard) {
                memtables.add(memtable);
            }
        }
        return memtables;
    }

    /** Bytes of what only holders of sets like this keep: memtables that are flushed, SSTables that no manifest names. */
    long obsoleteBytes() {
        long bytes = 0;
        for (LiveMemtable memtable : active) {
            bytes += memtable.lingeringBytes();
        }
        for (LiveMemtable memtable : flushing) {
            bytes += memtable.lingeringBytes();
        }
        for (LiveSSTable sstable : sstables) {
            bytes += sstable.isObsolete() ? sstable.candidate().onDiskBytes() : 0;
        }
        return bytes;
    }

    /** Of all that is in memory; {@link Long#MAX_VALUE} when nothing is. */
    long memtableMinTimestampMicros() {
        long least = Long.MAX_VALUE;
        for (LiveMemtable memtable : active) {
            least = Math.min(least, memtable.memtable().minTimestampMicros());
        }
        for (LiveMemtable memtable : flushing) {
            least = Math.min(least, memtable.memtable().minTimestampMicros());
        }
        return least;
    }

    /** Of all that there is; {@link Long#MAX_VALUE} when there is nothing. */
    long minTimestampMicros() {
        return sstables.stream()
                .mapToLong(sstable -> sstable.reader().statistics().minTimestampMicros())
                .reduce(memtableMinTimestampMicros(), Math::min);
    }

    /** The least timestamp of what may hold a key of a shard, but for some SSTables. */
    long minTimestampMicros(KeyView key, int shard, Set<LiveSSTable> without) throws IOException {
        long least = Long.MAX_VALUE;
        for (LiveMemtable memtable : memtables(shard)) {
            if (memtable.memtable().contains(key)) {
                least = Math.min(least, memtable.memtable().minTimestampMicros());
            }
        }
        for (LiveSSTable sstable : sstables(shard)) {
            long micros = sstable.reader().statistics().minTimestampMicros();
            if (micros < least && !without.contains(sstable) && sstable.reader().mayContain(key)) {
                least = micros;
            }
        }
        return least;
    }

    /** Releases it for a cursor that is gone, whose user may still look at the last row. */
    void releaseForgotten() {
        active.forEach(LiveMemtable::keepFromReuse);
        flushing.forEach(LiveMemtable::keepFromReuse);
        release();
    }

    @Override
    protected void released() {
        active.forEach(Counted::release);
        flushing.forEach(Counted::release);
        sstables.forEach(Counted::release);
    }
}
