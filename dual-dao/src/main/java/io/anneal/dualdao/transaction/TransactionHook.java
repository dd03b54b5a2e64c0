package io.anneal.dualdao.transaction;

import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tells a dual DAO of the transactions that its callers' threads are in, and when they end. {@link JdbcTransactions} is one for
 * JDBC; {@link #of} makes one of what a framework offers. Any thread may call.
 */
public interface TransactionHook {
    /** No thread is ever in a transaction. */
    TransactionHook NONE = of(() -> null, ending -> {});

    /**
     * The transaction that this thread's calls are part of: from its start to its end one object, or equal ones. Null for none,
     * and for a transaction that only reads.
     */
    Object current();

    /**
     * Tells the ending once the current transaction of this thread has ended, and before whoever ended it goes on. What the ending
     * throws after a commit must reach whoever committed. Called only where {@link #current} is not null.
     */
    void whenEnded(Ending ending);

    /**
     * Makes a hook of two functions.
     *
     * @param current as {@link #current()}
     * @param whenEnded as {@link #whenEnded}
     */
    static TransactionHook of(Supplier<?> current, Consumer<Ending> whenEnded) {
        return new TransactionHook() {
            @Override
            public Object current() {
                return current.get();
            }

            @Override
            public void whenEnded(Ending ending) {
                whenEnded.accept(ending);
            }
        };
    }

    /** What a dual DAO does when a transaction has ended. */
    @FunctionalInterface
    interface Ending {
        /**
         * The transaction has ended; its locks are released, and other connections see what it committed. The first call counts,
         * later ones do nothing.
         *
         * @throws CommittedException if it was committed and one side lacks what it wrote; never after another outcome
         */
        void ended(TransactionOutcome outcome);
    }
}
