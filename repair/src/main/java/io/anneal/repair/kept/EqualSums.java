package io.anneal.repair.kept;

import io.anneal.fragment.HashSum;
import io.anneal.key.LinearRanges;
import io.anneal.key.TokenRange;
import io.anneal.repair.message.TokenSum;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the sums of several replicas are equal. Replicas may have cut the ring in different places: sums of parts that follow one another
 * are added up until all replicas have a sum of the same tokens.
 *
 * @param equal of each such stretch of tokens, the first replica's
 */
public record EqualSums(List<TokenSum> equal) {
    public static final EqualSums NONE = new EqualSums(List.of());

    public EqualSums {
        equal = List.copyOf(equal);
    }

    /** @param replicas of each its sums, in the order of their tokens, apart from each other */
    public static EqualSums of(List<List<TokenSum>> replicas) {
        List<Cursor> cursors = replicas.stream().map(Cursor::new).toList();
        List<TokenSum> equal = new ArrayList<>();
        while (meet(cursors)) {
            if (add(cursors)) {
                TokenSum first = cursors.get(0).sum();
                if (cursors.stream().allMatch(cursor -> isSame(cursor.sum(), first))) {
                    equal.add(first);
                }
                cursors.forEach(Cursor::next);
            }
        }
        return new EqualSums(equal);
    }

    /**
     * Without those of which fewer than some follow one another: to leave out so little costs more than to read it.
     *
     * @param least at least 1
     */
    public EqualSums inRuns(int least) {
        List<TokenSum> left = new ArrayList<>();
        int first = 0;
        for (int i = 0; i < equal.size(); i++) {
            boolean goesOn = i + 1 < equal.size()
                    && equal.get(i).tokens().last() + 1
                            == equal.get(i + 1).tokens().first();
            if (!goesOn) {
                if (i + 1 - first >= least) {
                    left.addAll(equal.subList(first, i + 1));
                }
                first = i + 1;
            }
        }
        return new EqualSums(left);
    }

    private static boolean isSame(TokenSum one, TokenSum other) {
        return one.high() == other.high() && one.low() == other.low();
    }

    /** Moves all to where they begin at the same token; false if there is none any more. */
    private static boolean meet(List<Cursor> cursors) {
        boolean together = false;
        while (!together) {
            if (cursors.stream().anyMatch(Cursor::isAtEnd)) {
                return false;
            }
            long first = cursors.stream().mapToLong(Cursor::first).max().orElseThrow();
            cursors.forEach(cursor -> cursor.skipTo(first));
            together = cursors.stream().allMatch(cursor -> !cursor.isAtEnd() && cursor.first() == first);
        }
        return true;
    }

    /** Adds up until all end at the same token; false if one has a gap before that, which then begins anew behind it. */
    private static boolean add(List<Cursor> cursors) {
        while (true) {
            long last = cursors.stream().mapToLong(Cursor::last).max().orElseThrow();
            boolean together = true;
            for (Cursor cursor : cursors) {
                while (cursor.last() < last) {
                    together = false;
                    if (!cursor.add()) {
                        cursor.next();
                        return false;
                    }
                }
            }
            if (together) {
                return true;
            }
        }
    }

    /** The sum of some parts that follow one another, of one replica. */
    private static final class Cursor {
        private final List<TokenSum> sums;
        private int begin;
        private int end;
        private final HashSum sum = new HashSum();
        private long rows;

        Cursor(List<TokenSum> sums) {
            this.sums = sums;
            begin();
        }

        private void begin() {
            end = begin;
            sum.clear();
            rows = 0;
            if (!isAtEnd()) {
                take();
            }
        }

        private void take() {
            TokenSum next = sums.get(end++);
            sum.add(next.low(), next.high());
            rows += next.rows();
        }

        boolean isAtEnd() {
            return begin >= sums.size();
        }

        long first() {
            return sums.get(begin).tokens().first();
        }

        long last() {
            return sums.get(end - 1).tokens().last();
        }

        TokenSum sum() {
            return new TokenSum(new TokenRange.Linear(first(), last()), sum.high(), sum.low(), rows);
        }

        boolean add() {
            if (end == sums.size() || sums.get(end).tokens().first() != last() + 1) {
                return false;
            }
            take();
            return true;
        }

        /** Goes on behind what was added up. */
        void next() {
            begin = end;
            begin();
        }

        /** Begins anew at the first part that does not begin before a token, or stays. */
        void skipTo(long token) {
            while (!isAtEnd() && first() < token) {
                begin++;
            }
            begin();
        }
    }

    public boolean isNone() {
        return equal.isEmpty();
    }

    public LinearRanges tokens() {
        return LinearRanges.of(equal.stream().map(sum -> sum.tokens().asRange()).toList());
    }

    /** Of the first replica. */
    public long rows() {
        return equal.stream().mapToLong(TokenSum::rows).sum();
    }
}
