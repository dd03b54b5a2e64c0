package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClockSkewTest {
    private static final Instant ASKED = Instant.ofEpochSecond(1_000);
    private final List<String> notes = new ArrayList<>();

    private static ClockSkew skew(long theirsSeconds) {
        return ClockSkew.of("n2", ASKED, Instant.ofEpochSecond(theirsSeconds), ASKED.plusSeconds(5));
    }

    @ParameterizedTest
    @CsvSource({"1000, 0", "1003, 0", "1005, 0", "1007, 2", "999, -1", "0, -1000"})
    void shouldCountOnlyWhatTheWayThereAndBackDoesNotExplain(long theirsSeconds, long offsetSeconds) {
        assertThat(skew(theirsSeconds).offset()).isEqualTo(Duration.ofSeconds(offsetSeconds));
    }

    @Test
    void shouldRefuseClockThatIsFarOffInEitherDirection() {
        for (long theirs : new long[] {1_016, 989}) {
            assertThatThrownBy(() -> ClockSkew.check(List.of(skew(1_000), skew(theirs)), Set.of(), notes))
                    .isInstanceOfSatisfying(
                            ReplicaException.class,
                            refused -> assertThat(refused.waiver()).contains(Waiver.CLOCK_SKEW))
                    .hasMessageContaining("replica=n2")
                    .hasMessageContaining("NTP");
        }
    }

    @Test
    void shouldSayWhatIsWorthANoteAndCountIt() throws ReplicaException {
        assertThat(ClockSkew.check(List.of(skew(1_006)), Set.of(), notes)).isEqualTo(1);
        assertThat(notes).isEmpty();
        assertThat(ClockSkew.check(List.of(skew(1_008), skew(999)), Set.of(), notes))
                .isEqualTo(3);
        assertThat(notes).singleElement().asString().contains("millisAhead=3000");
        notes.clear();
        assertThat(ClockSkew.check(List.of(skew(1_105)), Set.of(Waiver.CLOCK_SKEW), notes))
                .isEqualTo(100);
        assertThat(notes).hasSize(1);
    }
}
