package io.anneal.net;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Threads beside the one of a simulated network, of which all but one stand still at any moment: each runs until it waits or ends,
 * and goes on when what it waits for is there. The network's own thread alone runs events, and does so while the others wait. So runs
 * repeat as those of one thread do.
 */
final class SimulatedThreads {
    private record Wait(Thread thread, BooleanSupplier isOver, long deadlineNanos) {}

    private final Thread own = Thread.currentThread();
    /** In the order in which they began. */
    private final List<Wait> waits = new ArrayList<>();

    private volatile Thread turn = own;
    /** Of a thread that it ended. */
    private Error failure;

    /** Whether the caller is the thread that runs now. */
    boolean isTurn() {
        return Thread.currentThread() == turn;
    }

    /** Whether the caller is the network's own thread. */
    boolean isOwn() {
        return Thread.currentThread() == own;
    }

    Thread own() {
        return own;
    }

    /** On the network's own thread: runs a task on a new one until that waits or ends. */
    void start(Runnable task) {
        Thread thread = new Thread(
                () -> {
                    awaitTurn();
                    try {
                        task.run();
                    } catch (Error e) {
                        failure = e;
                    } finally {
                        giveTurn(own);
                    }
                },
                "simulated");
        thread.setDaemon(true);
        thread.start();
        letRun(thread);
    }

    /** On another thread: waits until this holds, which is asked between events, or until this moment. */
    void await(BooleanSupplier isOver, long deadlineNanos) {
        waits.add(new Wait(Thread.currentThread(), isOver, deadlineNanos));
        giveTurn(own);
        awaitTurn();
    }

    /** On the network's own thread: lets the first go on whose wait is over, until it waits again or ends; whether there was one. */
    boolean goOn(long nowNanos) {
        for (Wait wait : waits) {
            if (isOver(wait, nowNanos)) {
                waits.remove(wait);
                letRun(wait.thread());
                return true;
            }
        }
        return false;
    }

    /** Whether one could go on. */
    boolean canGoOn(long nowNanos) {
        return waits.stream().anyMatch(wait -> isOver(wait, nowNanos));
    }

    private static boolean isOver(Wait wait, long nowNanos) {
        return nowNanos >= wait.deadlineNanos() || wait.isOver().getAsBoolean();
    }

    /** When the first wait ends in any case. */
    long firstDeadlineNanos() {
        return waits.stream().mapToLong(Wait::deadlineNanos).min().orElse(Long.MAX_VALUE);
    }

    private void letRun(Thread thread) {
        giveTurn(thread);
        awaitTurn();
        if (failure != null) {
            Error thrown = failure;
            failure = null;
            throw thrown;
        }
    }

    private void giveTurn(Thread next) {
        turn = next;
        LockSupport.unpark(next);
    }

    /** An interrupt is for the wait that has it as its end, and does not end this one. */
    private void awaitTurn() {
        while (!isTurn()) {
            LockSupport.park(this);
        }
    }
}
