package io.anneal.key;

import java.math.BigInteger;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A range of tokens {@code (left, right]} on the ring. {@code left >= right} wraps around; equal ends are the whole
 * ring. The token {@link Long#MIN_VALUE} (of the empty key only) is the ring's last, so it lies in {@code (x, MIN]}.
 */
public record TokenRange(long left, long right) {
    /** The whole ring. */
    public static final TokenRange FULL = new TokenRange(Long.MIN_VALUE, Long.MIN_VALUE);

    private static final BigInteger RING_SIZE = BigInteger.ONE.shiftLeft(Long.SIZE);

    /** Reads {@code (A,B]} as Cassandra writes it, or {@code A:B}; both mean {@code (A, B]}. */
    public static TokenRange parse(String text) {
        Objects.requireNonNull(text, "text");
        String body = text.strip();
        String separator;
        if (body.startsWith("(") && body.endsWith("]")) {
            body = body.substring(1, body.length() - 1);
            separator = ",";
        } else {
            separator = ":";
        }
        String[] ends = body.split(separator, -1);
        try {
            if (ends.length == 2) {
                return new TokenRange(Long.parseLong(ends[0].strip()), Long.parseLong(ends[1].strip()));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("token is not a 64-bit number, range=" + text, e);
        }
        throw new IllegalArgumentException("range is neither (A,B] nor A:B, range=" + text);
    }

    public boolean wrapsAround() {
        return left >= right;
    }

    public boolean contains(long token) {
        return wrapsAround() ? token > left || token <= right : token > left && token <= right;
    }

    /**
     * The parts of this range in which tokens ascend as they do in a file, in ring order. The empty key's token stands
     * in a part of its own, {@link Linear#MIN_TOKEN_ONLY}, since it comes first in a file and last on the ring.
     */
    public List<Linear> unwrap() {
        if (!wrapsAround()) {
            return List.of(new Linear(left + 1, right));
        }
        if (left == Long.MAX_VALUE) {
            return right == Long.MIN_VALUE
                    ? List.of(Linear.MIN_TOKEN_ONLY)
                    : List.of(Linear.MIN_TOKEN_ONLY, new Linear(Long.MIN_VALUE + 1, right));
        }
        Linear upper = new Linear(left + 1, Long.MAX_VALUE);
        return right == Long.MIN_VALUE
                ? List.of(upper, Linear.MIN_TOKEN_ONLY)
                : List.of(upper, Linear.MIN_TOKEN_ONLY, new Linear(Long.MIN_VALUE + 1, right));
    }

    /** Whether they have a token in common. */
    public boolean overlaps(TokenRange other) {
        Objects.requireNonNull(other, "other");
        return contains(other.right) || other.contains(right);
    }

    /** Whether some ranges have a token in common with others; those of one side may overlap. */
    public static boolean overlap(Collection<TokenRange> some, Collection<TokenRange> others) {
        Objects.requireNonNull(some, "some");
        Objects.requireNonNull(others, "others");
        NavigableMap<Long, Long> lasts = new TreeMap<>();
        some.forEach(range -> range.unwrap().forEach(part -> lasts.merge(part.first(), part.last(), Math::max)));
        // Where they overlap, the one that reaches furthest need not be the one that starts last.
        long furthest = Long.MIN_VALUE;
        for (Map.Entry<Long, Long> part : lasts.entrySet()) {
            furthest = Math.max(furthest, part.getValue());
            part.setValue(furthest);
        }
        return others.stream().flatMap(range -> range.unwrap().stream()).anyMatch(part -> {
            Map.Entry<Long, Long> before = lasts.floorEntry(part.last());
            return before != null && before.getValue() >= part.first();
        });
    }

    /** How many tokens, roughly where they are many. */
    public double width() {
        return size().doubleValue();
    }

    BigInteger size() {
        BigInteger distance = BigInteger.valueOf(right).subtract(BigInteger.valueOf(left));
        return wrapsAround() ? distance.add(RING_SIZE) : distance;
    }

    /** At most so many parts of about equal width, in the order of the ring, that together are this range. */
    public List<TokenRange> split(int count) {
        return TokenRanges.of(this).slices(count);
    }

    /** Of slices of equal width, too, each has its own as a rule: maps of many of them would be searched through else. */
    @Override
    public int hashCode() {
        return Long.hashCode(Murmur3.finalMix(Murmur3.finalMix(left) + right));
    }

    @Override
    public String toString() {
        return "(" + left + "," + right + "]";
    }

    /** Tokens from {@code first} to {@code last}, both inside, ascending. */
    public record Linear(long first, long last) {
        public static final Linear MIN_TOKEN_ONLY = new Linear(Long.MIN_VALUE, Long.MIN_VALUE);
        /** Every token, in file order. */
        public static final Linear ALL = new Linear(Long.MIN_VALUE, Long.MAX_VALUE);

        public Linear {
            if (first > last) {
                throw new IllegalArgumentException("tokens descend, first=" + first + ", last=" + last);
            }
        }

        public boolean contains(long token) {
            return token >= first && token <= last;
        }

        public boolean overlaps(Linear other) {
            return first <= other.last && other.first <= last;
        }

        /** How many tokens, roughly where they are many. */
        public double width() {
            double distance = last - first;
            return (distance < 0 ? distance + 0x1p64 : distance) + 1;
        }

        /** The same tokens as a range of the ring. */
        public TokenRange asRange() {
            // What is before the smallest token is the largest one, as longs do.
            return new TokenRange(first - 1, last);
        }
    }
}
