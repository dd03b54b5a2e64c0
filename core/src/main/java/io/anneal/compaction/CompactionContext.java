package io.anneal.compaction;

import io.anneal.io.RateLimiter;
import io.anneal.key.ShardRule;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableTarget;
import io.anneal.sstable.SSTableWriterConfig;

/**
 * What a compaction needs beside its task.
 *
 * @param config of the outputs: version, compression and block index; everything else follows from the inputs
 * @param target where outputs go; given back to nobody when the compaction fails, which removes what it wrote
 * @param shards to which the partitions of shared inputs go
 * @param purge of this compaction alone
 * @param limiter of bytes read from the disk; shared by all compactions
 */
public record CompactionContext(
        TableSchema schema,
        SSTableWriterConfig config,
        SSTableTarget target,
        ShardRule shards,
        CompactionPurge purge,
        RateLimiter limiter) {}
