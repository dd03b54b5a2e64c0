package io.anneal.streaming;

import io.anneal.key.TokenRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Ranges of tokens in the order of a file, those that touch joined.
 *
 * @param ranges ascending, apart from each other
 */
record LinearRanges(List<TokenRange.Linear> ranges) {
    static LinearRanges of(List<TokenRange> wanted) {
        List<TokenRange.Linear> sorted = wanted.stream()
                .flatMap(range -> range.unwrap().stream())
                .sorted(Comparator.comparingLong(TokenRange.Linear::first))
                .toList();
        List<TokenRange.Linear> joined = new ArrayList<>();
        for (TokenRange.Linear range : sorted) {
            TokenRange.Linear last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            boolean touching = last != null && (last.last() == Long.MAX_VALUE || last.last() + 1 >= range.first());
            if (touching) {
                joined.set(joined.size() - 1, new TokenRange.Linear(last.first(), Math.max(last.last(), range.last())));
            } else {
                joined.add(range);
            }
        }
        return new LinearRanges(List.copyOf(joined));
    }

    /** Ranges by the data directory that they belong to, none empty; boundaries as {@code ReplicaSource.diskBoundaries} gives them. */
    static List<List<TokenRange>> byDisk(List<TokenRange> wanted, List<Long> boundaries) {
        if (boundaries.isEmpty()) {
            return List.of(wanted);
        }
        List<TokenRange.Linear> ranges = of(wanted).ranges();
        List<List<TokenRange>> disks = new ArrayList<>();
        long first = Long.MIN_VALUE;
        for (int disk = 0; disk <= boundaries.size(); disk++) {
            long last = disk == boundaries.size() ? Long.MAX_VALUE : boundaries.get(disk);
            TokenRange.Linear tokens = new TokenRange.Linear(first, last);
            List<TokenRange> inside = ranges.stream()
                    .filter(range -> overlap(range, tokens))
                    // What is before the smallest token is the largest one, as longs do.
                    .map(range -> new TokenRange(
                            Math.max(range.first(), tokens.first()) - 1, Math.min(range.last(), tokens.last())))
                    .toList();
            if (!inside.isEmpty()) {
                disks.add(inside);
            }
            if (last == Long.MAX_VALUE) {
                break;
            }
            first = last + 1;
        }
        return disks;
    }

    /** Whether all of the tokens are wanted. */
    boolean covers(TokenRange.Linear tokens) {
        int index = firstNotBefore(tokens.first());
        return index < ranges.size()
                && ranges.get(index).first() <= tokens.first()
                && tokens.last() <= ranges.get(index).last();
    }

    /** Whether a token is wanted. */
    boolean covers(long token) {
        int index = firstNotBefore(token);
        return index < ranges.size() && ranges.get(index).first() <= token;
    }

    /** Whether some of the tokens are wanted. */
    boolean touches(TokenRange.Linear tokens) {
        int index = firstNotBefore(tokens.first());
        return index < ranges.size() && ranges.get(index).first() <= tokens.last();
    }

    /** Those that have some of the tokens; all where the tokens are not known. */
    List<TokenRange.Linear> touching(Optional<TokenRange.Linear> tokens) {
        return tokens.map(known -> {
                    int end = firstNotBefore(known.last());
                    boolean touchesEnd = end < ranges.size() && ranges.get(end).first() <= known.last();
                    return ranges.subList(firstNotBefore(known.first()), touchesEnd ? end + 1 : end);
                })
                .orElse(ranges);
    }

    /** Index of the first range that has the token or lies behind it; of a node with many vnodes there are thousands. */
    private int firstNotBefore(long token) {
        int low = 0;
        int high = ranges.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ranges.get(middle).last() < token) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    static boolean overlap(TokenRange.Linear one, TokenRange.Linear other) {
        return one.first() <= other.last() && other.first() <= one.last();
    }
}
