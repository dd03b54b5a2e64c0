package io.anneal.harness.load;

/**
 * A read that no order of the operations explains.
 *
 * @param observed null for nothing
 * @param at when the read began
 * @param explanation what was acknowledged before
 */
public record Violation(Kind kind, String key, String item, String observed, long at, String explanation) {
    /** What is wrong with a read. */
    public enum Kind {
        /** An acknowledged write is not there, or at the end an older one is. */
        LOST_WRITE,
        /** There is something again that was deleted, after the delete was acknowledged. */
        RESURRECTED_DELETE,
        /** There is an older value than one that was acknowledged before the read began. */
        STALE_READ,
        /** There is a value that nobody wrote, or whose write failed, or was not begun when the read ended. */
        NEVER_WRITTEN
    }
}
