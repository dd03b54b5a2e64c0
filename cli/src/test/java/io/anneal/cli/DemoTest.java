package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DemoTest {
    private static final String EQUAL = "The three replicas are equal";

    @Test
    void shouldShowOnATerminalHowFarItsWritingIs() {
        CommandRun run = CommandRun.onTerminal(Duration.ofSeconds(1), "demo", "--rows", 3_000);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err())
                .contains("\r\u001b[Kwriting: ")
                .contains(" of 8.6 MiB, 3,000 rows, ")
                .contains("\r\u001b[Kwritten in ");
        assertThat(run.out()).contains(EQUAL);
    }

    @Test
    void shouldShowNoProgressInAPipe() {
        CommandRun run = CommandRun.of("demo", "--rows", 3_000);

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).doesNotContain("writing: ").doesNotContain("\r");
        assertThat(run.out()).contains(EQUAL);
    }

    @Test
    void shouldShowNoProgressWhereQuietIsWanted() {
        CommandRun run = CommandRun.onTerminal(Duration.ofSeconds(1), "--quiet", "demo", "--rows", 3_000);

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
    }
}
