package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.io.StorageException;
import io.anneal.key.Partitioner;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.schema.SchemaException;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done with a table as a whole, beside writing, reading and compacting it. A thread of its own, which waits; one at a
 * time for a table.
 */
final class TableOperations {
    private static final Logger LOG = LoggerFactory.getLogger(TableOperations.class);

    private final ShardRule shards;
    private final LogWriter log;
    private final List<ShardWriter> shardWriters;
    private final Flushes flushes;
    private final Compactions compactions;
    private final SSTableFormats formats;
    private final StoreState state;
    private final TimestampClock timestamps;

    TableOperations(
            ShardRule shards,
            LogWriter log,
            List<ShardWriter> shardWriters,
            Flushes flushes,
            Compactions compactions,
            SSTableFormats formats,
            StoreState state,
            TimestampClock timestamps) {
        this.shards = shards;
        this.log = log;
        this.shardWriters = shardWriters;
        this.flushes = flushes;
        this.compactions = compactions;
        this.formats = formats;
        this.state = state;
        this.timestamps = timestamps;
    }

    /** Forgets all that stands before one place of the commit log: for readers at once, and on the disk at once. */
    void truncate(LiveTable table) throws IOException {
        List<CompletableFuture<Void>> switched = new ArrayList<>();
        CommitLogPosition upTo = Undisturbed.join(log.between(position -> {
            table.beginTruncation(position, timestamps.next());
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
            table.directory().receiving().forgetKept();
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
        table.directory().forceMovedAside();
        log.releaseTable(table.id());
        try {
            table.directory().removeMovedAside();
        } catch (StorageException e) {
            state.heed(e);
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

    /**
     * Gives a table another schema. Its writes wait meanwhile, reads go on; what was written by the old schema is flushed before
     * the new one is there, since memtables and commit log name columns by their numbers.
     *
     * @param change of the schema that the table has; may be asked twice, and throws when it is not allowed
     */
    void alter(LiveTable table, UnaryOperator<TableSchema> change) throws IOException {
        TableSchema wanted = change.apply(table.schema());
        if (wanted.equals(table.schema())) {
            return;
        }
        TableDirectory.schemaText(wanted);
        // Most of it while writes still go on.
        Undisturbed.join(flushes.flush(table));
        try {
            Undisturbed.join(log.hold(table.id()));
            Undisturbed.join(flushes.flush(table));
            // Again, so that columns are dropped later than all that was written.
            TableSchema altered = change.apply(table.schema());
            Undisturbed.join(log.rememberClock());
            replace(table, altered);
        } finally {
            log.resume(table.id());
        }
        compactions.consider(table);
    }

    private void replace(LiveTable table, TableSchema altered) throws IOException {
        if (!state.isSound()) {
            throw state.refusal();
        }
        table.directory().alter(altered);
        try {
            table.directory().sync();
        } catch (StorageException e) {
            // Which schema the disk has nobody knows: nothing may be written by either.
            state.fail(e);
            throw e;
        }
        table.alter(altered);
    }

    /** Each of the SSTables is right and fits the table. */
    void verify(LiveTable table, List<Descriptor> foreign) throws IOException {
        for (Descriptor descriptor : foreign) {
            verify(table, descriptor);
        }
    }

    /**
     * Takes what this process has just written for the table: all of it or none.
     *
     * @param truncations how often the table had been truncated when the first of it was read
     * @throws TableTruncatedException when it was truncated since: what it held may be in these SSTables
     */
    void takeReceived(LiveTable table, List<Descriptor> received, long truncations) throws IOException {
        if (table.truncations() != truncations) {
            throw new TableTruncatedException(
                    "table was truncated while rows were received for it, which are not taken in:"
                            + " begin again, table=" + table.schema().qualifiedName());
        }
        for (Descriptor descriptor : received) {
            try (SSTableReader reader = formats.open(descriptor)) {
                requireFit(reader, table);
            }
        }
        takeIn(table, received);
    }

    /** Takes SSTables in that were verified: all of them or none. */
    void takeIn(LiveTable table, List<Descriptor> foreign) throws IOException {
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
            requireFit(reader, table);
        }
    }

    /** Opening a cursor holds the header, which is known to be right, against the schema. */
    private static void requireFit(SSTableReader reader, LiveTable table) throws IOException {
        reader.requireColumnOrder();
        try {
            reader.scan(table.schema(), TokenRange.Linear.ALL).close();
        } catch (CorruptSSTableException e) {
            SchemaException misfit = new SchemaException(
                    "SSTable is whole but does not fit the table, add the columns that are missing, or import it into a table"
                            + " of its schema, reason=" + e.getMessage());
            misfit.initCause(e);
            throw misfit;
        }
    }

    /** Flushes a table and links its SSTables to a directory of their own, in which Cassandra may read them. */
    Path snapshot(LiveTable table, String name, Instant now) throws IOException {
        Undisturbed.join(flushes.flush(table));
        LiveSet set = table.acquire();
        try {
            for (LiveSSTable sstable : set.sstables()) {
                sstable.reader().requireColumnOrder();
            }
            List<Descriptor> sstables =
                    set.sstables().stream().map(LiveSSTable::descriptor).toList();
            return table.directory().snapshot(name, sstables, now);
        } finally {
            set.release();
        }
    }
}
