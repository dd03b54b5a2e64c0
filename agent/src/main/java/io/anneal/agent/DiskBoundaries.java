package io.anneal.agent;

import io.anneal.key.TokenRange;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Where a node with several data directories has the boundaries between them: an SSTable lies whole in one only if its tokens do.
 * Cassandra divides the tokens that the node owns evenly among them: with virtual nodes it cuts between ranges, as far as there are
 * enough, and else inside of them. What lies between the ranges belongs to the directory of what comes next.
 */
final class DiskBoundaries {
    /** A range without the wrap around the ring; the ring's smallest token is its end there. */
    private record Span(long left, long right) {
        BigInteger tokens() {
            return BigInteger.valueOf(right).subtract(BigInteger.valueOf(left));
        }
    }

    private DiskBoundaries() {}

    /**
     * The last token of each directory but the last one; none where all lies in the first.
     *
     * @param owned by the node, each as the ring has it
     * @param isCutBetween whether the node has virtual nodes
     */
    static List<Long> of(List<TokenRange> owned, int directories, boolean isCutBetween) {
        List<Span> spans = spans(owned);
        BigInteger all = spans.stream().map(Span::tokens).reduce(BigInteger.ZERO, BigInteger::add);
        BigInteger share = all.divide(BigInteger.valueOf(directories));
        if (directories == 1 || share.signum() == 0) {
            return List.of();
        }
        List<Long> between = isCutBetween ? between(spans, directories, share) : List.of();
        return between.size() == directories - 1 ? between : inside(spans, directories, share);
    }

    private static List<Span> spans(List<TokenRange> owned) {
        List<Span> spans = new ArrayList<>();
        for (TokenRange range : owned) {
            if (!range.wrapsAround()) {
                spans.add(new Span(range.left(), range.right()));
            } else {
                spans.add(new Span(range.left(), Long.MAX_VALUE));
                if (range.right() != Long.MIN_VALUE) {
                    spans.add(new Span(Long.MIN_VALUE, range.right()));
                }
            }
        }
        spans.sort(Comparator.comparingLong(Span::left));
        return spans;
    }

    /** At the end of the range with which a directory has what comes nearest to its share. */
    private static List<Long> between(List<Span> spans, int directories, BigInteger share) {
        List<Long> ends = new ArrayList<>();
        BigInteger taken = BigInteger.ZERO;
        for (int i = 0; i < spans.size() - 1 && ends.size() < directories - 1; i++) {
            taken = taken.add(spans.get(i).tokens());
            BigInteger above = taken.add(spans.get(i + 1).tokens()).subtract(share);
            if (above.signum() > 0 && above.compareTo(taken.subtract(share).abs()) >= 0) {
                ends.add(spans.get(i).right());
                taken = BigInteger.ZERO;
            }
        }
        return ends;
    }

    /** Where each share is full to the token. */
    private static List<Long> inside(List<Span> spans, int directories, BigInteger share) {
        List<Long> ends = new ArrayList<>();
        BigInteger before = BigInteger.ZERO;
        for (Span span : spans) {
            BigInteger until = before.add(span.tokens());
            while (ends.size() < directories - 1) {
                BigInteger full = share.multiply(BigInteger.valueOf(ends.size() + 1L));
                if (until.compareTo(full) < 0) {
                    break;
                }
                ends.add(BigInteger.valueOf(span.left())
                        .add(full.subtract(before))
                        .longValueExact());
            }
            before = until;
        }
        return ends;
    }
}
