package io.anneal.key;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Ranges of tokens in the order of a file, those that touch joined. Immutable.
 *
 * @param ranges ascending, apart from each other
 */
public record LinearRanges(List<TokenRange.Linear> ranges) {
    public static final LinearRanges NONE = new LinearRanges(List.of());

    /** The tokens that some of the ranges have. */
    public static LinearRanges of(List<TokenRange> wanted) {
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

    /** How many tokens are not after one, roughly where they are many. */
    public double widthUpTo(long token) {
        return upTo(token).ranges.stream().mapToDouble(TokenRange.Linear::width).sum();
    }

    /** What of it is not after a token. */
    public LinearRanges upTo(long token) {
        return new LinearRanges(ranges.stream()
                .filter(range -> range.first() <= token)
                .map(range -> new TokenRange.Linear(range.first(), Math.min(range.last(), token)))
                .toList());
    }

    /** What of it is not in others. */
    public LinearRanges without(LinearRanges others) {
        List<TokenRange.Linear> left = new ArrayList<>();
        for (TokenRange.Linear range : ranges) {
            long first = range.first();
            boolean any = true;
            for (TokenRange.Linear other : others.touching(Optional.of(range))) {
                if (other.first() > first) {
                    left.add(new TokenRange.Linear(first, other.first() - 1));
                }
                any = other.last() < range.last();
                first = any ? other.last() + 1 : first;
            }
            if (any) {
                left.add(new TokenRange.Linear(first, range.last()));
            }
        }
        return new LinearRanges(List.copyOf(left));
    }

    /** Whether all tokens of others are in these. */
    public boolean covers(LinearRanges others) {
        return others.ranges.stream().allMatch(this::covers);
    }

    /** Whether all of the tokens are wanted. */
    public boolean covers(TokenRange.Linear tokens) {
        int index = firstNotBefore(tokens.first());
        return index < ranges.size()
                && ranges.get(index).first() <= tokens.first()
                && tokens.last() <= ranges.get(index).last();
    }

    /** Whether a token is wanted. */
    public boolean covers(long token) {
        int index = firstNotBefore(token);
        return index < ranges.size() && ranges.get(index).first() <= token;
    }

    /** Whether some of the tokens are wanted. */
    public boolean touches(TokenRange.Linear tokens) {
        int index = firstNotBefore(tokens.first());
        return index < ranges.size() && ranges.get(index).first() <= tokens.last();
    }

    /** Those that have some of the tokens; all where the tokens are not known. */
    public List<TokenRange.Linear> touching(Optional<TokenRange.Linear> tokens) {
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
}
