package io.anneal.simulation;

import io.anneal.dualdao.transaction.TransactionHook;
import io.anneal.dualdao.transaction.TransactionOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Transactions of a store, bound to what runs now, as those of JDBC are to a thread. What is written within one is seen by nobody
 * before its commit, and keeps its key from all other writes until its end.
 */
final class SimulatedTransactions {
    private final Map<Long, Transaction> holders = new HashMap<>();
    private Transaction current;

    /** A write met another transaction's, of which no store waits for the end here. */
    static final class LockedException extends RuntimeException {
        private static final long serialVersionUID = 1;

        LockedException(long key) {
            super("locked by another transaction, key=" + key);
        }
    }

    Transaction begin() {
        return new Transaction();
    }

    /** Tells a dual DAO of the one that what runs now is in. */
    TransactionHook hook() {
        return TransactionHook.of(() -> current, ending -> current.endings.add(ending));
    }

    /** Does a write of a client now, or at the commit of the transaction that it is in. */
    void write(long key, Runnable write) {
        Transaction holder = holders.get(key);
        if (holder != null && holder != current) {
            throw new LockedException(key);
        }
        if (current == null) {
            write.run();
        } else {
            holders.put(key, current);
            current.writes.add(write);
        }
    }

    final class Transaction {
        private final List<Runnable> writes = new ArrayList<>();
        private final List<TransactionHook.Ending> endings = new ArrayList<>();
        private boolean over;

        /** Calls something in this transaction. */
        void within(Runnable calls) {
            current = this;
            try {
                calls.run();
            } finally {
                current = null;
            }
        }

        void commit() {
            writes.forEach(Runnable::run);
            end();
        }

        void rollback() {
            end();
        }

        private void end() {
            if (over) {
                throw new IllegalStateException("the transaction is over");
            }
            over = true;
            holders.values().removeIf(holder -> holder == this);
        }

        /** Tells those who wait for the end, in the process that called: one that was killed before tells nobody. */
        void tell(boolean committed) {
            endings.forEach(
                    ending -> ending.ended(committed ? TransactionOutcome.COMMITTED : TransactionOutcome.ROLLED_BACK));
        }
    }
}
