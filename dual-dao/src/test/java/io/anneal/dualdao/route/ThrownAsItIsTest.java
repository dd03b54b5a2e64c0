package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.FallbackPolicy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.operation.Missing;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.phase.Phase;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Exceptions that futures use for themselves, thrown by a side. */
final class ThrownAsItIsTest {
    private Rig rig;

    @AfterEach
    void everyOperationLeftItsPhase() {
        rig.engine().close(Duration.ofMinutes(1)); // a read on the pool leaves after its caller was answered
        assertThat(rig.phases.drained()).isTrue();
    }

    private static List<Throwable> thrown() {
        return List.of(
                new ExecutionException(new IOException("cause")),
                new CompletionException(new IOException("cause")),
                new CancellationException("cancelled"));
    }

    private OperationSpec<Shop, Rig.Ask, Object> throwing(OperationKind kind, Throwable thrown) {
        return new OperationSpec<>(
                kind.name(),
                kind,
                Rig.Ask::keys,
                (dao, ask) -> {
                    throw thrown;
                },
                null,
                Missing.DEFAULT,
                null,
                null);
    }

    private void assertThrownAsItIs(OperationKind kind, Throwable thrown) {
        DualOperation<Rig.Ask, Object> operation = rig.engine().operation(throwing(kind, thrown));

        Throwable seen = catchThrowable(() -> operation.call(Rig.Ask.of("k")));

        assertThat(seen).isSameAs(thrown);
        assertThat(OutcomePerSide.of(seen)).isPresent();
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void shouldThrowWhatASideThrewInEveryPhase(Phase phase) {
        for (Throwable thrown : thrown()) {
            for (OperationKind kind : List.of(OperationKind.READ, OperationKind.WRITE)) {
                rig = new Rig(phase);
                assertThrownAsItIs(kind, thrown);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperationKind.class,
            names = {"READ", "WRITE"})
    void shouldThrowWhatTheOriginThrewInTestMode(OperationKind kind) {
        for (Throwable thrown : thrown()) {
            rig = new Rig(Phase.READ_TARGET);
            rig.mode = Mode.TEST;
            assertThrownAsItIs(kind, thrown);
            rig.threads.runShadow();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperationKind.class,
            names = {"READ", "WRITE"})
    void shouldThrowWhatAReadOrAWriteOfTheTargetThrewInTime(OperationKind kind) {
        for (Throwable thrown : thrown()) {
            rig = new Rig(Phase.READ_TARGET);
            rig.fallback = new FallbackPolicy(true, false, true);
            rig.outcomes = any -> SideOutcome.FAILED;
            rig.targetTimeout = Duration.ofHours(1);
            rig.environmentThreads = DualEnvironment.system().threads();
            assertThrownAsItIs(kind, thrown);
        }
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void shouldFallBackAfterACancelledRead(Phase phase) throws Exception {
        rig = new Rig(phase);
        rig.fallback = new FallbackPolicy(true, true, true);
        rig.targetTimeout = Duration.ofHours(1);
        rig.environmentThreads = DualEnvironment.system().threads();
        OperationSpec<Shop, Rig.Ask, Object> cancelled = new OperationSpec<>(
                "cancelled",
                OperationKind.READ,
                Rig.Ask::keys,
                (dao, ask) -> {
                    if (dao == rig.target) {
                        throw new CancellationException("cancelled");
                    }
                    return dao.name;
                },
                null,
                Missing.DEFAULT,
                null,
                null);
        DualOperation<Rig.Ask, Object> read = rig.engine().operation(cancelled);

        if (phase == Phase.READ_TARGET || !phase.readsTarget()) {
            assertThat(read.call(Rig.Ask.of("k"))).isEqualTo("origin");
        } else {
            assertThat(catchThrowable(() -> read.call(Rig.Ask.of("k")))).isInstanceOf(CancellationException.class);
        }
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void shouldFailALaterAnswerWithWhatTheSidesFutureFailedWith(Phase phase) {
        ExecutionException thrown = new ExecutionException(new IOException("cause"));
        for (OperationKind kind : List.of(OperationKind.READ, OperationKind.WRITE)) {
            rig = new Rig(phase);
            CompletableFuture<Object> answer = rig.call(
                    Rig.spec(
                            kind,
                            "later",
                            (dao, ask) -> CompletableFuture.completedFuture(null)
                                    .thenCompose(nothing -> CompletableFuture.failedFuture(thrown)),
                            null),
                    Rig.Ask.of("k"));

            assertThat(catchThrowable(answer::get)).hasCause(thrown);
        }
    }

    @ParameterizedTest
    @EnumSource(Phase.class)
    void shouldThrowWhatOneOfManyCallsThrew(Phase phase) {
        for (Throwable thrown : thrown()) {
            rig = new Rig(phase);
            DualOperation<Rig.Ask, Object> read = rig.engine().operation(throwing(OperationKind.READ, thrown));

            assertThat(catchThrowable(() -> read.callAll(List.of(Rig.Ask.of("k")))))
                    .isSameAs(thrown);
        }
    }
}
