package io.anneal.sstable.row;

import io.anneal.fragment.DeletionTime;
import io.anneal.io.ByteWriter;
import io.anneal.sstable.EncodingBase;
import io.anneal.sstable.SSTableVersion;

/**
 * Writes timestamps, local deletion times and TTLs as unsigned variable-length differences to the base, and checks that
 * the version can hold them: a local deletion time has 32 bits, some values of which are marks.
 */
public final class DeltaEncoder {
    private final DeletionTimes times;
    private final EncodingBase base;

    public DeltaEncoder(SSTableVersion version, EncodingBase base) {
        times = DeletionTimes.of(version);
        this.base = base;
    }

    void writeTimestamp(long timestampMicros, ByteWriter out) {
        out.writeUnsignedVInt(timestampMicros - base.timestampMicros());
    }

    /**
     * Of a cell or of liveness. The difference of 32 bits may overflow, whereupon it becomes a sign-extended, nine-byte
     * number; Cassandra reads and writes it so.
     */
    void writeLocalDeletionTime(long localDeletionTimeSeconds, ByteWriter out) {
        out.writeUnsignedVInt(times.bits(localDeletionTimeSeconds) - base.localDeletionTimeSeconds());
    }

    void writeTtl(int ttlSeconds, ByteWriter out) {
        if (ttlSeconds <= 0) {
            throw new IllegalArgumentException("TTL is not positive, ttlSeconds=" + ttlSeconds);
        }
        out.writeUnsignedVInt(ttlSeconds - base.ttlSeconds());
    }

    /**
     * Writes a deletion, or none in the form of Cassandra 4; Cassandra 5 reads that as a deletion of nothing. What overflows
     * here is read as another time, so it is refused.
     */
    void writeDeletion(long timestampMicros, long localDeletionTimeSeconds, ByteWriter out) {
        long difference = localDeletionTimeSeconds - base.localDeletionTimeSeconds();
        if (difference > Integer.MAX_VALUE
                && localDeletionTimeSeconds < DeletionTimes.INVALID_SECONDS
                && !DeletionTime.isLive(timestampMicros, localDeletionTimeSeconds)) {
            throw new IllegalArgumentException(
                    "local deletion time of a deletion is too far from the base, localDeletionTimeSeconds="
                            + localDeletionTimeSeconds + ", baseSeconds=" + base.localDeletionTimeSeconds());
        }
        writeTimestamp(timestampMicros, out);
        out.writeUnsignedVInt(times.bitsOrNone(localDeletionTimeSeconds) - base.localDeletionTimeSeconds());
    }
}
