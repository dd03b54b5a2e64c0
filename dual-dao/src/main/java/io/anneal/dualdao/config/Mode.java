package io.anneal.dualdao.config;

/** What a dual DAO is for. */
public enum Mode {
    /** The data moves from the origin to the target, as the phases say. */
    MIGRATION,
    /**
     * The target is tried out: in every phase the origin is written and answers, the target is written and read beside it and
     * can neither fail nor slow a call.
     */
    TEST
}
