package io.anneal.cli.runs;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OpenRunTest {
    private static final Instant NOW = ManualClock.START;
    private static final UUID ID = new UUID(1, 2);
    private static final RunSettings SETTINGS =
            new RunSettings(4, 1_000, Optional.of(RepairWindow.parse("22:00-06:00")));

    @TempDir
    private Path directory;

    private RunRecords records() {
        return new RunRecords(directory, ManualClock.at(NOW), warning -> {});
    }

    private static RunRecord run() {
        return RunRecord.starting(ID, List.of("ks.t"), List.of("ks.t"), List.of(), List.of(), false, NOW)
                .holding(HoldState.starting("a plan", NOW.plusSeconds(900), SETTINGS));
    }

    @Test
    void shouldKeepHowFarItIsWithWhatIsHeld() throws IOException {
        HoldState state;
        try (OpenRun open = records().start(run(), SETTINGS)) {
            open.holds(before -> before.at(HoldState.Step.REPAIR)
                    .withSkew(Duration.ofMillis(7))
                    .withSnapshots(NOW.plusMillis(123), Optional.of(NOW.plus(Duration.ofDays(10))))
                    .waiting(Optional.of(NOW.plusSeconds(5))));
            state = open.record().hold().orElseThrow();
            assertThat(open.settings()).isEqualTo(SETTINGS);
        }

        assertThat(records().known(ID.toString()).record().hold()).contains(state);
    }

    /** An agent may answer when another process has the run already. */
    @Test
    void shouldWriteNothingOnceItIsClosed() throws IOException {
        OpenRun open = records().start(run(), SETTINGS);
        open.close();
        Path file = directory.resolve(ID.toString()).resolve("run.json");
        String before = Files.readString(file);

        open.tells(state -> state.heldUntil(NOW.plusSeconds(9_000)));

        assertThat(file).hasContent(before);
    }
}
