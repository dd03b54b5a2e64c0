package io.anneal.simulation;

import java.util.List;

/** Options that Cassandra refuses, or that a store could not keep, as the ends of statements that would make a table. */
public final class RefusedTables {
    /** Options behind {@code CREATE TABLE … WITH}. */
    public static final List<String> OPTIONS = List.of(
            "compaction = {'class': 'NoSuchStrategy'}",
            "compaction = {'class': 'SizeTieredCompactionStrategy', 'no_such_option': '1'}",
            "compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '1'}",
            "compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': '8', 'max_threshold': '4'}",
            "compaction = {'class': 'SizeTieredCompactionStrategy', 'min_threshold': 'many'}",
            "compaction = {'class': 'LeveledCompactionStrategy', 'sstable_size_in_mb': '0'}",
            "compaction = {'class': 'UnifiedCompactionStrategy', 'scaling_parameters': 'X9'}",
            "compaction = {'class': 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'FORTNIGHTS'}",
            "tombstone_gc = {'mode': 'sometimes'}",
            "min_index_interval = 0",
            "compression = {'class': 'ZstdCompressor', 'compression_level': '99'}",
            "compression = {'class': 'NoSuchCompressor'}",
            "compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': '3'}",
            "bloom_filter_fp_chance = 0",
            "bloom_filter_fp_chance = 2",
            "gc_grace_seconds = -1",
            "default_time_to_live = -1");

    private RefusedTables() {}
}
