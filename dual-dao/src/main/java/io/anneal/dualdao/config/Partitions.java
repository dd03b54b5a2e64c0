package io.anneal.dualdao.config;

import java.util.function.BinaryOperator;

/**
 * What is done about a key of which the target holds a part only, since some of it was written before both sides were: the
 * target then answers, and what it lacks is not missed. One of three.
 *
 * @param kind which
 * @param merge of {@link Kind#MERGED}: the origin's answer and the target's, neither missing, to one
 */
public record Partitions(Kind kind, BinaryOperator<Object> merge) {
    /** The three ways. */
    public enum Kind {
        /** Reads begin at the target only after a back-fill was verified. The default. */
        GATED,
        /** Every write writes all of its key, so that no key is there in part. The caller's word. */
        WHOLE,
        /** In phase 3 a read that begins at the target asks both sides and merges the answers. */
        MERGED
    }

    public static final Partitions GATED = new Partitions(Kind.GATED, null);
    public static final Partitions WHOLE = new Partitions(Kind.WHOLE, null);

    /** Where both have the same part, the merge must prefer the target's from {@code TARGET_FIRST} on; it is not told. */
    public static Partitions merged(BinaryOperator<Object> merge) {
        return new Partitions(Kind.MERGED, merge);
    }
}
