package io.anneal.commitlog;

/**
 * A place in the commit log: what was written before it lies in smaller positions.
 *
 * @param segmentId ascends from segment to segment, never used twice
 * @param position in the segment, in bytes as if nothing were compressed
 */
public record CommitLogPosition(long segmentId, int position) implements Comparable<CommitLogPosition> {
    /** Before everything. */
    public static final CommitLogPosition NONE = new CommitLogPosition(-1, 0);

    @Override
    public int compareTo(CommitLogPosition other) {
        int order = Long.compare(segmentId, other.segmentId);
        return order != 0 ? order : Integer.compare(position, other.position);
    }
}
