package io.anneal.peer.agent;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.LivenessInfo;
import org.apache.cassandra.db.Mutation;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.BufferCell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;

/**
 * The rows of 1 KiB that Anneal's benchmarks draw, drawn here once more since nothing of Anneal may be loaded: a bigint
 * key, one blob of which LZ4 removes about half, the time of the write. The conformance tests compare both. Safe to share.
 */
final class DrawnRows {
    private static final int BLOB_BYTES = 1000;
    /** Random and repeated bytes take turns in runs of this length. */
    private static final int RUN_BYTES = 50;

    private static final long FIRST_WRITE_MICROS = 1_750_000_000_000_000L;
    private static final long WRITES_SPREAD_MICROS = 86_400_000_000L;
    private static final byte[] REPEATED =
            "{\"customer\":\"standard\",\"currency\":\"EUR\",\"state\":\"open\"}".getBytes(StandardCharsets.US_ASCII);

    private final TableMetadata metadata;
    private final ColumnMetadata payload;
    private final long seed;

    /** @param metadata of a table whose one regular column is the blob */
    DrawnRows(TableMetadata metadata, long seed) {
        this.metadata = metadata;
        this.seed = seed;
        payload = metadata.regularColumns().iterator().next();
    }

    DecoratedKey key(long id) {
        return metadata.partitioner.decorateKey(ByteBuffer.allocate(Long.BYTES).putLong(0, id));
    }

    Mutation mutation(long id) {
        SplittableRandom random = new SplittableRandom(mix(seed, id));
        long micros = FIRST_WRITE_MICROS + random.nextLong(WRITES_SPREAD_MICROS);
        Row.Builder row = BTreeRow.sortedBuilder();
        row.newRow(Clustering.EMPTY);
        row.addPrimaryKeyLivenessInfo(LivenessInfo.create(micros, 0));
        row.addCell(BufferCell.live(payload, micros, blob(random)));
        return new Mutation(PartitionUpdate.singleRowUpdate(metadata, key(id), row.build()));
    }

    private static long mix(long seed, long id) {
        long mixed = (seed ^ id * 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
        mixed ^= mixed >>> 31;
        mixed *= 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 29;
    }

    private static ByteBuffer blob(SplittableRandom random) {
        // A run may be written past its end, where the next one begins.
        ByteBuffer bytes = ByteBuffer.allocate(BLOB_BYTES + Long.BYTES);
        for (int start = 0; start < BLOB_BYTES; start += 2 * RUN_BYTES) {
            for (int at = start; at < start + RUN_BYTES; at += Long.BYTES) {
                bytes.putLong(at, random.nextLong());
            }
            bytes.put(start + RUN_BYTES, REPEATED, 0, RUN_BYTES);
        }
        return bytes.limit(BLOB_BYTES);
    }
}
