package io.anneal.schema;

/**
 * A value of CQL's {@code duration}: three counts that do not convert into one another, none of them of another sign than the
 * others. Has no order, as in CQL. Immutable.
 */
public record CqlDuration(int months, int days, long nanos) {
    public CqlDuration {
        boolean anyNegative = months < 0 || days < 0 || nanos < 0;
        boolean anyPositive = months > 0 || days > 0 || nanos > 0;
        if (anyNegative && anyPositive) {
            throw new IllegalArgumentException(
                    "parts of a duration differ in sign, months=" + months + ", days=" + days + ", nanos=" + nanos);
        }
    }
}
