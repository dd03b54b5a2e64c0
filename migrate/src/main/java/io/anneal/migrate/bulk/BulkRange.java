package io.anneal.migrate.bulk;

import io.anneal.job.JobUnit;
import io.anneal.key.TokenRange;
import java.util.List;

/**
 * Positions behind {@code after} up to {@code through}, the last inside. {@link #ALL} has every position but {@link Long#MIN_VALUE},
 * which no key may have, as in Cassandra.
 */
public record BulkRange(long after, long through) implements JobUnit {
    public static final BulkRange ALL = new BulkRange(Long.MIN_VALUE, Long.MAX_VALUE);

    public BulkRange {
        if (after >= through) {
            throw new IllegalArgumentException("range is empty, after=" + after + ", through=" + through);
        }
    }

    public boolean contains(long position) {
        return position > after && position <= through;
    }

    /** Reads a range from its {@link #text()}. */
    static BulkRange parse(String text) {
        return of(TokenRange.parse(text));
    }

    private static BulkRange of(TokenRange tokens) {
        return new BulkRange(tokens.left(), tokens.right());
    }

    private TokenRange tokens() {
        return new TokenRange(after, through);
    }

    @Override
    public String text() {
        return tokens().toString();
    }

    /** How many positions. */
    @Override
    public double width() {
        return tokens().width();
    }

    /** How many of its positions are not after this one. */
    double widthUpTo(long position) {
        return (double) position - after;
    }

    /** At most so many parts of equal width, ascending, together this range. */
    public List<BulkRange> split(int count) {
        return tokens().split(count).stream().map(BulkRange::of).toList();
    }

    @Override
    public String toString() {
        return text();
    }
}
