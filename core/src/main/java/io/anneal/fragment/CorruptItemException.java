package io.anneal.fragment;

import java.io.IOException;

/** Bytes that are no item of the canonical encoding. Whoever received them adds from whom. */
public final class CorruptItemException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int offset;
    private final String reason;

    /**
     * @param offset in the buffer that was read, where reading stopped making sense
     * @param facts {@code name=value} pairs, or empty
     */
    public CorruptItemException(String reason, int offset, String facts) {
        super("item is corrupt, reason=" + reason + ", offset=" + offset + (facts.isEmpty() ? "" : ", " + facts));
        this.offset = offset;
        this.reason = facts.isEmpty() ? reason : reason + ", " + facts;
    }

    public CorruptItemException(String reason, int offset, RuntimeException cause) {
        super("item is corrupt, reason=" + reason + ", offset=" + offset + ", cause=" + cause.getMessage(), cause);
        this.offset = offset;
        this.reason = reason + ", cause=" + cause.getMessage();
    }

    /** What does not fit, for who made the item and knows no offsets in it. */
    public String reason() {
        return reason;
    }

    /** Offset in the buffer that was read. */
    public int offset() {
        return offset;
    }
}
