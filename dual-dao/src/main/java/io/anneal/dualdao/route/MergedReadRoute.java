package io.anneal.dualdao.route;

import io.anneal.dualdao.compare.Comparison;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.copy.Keys;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.util.function.BinaryOperator;

/**
 * A read of both sides, merged, since of a key the target may hold a part. Keys in the journal are read so too: what the origin
 * has of them is old, and the merge prefers the target's.
 */
final class MergedReadRoute<D, A, R> implements Route<A, R> {
    private final SideCalls<D, A, R> calls;
    private final SideReads<D, A, R> reads;
    private final DualEngine<D> engine;
    private final Route<A, R> oneSide;
    private final BinaryOperator<Object> merge;
    private final Comparison comparison;
    private final ReadStart start;

    /** @param oneSide for reads that ask one side alone */
    MergedReadRoute(SideCalls<D, A, R> calls, SideReads<D, A, R> reads, DualEngine<D> engine, Route<A, R> oneSide) {
        this.calls = calls;
        this.reads = reads;
        this.engine = engine;
        this.oneSide = oneSide;
        merge = engine.config.partitions.merge();
        Comparison own = calls.spec().comparison();
        comparison = own == null ? engine.config.comparison : own;
        start = new ReadStart(engine);
    }

    @Override
    public R call(PhaseView view, A argument) throws Throwable {
        PhaseRecord inForce = view.record();
        Keys keys;
        try {
            keys = Keys.of(calls.spec().keys().apply(argument), engine.config.keyCodec);
        } catch (Throwable thrown) { // the caller's own code; nothing began
            view.leave();
            throw thrown;
        }
        boolean merges = inForce.phase().fallsBack() && start.of(inForce, keys) == Side.TARGET;
        return merges ? new Call(view, argument, keys).run() : oneSide.call(view, argument);
    }

    private final class Call extends Underway<D, A, R> {
        private final PhaseRecord inForce;
        private final Keys keys;
        private Reply.Outcome ofOrigin;
        private Reply.Outcome ofTarget;

        Call(PhaseView view, A argument, Keys keys) {
            super(MergedReadRoute.this.calls, view, argument, engine.batches.current());
            this.inForce = view.record();
            this.keys = keys;
        }

        @Override
        void begin() {
            calls.stats().count(Counter.READS);
            boolean limited = engine.config.fallback.onTimeout();
            reads.read(
                    Side.TARGET,
                    argument,
                    limited,
                    span,
                    heldView,
                    (answer, thrown) -> answered(Side.TARGET, new Reply.Outcome(answer, thrown)));
            reads.read(
                    Side.ORIGIN,
                    argument,
                    false,
                    span,
                    heldView,
                    (answer, thrown) -> answered(Side.ORIGIN, new Reply.Outcome(answer, thrown)));
        }

        private void answered(Side side, Reply.Outcome outcome) {
            boolean both;
            synchronized (this) {
                if (side == Side.ORIGIN) {
                    ofOrigin = outcome;
                } else {
                    ofTarget = outcome;
                }
                both = ofOrigin != null && ofTarget != null;
            }
            if (both) {
                step(this::both);
            }
        }

        private void both() {
            if (ofTarget.thrown() != null) {
                targetFailed(ofTarget.thrown());
            } else if (ofOrigin.thrown() != null) {
                Throwable thrown = ofOrigin.thrown();
                end(null, calls.attach(thrown, Side.ORIGIN, calls.outcome(thrown), SideOutcome.OK));
            } else {
                end(merged(ofOrigin.answer(), ofTarget.answer()), null);
            }
        }

        private void targetFailed(Throwable thrown) {
            SideOutcome outcome = thrown == SideReads.LATE ? SideOutcome.UNKNOWN : calls.outcome(thrown);
            Throwable originThrown = ofOrigin.thrown();
            if (engine.config.fallback.after(outcome)) {
                calls.stats().count(Counter.FALLBACK_ERRORS);
                end(
                        ofOrigin.answer(),
                        originThrown == null
                                ? null
                                : calls.attach(originThrown, Side.ORIGIN, calls.outcome(originThrown), outcome));
            } else {
                SideOutcome origin = originThrown == null ? SideOutcome.OK : calls.outcome(originThrown);
                end(null, calls.attach(thrown, Side.TARGET, outcome, origin));
            }
        }

        private Object merged(Object origin, Object target) {
            boolean nothingInOrigin = calls.spec().missing().test(origin);
            boolean nothingInTarget = calls.spec().missing().test(target);
            if (nothingInOrigin) {
                if (nothingInTarget) {
                    calls.stats().count(Counter.FALLBACK_MISSES);
                }
                return target;
            }
            Object merged = nothingInTarget ? origin : merge.apply(origin, target);
            if (nothingInTarget || !comparison.differences(merged, target).isEmpty()) {
                calls.stats().count(Counter.FALLBACK_HITS);
                if (nothingInTarget || engine.copies.keepsTimes()) {
                    engine.repairs.afterHit(keys, calls.stats(), heldView);
                }
            }
            return merged;
        }
    }
}
