package io.anneal.dualdao.transaction;

/** What became of a transaction. */
public enum TransactionOutcome {
    /** Other connections see what it wrote. */
    COMMITTED,
    /** Nobody will ever see what it wrote. */
    ROLLED_BACK,
    /** The database may have committed it, or may do so later: the commit failed, or its answer was lost. */
    UNKNOWN
}
