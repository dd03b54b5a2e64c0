package io.anneal.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.PhaseNote;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class OrderedWorkTest {
    private static int exitCode(PhaseNote.Kind kind, Map<String, String> facts) {
        return OrderedWork.exitCode(kind, new PhaseNote(Instant.EPOCH, 2, "ada", kind, facts));
    }

    @Test
    void shouldNotTakeACopyForAComparison() {
        PhaseNote copied =
                new PhaseNote(Instant.EPOCH, 2, "ada", PhaseNote.Kind.BACKFILL, Map.of("rows", "3", "mismatches", "0"));
        assertThat(OrderedWork.exitCode(PhaseNote.Kind.VERIFICATION, copied)).isEqualTo(1);
    }

    @Test
    void shouldTakeTheWayBackForTheComparisonThatItEndsWith() {
        PhaseNote back = new PhaseNote(
                Instant.EPOCH, 2, "ada", PhaseNote.Kind.REVERSE_BACKFILL, Map.of("rows", "3", "mismatches", "0"));
        PhaseNote differing = new PhaseNote(
                Instant.EPOCH, 2, "ada", PhaseNote.Kind.REVERSE_BACKFILL, Map.of("rows", "3", "mismatches", "1"));
        assertThat(OrderedWork.exitCode(PhaseNote.Kind.VERIFICATION, back)).isZero();
        assertThat(OrderedWork.exitCode(PhaseNote.Kind.VERIFICATION, differing)).isEqualTo(1);
    }

    @Test
    void shouldExitWith0OnlyWhenSomethingWasComparedAndNothingDiffers() {
        PhaseNote.Kind verification = PhaseNote.Kind.VERIFICATION;
        assertThat(exitCode(verification, Map.of(Facts.ROWS, "3", Facts.MISMATCHES, "0")))
                .isZero();
        assertThat(exitCode(verification, Map.of(Facts.ROWS, "3", Facts.MISMATCHES, "1")))
                .isEqualTo(1);
        assertThat(exitCode(verification, Map.of(Facts.ROWS, "0", Facts.MISMATCHES, "0")))
                .isEqualTo(1);
        assertThat(exitCode(verification, Map.of(Facts.MISMATCHES, "0"))).isEqualTo(1);
        assertThat(exitCode(verification, Map.of(Facts.ROWS, "0", Facts.MISMATCHES, "0", Facts.WHOLE, "true")))
                .as("two stores that are empty were compared")
                .isZero();
        assertThat(exitCode(PhaseNote.Kind.BACKFILL, Map.of(Facts.ROWS, "0"))).isZero();
    }
}
