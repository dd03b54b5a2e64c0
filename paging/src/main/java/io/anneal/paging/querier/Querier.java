package io.anneal.paging.querier;

import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.RingPosition;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.paging.query.ReadQuery;
import io.anneal.paging.query.RowFilter;
import io.anneal.schema.TableSchema;
import java.util.Arrays;
import java.util.UUID;

/**
 * A shard reader that waits for the next page of its query.
 *
 * @param key whose it is
 * @param reader in nobody's hands
 * @param stretch what it reads
 * @param place where the last page ended: it has everything of its shard after that, and nothing before
 * @param heldBytes heap that it occupies
 * @param savedNanos since when it waits
 */
record Querier(Key key, ShardReader reader, Stretch stretch, RingPosition place, long heldBytes, long savedNanos) {

    /** @param pages whose table it is */
    record Key(QuerierPages pages, UUID queryId, int shard) {}

    /**
     * Whether it reads what is asked for, from exactly where it is asked for, and has the right to go on.
     *
     * @param schema by which the page is encoded: also what is encoded ahead of a cursor that is at its end
     */
    boolean fits(Stretch wanted, TableSchema schema, long nowSeconds) {
        return reader.isCurrentAt(nowSeconds)
                && reader.schema().equals(schema)
                && isSame(wanted.query(), stretch.query())
                && wanted.endsAs(stretch)
                && wanted.place().orElse(RingPosition.END).compareTo(place, ClusteringComparator.of(reader.schema()))
                        == 0;
    }

    private static boolean isSame(ReadQuery wanted, ReadQuery read) {
        return wanted.reversed() == read.reversed()
                && wanted.withDeletions() == read.withDeletions()
                && isSame(wanted.slices(), read.slices())
                && isSame(wanted.filter(), read.filter());
    }

    private static boolean isSame(Slices wanted, Slices read) {
        if (wanted == read) {
            return true;
        }
        boolean same = wanted.size() == read.size();
        for (int i = 0; same && i < wanted.size(); i++) {
            Slice left = wanted.get(i);
            Slice right = read.get(i);
            same = isSame(left.from(), left.fromWeight(), right.from(), right.fromWeight())
                    && isSame(left.to(), left.toWeight(), right.to(), right.toWeight());
        }
        return same;
    }

    private static boolean isSame(Clustering left, int leftWeight, Clustering right, int rightWeight) {
        return leftWeight == rightWeight && left.compareBytes(right) == 0;
    }

    private static boolean isSame(RowFilter wanted, RowFilter read) {
        return wanted == read || Arrays.equals(encoded(wanted), encoded(read));
    }

    private static byte[] encoded(RowFilter filter) {
        ByteWriter out = new ByteWriter(Long.BYTES);
        filter.encode(out);
        return out.toByteArray();
    }
}
