package io.anneal.dualdao.route;

import io.anneal.dualdao.transaction.TransactionHook;
import io.anneal.dualdao.transaction.TransactionOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Transactions that begin, end and take turns when a test says so. */
final class TransactionsByHand implements TransactionHook {
    private final Map<String, List<Ending>> endings = new HashMap<>();
    private String current;

    /** The calls that follow are part of this transaction, null for none. */
    void enter(String transaction) {
        current = transaction;
    }

    void commit() {
        end(TransactionOutcome.COMMITTED);
    }

    void rollBack() {
        end(TransactionOutcome.ROLLED_BACK);
    }

    /** The commit was not answered. */
    void lose() {
        end(TransactionOutcome.UNKNOWN);
    }

    private void end(TransactionOutcome outcome) {
        List<Ending> told = endings.remove(current);
        current = null;
        if (told != null) {
            told.forEach(ending -> ending.ended(outcome));
        }
    }

    @Override
    public Object current() {
        return current;
    }

    @Override
    public void whenEnded(Ending ending) {
        endings.computeIfAbsent(current, begun -> new ArrayList<>()).add(ending);
    }
}
