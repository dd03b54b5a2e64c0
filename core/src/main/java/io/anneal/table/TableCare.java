package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.io.StorageException;
import io.anneal.key.Partitioner;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What is done with a table as a whole, beside writing, reading and compacting it. The caller's thread, which waits. */
final class TableCare {
    private final ShardRule shards;
    private final List<ShardWriter> shardWriters;
    private final Flushes flushes;
    private final SSTableFormats formats;
    private final StoreState state;
    private final TimestampClock timestamps;

    TableCare(
            ShardRule shards,
            List<ShardWriter> shardWriters,
            Flushes flushes,
            SSTableFormats formats,
            StoreState state,
            TimestampClock timestamps) {
        this.shards = shards;
        this.shardWriters = shardWriters;
        this.flushes = flushes;
        this.formats = formats;
        this.state = state;
        this.timestamps = timestamps;
    }

    /** Forgets all that was written before; says how far in the commit log that reaches, by shard. */
    List<CommitLogPosition> truncate(LiveTable table) throws IOException {
        List<CommitLogPosition> reached = discardMemtables(table);
        try {
            table.truncated(reached);
        } catch (StorageException e) {
            // Memory has forgotten what the disk has not.
            state.fail(e);
            throw e;
        }
        return reached;
    }

    /** Throws away what memtables hold; says how far in the commit log that reaches, by shard. */
    List<CommitLogPosition> discardMemtables(LiveTable table) throws IOException {
        List<CompletableFuture<CommitLogPosition>> asked = new ArrayList<>();
        for (int shard = 0; shard < shards.shardCount(); shard++) {
            int number = shard;
            CompletableFuture<CommitLogPosition> reached = new CompletableFuture<>();
            shardWriters.get(shard).run(() -> reached.complete(table.discardMemtable(number)));
            asked.add(reached);
        }
        List<CommitLogPosition> reached = new ArrayList<>();
        for (CompletableFuture<CommitLogPosition> position : asked) {
            reached.add(Engine.await(position));
        }
        return reached;
    }

    /** Takes foreign SSTables in, as they are: all of them or none. Each is verified first. */
    void importSSTables(LiveTable table, List<Descriptor> foreign) throws IOException {
        for (Descriptor descriptor : foreign) {
            verify(table, descriptor);
        }
        List<LiveSSTable> opened = new ArrayList<>();
        boolean taken = false;
        try {
            for (Descriptor descriptor : table.directory().link(foreign)) {
                opened.add(table.open(descriptor, shards.shardCount() == 1 ? 0 : ListedSSTable.SHARED));
            }
            // Before it is seen: whoever overwrites what it saw must come behind it.
            opened.forEach(
                    sstable -> timestamps.followForeign(sstable, table.schema().qualifiedName()));
            table.imported(opened);
            taken = true;
        } finally {
            if (!taken) {
                opened.forEach(LiveSSTable::becomeObsolete);
            }
            opened.forEach(Counted::release);
        }
    }

    private void verify(LiveTable table, Descriptor descriptor) throws IOException {
        try (SSTableReader reader = formats.open(descriptor)) {
            if (reader.partitioner() != Partitioner.MURMUR3) {
                throw new IllegalArgumentException("SSTable has another partitioner than stores have, partitioner="
                        + reader.partitioner().className() + ", sstable=" + descriptor);
            }
            if (reader.statistics().hasLegacyCounterShards()) {
                throw new IllegalArgumentException(
                        "SSTable has counter shards of Cassandra 2.0 or earlier, sstable=" + descriptor);
            }
            reader.verify();
            // Opening a cursor holds the header against the schema.
            reader.scan(table.schema(), TokenRange.Linear.ALL).close();
        }
    }

    /** Flushes a table and links its SSTables to a directory of their own. */
    Path snapshot(LiveTable table, String name, Instant now) throws IOException {
        Engine.await(flushes.flush(table));
        LiveSet set = table.acquire();
        try {
            List<Descriptor> sstables =
                    set.sstables().stream().map(LiveSSTable::descriptor).toList();
            return table.directory().snapshot(name, sstables, now);
        } finally {
            set.release();
        }
    }
}
