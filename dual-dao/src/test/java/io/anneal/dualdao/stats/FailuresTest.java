package io.anneal.dualdao.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.Side;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class FailuresTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream logged = new ByteArrayOutputStream();
    private Instant now = START;
    private final DualStats stats = new DualStats(MetricsSink.NONE, 1, () -> now, false);

    @AfterEach
    void restore() {
        System.setErr(before);
    }

    private long warnings() {
        return logged.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("target fails"))
                .count();
    }

    @Test
    void shouldLogOnceAMinuteAndKindWithTheCountAndTheLastCause() {
        System.setErr(new PrintStream(logged, true, StandardCharsets.UTF_8));
        for (int i = 0; i < 1_000; i++) {
            stats.failed("find", Side.TARGET, new IllegalStateException("down " + i));
        }
        stats.failed("save", Side.TARGET, new UnsupportedOperationException("another kind"));
        stats.failed("save", Side.ORIGIN, new IllegalStateException("its callers see it"));
        assertThat(warnings()).isEqualTo(2);

        now = now.plus(Duration.ofMinutes(1));
        stats.failed("find", Side.TARGET, new IllegalStateException("still down"));

        assertThat(warnings()).isEqualTo(3);
        assertThat(logged.toString(StandardCharsets.UTF_8))
                .contains("target fails, operation=find, failures=1000", "still down");
    }

    @Test
    void shouldBeToldByHeartbeats() {
        stats.failed("find", Side.TARGET, new IllegalStateException("down\tnow"));
        stats.failed("find", Side.TARGET, new IllegalStateException("down"));
        now = now.plusSeconds(1);
        stats.failed("save", Side.ORIGIN, new IllegalStateException("full"));

        MergedFacts merged = MergedFacts.of(List.of(new Heartbeat("a", 1, true, now, stats.facts())));

        assertThat(merged.failures())
                .containsExactly(
                        new SideFailure(START, START, 2, Side.TARGET, "find", "java.lang.IllegalStateException: down"),
                        new SideFailure(now, now, 1, Side.ORIGIN, "save", "java.lang.IllegalStateException: full"));
        assertThat(merged.failures()).isEqualTo(stats.failures());
        assertThat(MergedFacts.of(List.of(new Heartbeat("a", 1, true, now, Map.of("failure.0", "nonsense"))))
                        .unreadable())
                .containsExactly("a:failure.0");
    }

    @Test
    void shouldKeepTheNewestKindsAndLeaveMessagesOutWhereValuesAreRedacted() {
        DualStats redacting = new DualStats(MetricsSink.NONE, 1, () -> now, true);
        redacting.failed("find", Side.TARGET, new IllegalStateException("secret"));

        assertThat(redacting.failures())
                .extracting(SideFailure::cause)
                .containsExactly("java.lang.IllegalStateException");
    }
}
