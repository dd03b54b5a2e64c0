package io.anneal.dualdao.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.ThreadMXBean;
import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Side;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class DualStatsTest {
    private Instant now = Instant.ofEpochMilli(1_000);
    private final DualStats stats = new DualStats(MetricsSink.NONE, () -> now);

    @Test
    void shouldGiveTheSameStatsForTheSameName() {
        assertThat(stats.operation("read")).isSameAs(stats.operation("read")).isNotSameAs(stats.operation("write"));
        assertThat(stats.batch("page")).isSameAs(stats.batch("page"));
    }

    @Test
    void shouldCountByOperationAndOverAll() {
        stats.operation("read").count(Counter.READS);
        stats.operation("readAll").count(Counter.READS, 3);

        assertThat(stats.operation("read").sum(Counter.READS)).isEqualTo(1);
        assertThat(stats.sum(Counter.READS)).isEqualTo(4);
        assertThat(stats.sum(Counter.WRITES)).isZero();
    }

    @Test
    void shouldTellHowLongEachSideTook() {
        OperationStats read = stats.operation("read");
        for (int i = 1; i <= 1_000; i++) {
            read.latency(Side.ORIGIN, i * 1_000L);
        }
        read.latency(Side.TARGET, 5_000);

        StatsSnapshot.Operation operation = stats.snapshot().operations().get(0);

        StatsSnapshot.Distribution origin = operation.latency(Side.ORIGIN).sinceStart();
        assertThat(origin.count()).isEqualTo(1_000);
        assertThat(origin.p50Nanos()).isCloseTo(500_000, within(5_000L));
        assertThat(origin.p99Nanos()).isCloseTo(990_000, within(10_000L));
        assertThat(origin.maxNanos()).isCloseTo(1_000_000, within(10_000L));
        assertThat(operation.latency(Side.TARGET).sinceStart().count()).isEqualTo(1);
    }

    @Test
    void shouldTellWhatIsRecentSinceTheLastSnapshot() {
        OperationStats read = stats.operation("read");
        read.latency(Side.ORIGIN, 1_000);
        stats.snapshot();
        read.latency(Side.ORIGIN, 9_000);
        read.latency(Side.ORIGIN, 9_000);

        StatsSnapshot.Latency latency = stats.snapshot().operations().get(0).origin();

        assertThat(latency.sinceStart().count()).isEqualTo(3);
        assertThat(latency.recent().count()).isEqualTo(2);
        assertThat(latency.recent().p50Nanos()).isCloseTo(9_000, within(90L));
        assertThat(stats.snapshot().operations().get(0).origin().recent())
                .isEqualTo(new StatsSnapshot.Distribution(0, 0, 0, 0, 0));
    }

    @Test
    void shouldTakeNothingFromAPersonsLookForAHeartbeat() {
        OperationStats read = stats.operation("read");
        read.count(Counter.READS);
        read.latency(Side.ORIGIN, 1_000);

        assertThat(stats.facts()).containsKey("readNanos.origin");
        assertThat(stats.snapshot().operations().get(0).origin().recent().count())
                .isEqualTo(1);
        assertThat(stats.facts()).doesNotContainKey("readNanos.origin");
    }

    @Test
    void shouldTakeDurationsThatCanNotBe() {
        OperationStats read = stats.operation("read");
        read.latency(Side.ORIGIN, -5);
        read.latency(Side.ORIGIN, Long.MAX_VALUE);

        StatsSnapshot.Distribution latency =
                stats.snapshot().operations().get(0).origin().sinceStart();

        assertThat(latency.count()).isEqualTo(2);
        assertThat(latency.maxNanos()).isCloseTo(TimeUnit.HOURS.toNanos(1), within(TimeUnit.MINUTES.toNanos(1)));
    }

    @Test
    void shouldKnowAPercentileForSpeculativeReads() {
        OperationStats read = stats.operation("read");
        assertThat(read.percentileNanos(Side.TARGET, 99)).isZero();
        for (int i = 1; i <= 100; i++) {
            read.latency(Side.TARGET, i * 1_000L);
        }

        assertThat(read.percentileNanos(Side.TARGET, 90)).isCloseTo(90_000, within(1_000L));
        assertThat(read.percentileNanos(Side.ORIGIN, 90)).isZero();
    }

    @Test
    void shouldSampleOneCallOfSoMany() {
        OperationStats sampled = new DualStats(MetricsSink.NONE, 16, () -> now, false).operation("read");
        OperationStats every = stats.operation("read");
        int timed = 0;
        for (int i = 0; i < 160; i++) {
            timed += sampled.sampled() ? 1 : 0;
            assertThat(every.sampled()).isTrue();
        }

        assertThat(timed).isEqualTo(10);
    }

    @Test
    void shouldRefuseASampleThatIsNoPowerOfTwo() {
        for (int sample : new int[] {0, -1, 3, 12, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> new DualStats(MetricsSink.NONE, sample, () -> now, false))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("timingSample=" + sample);
        }
    }

    @Test
    void shouldRememberWhenAReadLastFellBack() {
        assertThat(stats.fallbackLastHitMillis()).isEmpty();
        stats.operation("read").count(Counter.FALLBACK_MISSES);
        assertThat(stats.fallbackLastHitMillis()).isEmpty();

        stats.operation("read").count(Counter.FALLBACK_HITS);
        now = Instant.ofEpochMilli(5_000);
        stats.operation("readAll").count(Counter.FALLBACK_HITS, 3);

        assertThat(stats.fallbackLastHitMillis()).hasValue(5_000);
        assertThat(stats.facts()).containsEntry(Facts.FALLBACK_LAST_HIT_MILLIS, "5000");
        assertThat(stats.snapshot().fallbackLastHitMillis()).hasValue(5_000);
    }

    @Test
    void shouldGroupMismatchesByTheirCause() {
        for (int i = 0; i < 25; i++) {
            stats.mismatch("read", "k" + i, List.of(new FieldDiff("items[" + i + "].d", "1", "2")));
            now = now.plusSeconds(1);
        }
        stats.mismatch("read", "m", List.of(new FieldDiff("items[7].d", "1", FieldDiff.ABSENT)));

        assertThat(stats.mismatches())
                .extracting(Mismatch::cause)
                .containsExactly("read: items[].d differs", "read: items[].d is missing in the target");
        Mismatch differs = stats.mismatches().get(0);
        assertThat(differs.count()).isEqualTo(25);
        assertThat(differs.key()).isEqualTo("k24");
        assertThat(Duration.between(differs.first(), differs.at())).hasSeconds(24);
        assertThat(stats.snapshot().mismatches()).isEqualTo(stats.mismatches());
    }

    @Test
    void shouldKeepTheCausesThatWereSeenLast() {
        for (int i = 0; i < 25; i++) {
            stats.mismatch("find" + i, "k", List.of(new FieldDiff("d", "1", "2")));
            stats.mismatch("find0", "k", List.of(new FieldDiff("d", "1", "2")));
        }

        assertThat(stats.mismatches()).hasSize(Causes.CAUSES_MAX);
        assertThat(stats.mismatches().get(15)).satisfies(last -> {
            assertThat(last.operation()).isEqualTo("find0");
            assertThat(last.count()).isEqualTo(26);
        });
    }

    @Test
    void shouldRedactTheValuesOfMismatchesWhenTold() {
        DualStats redacting = new DualStats(MetricsSink.NONE, 1, () -> now, true);

        redacting.mismatch("read", "k", List.of(new FieldDiff("d", "secret", "(absent)")));

        assertThat(redacting.mismatches().get(0).differences())
                .containsExactly(new FieldDiff("d", "(redacted)", "(absent)"));
        assertThat(redacting.facts().get("mismatch.0")).doesNotContain("secret");
    }

    @Test
    void shouldHandEveryMeasurementToTheSink() {
        List<String> taken = new ArrayList<>();
        DualStats measured = new DualStats(
                new MetricsSink() {
                    @Override
                    public void latency(String operation, Side side, long nanos) {
                        taken.add(operation + " " + side + " " + nanos);
                    }

                    @Override
                    public void count(String operation, Counter counter, long delta) {
                        taken.add(operation + " " + counter + " " + delta);
                    }

                    @Override
                    public void batchLatency(String batch, Side side, long nanos) {
                        taken.add("batch " + batch + " " + side + " " + nanos);
                    }
                },
                () -> now);

        measured.operation("read").latency(Side.TARGET, 7);
        measured.operation("read").count(Counter.READS);
        measured.batch("page").latency(Side.ORIGIN, 9);

        assertThat(taken).containsExactly("read TARGET 7", "read READS 1", "batch page ORIGIN 9");
    }

    @Test
    void shouldPutCountersAndHistogramsIntoAHeartbeat() {
        OperationStats read = stats.operation("read");
        read.count(Counter.READS);
        read.latency(Side.ORIGIN, 1_000);
        OperationStats write = stats.operation("write");
        write.count(Counter.WRITES);
        write.latency(Side.TARGET, 2_000);
        stats.batch("page").latency(Side.ORIGIN, 3_000);

        Map<String, String> facts = stats.facts();

        assertThat(facts)
                .containsEntry("count.READS", "1")
                .containsEntry("count.WRITES", "1")
                .containsEntry("count.MISMATCHES", "0")
                .containsKeys("readNanos.origin", "writeNanos.target", "batchNanos.origin")
                .doesNotContainKeys("readNanos.target", "writeNanos.origin", "batchNanos.target");
        assertThat(HistogramText.parse(facts.get("readNanos.origin")).getTotalCount())
                .isEqualTo(1);
    }

    /** The document lists every counter, and none that is not there. */
    @Test
    void shouldBeDescribed() throws IOException {
        String document = Files.readString(Path.of("..", "docs", "metrics.md"), StandardCharsets.UTF_8);
        Set<String> described = new TreeSet<>();
        for (String line : document.lines().toList()) {
            if (line.matches("\\| `[A-Z_]+`.*")) {
                Matcher names = Pattern.compile("`([A-Z_]+)`").matcher(line);
                while (names.find()) {
                    described.add(names.group(1));
                }
            }
        }

        assertThat(described)
                .isEqualTo(Arrays.stream(Counter.values()).map(Enum::name).collect(Collectors.toSet()));
        for (Counter counter : Counter.values()) {
            assertThat(document)
                    .contains("`" + counter.name().toLowerCase(Locale.ROOT).replace('_', '-') + "`");
        }
    }

    @Test
    void shouldLoseNoMeasurementOfManyThreadsWhileItIsLookedAt() throws Exception {
        OperationStats read = stats.operation("read");
        int perThread = 100_000;
        ExecutorService executor = Executors.newFixedThreadPool(3);
        try {
            List<Future<?>> recording = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                recording.add(executor.submit(() -> {
                    for (int i = 0; i < perThread; i++) {
                        read.latency(Side.ORIGIN, i);
                        read.count(Counter.READS);
                    }
                }));
            }
            while (!recording.stream().allMatch(Future::isDone)) {
                stats.snapshot();
                stats.facts();
                read.percentileNanos(Side.ORIGIN, 99);
            }
            for (Future<?> each : recording) {
                each.get();
            }
        } finally {
            executor.shutdownNow();
        }

        StatsSnapshot.Operation operation = stats.snapshot().operations().get(0);
        assertThat(operation.origin().sinceStart().count()).isEqualTo(3L * perThread);
        assertThat(operation.counters()).containsExactlyEntriesOf(Map.of(Counter.READS, 3L * perThread));
        assertThat(stats.snapshot().sum(Counter.READS)).isEqualTo(3L * perThread);
    }

    @Test
    void shouldAllocateNothingWhileRecording() {
        OperationStats read = stats.operation("read");
        BatchStats batch = stats.batch("page");
        record(read, batch, 20_000);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(id);

        record(read, batch, 100_000);

        // Asking costs a little itself.
        assertThat(threads.getThreadAllocatedBytes(id) - before).isLessThan(10_000);
    }

    private static void record(OperationStats read, BatchStats batch, int times) {
        for (int i = 0; i < times; i++) {
            read.latency(Side.ORIGIN, i * 100L);
            read.count(Counter.READS);
            read.sampled();
            batch.latency(Side.TARGET, i);
        }
    }
}
