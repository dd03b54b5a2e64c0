package io.anneal.key;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Ranges of tokens that have no token in common, at least one, as what a node owns. Immutable.
 *
 * @param ranges by their left ends, so that one which wraps around is the last
 */
public record TokenRanges(List<TokenRange> ranges) {
    /** @throws IllegalArgumentException when there is none, or two of them have a token in common */
    public TokenRanges {
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException("there is no range");
        }
        ranges = ranges.stream()
                .sorted(Comparator.comparingLong(TokenRange::left))
                .toList();
        for (int i = 0; i < ranges.size(); i++) {
            // The last may reach around the ring into the first.
            TokenRange next = ranges.get((i + 1) % ranges.size());
            if (ranges.size() > 1 && ranges.get(i).overlaps(next)) {
                throw new IllegalArgumentException("ranges overlap, range=" + ranges.get(i) + ", other=" + next);
            }
        }
    }

    public static TokenRanges of(TokenRange... ranges) {
        return new TokenRanges(List.of(ranges));
    }

    /** How many tokens, roughly where they are many. */
    public double width() {
        return size().doubleValue();
    }

    private BigInteger size() {
        return ranges.stream().map(TokenRange::size).reduce(BigInteger.ZERO, BigInteger::add);
    }

    /**
     * Cuts the ring where these ranges go on, into slices that hold about equally many of their tokens. What of the ring lies
     * between two ranges belongs to the slice of one of them.
     *
     * @param count of slices at most
     * @return slices in the order of the ring, from where the first range starts to where the last one ends
     */
    public List<TokenRange> slices(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("ranges are cut into less than one slice, count=" + count);
        }
        BigInteger size = size();
        List<TokenRange> slices = new ArrayList<>();
        long last = ranges.get(0).left();
        Walk walk = new Walk();
        for (int i = 1; i <= count; i++) {
            long end = walk.to(size.multiply(BigInteger.valueOf(i)).divide(BigInteger.valueOf(count)));
            if (end != last || count == 1) {
                slices.add(new TokenRange(last, end));
                last = end;
            }
        }
        return List.copyOf(slices);
    }

    /**
     * A share of these tokens as many small slices: of equal width, equally far apart, none across the end of a range.
     *
     * @param share more than 0, 1 at most
     * @param count of slices at most; fewer where that many would have no token, more where ends of ranges cut some
     * @param offset where each slice lies in its part of the ranges: from 0, at its start, to 1, at its end
     * @throws IllegalArgumentException when a number is outside of its bounds
     */
    public TokenRanges sample(double share, int count, double offset) {
        if (!(share > 0 && share <= 1) || count < 1 || !(offset >= 0 && offset <= 1)) {
            throw new IllegalArgumentException(
                    "share of ranges is out of bounds, share=" + share + ", count=" + count + ", offset=" + offset);
        }
        BigInteger size = size();
        BigInteger sampled = share(size, share).max(BigInteger.ONE);
        BigInteger parts = BigInteger.valueOf(count).min(sampled);
        BigInteger shift = share(size.subtract(sampled), offset);
        List<TokenRange> pieces = new ArrayList<>();
        Walk walk = new Walk();
        // Each part of the ranges has a slice; what is left of the part is before or behind it.
        for (BigInteger i = BigInteger.ZERO; i.compareTo(parts) < 0; i = i.add(BigInteger.ONE)) {
            BigInteger next = i.add(BigInteger.ONE);
            BigInteger width = sampled.multiply(next)
                    .divide(parts)
                    .subtract(sampled.multiply(i).divide(parts));
            BigInteger start = size.subtract(sampled)
                    .multiply(i)
                    .add(shift)
                    .divide(parts)
                    .add(sampled.multiply(i).divide(parts));
            walk.addPieces(start, start.add(width), pieces);
        }
        return new TokenRanges(pieces);
    }

    private static BigInteger share(BigInteger tokens, double share) {
        return share == 1
                ? tokens
                : new BigDecimal(tokens).multiply(new BigDecimal(share)).toBigInteger();
    }

    /** Counts tokens of the ranges, one range after the other. */
    private final class Walk {
        private int index;
        private BigInteger before = BigInteger.ZERO;

        /** The token with which so many are counted, at least as many as the last time. */
        long to(BigInteger tokens) {
            TokenRange range = ranges.get(index);
            while (before.add(range.size()).compareTo(tokens) < 0) {
                before = before.add(range.size());
                index++;
                range = ranges.get(index);
            }
            // What is past the largest token goes on at the smallest, as longs do.
            return range.left() + tokens.subtract(before).longValue();
        }

        /** What of the ranges comes after so many tokens, up to so many; a piece of each range that has some of it. */
        void addPieces(BigInteger after, BigInteger upTo, List<TokenRange> pieces) {
            // The first of them, whichever range it is in.
            to(after.add(BigInteger.ONE));
            long left = ranges.get(index).left() + after.subtract(before).longValue();
            while (before.add(ranges.get(index).size()).compareTo(upTo) < 0) {
                pieces.add(new TokenRange(left, ranges.get(index).right()));
                to(before.add(ranges.get(index).size()).add(BigInteger.ONE));
                left = ranges.get(index).left();
            }
            pieces.add(new TokenRange(left, to(upTo)));
        }
    }

    /**
     * The last token of the first of so many parts of what is left.
     *
     * @param behind how many tokens are behind, in the order of the ring from the first range's start
     * @return a token that has tokens of the ranges on both sides, if they have two at least
     */
    public long endOfPart(double behind, int parts) {
        BigInteger size = size();
        BigInteger done = new BigDecimal(Math.max(0, behind)).toBigInteger().min(size);
        BigInteger end = done.add(size.subtract(done).divide(BigInteger.valueOf(parts)));
        return new Walk()
                .to(end.max(BigInteger.ONE).min(size.subtract(BigInteger.ONE).max(BigInteger.ONE)));
    }

    /** What of these lies in a slice of the ring; none if nothing does. */
    public List<TokenRange> within(TokenRange slice) {
        List<TokenRange> within = new ArrayList<>();
        for (TokenRange range : ranges) {
            if (slice.contains(range.left() + 1)) {
                within.add(new TokenRange(range.left(), firstEnd(range.left(), range, slice)));
            }
            if (slice.left() != range.left() && range.contains(slice.left() + 1)) {
                within.add(new TokenRange(slice.left(), firstEnd(slice.left(), range, slice)));
            }
        }
        return List.copyOf(within);
    }

    /** What of these lies in other ranges; none if nothing does. */
    public List<TokenRange> within(TokenRanges others) {
        return others.ranges.stream().flatMap(other -> within(other).stream()).toList();
    }

    /** Where the first of the two ends behind a place that is not outside of them; what is equal to it is once around the ring. */
    private static long firstEnd(long left, TokenRange one, TokenRange other) {
        return Long.compareUnsigned(one.right() - left - 1, other.right() - left - 1) <= 0
                ? one.right()
                : other.right();
    }

    @Override
    public String toString() {
        return ranges.size() == 1
                ? ranges.get(0).toString()
                : ranges.size() + " ranges from " + ranges.get(0) + " to " + ranges.get(ranges.size() - 1);
    }
}
