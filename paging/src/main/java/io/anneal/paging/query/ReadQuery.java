package io.anneal.paging.query;

import io.anneal.io.ByteReader;
import io.anneal.io.ByteWriter;
import io.anneal.key.Clustering;
import io.anneal.key.ClusteringComparator;
import io.anneal.key.DecoratedKey;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.Slice;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.schema.TableSchema;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * What is read, over all its pages: rows of token ranges, or of partitions by key. Immutable.
 *
 * @param ranges in the order in which they are read, disjoint; none where partitions are named
 * @param keys ascending by token, then key bytes, each once; none where ranges are read
 * @param slices of each partition; {@link Slices#ALL} for ranges
 * @param reversed whether rows of a partition come against clustering order; partitions ascend all the same. Never for ranges
 * @param filter which of the rows are wanted
 * @param withDeletions whether the page holds everything, tombstones too, as a merge with other replicas needs it; else what a
 *     SELECT shows
 */
public record ReadQuery(
        List<TokenRange.Linear> ranges,
        List<DecoratedKey> keys,
        Slices slices,
        boolean reversed,
        RowFilter filter,
        boolean withDeletions) {
    private static final int REVERSED = 1;
    private static final int WITH_DELETIONS = 2;

    public ReadQuery {
        ranges = List.copyOf(ranges);
        keys = List.copyOf(keys);
        if (ranges.isEmpty() == keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "query reads either ranges or partitions, ranges=" + ranges.size() + ", partitions=" + keys.size());
        }
        requireDisjoint(ranges);
        if (reversed && keys.isEmpty()) {
            throw new IllegalArgumentException("only partitions that are named can be read in reverse");
        }
    }

    private static void requireDisjoint(List<TokenRange.Linear> ranges) {
        List<TokenRange.Linear> ascending = ranges.stream()
                .sorted(Comparator.comparingLong(TokenRange.Linear::first))
                .toList();
        for (int i = 1; i < ascending.size(); i++) {
            TokenRange.Linear left = ascending.get(i - 1);
            TokenRange.Linear right = ascending.get(i);
            if (right.overlaps(left)) {
                throw new IllegalArgumentException(
                        "ranges of a query overlap, left=" + left.asRange() + ", right=" + right.asRange());
            }
        }
    }

    /** All rows of token ranges, which are read in their order on the ring. */
    public static ReadQuery ofRanges(List<TokenRange> ranges) {
        List<TokenRange.Linear> linear =
                ranges.stream().flatMap(range -> range.unwrap().stream()).toList();
        return new ReadQuery(linear, List.of(), Slices.ALL, false, RowFilter.ALL, false);
    }

    /** Rows of partitions. */
    public static ReadQuery ofPartitions(List<DecoratedKey> keys, Slices slices, boolean reversed) {
        List<DecoratedKey> sorted = keys.stream().sorted().distinct().toList();
        return new ReadQuery(List.of(), sorted, slices, reversed, RowFilter.ALL, false);
    }

    /** Whether a page may have ended at a place, so that another one goes on from there. */
    public boolean mayEndAt(RingPosition place) {
        if (place.isEnd()) {
            return false;
        }
        if (place.isBetweenTokens()) {
            return indexOf(place.lastToken()).isPresent()
                    || indexOf(place.key().orElseThrow().token()).isPresent();
        }
        DecoratedKey key = place.key().orElseThrow();
        boolean isPlace = place.position().region().compareTo(PositionInPartition.Region.CLUSTERED) >= 0;
        return isPlace
                && (ranges.isEmpty()
                        ? Collections.binarySearch(keys, key) >= 0
                        : indexOf(key.token()).isPresent());
    }

    /**
     * Index of the range in which what lies behind a place begins; or of the one after it, when nothing of that is left.
     *
     * @throws IllegalArgumentException when the place is in none of the ranges
     */
    public int indexOf(RingPosition place) {
        OptionalInt own = indexOf(place.lastToken());
        long behind = place.key().orElseThrow().token();
        if (own.isEmpty()) {
            // The end of another part of the ring, behind which this one begins.
            return indexOf(behind)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "place where a page is to go on is in none of the query's ranges, place=" + place));
        }
        int index = own.getAsInt();
        return ranges.get(index).contains(behind) ? index : index + 1;
    }

    private OptionalInt indexOf(long token) {
        return IntStream.range(0, ranges.size())
                .filter(i -> ranges.get(i).contains(token))
                .findFirst();
    }

    public ReadQuery where(RowFilter wanted) {
        return new ReadQuery(ranges, keys, slices, reversed, wanted, withDeletions);
    }

    public ReadQuery deletionsToo() {
        return new ReadQuery(ranges, keys, slices, reversed, filter, true);
    }

    /** Appends flags; ranges, each by first and last token; keys; slices, each by both ends; and the filter. */
    public void encode(ByteWriter out) {
        out.writeByte((reversed ? REVERSED : 0) | (withDeletions ? WITH_DELETIONS : 0));
        out.writeUnsignedVInt(ranges.size());
        for (TokenRange.Linear range : ranges) {
            out.writeLong(range.first());
            out.writeLong(range.last());
        }
        out.writeUnsignedVInt(keys.size());
        for (DecoratedKey key : keys) {
            out.writeUnsignedVInt(key.bytes().length);
            out.writeBytes(key.bytes());
        }
        out.writeUnsignedVInt(slices.size());
        for (int i = 0; i < slices.size(); i++) {
            Slice slice = slices.get(i);
            prefix(slice.from(), slice.fromWeight(), out);
            prefix(slice.to(), slice.toWeight(), out);
        }
        filter.encode(out);
    }

    private static void prefix(Clustering prefix, int weight, ByteWriter out) {
        out.writeByte(weight);
        out.writeUnsignedVInt(prefix.size());
        for (int i = 0; i < prefix.size(); i++) {
            out.writeUnsignedVInt(prefix.lengthBytes(i) + 1L);
            if (!prefix.isAbsent(i)) {
                out.writeBytes(prefix.buffer(), prefix.offset(i), prefix.lengthBytes(i));
            }
        }
    }

    /**
     * The reverse of {@link #encode}; trusts nothing.
     *
     * @throws io.anneal.io.ByteUnderflowException when a length runs over the end
     * @throws IllegalArgumentException when it is no query of the table: ranges that overlap, keys out of order, a prefix that is too long
     */
    public static ReadQuery decode(ByteReader in, TableSchema schema) {
        int flags = in.readUnsignedByte();
        if ((flags & ~(REVERSED | WITH_DELETIONS)) != 0) {
            throw new IllegalArgumentException("flags of a query are unknown, flags=" + flags);
        }
        List<TokenRange.Linear> ranges = new ArrayList<>();
        for (int left = count(in, 2 * Long.BYTES); left > 0; left--) {
            ranges.add(new TokenRange.Linear(in.readLong(), in.readLong()));
        }
        List<DecoratedKey> keys = new ArrayList<>();
        for (int left = count(in, 1); left > 0; left--) {
            DecoratedKey key = DecoratedKey.of(in.readBytes(in.readUnsignedVInt32()));
            if (!keys.isEmpty() && keys.get(keys.size() - 1).compareTo(key) >= 0) {
                throw new IllegalArgumentException("keys of a query are out of order, key=" + key);
            }
            keys.add(key);
        }
        ClusteringComparator comparator = ClusteringComparator.of(schema);
        List<Slice> slices = new ArrayList<>();
        for (int left = count(in, 2 * 2); left > 0; left--) {
            int fromWeight = in.readByte();
            Clustering from = prefix(in, comparator);
            int toWeight = in.readByte();
            slices.add(new Slice(from, weight(fromWeight), prefix(in, comparator), weight(toWeight)));
        }
        RowFilter filter = RowFilter.decode(in);
        return new ReadQuery(
                ranges,
                keys,
                Slices.of(comparator, slices),
                (flags & REVERSED) != 0,
                filter,
                (flags & WITH_DELETIONS) != 0);
    }

    /** A number of things that each take some bytes at least. */
    private static int count(ByteReader in, int leastBytes) {
        int count = in.readUnsignedVInt32();
        if (count > in.remainingBytes() / leastBytes) {
            throw new IllegalArgumentException("query has more parts than bytes, parts=" + count);
        }
        return count;
    }

    private static int weight(int weight) {
        if (weight != ClusteringComparator.BEFORE && weight != ClusteringComparator.AFTER) {
            throw new IllegalArgumentException("weight of a slice's end is unknown, weight=" + weight);
        }
        return weight;
    }

    private static Clustering prefix(ByteReader in, ClusteringComparator comparator) {
        int size = in.readUnsignedVInt32();
        if (size > comparator.size()) {
            throw new IllegalArgumentException(
                    "prefix has too many components, components=" + size + ", clusteringColumns=" + comparator.size());
        }
        byte[][] values = new byte[size][];
        for (int i = 0; i < size; i++) {
            int lengthBytes = in.readUnsignedVInt32();
            values[i] = lengthBytes == 0 ? null : in.readBytes(lengthBytes - 1);
            if (values[i] != null && values[i].length > 0) {
                comparator.type(i).validate(values[i], 0, values[i].length);
            }
        }
        return Clustering.of(values);
    }
}
