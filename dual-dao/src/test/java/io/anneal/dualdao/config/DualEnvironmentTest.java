package io.anneal.dualdao.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class DualEnvironmentTest {
    @Test
    void shouldForgetATaskThatWasCancelled() {
        ScheduledExecutorService scheduler = DualEnvironment.system().threads().scheduler();

        scheduler.schedule(() -> {}, 1, TimeUnit.HOURS).cancel(false);

        assertThat(scheduler.shutdownNow()).isEmpty();
    }
}
