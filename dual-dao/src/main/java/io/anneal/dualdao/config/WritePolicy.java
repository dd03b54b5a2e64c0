package io.anneal.dualdao.config;

/** When a write to both sides is acknowledged. */
public enum WritePolicy {
    /** When both sides took it; else the caller sees the failure, and the journal has the key. */
    BOTH,
    /**
     * While the origin is right and not all reads begin at the target (phase 2, and 3 with a share below 100 %): when the origin took it;
     * a key that the target did not take goes into the journal, is read from the origin by this instance, and is copied soon. Else
     * as {@link #BOTH}.
     */
    ORIGIN_THEN_JOURNAL
}
