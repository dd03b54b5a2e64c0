package io.anneal.migrate.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

final class DropwizardSinkTest {
    private final MetricRegistry registry = new MetricRegistry();
    private final DropwizardSink sink = new DropwizardSink(registry, "users");

    @Test
    void shouldTimeOperationsPerSide() {
        for (int i = 1; i <= 100; i++) {
            sink.latency("read", Side.TARGET, i * 1_000L);
        }
        sink.latency("read", Side.ORIGIN, 5);
        Timer timer = registry.getTimers().get("users.read.target");
        assertThat(timer.getCount()).isEqualTo(100);
        assertThat(timer.getSnapshot().getMedian()).isCloseTo(50_000, Percentage.withPercentage(2));
        // Whoever asks second sees it too.
        assertThat((double) timer.getSnapshot().getMax()).isCloseTo(100_000, Percentage.withPercentage(2));
        assertThat(timer.getSnapshot().size()).isZero();
        assertThat(registry.getTimers().get("users.read.origin").getCount()).isOne();
    }

    @Test
    void shouldTimeBatches() {
        sink.batchLatency("profiles", Side.ORIGIN, 7);
        assertThat(registry.getTimers()).containsOnlyKeys("users.batch.profiles.origin", "users.batch.profiles.target");
    }

    @Test
    void shouldCountUnderOneNameForEachCounter() {
        sink.count("read", Counter.FALLBACK_HITS, 2);
        sink.count("read", Counter.FALLBACK_HITS, 1);
        assertThat(registry.getMeters()).containsOnlyKeys("users.read.fallback-hits");
        assertThat(registry.getMeters().get("users.read.fallback-hits").getCount())
                .isEqualTo(3);
    }
}
