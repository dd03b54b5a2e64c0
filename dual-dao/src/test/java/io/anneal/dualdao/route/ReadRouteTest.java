package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.FallbackPolicy;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.operation.Missing;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.order.KeyHash;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReadRouteTest {
    private Rig rig;

    private Rig rig(Phase phase) {
        rig = new Rig(phase);
        return rig;
    }

    @AfterEach
    void everyOperationLeftItsPhase() {
        assertThat(rig.phases.drained()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "ORIGIN_ONLY, origin",
        "WRITE_BOTH, origin",
        "READ_TARGET, target",
        "TARGET_FIRST, target",
        "WRITE_TARGET, target",
        "TARGET_ONLY, target"
    })
    void shouldReadTheSideOfThePhase(Phase phase, String side) throws Exception {
        rig(phase).origin.rows.put("k", "origin");
        rig.target.rows.put("k", "target");

        assertThat(rig.read("k").join()).isEqualTo(side);
        assertThat(rig.readNow().call(Rig.Ask.of("k"))).isEqualTo(side);
        assertThat(rig.origin.calls.size() + rig.target.calls.size()).isEqualTo(2);
        assertThat(rig.count(Counter.READS)).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"READ_TARGET, true", "TARGET_FIRST, false", "WRITE_TARGET, false", "TARGET_ONLY, false"})
    void shouldFallBackInThreeAloneForWhatIsMissing(Phase phase, boolean found) throws Exception {
        rig(phase).origin.rows.put("k", "old");

        assertThat(rig.read("k").join()).isEqualTo(found ? "old" : null);
        assertThat(rig.readNow().call(Rig.Ask.of("k"))).isEqualTo(found ? "old" : null);
        assertThat(rig.count(Counter.FALLBACK_HITS)).isEqualTo(found ? 2 : 0);
        rig.read("nowhere").join();
        assertThat(rig.count(Counter.FALLBACK_MISSES)).isEqualTo(found ? 1 : 0);
    }

    @Test
    void shouldNotFallBackIfTheCallerForbidsIt() {
        rig(Phase.READ_TARGET).fallback = FallbackPolicy.NEVER;
        rig.origin.rows.put("k", "old");
        assertThat(rig.read("k").join()).isNull();
    }

    @Test
    void shouldKeepToTheOriginOutsideTheShareByKey() {
        rig(Phase.READ_TARGET).phases.change(Phase.READ_TARGET, 30);
        int atTarget = 0;
        for (int i = 0; i < 1000; i++) {
            String key = Integer.toString(i);
            rig.read(key).join();
            boolean now = rig.target.calls.remove("read " + key);
            assertThat(now).isEqualTo(KeyHash.inShare(key, 30));
            atTarget += now ? 1 : 0;
        }

        assertThat(atTarget).isBetween(250, 350);
    }

    @Test
    void shouldReadKeysThatTheTargetLacksFromTheOriginIfItMayHaveAcknowledgedThemAlone() {
        rig(Phase.READ_TARGET).policy = WritePolicy.ORIGIN_THEN_JOURNAL;
        rig.origin.rows.put("k", "new");
        rig.target.rows.put("k", "stale");
        rig.journal.add(Side.TARGET, "k", "a write failed");

        assertThat(rig.read("k").join()).isEqualTo("new");
        assertThat(rig.target.calls).isEmpty();

        // Others may be in 4 by then, where the origin is not written.
        rig.phases.change(Phase.TARGET_FIRST);
        assertThat(rig.read("k").join()).isEqualTo("stale");
    }

    @Test
    void shouldNotReadFromAnOriginThatOtherInstancesMayNotWriteAnyMore() {
        rig(Phase.READ_TARGET).origin.rows.put("k", "of a write that failed");
        rig.target.rows.put("k", "newer");
        rig.journal.add(Side.TARGET, "k", "a write failed");

        assertThat(rig.read("k").join()).isEqualTo("newer");
    }

    @Test
    void shouldNotBringBackWhatTheOriginDoesNotKnowIsDeleted() {
        rig(Phase.READ_TARGET).origin.rows.put("k", "deleted since");
        rig.journal.add(Side.ORIGIN, "k", "deleted in the target alone");

        assertThat(rig.read("k").join()).isNull();
        assertThat(rig.readAll("k", "l").join()).isEqualTo(Map.of());
        assertThat(rig.origin.calls).containsExactly("read [l]");
    }

    @Test
    void shouldGoToTheOriginOnAnErrorOnlyIfToldAndOnlyWhileItIsRight() {
        for (Phase phase : List.of(Phase.READ_TARGET, Phase.TARGET_FIRST, Phase.WRITE_TARGET)) {
            for (boolean told : new boolean[] {true, false}) {
                rig(phase).fallback = new FallbackPolicy(true, told, false);
                rig.target.fails(new IOException("down"));
                rig.origin.rows.put("k", "v");

                CompletableFuture<Object> read = rig.read("k");

                if (told && phase == Phase.READ_TARGET) {
                    assertThat(read.join()).isEqualTo("v");
                    assertThat(rig.count(Counter.FALLBACK_ERRORS)).isOne();
                } else {
                    Throwable thrown = catchThrowable(read::join).getCause();
                    assertThat(thrown).isInstanceOf(IOException.class);
                    WriteRouteTest.assertOutcomes(thrown, SideOutcome.NOT_ATTEMPTED, SideOutcome.FAILED);
                    assertThat(rig.origin.calls).isEmpty();
                }
            }
        }
    }

    @Test
    void shouldTakeATimeoutThatTheTargetThrowsForOne() {
        rig(Phase.READ_TARGET).fallback = new FallbackPolicy(true, false, true);
        rig.target.fails(new TimeoutException("late"));
        rig.origin.rows.put("k", "v");

        assertThat(rig.read("k").join()).isEqualTo("v");
    }

    @Test
    void shouldShowTheOriginsFailureIfBothFail() {
        rig(Phase.READ_TARGET).fallback = new FallbackPolicy(true, true, true);
        rig.target.fails(new TimeoutException("late"));
        rig.origin.fails(new IOException("down"));

        Throwable thrown = catchThrowable(() -> rig.read("k").join()).getCause();

        assertThat(thrown).isInstanceOf(IOException.class);
        WriteRouteTest.assertOutcomes(thrown, SideOutcome.FAILED, SideOutcome.UNKNOWN);
    }

    @Test
    void shouldFailIfTheFallbackOfAMissFails() {
        rig(Phase.READ_TARGET).origin.fails(new IOException("down"));

        Throwable thrown = catchThrowable(() -> rig.read("k").join()).getCause();

        assertThat(thrown).isInstanceOf(IOException.class);
        WriteRouteTest.assertOutcomes(thrown, SideOutcome.FAILED, SideOutcome.OK);
    }

    @Test
    void shouldAnswerFromTheOriginWhenTheTargetIsLateAndStayUntilItAnswered() {
        rig(Phase.READ_TARGET).fallback = new FallbackPolicy(true, false, true);
        rig.targetTimeout = Duration.ofMillis(5);
        rig.target.byHand();
        rig.origin.rows.put("k", "v");
        CompletableFuture<Object> read = rig.read("k");

        rig.threads.pass(4_999_999);
        assertThat(read).isNotDone();
        rig.threads.pass(1);

        assertThat(read).isCompletedWithValue("v");
        assertThat(rig.count(Counter.FALLBACK_ERRORS)).isOne();
        assertThat(rig.phases.drained()).isFalse();
        rig.target.waiting.remove().answer();
        assertThat(rig.phases.drained()).isTrue();
        assertThat(rig.origin.calls).hasSize(1);
    }

    @Test
    void shouldWaitForALateTargetOnceTheOriginIsOld() {
        rig(Phase.TARGET_FIRST).fallback = new FallbackPolicy(true, true, true);
        rig.targetTimeout = Duration.ofMillis(5);
        rig.target.byHand();
        CompletableFuture<Object> read = rig.read("k");

        rig.threads.pass(Duration.ofHours(1).toNanos());

        assertThat(read).isNotDone();
        assertThat(rig.origin.calls).isEmpty();
        rig.target.rows.put("k", "v");
        rig.target.waiting.remove().answer();
        assertThat(read).isCompletedWithValue("v");
    }

    @Test
    void shouldGiveUpASynchronousReadOfALateTarget() throws Exception {
        rig(Phase.READ_TARGET).fallback = new FallbackPolicy(true, false, true);
        rig.targetTimeout = Duration.ofMillis(1);
        rig.origin.rows.put("k", "v");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        rig.environmentThreads = threadsThatWaitFor(begun);
        OperationSpec<Shop, Rig.Ask, Object> hangs = new OperationSpec<>(
                "hangs",
                OperationKind.READ,
                Rig.Ask::keys,
                (dao, ask) -> {
                    if (dao == rig.target) {
                        begun.countDown();
                        hanging.await();
                        over.countDown();
                    }
                    return Thread.currentThread();
                },
                null,
                Missing.DEFAULT,
                null,
                null);

        assertThat(rig.engine().operation(hangs).call(Rig.Ask.of("k"))).isSameAs(Thread.currentThread());

        hanging.countDown();
        assertThat(over.await(1, TimeUnit.MINUTES)).isTrue();
        rig.engine().close(Duration.ofMinutes(1));
    }

    /** Whoever gives them work goes on once it has begun: work that was given up before it began never begins. */
    private static DualEnvironment.Threads threadsThatWaitFor(CountDownLatch begun) {
        return new DualEnvironment.Threads() {
            @Override
            public ScheduledExecutorService scheduler() {
                return DualEnvironment.system().threads().scheduler();
            }

            @Override
            public ExecutorService shadow(ShadowConfig config) {
                return DualEnvironment.system().threads().shadow(config);
            }

            @Override
            public ExecutorService handOff() {
                return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>()) {
                    @Override
                    public void execute(Runnable task) {
                        super.execute(task);
                        try {
                            assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    }
                };
            }
        };
    }

    @Test
    void shouldLeaveNothingScheduledAfterTheAnswer() {
        rig(Phase.READ_TARGET).fallback = new FallbackPolicy(true, false, true);
        rig.targetTimeout = Duration.ofSeconds(10);
        rig.target.rows.put("k", "v");
        rig.target.byHand();
        CompletableFuture<Object> read = rig.read("k");
        assertThat(rig.threads.timedWaiting()).isOne();

        rig.target.waiting.remove().answer();

        assertThat(read).isCompletedWithValue("v");
        assertThat(rig.threads.timedWaiting()).isZero();
    }

    @Test
    void shouldNotCallAReadLateBecauseOfWorkBesideCalls() throws Exception {
        rig(Phase.READ_TARGET).fallback = new FallbackPolicy(true, false, true);
        rig.targetTimeout = Duration.ofHours(1);
        rig.shadow = new ShadowConfig(0, 0);
        rig.origin.rows.put("k", "old");
        rig.target.rows.put("k", "v");

        assertThat(rig.readNow().call(Rig.Ask.of("k"))).isEqualTo("v");
        assertThat(rig.count(Counter.FALLBACK_ERRORS)).isZero();
    }

    @Test
    void shouldGiveATargetThatHangsNoMoreThreadsThanAFew() throws Exception {
        rig(Phase.READ_TARGET).fallback = new FallbackPolicy(true, false, true);
        rig.targetTimeout = Duration.ofMillis(1);
        rig.environmentThreads = DualEnvironment.system().threads();
        CountDownLatch hanging = new CountDownLatch(1);
        Semaphore begun = new Semaphore(0);
        AtomicInteger ended = new AtomicInteger();
        DualOperation<Rig.Ask, Object> hangs = rig.engine()
                .operation(Rig.now(OperationKind.READ, "hangs", (dao, ask) -> {
                    if (dao == rig.target) {
                        begun.release();
                        hanging.await();
                        ended.incrementAndGet();
                    }
                    return CompletableFuture.completedFuture("v");
                }));

        for (int i = 0; i < 3 * SideReads.ABANDONED_MAX; i++) {
            assertThat(hangs.call(Rig.Ask.of("k"))).isEqualTo("v");
        }

        assertThat(begun.availablePermits()).isBetween(1, SideReads.ABANDONED_MAX);
        hanging.countDown();
        while (!rig.phases.drained()) {
            Thread.onSpinWait();
        }
        assertThat(ended).hasValue(begun.availablePermits());
        assertThat(hangs.call(Rig.Ask.of("k"))).isEqualTo("v");
        rig.engine().close(Duration.ofMinutes(1));
    }

    @Test
    void shouldAskAgainOnlyForTheKeysThatAreMissing() {
        rig(Phase.READ_TARGET).target.rows.put("a", "1");
        rig.origin.rows.putAll(Map.of("a", "old", "b", "2"));

        assertThat(rig.readAll("a", "b", "c").join()).isEqualTo(Map.of("a", "1", "b", "2"));

        assertThat(rig.origin.calls).containsExactly("read [b, c]");
        assertThat(rig.count(Counter.FALLBACK_HITS)).isOne();
        assertThat(rig.count(Counter.FALLBACK_MISSES)).isOne();
    }

    @Test
    void shouldNotAskTheOriginForABatchThatIsWhole() {
        rig(Phase.READ_TARGET).target.rows.putAll(Map.of("a", "1", "b", "2"));

        assertThat(rig.readAll("a", "b").join()).isEqualTo(Map.of("a", "1", "b", "2"));
        assertThat(rig.origin.calls).isEmpty();
    }

    @Test
    void shouldReadABatchFromTheOriginIfTheTargetLacksOneOfItsKeys() {
        rig(Phase.READ_TARGET).policy = WritePolicy.ORIGIN_THEN_JOURNAL;
        rig.target.rows.putAll(Map.of("a", "1", "b", "stale"));
        rig.origin.rows.putAll(Map.of("a", "1", "b", "2"));
        rig.journal.add(Side.TARGET, "b", "a write failed");

        assertThat(rig.readAll("a", "b").join()).isEqualTo(Map.of("a", "1", "b", "2"));
    }

    @Test
    void shouldActToItsEndByThePhaseInWhichItBegan() {
        rig(Phase.READ_TARGET).target.byHand();
        rig.origin.rows.put("k", "old");
        CompletableFuture<Object> read = rig.read("k");

        rig.phases.change(Phase.TARGET_FIRST);
        rig.target.waiting.remove().answer();

        assertThat(read).isCompletedWithValue("old");
    }

    @Test
    void shouldLeaveItsPhaseIfTheCallersOwnCodeBreaks() {
        rig(Phase.READ_TARGET);
        OperationSpec<Shop, Rig.Ask, CompletableFuture<Object>> broken = new OperationSpec<>(
                "broken",
                OperationKind.READ,
                Rig.Ask::keys,
                (dao, ask) -> dao.read("k"),
                Rig.spec(OperationKind.READ, "", null, null).returns(),
                answer -> {
                    throw new IllegalStateException("missing");
                },
                null,
                null);

        assertThat(catchThrowable(() -> rig.call(broken, Rig.Ask.of("k")).join()))
                .hasRootCauseMessage("missing");
    }

    @Test
    void shouldMergeWhatBothSidesHaveAsLongAsAReadCanFallBack() {
        rig(Phase.READ_TARGET).partitions = Partitions.merged(Rig.concatenating());
        rig.origin.rows.putAll(Map.of("k", "o", "l", "o"));
        rig.target.rows.putAll(Map.of("k", "t", "m", "t"));

        assertThat(rig.read("k").join()).isEqualTo("o+t");
        assertThat(rig.read("l").join()).isEqualTo("o");
        assertThat(rig.read("m").join()).isEqualTo("t");
        assertThat(rig.read("n").join()).isNull();
        assertThat(rig.count(Counter.FALLBACK_HITS)).isEqualTo(2);
        rig.phases.change(Phase.TARGET_FIRST);
        assertThat(rig.read("k").join()).isEqualTo("t");
    }

    @Test
    void shouldAskBothSidesAtOnceToMerge() {
        rig(Phase.READ_TARGET).partitions = Partitions.merged(Rig.concatenating());
        rig.origin.rows.put("k", "o");
        rig.target.rows.put("k", "t");
        rig.origin.byHand();
        rig.target.byHand();

        CompletableFuture<Object> read = rig.read("k");

        rig.origin.waiting.remove().answer();
        rig.target.waiting.remove().answer();
        assertThat(read).isCompletedWithValue("o+t");
    }

    @Test
    void shouldNotTakeHalfForTheWholeIfOneSideFails() {
        rig(Phase.READ_TARGET).partitions = Partitions.merged(Rig.concatenating());
        rig.origin.fails(new IOException("down"));
        rig.target.rows.put("k", "t");

        assertThat(catchThrowable(() -> rig.read("k").join())).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void shouldReadTheOriginAloneIfTheTargetFailsWhileTheOriginIsRight() {
        rig(Phase.READ_TARGET).partitions = Partitions.merged(Rig.concatenating());
        rig.fallback = new FallbackPolicy(true, true, true);
        rig.target.fails(new IOException("down"));
        rig.origin.rows.put("k", "o");

        assertThat(rig.read("k").join()).isEqualTo("o");
    }

    @Test
    void shouldAnswerLocalCallsFromTheOriginAndInTheEndFromTheTarget() throws Exception {
        rig(Phase.WRITE_TARGET);
        DualOperation<Rig.Ask, Object> local = rig.engine()
                .operation(new OperationSpec<>(
                        "name",
                        OperationKind.LOCAL,
                        ask -> List.of(),
                        (dao, ask) -> dao.name,
                        null,
                        Missing.DEFAULT,
                        null,
                        null));

        assertThat(local.call(null)).isEqualTo("origin");
        rig.phases.change(Phase.TARGET_ONLY);
        assertThat(local.call(null)).isEqualTo("target");
    }
}
