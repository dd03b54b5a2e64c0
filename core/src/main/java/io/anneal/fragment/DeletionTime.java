package io.anneal.fragment;

/**
 * What a deletion covers (writes up to {@code timestampMicros}) and when it was made ({@code localDeletionTimeSeconds}
 * since 1970). Hot code keeps the two numbers apart; the static methods are the rules for both forms.
 */
public record DeletionTime(long timestampMicros, long localDeletionTimeSeconds) {
    /** Timestamp of no deletion and of no liveness. */
    public static final long NO_TIMESTAMP = Long.MIN_VALUE;
    /** Local deletion time of what is not deleted and does not expire. */
    public static final long NO_DELETION_TIME = Long.MAX_VALUE;

    /** No deletion. */
    public static final DeletionTime LIVE = new DeletionTime(NO_TIMESTAMP, NO_DELETION_TIME);

    public boolean isLive() {
        return isLive(timestampMicros, localDeletionTimeSeconds);
    }

    public static boolean isLive(long timestampMicros, long localDeletionTimeSeconds) {
        return timestampMicros == NO_TIMESTAMP && localDeletionTimeSeconds == NO_DELETION_TIME;
    }

    /** Rule 6 of the canonical form: whether the left deletion strictly wins, by timestamp, then local deletion time. */
    public static boolean supersedes(long leftMicros, long leftSeconds, long rightMicros, long rightSeconds) {
        if (leftMicros != rightMicros) {
            return leftMicros > rightMicros;
        }
        return leftSeconds > rightSeconds && !isLive(leftMicros, leftSeconds);
    }

    public boolean supersedes(DeletionTime other) {
        return supersedes(
                timestampMicros, localDeletionTimeSeconds, other.timestampMicros, other.localDeletionTimeSeconds);
    }
}
