package io.anneal.dualdao;

import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A write in test mode: to the origin, which answers; then to the target beside the call, in the order in which the origin took
 * the writes of a key. What the target did not take goes into the journal, as far as somebody can copy it from there later.
 */
final class ShadowWriteRoute<D, A, R> implements Route<A, R> {
    private static final Logger LOG = LoggerFactory.getLogger(ShadowWriteRoute.class);

    /** A target that fails for days must not fill the memory with names. */
    private static final int KEYS_MAX = 100_000;

    private final SideCalls<D, A, R> calls;
    private final EngineParts<D> parts;
    private final WriteWatch watch;
    private final Counter counter;
    private final boolean decides;

    ShadowWriteRoute(SideCalls<D, A, R> calls, EngineParts<D> parts, WriteWatch watch, Counter counter) {
        this.calls = calls;
        this.parts = parts;
        this.watch = watch;
        this.counter = counter;
        OperationKind kind = calls.spec().kind();
        decides = kind.decides();
    }

    @Override
    public R call(PhaseView view, A argument) throws Throwable {
        return new Call(view, argument).run();
    }

    private void journal(Keys keys, String reason) {
        if (!parts.copies().possible() || parts.dirty().size(Side.TARGET) >= KEYS_MAX) {
            return;
        }
        try {
            parts.dirty().add(Side.TARGET, keys.texts(), reason);
            calls.stats().count(Counter.JOURNALED, keys.texts().size());
        } catch (RuntimeException notKept) { // the journal's, of whatever kind: a test must not fail a call
            LOG.warn(
                    "keys that the target lacks can't be kept, operation={}",
                    calls.spec().name(),
                    notKept);
        }
    }

    private final class Call extends Underway<D, A, R> {
        private Keys keys;
        private int[] stripes;
        private boolean locked;
        private long micros;

        Call(PhaseView view, A argument) {
            super(ShadowWriteRoute.this.calls, view, argument, parts.batches().current());
        }

        @Override
        void begin() throws Throwable {
            calls.stats().count(counter);
            keys = Keys.of(calls.spec().keys().apply(argument), parts.config().keyCodec());
            stripes = KeyOrder.stripes(keys.texts());
            CompletableFuture<Object> granted = parts.ordered() ? parts.order().lock(stripes) : null;
            if (granted == null) {
                locked = parts.ordered();
                first();
            } else if (calls.answersLater()) {
                granted.thenRun(() -> {
                    locked = true;
                    step(this::first);
                });
            } else {
                Stages.answer(granted);
                locked = true;
                first();
            }
        }

        @Override
        void release() {
            if (locked) {
                parts.order().unlock(stripes);
            }
        }

        private void first() {
            micros = parts.times().nextMicros();
            watch.begin(stripes);
            calls.call(Side.ORIGIN, argument, micros, span, (answer, thrown) -> step(() -> origin(answer, thrown)));
        }

        private void origin(Object answer, Throwable thrown) {
            Beside beside = new Beside(argument, keys, stripes, micros, span);
            if (thrown == null) {
                beside.begin();
                end(answer, null);
                return;
            }
            SideOutcome outcome = calls.outcome(thrown);
            if (outcome == SideOutcome.UNKNOWN) {
                journal(keys, "the origin's outcome is unknown");
            }
            watch.end(stripes);
            end(null, calls.attach(thrown, Side.ORIGIN, outcome, SideOutcome.NOT_ATTEMPTED));
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
            if (span != null) {
                span.begin(Side.TARGET);
            }
            if (decides && !parts.copies().possible() || !parts.lanes().add(stripes, this)) {
                dropped();
            }
        }

        @Override
        public CompletionStage<?> run() {
            if (decides) {
                CompletableFuture<?>[] copies = keys.objects().stream()
                        .map(key -> parts.copies()
                                .copy(key, Side.ORIGIN, Long.MAX_VALUE, false)
                                .toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new);
                return CompletableFuture.allOf(copies).whenComplete((nothing, thrown) -> done(thrown));
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
                    journal(
                            keys,
                            "the target failed: "
                                    + Stages.thrown(thrown).getClass().getName());
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
            journal(keys, "dropped, there was no room");
            watch.end(stripes);
            if (span != null) {
                span.drop(Side.TARGET);
            }
        }
    }
}
