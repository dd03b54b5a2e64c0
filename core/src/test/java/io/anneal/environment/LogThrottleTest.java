package io.anneal.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SeldomSaidTest {
    private final AtomicLong nanos = new AtomicLong(-5);
    private final SeldomSaid said = new SeldomSaid(nanos::get, Duration.ofMinutes(1));

    @Test
    void shouldSayTheFirstAndThenOneAMinuteWithTheirNumber() {
        assertThat(said.happened()).hasValue(1);
        for (int second = 1; second < 60; second++) {
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            assertThat(said.happened()).isEmpty();
        }
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(said.happened()).hasValue(61);
        assertThat(said.happened()).isEmpty();

        said.ended();

        assertThat(said.happened()).hasValue(1);
    }
}
