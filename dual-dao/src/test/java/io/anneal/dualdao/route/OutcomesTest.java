package io.anneal.dualdao.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.phase.Side;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

final class OutcomesTest {
    private final Outcomes outcomes = new Outcomes(null);

    @Test
    void shouldNotKnowWhatHappenedAfterATimeoutAnInterruptOrACancellation() {
        assertThat(outcomes.of(new TimeoutException())).isEqualTo(SideOutcome.UNKNOWN);
        assertThat(outcomes.of(new SocketTimeoutException())).isEqualTo(SideOutcome.UNKNOWN);
        assertThat(outcomes.of(new InterruptedException())).isEqualTo(SideOutcome.UNKNOWN);
        assertThat(outcomes.of(new CancellationException())).isEqualTo(SideOutcome.UNKNOWN);
        assertThat(outcomes.of(new IllegalStateException(new IOException(new TimeoutException()))))
                .isEqualTo(SideOutcome.UNKNOWN);
        assertThat(outcomes.of(new IOException("refused"))).isEqualTo(SideOutcome.FAILED);
    }

    @Test
    void shouldEndThoughCausesGoInACircle() {
        IOException first = new IOException();
        IOException second = new IOException(first);
        first.initCause(second);

        assertThat(outcomes.of(first)).isEqualTo(SideOutcome.FAILED);
    }

    @Test
    void shouldTakeTheCallersWordAndNotItsFailures() {
        assertThat(new Outcomes(thrown -> SideOutcome.FAILED).of(new TimeoutException()))
                .isEqualTo(SideOutcome.FAILED);
        assertThat(new Outcomes(thrown -> null).of(new IOException())).isEqualTo(SideOutcome.UNKNOWN);
        assertThat(new Outcomes(thrown -> {
                            throw new IllegalStateException();
                        })
                        .of(new IOException()))
                .isEqualTo(SideOutcome.UNKNOWN);
    }

    @Test
    void shouldFindWhatWasAttachedLast() {
        IOException thrown = new IOException();
        Outcomes.attach(thrown, "op", Side.TARGET, SideOutcome.FAILED, SideOutcome.NOT_ATTEMPTED);
        Outcomes.attach(thrown, "op", Side.TARGET, SideOutcome.UNKNOWN, SideOutcome.OK);

        assertThat(OutcomePerSide.of(thrown).orElseThrow().target()).isEqualTo(SideOutcome.UNKNOWN);
        assertThat(OutcomePerSide.of(thrown).orElseThrow().origin()).isEqualTo(SideOutcome.OK);
    }
}
