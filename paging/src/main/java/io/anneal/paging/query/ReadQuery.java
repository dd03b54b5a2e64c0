package io.anneal.paging.query;

import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import java.util.List;

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
    public ReadQuery {
        ranges = List.copyOf(ranges);
        keys = List.copyOf(keys);
        if (ranges.isEmpty() == keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "query reads either ranges or partitions, ranges=" + ranges.size() + ", partitions=" + keys.size());
        }
        if (reversed && keys.isEmpty()) {
            throw new IllegalArgumentException("only partitions that are named can be read in reverse");
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

    public ReadQuery where(RowFilter wanted) {
        return new ReadQuery(ranges, keys, slices, reversed, wanted, withDeletions);
    }

    public ReadQuery deletionsToo() {
        return new ReadQuery(ranges, keys, slices, reversed, filter, true);
    }
}
