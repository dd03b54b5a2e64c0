package io.anneal.migrate.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.DualStats;
import io.anneal.dualdao.stats.MetricsSink;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ChartFeedTest {
    private static final Instant START = Instant.parse("2026-03-02T09:00:00Z");
    private static final History MEMORY = new History(Optional.empty(), "m", null);
    private static final int FINE = 0;
    private static final int MIDDLE = 1;

    private final ChartFeed feed = new ChartFeed(MEMORY, new Incidents(MEMORY));
    private final Map<String, Heartbeat> store = new LinkedHashMap<>();
    private final Map<String, DualStats> stats = new HashMap<>();

    private long now = START.toEpochMilli();

    /** So many reads of that latency, and a heartbeat of them, by a clock that may be off. */
    private void beat(String instance, int reads, long micros, long clockOffMillis) {
        DualStats of = stats.computeIfAbsent(instance, name -> new DualStats(MetricsSink.NONE, () -> START));
        for (int i = 0; i < reads; i++) {
            of.operation("read").count(Counter.READS);
            of.operation("read").latency(Side.ORIGIN, micros * 1_000);
        }
        Map<String, String> facts = new HashMap<>(of.facts());
        facts.put(Facts.STARTED_MILLIS, "1");
        store.put(instance, new Heartbeat(instance, 1, true, Instant.ofEpochMilli(now + clockOffMillis), facts));
    }

    private void look() {
        feed.observe(List.copyOf(store.values()), now);
        feed.tick(now);
        now += 1_000;
    }

    private Point last(int tier) {
        List<Point> points = feed.rings().get(tier).from(0);
        return points.get(points.size() - 1);
    }

    private List<Point> all(int tier) {
        return feed.rings().get(tier).from(0);
    }

    @Test
    void shouldAddUpWhatInstancesSayAtDifferentTimes() {
        for (int second = 0; second < 6; second++) {
            beat("a", 100, 1_000, 0);
            beat("b", 100, 3_000, 0);
            look();
        }

        Point.Latency reads = last(FINE).latencies().get("read.origin");
        assertThat(reads.calls()).isEqualTo(200);
        assertThat(reads.p50()).isCloseTo(1_000, within(20.0));
        assertThat(reads.p99()).isCloseTo(3_000, within(60.0));
        assertThat(last(FINE).rates()).containsEntry("reads", 200.0);
    }

    @Test
    void shouldCountAHeartbeatThatIsSeenAgainOnceInCoarserPoints() {
        beat("a", 10, 1_000, 0);
        look();
        for (int second = 1; second < 10; second++) {
            if (second % 2 == 0) {
                beat("a", 10, 1_000, 0);
            }
            feed.observe(List.copyOf(store.values()), now);
            look();
        }

        assertThat(all(MIDDLE).stream()
                        .mapToLong(point -> point.latencies().get("read.origin").calls())
                        .sum())
                .as("three heartbeats came in the five seconds of the only point")
                .isEqualTo(30);
        assertThat(last(FINE).rates().get("reads")).isEqualTo(5.0);
    }

    @Test
    void shouldNotDependOnTheClocksOfInstances() {
        for (int second = 0; second < 8; second++) {
            beat("ahead", 50, 1_000, 3_600_000);
            beat("behind", 50, 1_000, second == 0 ? 0 : -3_600_000);
            look();
        }

        assertThat(last(FINE).latencies().get("read.origin").calls()).isEqualTo(100);
    }

    @Test
    void shouldLeaveOutWhoFellSilent() {
        for (int second = 0; second < 12; second++) {
            beat("a", 100, 1_000, 0);
            if (second < 3) {
                beat("b", 100, 3_000, 0);
            }
            look();
        }

        assertThat(last(FINE).latencies().get("read.origin").calls()).isEqualTo(100);
        assertThat(last(FINE).rates()).containsEntry("reads", 100.0);
    }

    @Test
    void shouldLeaveAGapWhenNobodySaysAnything() {
        for (int second = 0; second < 5; second++) {
            beat("a", 100, 1_000, 0);
            look();
        }
        for (int second = 0; second < 30; second++) {
            look();
        }
        int pointsInTheGap = all(FINE).size();
        beat("a", 100, 1_000, 0);
        look();

        assertThat(all(FINE).get(pointsInTheGap - 1))
                .isEqualTo(Point.gap(all(FINE).get(pointsInTheGap - 1).at()));
        assertThat(pointsInTheGap).isEqualTo(6);
        assertThat(last(FINE).latencies()).isNotEmpty();
        assertThat(all(MIDDLE).stream().filter(point -> point.rates().isEmpty()))
                .hasSize(1);
    }

    @Test
    void shouldTakeNoGapsFromSlowHeartbeats() {
        for (int second = 0; second < 90; second++) {
            if (second % 10 == 0) {
                beat("a", 100, 1_000, 0);
            }
            look();
        }

        assertThat(all(FINE)).hasSize(9).noneMatch(point -> point.latencies().isEmpty());
        assertThat(all(MIDDLE)).noneMatch(point -> point.latencies().isEmpty());
        assertThat(last(FINE).rates()).containsEntry("reads", 10.0);
    }

    @Test
    void shouldDrawNothingOfAnInstanceThatWasGoneBeforeThePageCame() {
        beat("gone", 100, 1_000, -600_000);
        look();
        look();

        assertThat(all(FINE)).isEmpty();
    }

    @Test
    void shouldKeepNoMoreThanItsPointsAndGiveOutTheLastOnes() {
        Ring<Point> ring = new Ring<>(3);
        for (long at = 0; at < 5; at++) {
            ring.add(Point.gap(at));
        }

        assertThat(ring.nextNumber()).isEqualTo(5);
        assertThat(ring.from(0)).extracting(Point::at).containsExactly(2L, 3L, 4L);
        assertThat(ring.from(4)).extracting(Point::at).containsExactly(4L);
        assertThat(ring.from(5)).isEmpty();
        assertThat(ring.from(99)).isEmpty();
    }
}
