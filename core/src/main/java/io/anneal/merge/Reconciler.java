package io.anneal.merge;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import java.util.Arrays;

/**
 * Which of two writes to the same place wins: rules 3, 4 and 6 of the canonical form, after Cassandra 5.0's {@code
 * Cells}, {@code LivenessInfo} and {@code DeletionTime}. Total orders, so the winner does not depend on the order in
 * which many are compared; they never ask the clock. Local deletion times are compared as clamped to a ceiling, since
 * what loses only by an unclamped time could not be told apart once both were written.
 */
public final class Reconciler {
    private Reconciler() {}

    /** Rule 3 without a ceiling; positive when the left cell wins, 0 when both are the same. */
    public static int compareCells(Row left, int leftEntry, Row right, int rightEntry) {
        return compareCells(left, leftEntry, right, rightEntry, CanonicalEncoder.UNCLAMPED);
    }

    /** Rule 3: positive when the left cell wins, 0 when both are the same. */
    public static int compareCells(
            Row left, int leftEntry, Row right, int rightEntry, long localDeletionTimeMaxSeconds) {
        int order = Long.compare(left.timestampMicros(leftEntry), right.timestampMicros(rightEntry));
        if (order != 0) {
            return order;
        }
        long leftSeconds =
                CanonicalEncoder.clamp(left.localDeletionTimeSeconds(leftEntry), localDeletionTimeMaxSeconds);
        long rightSeconds =
                CanonicalEncoder.clamp(right.localDeletionTimeSeconds(rightEntry), localDeletionTimeMaxSeconds);
        boolean leftEnds = leftSeconds != DeletionTime.NO_DELETION_TIME;
        boolean rightEnds = rightSeconds != DeletionTime.NO_DELETION_TIME;
        if (leftEnds != rightEnds) {
            return leftEnds ? 1 : -1;
        }
        if (leftEnds) {
            boolean leftExpires = left.isExpiring(leftEntry);
            boolean rightExpires = right.isExpiring(rightEntry);
            if (leftExpires != rightExpires) {
                return leftExpires ? -1 : 1;
            }
            order = Long.compare(leftSeconds, rightSeconds);
            if (order != 0) {
                return order;
            }
            if (!leftExpires) {
                return 0;
            }
            order = Integer.compare(right.ttlSeconds(rightEntry), left.ttlSeconds(leftEntry));
            if (order != 0) {
                return order;
            }
        }
        return compareValues(left, leftEntry, right, rightEntry);
    }

    private static int compareValues(Row left, int leftEntry, Row right, int rightEntry) {
        int leftLength = left.valueLengthBytes(leftEntry);
        int rightLength = right.valueLengthBytes(rightEntry);
        if (leftLength == Row.ABSENT || rightLength == Row.ABSENT) {
            return Boolean.compare(leftLength != Row.ABSENT, rightLength != Row.ABSENT);
        }
        int leftOffset = left.valueOffset(leftEntry);
        int rightOffset = right.valueOffset(rightEntry);
        return Arrays.compareUnsigned(
                left.valueBuffer(leftEntry),
                leftOffset,
                leftOffset + leftLength,
                right.valueBuffer(rightEntry),
                rightOffset,
                rightOffset + rightLength);
    }

    /** Rule 4 over two rows' liveness: positive when the left one wins. No liveness loses against any. */
    public static int compareLiveness(Row left, Row right) {
        return compareLiveness(
                left.livenessTimestampMicros(),
                left.livenessTtlSeconds(),
                left.livenessExpirySeconds(),
                right.livenessTimestampMicros(),
                right.livenessTtlSeconds(),
                right.livenessExpirySeconds());
    }

    static int compareLiveness(
            long leftMicros, int leftTtl, long leftExpiry, long rightMicros, int rightTtl, long rightExpiry) {
        if (leftMicros != rightMicros) {
            return Long.compare(leftMicros, rightMicros);
        }
        boolean leftExpired = leftTtl == Row.EXPIRED_LIVENESS_TTL;
        boolean rightExpired = rightTtl == Row.EXPIRED_LIVENESS_TTL;
        if (leftExpired != rightExpired) {
            return leftExpired ? 1 : -1;
        }
        boolean leftExpires = leftTtl != Row.NO_TTL;
        boolean rightExpires = rightTtl != Row.NO_TTL;
        if (leftExpires != rightExpires) {
            return leftExpires ? 1 : -1;
        }
        int order = Long.compare(leftExpiry, rightExpiry);
        return order != 0 ? order : Integer.compare(rightTtl, leftTtl);
    }

    /** Rule 6: positive when the left deletion wins; no deletion loses against any. */
    public static int compareDeletions(long leftMicros, long leftSeconds, long rightMicros, long rightSeconds) {
        if (DeletionTime.supersedes(leftMicros, leftSeconds, rightMicros, rightSeconds)) {
            return 1;
        }
        return DeletionTime.supersedes(rightMicros, rightSeconds, leftMicros, leftSeconds) ? -1 : 0;
    }
}
