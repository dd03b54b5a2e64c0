package io.anneal.dualdao.route;

import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.copy.Keys;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A read in test mode, or a sampled one in phase 2: the origin answers, the target is read beside it. */
final class ShadowReadRoute<D, A, R> implements Route<A, R> {
    private static final Logger LOG = LoggerFactory.getLogger(ShadowReadRoute.class);

    private final SideCalls<D, A, R> calls;
    private final DualEngine<D> engine;
    private final Compared<D, A, R> compared;
    private final ReadStart start;
    private final boolean migrates;

    ShadowReadRoute(SideCalls<D, A, R> calls, DualEngine<D> engine) {
        this.calls = calls;
        this.engine = engine;
        compared = new Compared<>(calls, engine);
        start = new ReadStart(engine);
        migrates = engine.config.mode == Mode.MIGRATION;
    }

    @Override
    public R call(PhaseView view, A argument) throws Throwable {
        return new Call(view, argument).run();
    }

    private final class Call extends Underway<D, A, R> {
        private final PhaseRecord inForce;

        Call(PhaseView view, A argument) {
            super(ShadowReadRoute.this.calls, view, argument, engine.batches.current());
            inForce = view.record();
        }

        @Override
        void begin() {
            calls.stats().count(Counter.READS);
            Keys keys;
            try {
                keys = Keys.of(calls.spec().keys().apply(argument), engine.config.keyCodec);
            } catch (RuntimeException unknown) { // the caller's own code
                LOG.debug(
                        "a read without a key is the origin's alone, operation={}",
                        calls.spec().name(),
                        unknown);
                calls.stats().count(Counter.DROPPED_READS);
                originAlone();
                return;
            }
            if (migrates
                    ? keys.none() || engine.transactions.current() != null
                    : start.of(inForce, keys) == Side.ORIGIN) {
                originAlone();
                return;
            }
            Compared<D, A, R>.Pair pair = compared.begin(argument, keys, span);
            calls.call(
                    Side.ORIGIN,
                    argument,
                    0,
                    span,
                    (answer, thrown) -> step(() -> {
                        Object compared = ofItsOwn(answer);
                        answered(answer, thrown);
                        pair.origin(new Reply.Outcome(compared, thrown));
                    }));
        }

        /** The caller reads a buffer, and so moves its position, before or while it is compared. */
        private static Object ofItsOwn(Object answer) {
            return answer instanceof ByteBuffer buffer ? buffer.duplicate().order(buffer.order()) : answer;
        }

        private void originAlone() {
            calls.call(Side.ORIGIN, argument, 0, span, (answer, thrown) -> step(() -> answered(answer, thrown)));
        }

        private void answered(Object answer, Throwable thrown) {
            SideOutcome none = SideOutcome.NOT_ATTEMPTED;
            end(answer, thrown == null ? null : calls.attach(thrown, Side.ORIGIN, calls.outcome(thrown), none));
        }
    }
}
