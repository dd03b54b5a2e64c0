package io.anneal.repair;

import io.anneal.key.LinearRanges;
import io.anneal.key.TokenRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Ranges of a session as they stand in a file, each by a number: one that goes around the ring has several. Immutable. */
final class RangeIndex {
    private record Piece(TokenRange.Linear tokens, TokenRange range) {}

    private final List<Piece> pieces = new ArrayList<>();

    /** @param ranges apart from each other, in any order */
    RangeIndex(List<TokenRange> ranges) {
        for (TokenRange range : ranges) {
            range.unwrap().forEach(tokens -> pieces.add(new Piece(tokens, range)));
        }
        pieces.sort(Comparator.comparingLong(piece -> piece.tokens().first()));
    }

    int size() {
        return pieces.size();
    }

    /** The range that a number stands for. */
    TokenRange range(int number) {
        return pieces.get(number).range();
    }

    /** The last token that has the number. */
    long lastToken(int number) {
        return pieces.get(number).tokens().last();
    }

    /** Whether a number stands for tokens after this one. */
    boolean isAfter(int number, long token) {
        return pieces.get(number).tokens().first() > token;
    }

    /** The tokens of all numbers. */
    List<TokenRange.Linear> tokens() {
        return pieces.stream().map(Piece::tokens).toList();
    }

    /** Tokens of the ranges, cut where one of these ends. */
    List<TokenRange.Linear> cut(LinearRanges tokens) {
        List<TokenRange.Linear> cut = new ArrayList<>();
        for (TokenRange.Linear stretch : tokens.ranges()) {
            long first = stretch.first();
            int last = of(stretch.last());
            for (int number = of(first); number < last; number++) {
                cut.add(new TokenRange.Linear(first, lastToken(number)));
                first = lastToken(number) + 1;
            }
            cut.add(new TokenRange.Linear(first, stretch.last()));
        }
        return cut;
    }

    /** The number of the tokens to which this one belongs. It must be one of a range. */
    int of(long token) {
        int low = 0;
        int high = pieces.size() - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (pieces.get(middle).tokens().last() < token) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        assert pieces.get(low).tokens().contains(token) : token;
        return low;
    }
}
