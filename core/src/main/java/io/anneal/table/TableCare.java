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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done with a table as a whole, beside writing, reading and compacting it. A thread of its own, which waits; one at a
 * time for a table.
 */
final class TableCare {
    private static final Logger LOG = LoggerFactory.getLogger(TableCare.class);

    private final ShardRule shards;
    private final LogWriter log;
    private final List<ShardWriter> shardWriters;
    private final Flushes flushes;
    private final Compactions compactions;
    private final SSTableFormats formats;
    private final StoreState state;

    TableCare(
            ShardRule shards,
            LogWriter log,
            List<ShardWriter> shardWriters,
            Flushes flushes,
            Compactions compactions,
            SSTableFormats formats,
            StoreState state) {
        this.shards = shards;
        this.log = log;
        this.shardWriters = shardWriters;
        this.flushes = flushes;
        this.compactions = compactions;
        this.formats = formats;
        this.state = state;
    }

    /** Forgets all that stands before one place of the commit log: for readers at once, and on the disk at once. */
    void truncate(LiveTable table) throws IOException {
        List<CompletableFuture<Void>> switched = new ArrayList<>();
        CommitLogPosition upTo = Undisturbed.join(log.between(position -> {
            table.beginTruncation(position);
            for (int shard = 0; shard < shards.shardCount(); shard++) {
                int number = shard;
                switched.add(passed(number, () -> table.switchMemtable(number).ifPresent(Counted::release)));
            }
            return position;
        }));
        for (CompletableFuture<Void> shard : switched) {
            Undisturbed.join(shard);
        }
        try {
            table.endTruncation();
        } catch (StorageException e) {
            // What was switched for it would have to be flushed before all that came later.
            state.fail(e);
            throw e;
        }
        for (int shard = 0; shard < shards.shardCount(); shard++) {
            log.release(table.id(), shard, upTo);
        }
    }

    private CompletableFuture<Void> passed(int shard, Runnable work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        shardWriters.get(shard).run(() -> {
            work.run();
            done.complete(null);
        });
        return done;
    }

    /**
     * Forgets the table. When the disk does not let it go, the table is as it was; when nobody knows what the disk says, the
     * store takes no more writes.
     *
     * @param gone called once the table is there no more
     */
    void drop(LiveTable table, Runnable gone) throws IOException {
        compactions.stop(table);
        table.refuse(true);
        boolean dropped = false;
        try {
            awaitUnderWay();
            table.directory().moveAside();
            dropped = true;
        } finally {
            if (!dropped) {
                table.refuse(false);
                compactions.goOn(table);
            }
        }
        table.close();
        gone.run();
        try {
            table.directory().forceMovedAside();
        } catch (StorageException e) {
            state.fail(e);
            throw e;
        }
        log.releaseTable(table.id());
        try {
            table.directory().removeMovedAside();
        } catch (StorageException e) {
            LOG.warn(
                    "dropped table's files could not be deleted, the next start does it, table={}",
                    table.schema().qualifiedName(),
                    e);
        }
    }

    /** Behind it no write and no flush that was under way touches a table that refuses new ones. */
    private void awaitUnderWay() throws IOException {
        Undisturbed.join(log.between(position -> position));
        for (int shard = 0; shard < shards.shardCount(); shard++) {
            Undisturbed.join(passed(shard, () -> {}));
        }
        Undisturbed.join(flushes.passed());
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
        Undisturbed.join(flushes.flush(table));
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
