package io.anneal.cli.demo;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.HashSum;
import io.anneal.fragment.ItemHash;
import io.anneal.io.ByteWriter;
import io.anneal.key.TokenRange;
import io.anneal.node.Replica;
import java.io.IOException;
import java.util.Set;

/**
 * What reading a whole replica found.
 *
 * @param hash combined hash of all rows and partition deletions: equal for equal replicas
 * @param dirtyRangeBytes encoded size of the ranges of {@link #RANGE_PARTITIONS} partitions in which something differed
 */
record ReplicaReading(long rows, long bytes, HashSum hash, long dirtyRangeBytes) {
    /** The unit of repair before row-level repair. */
    static final int RANGE_PARTITIONS = 100;

    private static final long HASH_SEED = 0x616E6E65616CL;

    /** @param dirtyTokens partitions in which replicas differed */
    static ReplicaReading of(Replica table, Set<Long> dirtyTokens) throws IOException {
        CanonicalEncoder encoder = new CanonicalEncoder(table.schema(), CanonicalEncoder.UNCLAMPED);
        ItemHash hash = new ItemHash(HASH_SEED);
        HashSum sum = new HashSum();
        ByteWriter item = new ByteWriter(1024);
        long rows = 0;
        long bytes = 0;
        long partitions = 0;
        long rangeBytes = 0;
        long dirtyRangeBytes = 0;
        boolean dirty = false;
        try (FragmentCursor cursor = table.scan(TokenRange.Linear.ALL, table.localDeletionTimeMaxSeconds())) {
            for (FragmentKind kind = cursor.advance(); kind != null; kind = cursor.advance()) {
                item.clear();
                switch (kind) {
                    case PARTITION_START -> {
                        if (partitions++ % RANGE_PARTITIONS == 0) {
                            dirtyRangeBytes += dirty ? rangeBytes : 0;
                            rangeBytes = 0;
                            dirty = false;
                        }
                        dirty |= dirtyTokens.contains(cursor.key().token());
                        encoder.partitionDeletion(cursor, item);
                    }
                    case STATIC_ROW, CLUSTERING_ROW -> {
                        encoder.row(cursor.key(), cursor.row(), item);
                        rows++;
                    }
                    case RANGE_TOMBSTONE_CHANGE, PARTITION_END -> {}
                }
                if (item.lengthBytes() > 0) {
                    hash.hash(item.array(), 0, item.lengthBytes());
                    sum.add(hash);
                    bytes += item.lengthBytes();
                    rangeBytes += item.lengthBytes();
                }
            }
        }
        return new ReplicaReading(rows, bytes, sum, dirtyRangeBytes + (dirty ? rangeBytes : 0));
    }

    boolean equalTo(ReplicaReading other) {
        return rows == other.rows && bytes == other.bytes && hash.sameAs(other.hash);
    }
}
