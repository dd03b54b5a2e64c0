package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.io.StorageException;
import io.anneal.key.Partitioner;
import io.anneal.key.ShardRule;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** What is done with a table as a whole, beside writing, reading and compacting it. The caller's thread, which waits. */
final class TableCare {
    private final ShardRule shards;
    private final List<ShardWriter> shardWriters;
    private final Flushes flushes;
    private final SSTableFormats formats;
    private final StoreState state;

    TableCare(
            ShardRule shards,
            List<ShardWriter> shardWriters,
            Flushes flushes,
            SSTableFormats formats,
            StoreState state) {
        this.shards = shards;
        this.shardWriters = shardWriters;
        this.flushes = flushes;
        this.formats = formats;
        this.state = state;
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

    /**
     * Gives a table another schema. Its writes wait meanwhile, reads go on; what was written by the old schema is flushed before
     * the new one is there, since memtables and commit log name columns by their numbers.
     *
     * @param change of the schema that the table has; may be asked twice, and throws when it is not allowed
     */
    void alter(LiveTable table, UnaryOperator<TableSchema> change, LogWriter log) throws IOException {
        if (change.apply(table.schema()).equals(table.schema())) {
            return;
        }
        // Most of it while writes still go on.
        Engine.await(flushes.flush(table));
        CompletableFuture<Void> held = new CompletableFuture<>();
        log.hold(table.id(), () -> held.complete(null));
        try {
            Engine.await(held);
            Engine.await(flushes.flush(table));
            TableSchema altered = change.apply(table.schema());
            CompletableFuture<Void> remembered = new CompletableFuture<>();
            log.rememberClock(() -> remembered.complete(null));
            Engine.await(remembered);
            replace(table, altered);
        } finally {
            log.resume(table.id());
        }
    }

    private void replace(LiveTable table, TableSchema altered) throws StorageException {
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
