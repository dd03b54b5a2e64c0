package io.anneal.compaction;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.MemoryCursor;
import io.anneal.fragment.MemoryPartition;
import io.anneal.fragment.Row;
import io.anneal.fragment.StreamText;
import io.anneal.key.DecoratedKey;
import io.anneal.merge.MergeCursor;
import io.anneal.merge.PurgeCursor;
import io.anneal.merge.PurgeRule;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Sources of a table in memory, each what an SSTable or a memtable would be, and compactions of them. */
record MemoryTable(TableSchema schema) {
    /** The merge of sources, purged by the rule. */
    List<MemoryPartition> compact(List<List<MemoryPartition>> inputs, PurgeRule rule) throws IOException {
        try (FragmentCursor cursor = new PurgeCursor(merge(inputs), rule)) {
            return read(cursor);
        }
    }

    /** What is left to see at a time, as replicas compare it. */
    List<String> view(List<List<MemoryPartition>> sources, long nowSeconds, long gcGraceSeconds) throws IOException {
        return StreamText.of(new PurgeCursor(merge(sources), new SessionPurgeRule(nowSeconds, gcGraceSeconds)));
    }

    private MergeCursor merge(List<List<MemoryPartition>> sources) {
        List<FragmentCursor> cursors = new ArrayList<>();
        sources.forEach(source -> cursors.add(new MemoryCursor(schema, source)));
        return MergeCursor.of(schema, cursors);
    }

    private static List<MemoryPartition> read(FragmentCursor cursor) throws IOException {
        List<MemoryPartition> partitions = new ArrayList<>();
        DecoratedKey key = null;
        DeletionTime deletion = null;
        Row staticRow = null;
        List<Object> clustered = new ArrayList<>();
        while (cursor.advance() != null) {
            switch (cursor.kind()) {
                case PARTITION_START -> {
                    key = cursor.key().toDecoratedKey();
                    deletion = new DeletionTime(
                            cursor.partitionDeletionTimestampMicros(), cursor.partitionDeletionLocalTimeSeconds());
                    staticRow = null;
                    clustered = new ArrayList<>();
                }
                case STATIC_ROW -> staticRow = cursor.row().toRow();
                case CLUSTERING_ROW -> clustered.add(cursor.row().toRow());
                case RANGE_TOMBSTONE_CHANGE ->
                    clustered.add(new MemoryPartition.Change(
                            cursor.rangeTombstoneChange().prefix().copy(),
                            cursor.rangeTombstoneChange().weight(),
                            new DeletionTime(
                                    cursor.rangeTombstoneChange().timestampMicros(),
                                    cursor.rangeTombstoneChange().localDeletionTimeSeconds())));
                case PARTITION_END -> partitions.add(new MemoryPartition(key, deletion, staticRow, clustered));
            }
        }
        return partitions;
    }

    /** What sources beside the inputs hold, exactly. */
    static Overlaps overlaps(List<List<MemoryPartition>> others) {
        return key -> {
            long min = Long.MAX_VALUE;
            for (List<MemoryPartition> source : others) {
                for (MemoryPartition partition : source) {
                    if (partition.key().equals(key.toDecoratedKey())) {
                        min = Math.min(min, minTimestampMicros(partition));
                    }
                }
            }
            return min;
        };
    }

    private static long minTimestampMicros(MemoryPartition partition) {
        long min = min(Long.MAX_VALUE, partition.deletion().timestampMicros());
        if (partition.staticRow() != null) {
            min = min(min, partition.staticRow());
        }
        for (Object content : partition.clustered()) {
            min = content instanceof Row row
                    ? min(min, row)
                    : min(min, ((MemoryPartition.Change) content).deletion().timestampMicros());
        }
        return min;
    }

    private static long min(long min, Row row) {
        long least = min(min(min, row.livenessTimestampMicros()), row.deletionTimestampMicros());
        for (int i = 0; i < row.entryCount(); i++) {
            least = min(least, row.timestampMicros(i));
        }
        return least;
    }

    private static long min(long min, long micros) {
        return micros == DeletionTime.NO_TIMESTAMP ? min : Math.min(min, micros);
    }
}
