package io.anneal.dualdao.route;

import io.anneal.dualdao.phase.HeldView;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.stats.BatchSpan;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An operation on its way through several steps, each on whatever thread the one before ended on; of a synchronous operation
 * all are on the caller's. Ends once: by a step that says so, or by whatever a step throws.
 */
abstract class Underway<D, A, R> {
    final SideCalls<D, A, R> calls;
    final A argument;
    final HeldView heldView;
    final BatchSpan span;
    private final CompletableFuture<Object> result = new CompletableFuture<>();
    private final AtomicBoolean over = new AtomicBoolean();

    Underway(SideCalls<D, A, R> calls, PhaseView view, A argument, BatchSpan span) {
        this.calls = calls;
        this.argument = argument;
        this.span = span;
        heldView = new HeldView(view);
    }

    /** The first step. */
    abstract void begin() throws Throwable;

    /** Gives back what the operation held, before the caller is told and the view is left. */
    void release() {}

    final R run() throws Throwable {
        step(this::begin);
        return calls.answer(result);
    }

    final void step(Step step) {
        try {
            step.run();
        } catch (Throwable thrown) { // the caller's, whatever it is: nobody else is there to take it
            end(null, thrown);
        }
    }

    /** Ends the operation, unless it is over. */
    final void end(Object answer, Throwable thrown) {
        if (!over.compareAndSet(false, true)) {
            return;
        }
        try {
            release();
        } finally {
            heldView.release();
            // Last, since what the caller goes on with may wait for what this operation held.
            if (thrown == null) {
                result.complete(answer);
            } else {
                result.completeExceptionally(thrown);
            }
        }
    }

    /** A step of an operation. */
    @FunctionalInterface
    interface Step {
        void run() throws Throwable;
    }
}
