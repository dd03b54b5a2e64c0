package io.anneal.dualdao.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Side;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class MergedFactsTest {
    private static Heartbeat heartbeat(String instance, long atSeconds, Map<String, String> facts) {
        return new Heartbeat(instance, 1, true, Instant.ofEpochSecond(atSeconds), facts);
    }

    private static DualStats stats() {
        return new DualStats(MetricsSink.NONE, () -> Instant.ofEpochSecond(7));
    }

    private static void read(DualStats stats, Side side, long nanos) {
        stats.operation("read").count(Counter.READS);
        stats.operation("read").latency(side, nanos);
    }

    @Test
    void shouldAddUpWhatInstancesCountedAndTimed() {
        DualStats one = stats();
        DualStats other = stats();
        for (int i = 1; i <= 100; i++) {
            read(one, Side.ORIGIN, i * 1_000);
            read(other, Side.ORIGIN, 100_000 + i * 1_000);
        }

        MergedFacts merged = MergedFacts.of(List.of(heartbeat("a", 1, one.facts()), heartbeat("b", 1, other.facts())));

        assertThat(merged.sum(Counter.READS)).isEqualTo(200);
        StatsSnapshot.Distribution latency = merged.distribution(Facts.READ_NANOS, Side.ORIGIN);
        assertThat(latency.count()).isEqualTo(200);
        // No mean of the two medians, 50 and 150 microseconds, would be.
        assertThat(latency.p50Nanos()).isCloseTo(100_000, within(2_000L));
        assertThat(latency.maxNanos()).isCloseTo(200_000, within(2_000L));
        assertThat(merged.distribution(Facts.READ_NANOS, Side.TARGET).count()).isZero();
        assertThat(merged.histogram(Facts.WRITE_NANOS, Side.ORIGIN).getTotalCount())
                .isZero();
        assertThat(merged.unreadable()).isEmpty();
        assertThat(merged.heartbeats()).hasSize(2);
    }

    @Test
    void shouldGiveAnEmptyAnswerForNoInstances() {
        MergedFacts merged = MergedFacts.of(List.of());

        assertThat(merged.sum(Counter.READS)).isZero();
        assertThat(merged.sum(Facts.DIRTY_TARGET)).isEmpty();
        assertThat(merged.fallbackLastHitMillis()).isEmpty();
        assertThat(merged.mismatches()).isEmpty();
    }

    @Test
    void shouldCountAHeartbeatThatIsStillTheSameOnce() {
        DualStats stats = stats();
        read(stats, Side.ORIGIN, 1_000);
        List<Heartbeat> first = List.of(heartbeat("a", 1, stats.facts()));
        read(stats, Side.ORIGIN, 1_000);
        read(stats, Side.ORIGIN, 1_000);
        List<Heartbeat> second = List.of(heartbeat("a", 2, stats.facts()));

        assertThat(MergedFacts.of(first, first)
                        .distribution(Facts.READ_NANOS, Side.ORIGIN)
                        .count())
                .isZero();
        MergedFacts next = MergedFacts.of(second, first);
        assertThat(next.distribution(Facts.READ_NANOS, Side.ORIGIN).count()).isEqualTo(2);
        assertThat(next.sum(Counter.READS)).isEqualTo(3);
        assertThat(next.added(Counter.READS)).isEqualTo(2);
    }

    @Test
    void shouldTellWhatWasAddedWhenInstancesComeAndGo() {
        List<Heartbeat> before = List.of(heartbeat("a", 1, counted(100, "1")), heartbeat("b", 1, counted(10, "1")));

        MergedFacts merged = MergedFacts.of(
                List.of(heartbeat("b", 2, counted(13, "1")), heartbeat("c", 2, counted(4, "2"))), before);

        assertThat(merged.sum(Counter.READS)).isEqualTo(17);
        assertThat(merged.added(Counter.READS)).isEqualTo(7);
    }

    @Test
    void shouldCountFromZeroForAnInstanceThatWasStartedAgain() {
        List<Heartbeat> before = List.of(heartbeat("a", 1, counted(100, "1")));

        assertThat(MergedFacts.of(List.of(heartbeat("a", 2, counted(120, "2"))), before)
                        .added(Counter.READS))
                .isEqualTo(120);
        assertThat(MergedFacts.of(List.of(heartbeat("a", 2, counted(20, "1"))), before)
                        .added(Counter.READS))
                .isEqualTo(20);
    }

    private static Map<String, String> counted(long reads, String startedMillis) {
        return Map.of("count.READS", Long.toString(reads), Facts.STARTED_MILLIS, startedMillis);
    }

    @Test
    void shouldAddUpAndCompareNumbersThatSomeInstancesTell() {
        MergedFacts merged = MergedFacts.of(List.of(
                heartbeat("a", 1, Map.of(Facts.DIRTY_TARGET, "3", Facts.FALLBACK_LAST_HIT_MILLIS, "50")),
                heartbeat("b", 1, Map.of(Facts.DIRTY_TARGET, "4", Facts.FALLBACK_LAST_HIT_MILLIS, "70")),
                heartbeat("c", 1, Map.of(Facts.DIRTY_TARGET, "many"))));

        assertThat(merged.sum(Facts.DIRTY_TARGET)).hasValue(7);
        assertThat(merged.sum(Facts.DIRTY_ORIGIN)).isEmpty();
        assertThat(merged.fallbackLastHitMillis()).hasValue(70);
    }

    @Test
    void shouldGiveMismatchesBackWithTheirFields() {
        DualStats one = stats();
        one.mismatch(
                "read",
                "key\twith\nall\\kinds",
                List.of(new FieldDiff("items[3].d", "a\tb", "(absent)"), new FieldDiff("", "\\n", "\n")));

        List<Mismatch> mismatches =
                MergedFacts.of(List.of(heartbeat("a", 1, one.facts()))).mismatches();

        assertThat(mismatches).isEqualTo(one.mismatches());
    }

    @Test
    void shouldCutMismatchesThatAreLong() {
        DualStats one = stats();
        one.mismatch(
                "read",
                "k",
                IntStream.range(0, 30)
                        .mapToObj(i -> new FieldDiff("f" + i, "x".repeat(1_000), "y"))
                        .toList());
        for (int i = 0; i < 19; i++) {
            one.mismatch("read" + i, "k", one.mismatches().get(0).differences());
        }

        Map<String, String> facts = one.facts();

        assertThat(facts.values().stream().mapToInt(String::length).sum()).isLessThan(20_000);
        assertThat(MergedFacts.of(List.of(heartbeat("a", 1, facts))).mismatches())
                .hasSize(Causes.CAUSES_MAX)
                .allSatisfy(mismatch -> assertThat(mismatch.differences()).hasSize(5));
    }

    @Test
    void shouldPutTheMismatchesOfAllTogetherInOrderOfTime() {
        DualStats early = new DualStats(MetricsSink.NONE, () -> Instant.ofEpochSecond(1));
        DualStats late = new DualStats(MetricsSink.NONE, () -> Instant.ofEpochSecond(9));
        late.mismatch("read", "late", List.of(new FieldDiff("", "1", "2")));
        early.mismatch("read", "early", List.of(new FieldDiff("", "1", "2")));
        early.mismatch("list", "early", List.of(new FieldDiff("", "1", "2")));

        List<Mismatch> merged = MergedFacts.of(
                        List.of(heartbeat("a", 1, late.facts()), heartbeat("b", 1, early.facts())))
                .mismatches();

        assertThat(merged)
                .extracting(Mismatch::cause)
                .containsExactly("list: the answer differs", "read: the answer differs");
        assertThat(merged.get(1))
                .isEqualTo(new Mismatch(
                        Instant.ofEpochSecond(1),
                        Instant.ofEpochSecond(9),
                        2,
                        "read",
                        "late",
                        List.of(new FieldDiff("", "1", "2"))));
    }

    @Test
    void shouldNameWhatItCanNotReadAndGoOn() {
        DualStats good = stats();
        read(good, Side.ORIGIN, 1_000);
        MergedFacts merged = MergedFacts.of(List.of(
                heartbeat("good", 1, good.facts()),
                heartbeat(
                        "bad",
                        1,
                        Map.of(
                                "readNanos.origin", "not base64!",
                                "writeNanos.origin", Base64.getEncoder().encodeToString(new byte[30]),
                                "count.READS", "many",
                                "mismatch.0", "nonsense",
                                "mismatch.1", "yesterday\tread\tk"))));

        assertThat(merged.unreadable())
                .containsExactly(
                        "bad:count.READS",
                        "bad:mismatch.0",
                        "bad:mismatch.1",
                        "bad:readNanos.origin",
                        "bad:writeNanos.origin");
        assertThat(merged.sum(Counter.READS)).isEqualTo(1);
        assertThat(merged.distribution(Facts.READ_NANOS, Side.ORIGIN).count()).isEqualTo(1);
    }

    @Test
    void shouldRefuseEveryHistogramThatIsDamaged() {
        Histogram histogram = new Histogram(2);
        Random random = new Random(1);
        for (int i = 0; i < 1_000; i++) {
            histogram.recordValue(random.nextInt(1_000_000));
        }
        byte[] whole = Base64.getDecoder().decode(HistogramText.format(histogram));
        assertThat(HistogramText.parse(HistogramText.format(histogram))).isEqualTo(histogram);

        for (int length = 0; length < whole.length; length++) {
            String cut = Base64.getEncoder().encodeToString(Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> HistogramText.parse(cut))
                    .as("cut at %s", length)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void shouldNeverFailOtherwiseOnAHistogramWithAFlippedByte() {
        Histogram histogram = new Histogram(2);
        histogram.recordValue(1_000);
        histogram.recordValue(1_000_000);
        byte[] whole = Base64.getDecoder().decode(HistogramText.format(histogram));
        for (int i = 0; i < whole.length; i++) {
            byte[] flipped = whole.clone();
            flipped[i] ^= 0x41;
            Map<String, String> facts = new HashMap<>();
            facts.put("readNanos.origin", Base64.getEncoder().encodeToString(flipped));

            assertThatCode(() -> MergedFacts.of(List.of(heartbeat("a", 1, facts))))
                    .as("byte %s", i)
                    .doesNotThrowAnyException();
        }
    }
}
