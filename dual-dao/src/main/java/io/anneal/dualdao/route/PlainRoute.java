package io.anneal.dualdao.route;

import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.BatchSpan;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.OperationStats;
import java.util.concurrent.CompletableFuture;

/** One side does it all, and nothing has to be remembered. What answers at once passes through without allocation. */
final class PlainRoute<D, A, R> implements Route<A, R> {
    /** Which calls are timed. */
    enum Timing {
        NONE,
        SAMPLE,
        ALL
    }

    private final SideCalls<D, A, R> calls;
    private final OperationSpec.Invoker<D, A, R> invoker;
    private final D dao;
    private final Side side;
    private final Timing timing;
    private final Counter counter;
    private final OperationStats stats;
    private final WriteTimes times;
    private final Batches batches;
    private final Preflight preflight;

    /**
     * @param counter null if it is not counted
     * @param times of writes, null for what writes nothing
     * @param preflight looks at the calls that are timed, null for none
     */
    PlainRoute(
            SideCalls<D, A, R> calls,
            Side side,
            Timing timing,
            Counter counter,
            WriteTimes times,
            Batches batches,
            Preflight preflight) {
        this.calls = calls;
        this.side = side;
        this.timing = timing;
        this.counter = counter;
        this.times = times;
        this.batches = batches;
        this.preflight = preflight;
        invoker = calls.spec().invoker();
        dao = calls.dao(side);
        stats = calls.stats();
    }

    @Override
    public R call(PhaseView view, A argument) throws Throwable {
        if (calls.answersLater()) {
            return later(view, argument);
        }
        try {
            if (counter != null) {
                stats.count(counter);
            }
            BatchSpan span = batches.current();
            if (span != null || timed()) {
                return timed(argument, span);
            }
            return invoke(argument);
        } catch (Throwable thrown) { // passed on, with the outcome
            throw calls.countFailed(side, thrown);
        } finally {
            view.leave();
        }
    }

    private boolean timed() {
        return timing == Timing.ALL || timing == Timing.SAMPLE && stats.sampled();
    }

    private R timed(A argument, BatchSpan span) throws Throwable {
        if (preflight != null) {
            preflight.look(calls.spec(), argument);
        }
        if (span != null) {
            span.begin(side);
        }
        long beginNanos = calls.nanoTime();
        try {
            return invoke(argument);
        } finally {
            stats.latency(side, calls.nanoTime() - beginNanos);
            if (span != null) {
                span.end(side);
            }
        }
    }

    private R invoke(A argument) throws Throwable {
        if (times == null) {
            return invoker.call(dao, argument);
        }
        WriteTime.Current time = WriteTime.current();
        long outerMicros = time.micros();
        WriteTimes outerTimes = time.times();
        time.set(0, times);
        try {
            return invoker.call(dao, argument);
        } finally {
            time.set(outerMicros, outerTimes);
        }
    }

    private R later(PhaseView view, A argument) throws Throwable {
        CompletableFuture<Object> result = new CompletableFuture<>();
        BatchSpan span = batches.current();
        if (counter != null) {
            stats.count(counter);
        }
        if (preflight != null && stats.sampled()) {
            preflight.look(calls.spec(), argument);
        }
        long micros = times == null ? 0 : times.nextMicros();
        calls.call(side, argument, micros, span, (answer, thrown) -> {
            view.leave();
            if (thrown == null) {
                result.complete(answer);
            } else {
                result.completeExceptionally(
                        calls.attach(thrown, side, calls.outcome(thrown), SideOutcome.NOT_ATTEMPTED));
            }
        });
        return calls.answer(result);
    }
}
