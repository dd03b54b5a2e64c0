package io.anneal.dualdao.route;

import io.anneal.dualdao.config.FallbackPolicy;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.copy.Keys;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A read that begins at one side, and may go from the target to the origin: for what is missing, after an error, when late. */
final class ReadRoute<D, A, R> implements Route<A, R> {
    private final SideCalls<D, A, R> calls;
    private final SideReads<D, A, R> reads;
    private final OperationSpec<D, A, R> spec;
    private final DualEngine<D> engine;
    private final FallbackPolicy policy;
    private final ReadStart start;

    ReadRoute(SideCalls<D, A, R> calls, SideReads<D, A, R> reads, DualEngine<D> engine) {
        this.calls = calls;
        this.reads = reads;
        this.engine = engine;
        spec = calls.spec();
        policy = engine.config.fallback;
        start = new ReadStart(engine);
    }

    @Override
    public R call(PhaseView view, A argument) throws Throwable {
        return new Call(view, argument).run();
    }

    private final class Call extends Underway<D, A, R> {
        private final PhaseRecord inForce;
        private Keys keys;

        Call(PhaseView view, A argument) {
            super(ReadRoute.this.calls, view, argument, engine.batches.current());
            inForce = view.record();
        }

        @Override
        void begin() {
            calls.stats().count(Counter.READS);
            keys = Keys.of(spec.keys().apply(argument), engine.config.keyCodec);
            if (start.of(inForce, keys) == Side.TARGET) {
                boolean limited = policy.onTimeout() && mayFallBack();
                reads.read(
                        Side.TARGET,
                        argument,
                        limited,
                        span,
                        heldView,
                        (answer, thrown) -> step(() -> target(answer, thrown)));
            } else {
                reads.read(
                        Side.ORIGIN,
                        argument,
                        false,
                        span,
                        heldView,
                        (answer, thrown) -> step(() -> origin(answer, thrown, SideOutcome.NOT_ATTEMPTED)));
            }
        }

        private boolean mayFallBack() {
            return inForce.phase().fallsBack();
        }

        private void target(Object answer, Throwable thrown) {
            if (thrown != null) {
                targetFailed(thrown);
                return;
            }
            boolean ends = !mayFallBack() || !policy.onMiss();
            if (ends) {
                end(answer, null);
            } else if (spec.batch() != null) {
                lookFor(answer, spec.batch());
            } else if (!spec.missing().test(answer) || start.lacks(Side.ORIGIN, keys)) {
                end(answer, null);
            } else {
                reads.read(
                        Side.ORIGIN,
                        argument,
                        false,
                        span,
                        heldView,
                        (found, failed) -> step(() -> originAfterMiss(answer, found, failed)));
            }
        }

        private void targetFailed(Throwable thrown) {
            SideOutcome outcome = thrown == SideReads.LATE ? SideOutcome.UNKNOWN : calls.outcome(thrown);
            if (!mayFallBack() || !policy.after(outcome)) {
                end(null, calls.attach(thrown, Side.TARGET, outcome, SideOutcome.NOT_ATTEMPTED));
                return;
            }
            calls.stats().count(Counter.FALLBACK_ERRORS);
            reads.read(
                    Side.ORIGIN,
                    argument,
                    false,
                    span,
                    heldView,
                    (answer, failed) -> step(() -> origin(answer, failed, outcome)));
        }

        private void origin(Object answer, Throwable thrown, SideOutcome ofTarget) {
            end(answer, thrown == null ? null : calls.attach(thrown, Side.ORIGIN, calls.outcome(thrown), ofTarget));
        }

        private void originAfterMiss(Object missed, Object found, Throwable thrown) {
            if (thrown != null) {
                origin(null, thrown, SideOutcome.OK);
            } else if (spec.missing().test(found)) {
                calls.stats().count(Counter.FALLBACK_MISSES);
                end(missed, null);
            } else {
                calls.stats().count(Counter.FALLBACK_HITS);
                engine.repairs.afterHit(keys, calls.stats(), heldView);
                end(found, null);
            }
        }

        private void lookFor(Object answer, OperationSpec.BatchSplit<A> split) {
            List<Object> wanted = new ArrayList<>();
            for (Object key : split.missingKeys().apply(argument, answer)) {
                if (!engine.dirty.lacks(Side.ORIGIN, Keys.text(key, engine.config.keyCodec))) {
                    wanted.add(key);
                }
            }
            if (wanted.isEmpty()) {
                end(answer, null);
                return;
            }
            A rest = wanted.size() == keys.objects().size()
                    ? argument
                    : split.forKeys().apply(argument, wanted);
            reads.read(
                    Side.ORIGIN,
                    rest,
                    false,
                    span,
                    heldView,
                    (found, thrown) -> step(() -> originAfterMisses(split, answer, wanted, rest, found, thrown)));
        }

        private void originAfterMisses(
                OperationSpec.BatchSplit<A> split,
                Object answer,
                List<Object> wanted,
                A rest,
                Object found,
                Throwable thrown) {
            if (thrown != null) {
                origin(null, thrown, SideOutcome.OK);
                return;
            }
            Collection<?> nowhere = split.missingKeys().apply(rest, found);
            Set<Object> hits = new HashSet<>(wanted);
            nowhere.forEach(hits::remove);
            calls.stats().count(Counter.FALLBACK_MISSES, wanted.size() - hits.size());
            if (!hits.isEmpty()) {
                calls.stats().count(Counter.FALLBACK_HITS, hits.size());
                engine.repairs.afterHit(Keys.of(hits, engine.config.keyCodec), calls.stats(), heldView);
            }
            end(split.united().apply(answer, found), null);
        }
    }
}
