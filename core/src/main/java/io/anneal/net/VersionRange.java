package io.anneal.net;

/** The versions of something that a node reads and writes, both ends included. */
public record VersionRange(int oldest, int newest) {
    static final int VERSION_MAX = 0xFFFF;

    public VersionRange {
        if (oldest < 0 || newest < oldest || newest > VERSION_MAX) {
            throw new IllegalArgumentException(
                    "version range is not valid, oldest=" + oldest + ", newest=" + newest + ", max=" + VERSION_MAX);
        }
    }

    boolean overlaps(VersionRange other) {
        return oldest <= other.newest && other.oldest <= newest;
    }

    /** The newest version that both know; only for ranges that overlap. */
    int newestCommon(VersionRange other) {
        return Math.min(newest, other.newest);
    }
}
