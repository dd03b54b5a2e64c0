package io.anneal.streaming;

import io.anneal.key.TokenRange;
import io.anneal.streaming.message.Survey;
import io.anneal.streaming.message.Survey.Extent;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a range is cut so that several sources give about the same, and as few SSTables as possible are cut: what is not, goes as it
 * is.
 *
 * @param surveys of each source
 */
record RangeCuts(List<Survey> surveys) {
    /** How far from even shares a cut may be, for the sake of whole SSTables: of a share. */
    private static final double UNEVEN = 0.25;
    /** How exactly shares are even. */
    private static final int STEPS = 256;

    /** Of more SSTables than these no one is worth the search: it is a small share of all. */
    private static final int SEARCHED_MAX = 2_000;

    /** At most so many parts, one after the other, that together are the range. */
    List<TokenRange> cut(TokenRange range, int count) {
        List<TokenRange> parts = new ArrayList<>();
        TokenRange rest = range;
        for (int left = count; left > 1; left--) {
            long token = token(rest, 1.0 / left);
            if (token == rest.left() || token == rest.right()) {
                break;
            }
            parts.add(new TokenRange(rest.left(), token));
            rest = new TokenRange(token, rest.right());
        }
        parts.add(rest);
        return parts;
    }

    /** The last token of the first part. */
    private long token(TokenRange range, double share) {
        long even = even(range, share);
        if (surveys.stream().mapToInt(survey -> survey.sstables().size()).sum() > SEARCHED_MAX) {
            return even;
        }
        long best = even;
        double total = bytes(range);
        double bestCut = cutBytes(even);
        for (Survey survey : surveys) {
            for (Extent sstable : survey.sstables()) {
                long end = sstable.tokens().last();
                if (range.contains(end) && end != range.right() && cutBytes(end) < bestCut) {
                    double before = bytes(new TokenRange(range.left(), end)) / total;
                    if (Math.abs(before - share) <= UNEVEN * share) {
                        best = end;
                        bestCut = cutBytes(end);
                    }
                }
            }
        }
        return best;
    }

    /** By bytes, as far as they are spread evenly over an SSTable; without any by tokens. */
    private long even(TokenRange range, double share) {
        List<TokenRange> steps = range.split(STEPS);
        double total = bytes(range);
        double before = 0;
        for (int i = 0; i < steps.size() - 1; i++) {
            before += total == 0 ? 1.0 / STEPS : bytes(steps.get(i)) / total;
            if (before >= share) {
                return steps.get(i).right();
            }
        }
        return steps.get(0).right();
    }

    private double bytes(TokenRange range) {
        double bytes = 0;
        for (Survey survey : surveys) {
            for (Extent sstable : survey.sstables()) {
                for (TokenRange.Linear part : range.unwrap()) {
                    bytes += sstable.lengthBytes() * common(sstable.tokens(), part);
                }
            }
        }
        return bytes;
    }

    /** How much of the SSTable's width lies in a range. */
    private static double common(TokenRange.Linear sstable, TokenRange.Linear range) {
        double first = Math.max(sstable.first(), range.first());
        double last = Math.min(sstable.last(), range.last());
        return last < first ? 0 : (last - first + 1) / ((double) sstable.last() - sstable.first() + 1);
    }

    /** Of SSTables that have tokens on both sides. */
    private double cutBytes(long token) {
        double bytes = 0;
        for (Survey survey : surveys) {
            for (Extent sstable : survey.sstables()) {
                boolean isCut = sstable.tokens().first() <= token
                        && token < sstable.tokens().last();
                bytes += isCut ? sstable.lengthBytes() : 0;
            }
        }
        return bytes;
    }
}
