package io.anneal.repair;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.RangeDeletion;
import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Differences as bytes, one behind the other: in messages, and where many are kept. */
final class DifferenceCodec {
    private static final int ROW = 0;
    private static final int PARTITION = 1;
    private static final int RANGE = 2;

    private DifferenceCodec() {}

    static void write(RowDifference difference, ByteWriter out) {
        out.writeByte(ROW);
        writeLacking(difference.lacking(), out);
        difference.place().encode(out);
    }

    static void write(DeletionDifference difference, ByteWriter out) {
        out.writeByte(difference.range().isPresent() ? RANGE : PARTITION);
        writeLacking(difference.lacking(), out);
        DecoratedKey key = difference.key();
        if (difference.range().isPresent()) {
            RangeDeletion range = difference.range().get();
            bound(key, range.start(), range.startWeight()).encode(out);
            bound(key, range.end(), range.endWeight()).encode(out);
        } else {
            RingPosition.of(key, PositionInPartition.STATIC).encode(out);
        }
        out.writeLong(difference.deletion().timestampMicros());
        out.writeLong(difference.deletion().localDeletionTimeSeconds());
    }

    private static RingPosition bound(DecoratedKey key, Clustering prefix, int weight) {
        return RingPosition.of(key, new PositionInPartition(PositionInPartition.Region.CLUSTERED, prefix, weight));
    }

    private static void writeLacking(List<Integer> lacking, ByteWriter out) {
        out.writeUnsignedVInt(lacking.size());
        lacking.forEach(out::writeUnsignedVInt);
    }

    private static List<Integer> readLacking(ByteReader in) {
        int count = in.readUnsignedVInt32();
        List<Integer> lacking = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lacking.add(in.readUnsignedVInt32());
        }
        return lacking;
    }

    /**
     * Reads them and tells of each.
     *
     * @throws IllegalArgumentException when they are none of this table
     */
    static void tell(byte[] differences, TableSchema schema, DifferenceListener listener) throws IOException {
        int clusteringColumns = schema.clustering().size();
        ByteReader in = new ByteReader(differences);
        while (in.hasRemaining()) {
            int kind = in.readUnsignedByte();
            List<Integer> lacking = readLacking(in);
            RingPosition place = RingPosition.decode(in, clusteringColumns);
            if (kind == ROW) {
                listener.rowDiffers(new RowDifference(place, lacking));
                continue;
            }
            Optional<RangeDeletion> range = kind == RANGE
                    ? Optional.of(range(place, RingPosition.decode(in, clusteringColumns)))
                    : Optional.empty();
            DeletionTime deletion = new DeletionTime(in.readLong(), in.readLong());
            range.ifPresent(open -> open.deletion(deletion.timestampMicros(), deletion.localDeletionTimeSeconds()));
            listener.deletionDiffers(new DeletionDifference(place.key().orElseThrow(), range, deletion, lacking));
        }
    }

    private static RangeDeletion range(RingPosition from, RingPosition to) {
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(from.position().prefix());
        range.end().wrap(to.position().prefix());
        range.weights(from.position().weight(), to.position().weight());
        return range;
    }
}
