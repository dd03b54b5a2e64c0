package io.anneal.dualdao.config;

/** What became of an operation on one side. */
public enum SideOutcome {
    OK,
    /** It threw, and nothing happened. */
    FAILED,
    /** It threw or was late, and may have happened all the same. */
    UNKNOWN,
    NOT_ATTEMPTED
}
