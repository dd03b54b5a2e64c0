package io.anneal.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ties as tables: the left side of each line wins. {@code -} as a time is none, as a value an absent one. */
class ReconcilerTest {
    private static long seconds(String text) {
        return text.equals("-") ? DeletionTime.NO_DELETION_TIME : Long.parseLong(text);
    }

    /** {@code timestamp ttl ldt value}. */
    private static Row cell(String text) {
        String[] parts = text.split(" ");
        Row row = new Row();
        row.addCell(0, Long.parseLong(parts[0]), Integer.parseInt(parts[1]), seconds(parts[2]));
        if (!parts[3].equals("-")) {
            byte[] value = parts[3].equals("empty") ? new byte[0] : parts[3].getBytes(StandardCharsets.ISO_8859_1);
            row.value(value, 0, value.length);
        }
        return row;
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource({
        "2 0 - a,      1 0 - z,      higher timestamp over larger value",
        "2 0 - a,      1 0 9 -,      higher timestamp over tombstone",
        "-1 0 - a,     -2 0 - a,     timestamps are signed",
        "1 0 5 -,      1 0 - z,      tombstone over live",
        "1 9 5 a,      1 0 - z,      expiring over live",
        "1 0 5 -,      1 9 99 z,     tombstone over expiring however late",
        "1 0 6 -,      1 0 5 -,      later tombstone",
        "1 9 6 a,      1 1 5 z,      later expiry over TTL and value",
        "1 1 6 a,      1 9 6 z,      lower TTL of equal expiries",
        "1 9 6 b,      1 9 6 a,      larger value of equal expiries",
        "1 0 - b,      1 0 - a,      larger value",
        "1 0 - aa,     1 0 - a,      longer value",
        "1 0 - \u00ff, 1 0 - a,      values are unsigned",
        "1 0 - a,      1 0 - empty,  any value over an empty one",
        "1 0 - empty,  1 0 - -,      an empty value over an absent one",
    })
    void shouldReconcileCellsByRule3(String winner, String loser, String why) {
        assertThat(Reconciler.compareCells(cell(winner), 0, cell(loser), 0))
                .as(why)
                .isPositive();
        assertThat(Reconciler.compareCells(cell(loser), 0, cell(winner), 0))
                .as(why)
                .isNegative();
        assertThat(Reconciler.compareCells(cell(winner), 0, cell(winner), 0)).isZero();
        assertThat(Reconciler.compareCells(cell(loser), 0, cell(loser), 0)).isZero();
    }

    @Test
    void shouldCompareClampedTimes() {
        Row far = cell("1 9 300 a");
        Row near = cell("1 5 200 a");
        assertThat(Reconciler.compareCells(far, 0, near, 0, CanonicalEncoder.UNCLAMPED))
                .isPositive();
        // Both at the ceiling: now the lower TTL wins, as it does once they have been written.
        assertThat(Reconciler.compareCells(far, 0, near, 0, 200)).isNegative();
        assertThat(Reconciler.compareCells(far, 0, cell("1 0 - z"), 0, 200)).isPositive();
    }

    /** {@code timestamp ttl expiry}; the TTL {@code E} marks expired liveness. */
    private static Row liveness(String text) {
        String[] parts = text.split(" ");
        Row row = new Row();
        int ttl = parts[1].equals("E") ? Row.EXPIRED_LIVENESS_TTL : Integer.parseInt(parts[1]);
        row.liveness(Long.parseLong(parts[0]), ttl, seconds(parts[2]));
        return row;
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource({
        "2 0 -,  1 E 9,  higher timestamp over the expired marker",
        "1 E 5,  1 9 99, the expired marker over a later expiry",
        "1 E 5,  1 0 -,  the expired marker over liveness without end",
        "1 9 5,  1 0 -,  expiring over not",
        "1 9 6,  1 1 5,  larger expiry over lower TTL",
        "1 1 6,  1 9 6,  lower TTL of equal expiries",
        "1 E 6,  1 E 5,  larger expiry of two markers",
    })
    void shouldReconcileLivenessByRule4(String winner, String loser, String why) {
        assertThat(Reconciler.compareLiveness(liveness(winner), liveness(loser)))
                .as(why)
                .isPositive();
        assertThat(Reconciler.compareLiveness(liveness(loser), liveness(winner)))
                .as(why)
                .isNegative();
        assertThat(Reconciler.compareLiveness(liveness(winner), liveness(winner)))
                .isZero();
    }

    @Test
    void shouldLetAnyLivenessWinOverNone() {
        for (String any : List.of("-5 0 -", "1 E 5", "1 9 6")) {
            assertThat(Reconciler.compareLiveness(liveness(any), new Row())).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 1, 9", "1, 6, 1, 5", "1, 4294967295, 1, 5", "-1, 5, -2, 5"})
    void shouldCompareDeletionsByRule6(long micros, long seconds, long otherMicros, long otherSeconds) {
        assertThat(Reconciler.compareDeletions(micros, seconds, otherMicros, otherSeconds))
                .isPositive();
        assertThat(Reconciler.compareDeletions(otherMicros, otherSeconds, micros, seconds))
                .isNegative();
        assertThat(Reconciler.compareDeletions(micros, seconds, micros, seconds))
                .isZero();
        assertThat(Reconciler.compareDeletions(
                        micros, seconds, DeletionTime.NO_TIMESTAMP, DeletionTime.NO_DELETION_TIME))
                .isPositive();
    }
}
