package io.anneal.cli.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RepairWindowTest {
    @ParameterizedTest
    @CsvSource({
        "22:00-06:00, 2026-11-28T21:59:59.999Z, false, 2026-11-28T22:00:00Z",
        "22:00-06:00, 2026-11-28T22:00:00Z, true, 2026-11-28T22:00:00Z",
        "22:00-06:00, 2026-11-29T00:00:00Z, true, 2026-11-29T00:00:00Z",
        "22:00-06:00, 2026-11-29T05:59:59.999Z, true, 2026-11-29T05:59:59.999Z",
        "22:00-06:00, 2026-11-29T06:00:00Z, false, 2026-11-29T22:00:00Z",
        "01:30-04:00, 2026-11-28T01:29:59Z, false, 2026-11-28T01:30:00Z",
        "01:30-04:00, 2026-11-28T03:59:59Z, true, 2026-11-28T03:59:59Z",
        "01:30-04:00, 2026-12-31T04:00:00Z, false, 2027-01-01T01:30:00Z",
        "00:00-23:59, 2026-11-28T23:59:00Z, false, 2026-11-29T00:00:00Z"
    })
    void shouldBeOpenFromItsFirstMinuteToItsLast(String text, Instant now, boolean isOpen, Instant opens) {
        RepairWindow window = RepairWindow.parse(text);

        assertThat(window.isOpen(now, ZoneOffset.UTC)).isEqualTo(isOpen);
        assertThat(window.opens(now, ZoneOffset.UTC)).isEqualTo(opens);
        assertThat(window).hasToString(text);
    }

    /** On 29 March 2026 there it was 03:00 after 01:59:59. */
    @Test
    void shouldGoByTheClockOnTheWall() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        RepairWindow window = RepairWindow.parse("02:30-06:00");

        assertThat(window.isOpen(Instant.parse("2026-03-29T00:59:59Z"), berlin)).isFalse();
        assertThat(window.isOpen(Instant.parse("2026-03-29T01:00:00Z"), berlin)).isTrue();
        assertThat(window.isOpen(Instant.parse("2026-03-29T04:00:00Z"), berlin)).isFalse();
        assertThat(window.opens(Instant.parse("2026-03-29T04:00:00Z"), berlin))
                .isEqualTo(Instant.parse("2026-03-30T00:30:00Z"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "22-06",
                "22:00",
                "22:00-",
                "22:00-06:00 ",
                "24:00-06:00",
                "22:00-24:00",
                "22:60-23:00",
                "9:00-10:00",
                "22:00-22:00",
                "22:00-06:00-07:00",
                "-1:00-02:00",
                "22:00/06:00",
                "22:00:00-06:00:00"
            })
    void shouldRefuseWhatIsNoWindow(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RepairWindow.parse(text))
                .withMessageContaining("given=");
    }
}
