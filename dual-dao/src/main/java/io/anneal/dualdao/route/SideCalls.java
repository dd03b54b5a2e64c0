package io.anneal.dualdao.route;

import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.order.Stages;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.BatchSpan;
import io.anneal.dualdao.stats.DualStats;
import io.anneal.dualdao.stats.OperationStats;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/** Calls one side or the other for one operation, and measures it. Any thread may call. */
final class SideCalls<D, A, R> {
    private final OperationSpec<D, A, R> spec;
    private final D origin;
    private final D target;
    private final OperationStats stats;
    private final DualStats failures;
    private final Outcomes outcomes;
    private final LongSupplier nanoTime;

    SideCalls(OperationSpec<D, A, R> spec, DualEngine<D> engine) {
        this.spec = spec;
        origin = engine.config.origin;
        target = engine.config.target;
        stats = engine.stats.operation(spec.name());
        failures = engine.stats;
        outcomes = engine.outcomes;
        nanoTime = engine.config.environment.nanoTime();
    }

    OperationSpec<D, A, R> spec() {
        return spec;
    }

    OperationStats stats() {
        return stats;
    }

    boolean answersLater() {
        return spec.returns() != null;
    }

    D dao(Side side) {
        return side == Side.ORIGIN ? origin : target;
    }

    long nanoTime() {
        return nanoTime.getAsLong();
    }

    SideOutcome outcome(Throwable thrown) {
        return outcomes.of(thrown);
    }

    /** What the operation answers its caller, of what becomes of it. */
    @SuppressWarnings("unchecked")
    R answer(CompletableFuture<Object> result) throws Throwable {
        return answersLater() ? spec.returns().fromStage(result) : (R) Stages.answer(result);
    }

    /** Attaches what became of both sides to what the caller is going to see. */
    Throwable attach(Throwable thrown, Side side, SideOutcome outcome, SideOutcome other) {
        return Outcomes.attach(thrown, spec.name(), side, outcome, other);
    }

    /** Counts a failure, and attaches it. */
    Throwable countFailed(Side side, Throwable thrown) {
        SideOutcome outcome = outcomes.of(thrown);
        stats.count(Outcomes.counter(side, outcome));
        failures.failed(spec.name(), side, thrown);
        return Outcomes.attach(thrown, spec.name(), side, outcome, SideOutcome.NOT_ATTEMPTED);
    }

    /**
     * Calls a side. A synchronous operation is over, and its reply told on this thread, when this returns. Never throws but what
     * the reply throws.
     *
     * @param writeMicros the time of the write, 0 for none
     * @param span the batch that the call is of, null for none
     */
    void call(Side side, A argument, long writeMicros, BatchSpan span, Reply reply) {
        if (span != null) {
            span.begin(side);
        }
        new Pending(side, span, reply).begin(argument, writeMicros);
    }

    /** A call of one side. */
    private final class Pending {
        private final Side side;
        private final BatchSpan span;
        private final Reply reply;
        private final AtomicBoolean over = new AtomicBoolean();
        private final long beginNanos = nanoTime.getAsLong();

        Pending(Side side, BatchSpan span, Reply reply) {
            this.side = side;
            this.span = span;
            this.reply = reply;
        }

        void begin(A argument, long writeMicros) {
            R returned;
            WriteTime.Current time = WriteTime.current();
            long outerMicros = time.micros();
            WriteTimes outerTimes = time.times();
            time.set(writeMicros, null);
            try {
                returned = spec.invoker().call(dao(side), argument);
            } catch (Throwable any) { // whatever a side throws is an answer, which the route decides on
                time.set(outerMicros, outerTimes);
                done(null, any);
                return;
            }
            time.set(outerMicros, outerTimes);
            if (answersLater()) {
                later(returned);
            } else {
                done(returned, null);
            }
        }

        private void later(R returned) {
            try {
                CompletionStage<Object> stage =
                        returned == null ? null : spec.returns().toStage(returned);
                if (stage == null) {
                    done(null, new NullPointerException("no future was returned, operation=" + spec.name()));
                } else {
                    stage.whenComplete((answer, thrown) -> done(answer, Stages.thrown(thrown)));
                }
            } catch (RuntimeException broken) { // the future's own
                done(null, broken);
            }
        }

        private void done(Object answer, Throwable thrown) {
            if (!over.compareAndSet(false, true)) {
                return;
            }
            try {
                stats.latency(side, nanoTime.getAsLong() - beginNanos);
                if (thrown != null) {
                    stats.count(Outcomes.counter(side, outcomes.of(thrown)));
                    failures.failed(spec.name(), side, thrown);
                }
                if (span != null) {
                    span.end(side);
                }
            } finally {
                reply.done(answer, thrown);
            }
        }
    }
}
