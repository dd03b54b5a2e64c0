package io.anneal.migrate.bulk;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Positions behind {@code after} up to {@code through}, the last inside. {@link #ALL} has every position but {@link Long#MIN_VALUE},
 * which no key may have, as in Cassandra.
 */
public record BulkRange(long after, long through) {
    public static final BulkRange ALL = new BulkRange(Long.MIN_VALUE, Long.MAX_VALUE);

    public BulkRange {
        if (after >= through) {
            throw new IllegalArgumentException("range is empty, after=" + after + ", through=" + through);
        }
    }

    public boolean contains(long position) {
        return position > after && position <= through;
    }

    /** How many positions. */
    double width() {
        return (double) through - after;
    }

    /** At most so many parts of equal width, ascending, together this range. */
    public List<BulkRange> split(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("range is split into less than one, count=" + count);
        }
        BigInteger begin = BigInteger.valueOf(after);
        BigInteger length = BigInteger.valueOf(through).subtract(begin);
        List<BulkRange> parts = new ArrayList<>();
        long last = after;
        for (int i = 1; i <= count; i++) {
            long end = begin.add(length.multiply(BigInteger.valueOf(i)).divide(BigInteger.valueOf(count)))
                    .longValueExact();
            if (end > last) {
                parts.add(new BulkRange(last, end));
                last = end;
            }
        }
        return List.copyOf(parts);
    }

    @Override
    public String toString() {
        return "(" + after + "," + through + "]";
    }
}
