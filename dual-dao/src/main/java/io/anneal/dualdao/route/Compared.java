package io.anneal.dualdao.route;

import io.anneal.dualdao.compare.Comparison;
import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.copy.Keys;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.order.Background;
import io.anneal.dualdao.order.KeyHash;
import io.anneal.dualdao.order.KeyOrder;
import io.anneal.dualdao.order.WriteWatch;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.BatchSpan;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.DualStats;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the target beside the origin, times it, and compares both answers: on the pool, never on a caller's thread. Answers that
 * differ are read again from both sides later, before they count. Answers of a key that was being written are not compared.
 * Any thread may call.
 */
final class Compared<D, A, R> {
    private static final Logger LOG = LoggerFactory.getLogger(Compared.class);

    /** So many answers that differed wait to be read again; more are not looked at, else a bad target would burden the origin. */
    private static final int AGAIN_MAX = 64;

    private static final int ROUNDS_MAX = 3;
    private static final int KEYS_SHOWN_MAX = 10;

    private final SideCalls<D, A, R> calls;
    private final DualEngine<D> engine;
    private final DualStats stats;
    private final DirtyKeys dirty;
    private final Background background;
    private final ScheduledExecutorService scheduler;
    private final WriteWatch watch;
    private final Comparison comparison;
    private final int samplePercent;
    private final long againNanos;
    private final boolean tests;
    private final AtomicInteger waiting = new AtomicInteger();

    Compared(SideCalls<D, A, R> calls, DualEngine<D> engine) {
        this.calls = calls;
        this.engine = engine;
        watch = engine.watch;
        stats = engine.stats;
        dirty = engine.dirty;
        background = engine.background;
        tests = engine.config.mode == Mode.TEST;
        scheduler = engine.scheduler;
        Comparison own = calls.spec().comparison();
        comparison = own == null ? engine.config.comparison : own;
        samplePercent = engine.config.compareSamplePercent;
        againNanos = engine.config.mismatchRereadDelay.toNanos();
    }

    /** Begins to read the target, if there is room. Never waits. */
    Pair begin(A argument, Keys keys, BatchSpan span) {
        Pair pair = new Pair(argument, keys, 1);
        if (span != null) {
            span.begin(Side.TARGET);
        }
        Supplier<CompletionStage<?>> read = () -> {
            CompletableFuture<Object> over = new CompletableFuture<>();
            calls.call(Side.TARGET, argument, 0, null, (answer, thrown) -> {
                if (span != null) {
                    span.end(Side.TARGET);
                }
                pair.target(new Reply.Outcome(answer, thrown));
                over.complete(null);
            });
            return over;
        };
        background.run(read, () -> {
            calls.stats().count(Counter.DROPPED_READS);
            if (span != null) {
                span.drop(Side.TARGET);
            }
        });
        return pair;
    }

    /** One question, and what both sides answered. */
    final class Pair {
        private final A argument;
        private final Keys keys;
        private final int round;
        private final int[] stripes;
        private final long mark;
        private final boolean sampled;
        private Reply.Outcome ofOrigin;
        private Reply.Outcome ofTarget;

        private Pair(A argument, Keys keys, int round) {
            this.argument = argument;
            this.keys = keys;
            this.round = round;
            sampled = KeyHash.inShare(keys.none() ? "" : keys.texts().get(0), samplePercent);
            stripes = sampled ? KeyOrder.stripes(keys.texts()) : new int[0];
            mark = watch.mark(stripes);
        }

        /** The origin's answer; on the caller's thread. */
        void origin(Reply.Outcome outcome) {
            boolean both;
            synchronized (this) {
                ofOrigin = outcome;
                both = ofTarget != null;
            }
            if (both && comparable()) {
                Supplier<CompletionStage<?>> comparing = () -> {
                    compare();
                    return null;
                };
                background.run(comparing, () -> {});
            }
        }

        /** The target's answer; not on the caller's thread. */
        void target(Reply.Outcome outcome) {
            boolean both;
            synchronized (this) {
                ofTarget = outcome;
                both = ofOrigin != null;
            }
            if (both && comparable()) {
                compare();
            }
        }

        private boolean comparable() {
            return sampled && (tests || engine.backfilled()) && ofOrigin.thrown() == null && ofTarget.thrown() == null;
        }

        private void compare() {
            if (dirty.lacksAny(Side.TARGET, keys.texts())) {
                return;
            }
            if (!watch.quietSince(mark, stripes)) {
                // Of answers that differed before it is not known yet whether they still do.
                if (round > 1) {
                    again();
                }
                return;
            }
            List<FieldDiff> differences;
            try {
                differences = comparison.differences(ofOrigin.answer(), ofTarget.answer());
            } catch (RuntimeException broken) { // the caller's own comparison
                LOG.warn("answers can't be compared, operation={}", calls.spec().name(), broken);
                return;
            }
            if (round == 1) {
                calls.stats().count(Counter.COMPARED);
            }
            if (differences.isEmpty()) {
                return;
            }
            if (round == 1 && againNanos > 0) {
                again();
            } else {
                calls.stats().count(Counter.MISMATCHES);
                stats.mismatch(calls.spec().name(), shown(), differences);
            }
        }

        private String shown() {
            return String.join(
                    ",",
                    keys.texts()
                            .subList(0, Math.min(KEYS_SHOWN_MAX, keys.texts().size())));
        }

        private void again() {
            if (round > ROUNDS_MAX || waiting.incrementAndGet() > AGAIN_MAX) {
                if (round <= ROUNDS_MAX) {
                    waiting.decrementAndGet();
                }
                return;
            }
            try {
                scheduler.schedule(this::readAgain, againNanos, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException closed) {
                waiting.decrementAndGet();
            }
        }

        private void readAgain() {
            waiting.decrementAndGet();
            Supplier<CompletionStage<?>> reading = () -> {
                Pair next = new Pair(argument, keys, round + 1);
                CompletableFuture<Object> over = new CompletableFuture<>();
                calls.call(Side.ORIGIN, argument, 0, null, (answer, thrown) -> {
                    next.origin(new Reply.Outcome(answer, thrown));
                    calls.call(Side.TARGET, argument, 0, null, (found, failed) -> {
                        next.target(new Reply.Outcome(found, failed));
                        over.complete(null);
                    });
                });
                return over;
            };
            background.run(reading, () -> {});
        }
    }
}
