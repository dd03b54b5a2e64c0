package io.anneal.dualdao;

/** When a write to both sides is acknowledged. */
public enum WritePolicy {
    /** When both sides took it; else the caller sees the failure, and the journal has the key. */
    BOTH,
    /**
     * While the origin is right (phases 2 and 3): when the origin took it; a key that the target did not take goes into the
     * journal, is read from the origin by this instance, and is copied soon. From 3b on as {@link #BOTH}.
     */
    ORIGIN_THEN_JOURNAL
}
