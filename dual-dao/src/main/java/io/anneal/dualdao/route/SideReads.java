package io.anneal.dualdao.route;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.order.Stages;
import io.anneal.dualdao.phase.HeldView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.BatchSpan;
import io.anneal.dualdao.stats.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reads one side, with a limit on how long the target may take and a second read for a slow first one, where the caller wants
 * these. A synchronous read that may be given up runs on a thread of its own, and its caller waits. Any thread may call.
 */
final class SideReads<D, A, R> {
    /** Stands for an answer that did not come in time. */
    static final Throwable LATE = new RuntimeException("late", null, false, false) {
        private static final long serialVersionUID = 1L;
    };

    /** So many synchronous reads whose callers went on without them may hold a thread; a side that hangs gets no more. */
    static final int ABANDONED_MAX = 128;

    private final SideCalls<D, A, R> calls;
    private final Speculation speculation;
    private final long timeoutNanos;
    private final AtomicInteger abandoned;
    private final ExecutorService handOff;
    private final Transactions<D> transactions;
    private final ScheduledExecutorService scheduler;

    SideReads(SideCalls<D, A, R> calls, DualEngine<D> engine) {
        this.calls = calls;
        DualConfig<D> config = engine.config;
        Duration timeout = config.targetTimeout;
        timeoutNanos = timeout == null ? Speculation.NEVER : timeout.toNanos();
        speculation = new Speculation(config.speculativePercentile, calls.stats(), config.environment.nanoTime());
        abandoned = engine.abandonedReads;
        handOff = engine.handOff;
        transactions = engine.transactions;
        scheduler = engine.scheduler;
    }

    /**
     * Reads a side.
     *
     * @param limited whether the reply is {@link #LATE} if the answer is not there in time
     * @param heldView held as long as any read that was fired has not ended
     */
    void read(Side side, A argument, boolean limited, BatchSpan span, HeldView heldView, Reply reply) {
        long limitNanos = limited ? timeoutNanos : Speculation.NEVER;
        long againNanos = speculation.delayNanos(side);
        boolean alone = limitNanos == Speculation.NEVER && againNanos == Speculation.NEVER;
        // A transaction is its thread's.
        if (alone || transactions.current() != null) {
            calls.call(side, argument, 0, span, reply);
        } else if (calls.answersLater()) {
            new Race(side, argument, span, heldView, reply).begin(limitNanos, againNanos);
        } else {
            await(side, argument, limitNanos, againNanos, span, heldView, reply);
        }
    }

    private void await(
            Side side, A argument, long limitNanos, long againNanos, BatchSpan span, HeldView heldView, Reply reply) {
        CompletableFuture<Reply.Outcome> first = new CompletableFuture<>();
        Race race = new Race(
                side, argument, span, heldView, (answer, thrown) -> first.complete(new Reply.Outcome(answer, thrown)));
        if (abandoned.get() >= ABANDONED_MAX || !race.fireBeside(false)) {
            if (limitNanos == Speculation.NEVER) {
                calls.call(side, argument, 0, span, reply);
            } else {
                reply.done(null, LATE);
            }
            return;
        }
        Optional<Reply.Outcome> outcome = Optional.empty();
        long left = limitNanos;
        if (againNanos < limitNanos) {
            outcome = Stages.await(first, againNanos, calls::nanoTime);
            left = limitNanos == Speculation.NEVER ? limitNanos : limitNanos - againNanos;
            if (outcome.isEmpty()) {
                race.fireAgain();
            }
        }
        if (outcome.isEmpty()) {
            outcome = Stages.await(first, left, calls::nanoTime);
        }
        if (outcome.isEmpty()) {
            race.late();
            outcome = Stages.await(first, Speculation.NEVER, calls::nanoTime);
        }
        reply.done(outcome.orElseThrow().answer(), outcome.orElseThrow().thrown());
    }

    /** One or two reads of the same, and a limit; the first answer wins, a failure only if it is the last. */
    private final class Race {
        private final Side side;
        private final A argument;
        private final BatchSpan span;
        private final HeldView heldView;
        private final Reply reply;
        private final List<Future<?>> timers = new ArrayList<>(2);
        private int running;

        /** How many still ran when it was decided, and hold a thread. */
        private int left;

        private boolean decided;

        Race(Side side, A argument, BatchSpan span, HeldView heldView, Reply reply) {
            this.side = side;
            this.argument = argument;
            this.span = span;
            this.heldView = heldView;
            this.reply = reply;
        }

        void begin(long limitNanos, long againNanos) {
            fire(false);
            if (againNanos < limitNanos) {
                after(againNanos, this::fireAgain);
            }
            if (limitNanos != Speculation.NEVER) {
                after(limitNanos, this::late);
            }
        }

        private synchronized void after(long nanos, Runnable task) {
            if (decided) {
                return;
            }
            try {
                timers.add(scheduler.schedule(task, nanos, TimeUnit.NANOSECONDS));
            } catch (RejectedExecutionException closed) {
                // without a clock the first answer is waited for
            }
        }

        private synchronized boolean undecided() {
            return !decided;
        }

        /** Counts one read more in. Under the lock, since the decision ends the operation that holds the view until then. */
        private synchronized boolean enter() {
            if (decided) {
                return false;
            }
            running++;
            heldView.hold();
            return true;
        }

        private void fire(boolean again) {
            if (!enter()) {
                return;
            }
            if (again) {
                calls.stats().count(Counter.SPECULATIVE_READS);
            }
            calls.call(side, argument, 0, span, (answer, thrown) -> done(answer, thrown, again));
        }

        /** Whether the caller's answer is decided by this; then no timer keeps it in memory. */
        private synchronized boolean decide() {
            if (decided) {
                return false;
            }
            decided = true;
            left = calls.answersLater() ? 0 : running;
            abandoned.addAndGet(left);
            timers.forEach(timer -> timer.cancel(false));
            return true;
        }

        /** On another thread; false if there is none any more. */
        boolean fireBeside(boolean again) {
            try {
                handOff.execute(() -> fire(again));
                return true;
            } catch (RejectedExecutionException closed) {
                return false;
            }
        }

        void fireAgain() {
            if (!undecided() || !speculation.take()) {
                return;
            }
            if (calls.answersLater()) {
                fire(true);
            } else {
                fireBeside(true);
            }
        }

        private void done(Object answer, Throwable thrown, boolean again) {
            boolean mine;
            synchronized (this) {
                running--;
                if (left > 0) {
                    left--;
                    abandoned.decrementAndGet();
                }
                mine = (thrown == null || running == 0) && decide();
            }
            // Before the caller goes on, who holds the view himself until then.
            heldView.release();
            if (mine) {
                if (again && thrown == null) {
                    calls.stats().count(Counter.SPECULATIVE_WINS);
                }
                reply.done(answer, thrown);
            }
        }

        void late() {
            if (decide()) {
                reply.done(null, LATE);
            }
        }
    }
}
