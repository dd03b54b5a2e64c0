package io.anneal.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class LogThrottleTest {
    private final AtomicLong nanos = new AtomicLong(-5);
    private final LogThrottle throttle = new LogThrottle(nanos::get, Duration.ofMinutes(1));

    @Test
    void shouldBeDueAtFirstAndThenOnceAMinuteWithTheNumber() {
        assertThat(throttle.happened()).hasValue(1);
        for (int second = 1; second < 60; second++) {
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            assertThat(throttle.happened()).isEmpty();
        }
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(throttle.happened()).hasValue(61);
        assertThat(throttle.happened()).isEmpty();

        throttle.ended();

        assertThat(throttle.happened()).hasValue(1);
    }
}
