package io.anneal.dualdao.route;

import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.copy.Keys;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.order.KeyOrder;
import io.anneal.dualdao.order.SerialLanes;
import io.anneal.dualdao.order.Stages;
import io.anneal.dualdao.order.WriteWatch;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.BatchSpan;
import io.anneal.dualdao.stats.Counter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A write in test mode: to the origin, which answers; then to the target beside the call, in the order in which the origin took
 * the writes of a key. No write waits for another: of those that were at the origin together nobody knows the order, so that
 * their keys go into the journal, are not compared as long as they are there, and leave it by a copy. So does what the target
 * did not take, if somebody can copy it later.
 */
final class ShadowWriteRoute<D, A, R> implements Route<A, R> {
    private static final Logger LOG = LoggerFactory.getLogger(ShadowWriteRoute.class);

    /** A target that fails for days must not fill the memory with names. */
    private static final int KEYS_MAX = 100_000;

    private final SideCalls<D, A, R> calls;
    private final DualEngine<D> engine;
    private final WriteWatch watch;
    private final WriteWatch atOrigin;
    private final Counter counter;
    private final boolean decides;

    ShadowWriteRoute(SideCalls<D, A, R> calls, DualEngine<D> engine, Counter counter) {
        this.calls = calls;
        this.engine = engine;
        watch = engine.watch;
        atOrigin = engine.atOrigin;
        this.counter = counter;
        OperationKind kind = calls.spec().kind();
        decides = kind.decides();
    }

    @Override
    public R call(PhaseView view, A argument) throws Throwable {
        return new Call(view, argument).run();
    }

    private void journalForCopy(Keys keys, String reason) {
        if (engine.copies.possible()) {
            journal(keys, reason);
        }
    }

    private void journal(Keys keys, String reason) {
        if (engine.dirty.size(Side.TARGET) >= KEYS_MAX) {
            return;
        }
        try {
            engine.dirty.add(Side.TARGET, keys.texts(), reason);
            calls.stats().count(Counter.JOURNALED, keys.texts().size());
        } catch (RuntimeException notKept) { // the journal's, of whatever kind: a test must not fail a call
            LOG.warn(
                    "keys that the target lacks can't be kept, operation={}",
                    calls.spec().name(),
                    notKept);
        }
    }

    /** Names keys that the target gets when the transaction has ended; whether there was room. */
    private boolean named(Transactions<D>.Open transaction, Keys keys) {
        if (engine.dirty.size(Side.TARGET) >= KEYS_MAX) {
            return false;
        }
        try {
            transaction.writes(Side.TARGET, keys, false);
            return true;
        } catch (RuntimeException notKept) { // the journal's, of whatever kind: a test must not fail a call
            LOG.warn(
                    "keys that the target lacks can't be kept, operation={}",
                    calls.spec().name(),
                    notKept);
            return false;
        }
    }

    private final class Call extends Underway<D, A, R> {
        /** Null if nobody can tell them. */
        private Keys keys;

        private int[] stripes = {};
        private long mark;
        private long micros;

        /** Null for none. */
        private Transactions<D>.Open transaction;

        Call(PhaseView view, A argument) {
            super(ShadowWriteRoute.this.calls, view, argument, engine.batches.current());
        }

        @Override
        void begin() {
            calls.stats().count(counter);
            try {
                Keys told = Keys.of(calls.spec().keys().apply(argument), engine.config.keyCodec);
                stripes = KeyOrder.stripes(told.texts());
                keys = told;
            } catch (RuntimeException unknown) { // the caller's own code; the origin may make the key itself
                LOG.debug(
                        "a write without a key is the origin's alone, operation={}",
                        calls.spec().name(),
                        unknown);
                calls.stats().count(Counter.DROPPED_WRITES);
            }
            micros = engine.times.nextMicros();
            watch.begin(stripes);
            mark = atOrigin.mark(stripes);
            atOrigin.begin(stripes);
            transaction = engine.transactions.current();
            if (transaction != null && keys != null && !named(transaction, keys)) {
                calls.stats().count(Counter.DROPPED_WRITES);
            }
            calls.call(Side.ORIGIN, argument, micros, span, (answer, thrown) -> step(() -> origin(answer, thrown)));
        }

        @Override
        void release() {
            watch.end(stripes);
            atOrigin.end(stripes);
        }

        private void origin(Object answer, Throwable thrown) {
            if (thrown != null) {
                SideOutcome outcome = calls.outcome(thrown);
                if (keys != null && outcome == SideOutcome.UNKNOWN) {
                    journalForCopy(keys, "the origin's outcome is unknown");
                }
                end(null, calls.attach(thrown, Side.ORIGIN, outcome, SideOutcome.NOT_ATTEMPTED));
                return;
            }
            if (keys != null && transaction == null) {
                // Before the origin's part ends, so that what begins after it comes behind it.
                new Beside(argument, keys, stripes, micros, span).begin();
                if (!decides && !atOrigin.aloneSince(mark, stripes)) {
                    journal(keys, "written by several calls at once");
                }
            }
            end(answer, null);
        }
    }

    /** The target's part of a write. */
    private final class Beside implements SerialLanes.Work {
        private final A argument;
        private final Keys keys;
        private final int[] stripes;
        private final long micros;
        private final BatchSpan span;
        private final AtomicBoolean over = new AtomicBoolean();

        Beside(A argument, Keys keys, int[] stripes, long micros, BatchSpan span) {
            this.argument = argument;
            this.keys = keys;
            this.stripes = stripes;
            this.micros = micros;
            this.span = span;
        }

        void begin() {
            watch.begin(stripes);
            if (span != null) {
                span.begin(Side.TARGET);
            }
            if (decides && !engine.copies.possible() || !engine.lanes.add(stripes, this)) {
                dropped();
            }
        }

        @Override
        public CompletionStage<?> run() {
            if (decides) {
                CompletableFuture<?>[] copies = keys.objects().stream()
                        .map(key -> engine.copies
                                .copy(key, Side.ORIGIN, Long.MAX_VALUE, false)
                                .toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new);
                return CompletableFuture.allOf(copies).whenComplete((nothing, thrown) -> done(Stages.thrown(thrown)));
            }
            CompletableFuture<Object> stage = new CompletableFuture<>();
            calls.call(Side.TARGET, argument, micros, null, (answer, thrown) -> {
                done(thrown);
                stage.complete(null);
            });
            return stage;
        }

        private void done(Throwable thrown) {
            if (!over.compareAndSet(false, true)) {
                return;
            }
            try {
                if (thrown != null) {
                    LOG.debug(
                            "the target did not take a write, operation={}",
                            calls.spec().name(),
                            thrown);
                    journalForCopy(
                            keys, "the target failed: " + thrown.getClass().getName());
                }
            } finally {
                watch.end(stripes);
                if (span != null) {
                    span.end(Side.TARGET);
                }
            }
        }

        @Override
        public void dropped() {
            if (!over.compareAndSet(false, true)) {
                return;
            }
            calls.stats().count(Counter.DROPPED_WRITES);
            journalForCopy(keys, "dropped, there was no room");
            watch.end(stripes);
            if (span != null) {
                span.drop(Side.TARGET);
            }
        }
    }
}
