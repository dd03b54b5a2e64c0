package io.anneal.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DurationTextTest {
    @Test
    void shouldReadDurationsAsPeopleWriteThem() {
        assertThat(DurationText.parse("500ms")).isEqualTo(Duration.ofMillis(500));
        assertThat(DurationText.parse("10m")).isEqualTo(Duration.ofMinutes(10));
        assertThat(DurationText.of(Duration.ofHours(48))).isEqualTo("2d");
        assertThat(DurationText.of(Duration.ofMillis(1500))).isEqualTo("1500ms");
        for (String text : List.of("", "10", "m", "-1s", "1.5s", "1w")) {
            assertThatThrownBy(() -> DurationText.parse(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
