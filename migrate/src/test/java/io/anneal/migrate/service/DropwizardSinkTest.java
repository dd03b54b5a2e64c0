package io.anneal.migrate.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.codahale.metrics.Clock;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import com.codahale.metrics.jmx.JmxReporter;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

final class DropwizardSinkTest {
    private final MetricRegistry registry = new MetricRegistry();
    private final AtomicLong nanos = new AtomicLong();
    private final DropwizardSink sink = new DropwizardSink(registry, "users", new Clock() {
        @Override
        public long getTick() {
            return nanos.get();
        }
    });

    @Test
    void shouldTimeOperationsPerSide() {
        for (int i = 1; i <= 100; i++) {
            sink.latency("read", Side.TARGET, i * 1_000L);
        }
        sink.latency("read", Side.ORIGIN, 5);
        Timer timer = registry.getTimers().get("users.read.target");
        assertThat(timer.getCount()).isEqualTo(100);
        assertThat(timer.getSnapshot().getMedian()).isCloseTo(50_000, Percentage.withPercentage(2));
        assertThat((double) timer.getSnapshot().getMax()).isCloseTo(100_000, Percentage.withPercentage(2));
        assertThat(registry.getTimers().get("users.read.origin").getCount()).isOne();
    }

    /** As a client of JMX does, which asks for one after the other; each has a snapshot of its own. */
    @Test
    void shouldTellTheSameToWhoeverReadsOneAttributeAfterTheOther() throws JMException {
        for (int i = 1; i <= 1_000; i++) {
            sink.latency("read", Side.TARGET, i * 1_000L);
        }
        MBeanServer server = MBeanServerFactory.newMBeanServer();
        try (JmxReporter reporter = JmxReporter.forRegistry(registry)
                .registerWith(server)
                .convertDurationsTo(TimeUnit.NANOSECONDS)
                .build()) {
            reporter.start();
            ObjectName timer = server.queryNames(new ObjectName("*:name=users.read.target,*"), null).stream()
                    .findAny()
                    .orElseThrow();
            Map<String, Double> expected = Map.of(
                    "Min", 1_000.0,
                    "Max", 1_000_000.0,
                    "Mean", 500_500.0,
                    "StdDev", 288_819.0,
                    "50thPercentile", 500_000.0,
                    "75thPercentile", 750_000.0,
                    "95thPercentile", 950_000.0,
                    "98thPercentile", 980_000.0,
                    "99thPercentile", 990_000.0,
                    "999thPercentile", 999_000.0);
            for (Map.Entry<String, Double> attribute : expected.entrySet()) {
                assertThat(((Number) server.getAttribute(timer, attribute.getKey())).doubleValue())
                        .as(attribute.getKey())
                        .isCloseTo(attribute.getValue(), Percentage.withPercentage(2));
                nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
    }

    @Test
    void shouldForgetTimesOfLongAgo() {
        sink.latency("read", Side.TARGET, 1_000_000);
        Timer timer = registry.getTimers().get("users.read.target");
        for (int minute = 0; minute < 3; minute++) {
            nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
            sink.latency("read", Side.TARGET, 10);
            timer.getSnapshot();
        }
        assertThat(timer.getSnapshot().getMax()).isEqualTo(10);
        assertThat(timer.getCount()).isEqualTo(4);
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
