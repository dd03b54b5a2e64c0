package io.anneal.table;

import io.anneal.commitlog.CommitLogPosition;
import io.anneal.commitlog.CommitLogReplay;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.MutationTranslator;
import io.anneal.key.ShardRule;
import io.anneal.memtable.Memtable;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings back from the commit log what no SSTable has, before a store takes writes: mutations go to memtables, those to new
 * SSTables, and then the manifests say that nothing of the log is needed any more. A crash on the way starts it again. What a
 * manifest calls flushed is never replayed: a tombstone of it may be purged, and what it deleted would come back. One thread.
 */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    private final Map<UUID, LiveTable> tables;
    private final Map<UUID, UnreadableTable> unreadable;
    private final ShardRule shards;
    private final Flushes flushes;
    private final MemoryGate gate;
    private final long memoryThresholdBytes;
    private final TimestampClock timestamps;
    private final Map<Long, Set<UUID>> kept = new HashMap<>();
    /** Of tables for which an earlier release may have written the log, with columns numbered in its order. */
    private final Map<UUID, MutationTranslator> translators = new HashMap<>();

    private long mutationCount;
    private long unknownTableCount;

    Recovery(
            Map<UUID, LiveTable> tables,
            Map<UUID, UnreadableTable> unreadable,
            ShardRule shards,
            Flushes flushes,
            MemoryGate gate,
            long memoryThresholdBytes,
            TimestampClock timestamps) {
        this.tables = tables;
        this.unreadable = unreadable;
        this.shards = shards;
        this.flushes = flushes;
        this.gate = gate;
        this.memoryThresholdBytes = memoryThresholdBytes;
        this.timestamps = timestamps;
        for (LiveTable table : tables.values()) {
            TableSchema schema = table.schema();
            if (!table.directory().content().hasRenumberedLog() && schema.isRenumbered()) {
                translators.put(table.id(), new MutationTranslator(schema.inFormerOrder(), schema));
            }
        }
    }

    /** @param skipCorrupt whether to go on behind what cannot be read */
    CommitLogReplay.Report run(Path commitLog, boolean skipCorrupt) throws IOException {
        CommitLogReplay.Report report = CommitLogReplay.replay(commitLog, new Replayed(), skipCorrupt);
        for (CommitLogReplay.Gap loss : report.losses()) {
            LOG.error("commit log is corrupt and acknowledged writes are lost, as was allowed, {}", loss);
        }
        warnOfLostLog(report);
        flushAll();
        for (LiveTable table : tables.values()) {
            table.directory().update(content -> {
                ManifestContent flushed = content.shards().equals(shards)
                        ? content.withAllFlushed(report.end())
                        : content.withShards(shards, report.end());
                return table.schema().isRenumbered() ? flushed.withRenumberedLog() : flushed;
            });
        }
        if (mutationCount > 0 || unknownTableCount > 0) {
            LOG.info(
                    "commit log replayed, mutations={}, ofDroppedTables={}, end={}",
                    mutationCount,
                    unknownTableCount,
                    report.end());
        }
        return report;
    }

    /**
     * What a log that ends too early has lost nobody knows. It may be nothing: without a sync before each flush a loss of power
     * takes from the log what SSTables have.
     */
    private void warnOfLostLog(CommitLogReplay.Report report) {
        List<String> behind = tables.values().stream()
                .map(table -> table.directory().content())
                .filter(content -> report.end().compareTo(content.highestFlushed()) < 0)
                .map(ManifestContent::qualifiedName)
                .sorted()
                .toList();
        if (!behind.isEmpty()) {
            LOG.warn(
                    "commit log is missing, or ends before what was flushed: unless the machine lost power under PERIODIC,"
                            + " its files were removed and acknowledged writes may be lost, end={}, tables={}",
                    report.end(),
                    behind);
        }
    }

    /** Segments of the commit log that unreadable tables need, by id, with those tables. */
    Map<Long, Set<UUID>> kept() {
        return kept;
    }

    private final class Replayed implements CommitLogReplay.Handler {
        @Override
        public void mutation(CommitLogPosition position, UUID table, Mutation mutation) throws IOException {
            replay(position, table, mutation);
        }

        @Override
        public void clock(long lastTimestampMicros) {
            timestamps.goOnAfter(lastTimestampMicros);
        }
    }

    private void replay(CommitLogPosition position, UUID tableId, Mutation mutation) throws IOException {
        LiveTable table = tables.get(tableId);
        long token = mutation.key().token();
        if (table == null) {
            UnreadableTable apart = unreadable.get(tableId);
            if (apart == null) {
                unknownTableCount++;
            } else if (apart.needs(position, token)) {
                kept.computeIfAbsent(position.segmentId(), id -> new HashSet<>())
                        .add(tableId);
            }
            return;
        }
        if (table.directory().content().isFlushed(position, token)) {
            return;
        }
        MutationTranslator translator = translators.get(tableId);
        Mutation applied = translator == null ? mutation : translator.translate(mutation);
        table.apply(shards.shardOf(token), applied, position);
        mutationCount++;
        if (gate.usedBytes() > memoryThresholdBytes) {
            flushAll();
        }
    }

    private void flushAll() throws IOException {
        for (LiveTable table : tables.values()) {
            boolean sameShards = table.directory().content().shards().equals(shards);
            for (int shard = 0; shard < shards.shardCount(); shard++) {
                Optional<LiveMemtable> full = table.switchMemtable(shard);
                if (full.isPresent()) {
                    int owner = sameShards ? shard : ListedSSTable.SHARED;
                    recover(table, full.get(), owner);
                }
            }
        }
    }

    private void recover(LiveTable table, LiveMemtable full, int owner) throws IOException {
        Memtable memtable = full.memtable();
        // What the store takes now it may not have taken when the log was written.
        SSTableVersion version =
                table.version().orThatHolds(memtable.maxLocalDeletionTimeSeconds(), memtable.minTimestampMicros());
        Optional<LiveSSTable> written = flushes.write(table, memtable, owner, version);
        try {
            table.recovered(full, written);
        } finally {
            written.ifPresent(Counted::release);
            full.release();
        }
    }
}
