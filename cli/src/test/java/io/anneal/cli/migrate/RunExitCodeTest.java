package io.anneal.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.harness.RunResult;
import io.anneal.harness.WalkResult;
import io.anneal.harness.load.HistoryVerdict;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class RunExitCodeTest {
    private static int exitCode(WalkResult.Outcome outcome, long staleReads, int unread) {
        PhaseRecord last = PhaseRecord.first("ada", Instant.EPOCH, "begin");
        return MigrateRunCommand.exitCode(new RunResult(
                last,
                Optional.ofNullable(outcome).map(ended -> new WalkResult(ended, last, "")),
                List.of(),
                Optional.of(new HistoryVerdict(9, 0, 0, staleReads, 0, List.of())),
                unread,
                0));
    }

    @Test
    void shouldExitWith0OnlyWhenEveryKeyWasReadAndIsRight() {
        for (WalkResult.Outcome outcome : new WalkResult.Outcome[] {null, WalkResult.Outcome.COMPLETED}) {
            assertThat(exitCode(outcome, 0, 0)).isZero();
            assertThat(exitCode(outcome, 0, 1)).isEqualTo(1);
            assertThat(exitCode(outcome, 1, 0)).isEqualTo(1);
        }
    }

    @Test
    void shouldExitWith4WhenAWalkDidNotComeThrough() {
        assertThat(exitCode(WalkResult.Outcome.ROLLED_BACK, 0, 0)).isEqualTo(4);
        assertThat(exitCode(WalkResult.Outcome.STUCK, 1, 1)).isEqualTo(4);
    }
}
