package io.anneal.dualdao.route;

import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.copy.Keys;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.order.KeyOrder;
import io.anneal.dualdao.order.KeyWait;
import io.anneal.dualdao.order.KeyWaitException;
import io.anneal.dualdao.order.Stages;
import io.anneal.dualdao.order.WriteWatch;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;

/**
 * A write to the side that is right, then to the other one. Whatever leaves the other side without it puts the keys into the
 * journal first and answers the caller then: a write that can be neither done nor remembered fails.
 */
final class WriteRoute<D, A, R> implements Route<A, R> {
    private static final int KEYS_SHOWN_MAX = 10;

    private final SideCalls<D, A, R> calls;
    private final OperationSpec<D, A, R> spec;
    private final DualEngine<D> engine;
    private final DirtyKeys dirty;
    private final Counter counter;
    private final WriteWatch watch;

    WriteRoute(SideCalls<D, A, R> calls, DualEngine<D> engine, Counter counter) {
        this.calls = calls;
        this.engine = engine;
        this.counter = counter;
        spec = calls.spec();
        dirty = engine.dirty;
        watch = engine.watch;
    }

    @Override
    public R call(PhaseView view, A argument) throws Throwable {
        return new Call(view, argument).run();
    }

    private final class Call extends Underway<D, A, R> {
        private final PhaseRecord inForce;
        private final Phase phase;
        private final WritePlan plan;
        private Keys keys;
        private long micros;
        private int[] held;
        private int[] watched;
        private boolean named;
        private Object answer;

        Call(PhaseView view, A argument) {
            super(WriteRoute.this.calls, view, argument, engine.batches.current());
            inForce = view.record();
            phase = inForce.phase();
            plan = WritePlan.of(spec.kind(), inForce, engine.config.writePolicy, engine.config.rememberWrites);
        }

        @Override
        void begin() throws Throwable {
            calls.stats().count(counter);
            keys = Keys.of(spec.keys().apply(argument), engine.config.keyCodec);
            Transactions<D>.Open transaction = engine.transactions.current();
            if (transaction != null && plan.second()) {
                within(transaction);
                return;
            }
            if (transaction != null
                    || !engine.ordersWrites
                    || keys.none()
                    || !phase.writes(Side.ORIGIN) && !engine.repairs.on()) {
                first();
                return;
            }
            int[] stripes = KeyOrder.stripes(keys.texts());
            KeyWait wait = engine.order.lock(stripes, this);
            if (wait == null) {
                held = stripes;
                first();
            } else if (calls.answersLater()) {
                Future<?> limit = engine.limited(wait);
                wait.granted().whenComplete((taken, refused) -> {
                    limit.cancel(false);
                    if (refused == null) {
                        held = stripes;
                        step(this::first);
                    } else {
                        refused(refused);
                    }
                });
            } else {
                try {
                    wait.await(engine.config.keyWait.toNanos());
                } catch (KeyWaitException refused) {
                    refused(refused);
                    return;
                }
                held = stripes;
                first();
            }
        }

        private void refused(Throwable thrown) {
            end(null, calls.attach(thrown, plan.first(), SideOutcome.NOT_ATTEMPTED, SideOutcome.NOT_ATTEMPTED));
        }

        /** The side that is right, as part of the transaction; the other one when it has ended. Waits for nobody. */
        private void within(Transactions<D>.Open transaction) {
            micros = engine.times.nextMicros();
            try {
                transaction.writes(plan.lacking(), keys, spec.kind() == OperationKind.INCREMENT);
            } catch (RuntimeException notKept) { // the journal's, of whatever kind
                refused(notKept);
                return;
            }
            calls.call(
                    plan.first(),
                    argument,
                    micros,
                    span,
                    (done, thrown) -> step(() -> {
                        if (thrown != null) {
                            SideOutcome outcome = calls.outcome(thrown);
                            end(null, calls.attach(thrown, plan.first(), outcome, SideOutcome.NOT_ATTEMPTED));
                            return;
                        }
                        if (keys.none()) {
                            transaction.afterCommit(this::second);
                        }
                        end(done, null);
                    }));
        }

        private CompletionStage<Object> second() {
            CompletableFuture<Object> result = new CompletableFuture<>();
            calls.call(plan.lacking(), argument, micros, null, (done, thrown) -> {
                if (thrown == null) {
                    result.complete(done);
                } else {
                    result.completeExceptionally(thrown);
                }
            });
            return result;
        }

        @Override
        public String toString() {
            List<String> texts = keys.texts();
            return spec.name() + " of " + texts.subList(0, Math.min(texts.size(), KEYS_SHOWN_MAX));
        }

        @Override
        void release() {
            try {
                if (named) {
                    dirty.end(plan.lacking(), keys.texts());
                }
            } finally {
                if (watched != null) {
                    watch.end(watched);
                }
                if (held != null) {
                    engine.order.unlock(held);
                }
            }
        }

        private void first() {
            if (phase == Phase.WRITE_BOTH && engine.config.shadowReadPercent > 0) {
                watched = KeyOrder.stripes(keys.texts());
                watch.begin(watched);
            }
            try {
                name();
            } catch (RuntimeException notKept) { // the journal's, of whatever kind
                refused(notKept);
                return;
            }
            if (plan.copies() && spec.kind() == OperationKind.CONDITIONAL) {
                CompletableFuture<Void> copied = eachKey(key -> engine.decided.copyBefore(key, plan.first()));
                if (!calls.answersLater()) {
                    copied.exceptionally(failed -> null).join(); // a synchronous side is called on the caller's thread
                }
                copied.whenComplete((nothing, failed) -> step(() -> copiedBefore(Stages.thrown(failed))));
            } else {
                callFirst();
            }
        }

        private void copiedBefore(Throwable failed) {
            if (failed != null && !plan.tolerates()) {
                refused(failed);
            } else {
                callFirst();
            }
        }

        private void callFirst() {
            // Taken under the order of the key, so that times are in the order in which the sides are written.
            micros = engine.times.nextMicros();
            calls.call(plan.first(), argument, micros, span, (done, thrown) -> step(() -> firstDone(done, thrown)));
        }

        /** Names the keys while they can still be named. */
        private void name() {
            if (plan.remembers()) {
                List<String> remembered = keys.none() ? List.of(DirtyKeys.EVERYTHING) : keys.texts();
                dirty.remember(remembered, "written in phase " + phase.label());
            } else if (plan.second() && dirty.persistent()) {
                dirty.begin(plan.lacking(), keys.texts());
                named = true;
            }
        }

        private void firstDone(Object done, Throwable thrown) {
            answer = done;
            if (thrown != null) {
                SideOutcome outcome = calls.outcome(thrown);
                // A failure that is one by its name alone may have happened all the same: a copy too many is cheap.
                if (plan.second() && !engine.outcomes.sure(outcome)) {
                    suppress(thrown, journal(thrown, plan.first()));
                }
                end(null, calls.attach(thrown, plan.first(), outcome, SideOutcome.NOT_ATTEMPTED));
            } else if (!plan.second()) {
                end(done, null);
            } else if (plan.copies()) {
                eachKey(key -> engine.decided.copy(key, plan.first(), inForce, spec.kind() == OperationKind.INCREMENT))
                        .whenComplete((nothing, failed) -> step(() -> secondDone(Stages.thrown(failed))));
            } else {
                calls.call(plan.lacking(), argument, micros, span, (second, failed) -> step(() -> secondDone(failed)));
            }
        }

        private CompletableFuture<Void> eachKey(Function<Object, CompletionStage<Void>> copy) {
            CompletableFuture<?>[] copies = keys.objects().stream()
                    .map(key -> copy.apply(key).toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new);
            return CompletableFuture.allOf(copies);
        }

        private void secondDone(Throwable thrown) {
            if (thrown == null) {
                end(answer, null);
                return;
            }
            // A copy may have come part of the way.
            SideOutcome outcome = plan.copies() ? SideOutcome.UNKNOWN : calls.outcome(thrown);
            Throwable seen = thrown;
            RuntimeException notKept = journal(thrown, plan.lacking());
            if (plan.tolerates() && !keys.none()) {
                if (notKept == null) {
                    end(answer, null);
                    return;
                }
                seen = notKept;
            }
            suppress(seen, seen == thrown ? notKept : thrown);
            end(null, calls.attach(seen, plan.first(), SideOutcome.OK, outcome));
        }

        /** Puts the keys into the journal; answers what prevented it, or null. */
        private RuntimeException journal(Throwable thrown, Side failed) {
            if (keys.none() || plan.remembers()) {
                return null;
            }
            try {
                dirty.add(
                        plan.lacking(),
                        keys.texts(),
                        failed + ": " + thrown.getClass().getName());
                calls.stats().count(Counter.JOURNALED, keys.texts().size());
                return null;
            } catch (RuntimeException notKept) { // the journal's, of whatever kind
                return notKept;
            }
        }

        private static void suppress(Throwable seen, Throwable beside) {
            if (beside != null && beside != seen) {
                seen.addSuppressed(beside);
            }
        }
    }
}
