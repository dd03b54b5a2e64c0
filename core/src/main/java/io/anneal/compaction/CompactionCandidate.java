package io.anneal.compaction;

import io.anneal.key.Partitioner;
import io.anneal.sstable.Component;
import io.anneal.sstable.Descriptor;
import io.anneal.sstable.SSTableMetadata.KeyRange;
import io.anneal.sstable.SSTableReader;
import io.anneal.sstable.SSTableStatistics;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A live SSTable as strategies see it. Immutable.
 *
 * @param shard which owns all of its partitions, or {@link #SHARED}
 * @param onDiskBytes of all components
 * @param createdSeconds since 1970
 * @param firstToken of its partitions; {@link Long#MIN_VALUE} when not known
 * @param lastToken {@link Long#MAX_VALUE} when not known
 */
public record CompactionCandidate(
        SSTableReader reader, int shard, long onDiskBytes, long createdSeconds, long firstToken, long lastToken) {
    /** The shard of an SSTable whose partitions belong to several: it is to be rewritten by shard. */
    public static final int SHARED = -1;

    public CompactionCandidate {
        if (shard < SHARED || firstToken > lastToken) {
            throw new IllegalArgumentException("candidate is out of range, shard=" + shard + ", firstToken="
                    + firstToken + ", lastToken=" + lastToken);
        }
    }

    /** Looks at the files: their lengths, how old they are, the first and the last key. */
    public static CompactionCandidate of(SSTableReader reader, int shard) throws IOException {
        Descriptor descriptor = reader.descriptor();
        long lengthBytes = 0;
        for (Component component : Component.values()) {
            lengthBytes += descriptor.has(component) ? Files.size(descriptor.file(component)) : 0;
        }
        long createdSeconds =
                Files.getLastModifiedTime(descriptor.file(Component.DATA)).to(TimeUnit.SECONDS);
        Optional<KeyRange> keys = reader.keyRange();
        long first = keys.isPresent() ? token(reader, keys.get().first()) : Long.MIN_VALUE;
        long last = keys.isPresent() ? token(reader, keys.get().last()) : Long.MAX_VALUE;
        // What the index says has no checksum.
        boolean ascending = first <= last;
        return new CompactionCandidate(
                reader,
                shard,
                lengthBytes,
                createdSeconds,
                ascending ? first : Long.MIN_VALUE,
                ascending ? last : Long.MAX_VALUE);
    }

    private static long token(SSTableReader reader, byte[] key) {
        Partitioner partitioner = reader.partitioner();
        return partitioner.token(key, 0, key.length);
    }

    public SSTableStatistics statistics() {
        return reader.statistics();
    }

    public int level() {
        return statistics().level();
    }

    public boolean isShared() {
        return shard == SHARED;
    }

    public boolean isRepaired() {
        return statistics().repairedAtMillis() != 0;
    }

    /** Whether there is a key that both may have. */
    boolean sharesKeysWith(CompactionCandidate other) {
        return (shard == other.shard || isShared() || other.isShared()) && overlaps(other);
    }

    /** Whether there is a token that both may have. */
    public boolean overlaps(CompactionCandidate other) {
        return firstToken <= other.lastToken && other.firstToken <= lastToken;
    }
}
