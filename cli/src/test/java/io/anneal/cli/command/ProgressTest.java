package io.anneal.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.migrate.BulkOptions;
import io.anneal.migrate.bulk.BulkProgress;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class ProgressTest {
    private static final long SECOND_NANOS = 1_000_000_000;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream terminal = new PrintStream(printed, true, StandardCharsets.UTF_8);
    private long nowNanos = 7;

    private String takePrinted() {
        String text = printed.toString(StandardCharsets.UTF_8);
        printed.reset();
        return text;
    }

    @Test
    void shouldStaySilentForTwoSeconds() {
        try (Progress progress = new Progress(terminal, () -> nowNanos, "reading")) {
            progress.update(10, 1);
            nowNanos += 2 * SECOND_NANOS - 1;
            progress.update(20, 2);
        }
        assertThat(takePrinted()).isEmpty();
    }

    @Test
    void shouldTellBytesRowsRateAndTimeLeft() {
        try (Progress progress = new Progress(terminal, () -> nowNanos, "reading").total(40 << 20)) {
            nowNanos += 4 * SECOND_NANOS;
            progress.update(4 << 20, 1234);
            assertThat(takePrinted())
                    .endsWith("reading: 4.0 MiB of 40 MiB, 1,234 rows, 1.0 MiB/s, 0:36 left")
                    .startsWith("\r");
        }
        assertThat(takePrinted()).isEqualTo("\r\u001b[K");
    }

    @Test
    void shouldTellTheTimeLeftOfABackfill() {
        BulkOptions options = new BulkOptions();
        new CommandLine(options).parseArgs("--rate", "5");
        try (Progress progress = new Progress(terminal, () -> nowNanos, "copying")) {
            BulkProgress.Listener listener = options.settings("ada", progress).progress();
            nowNanos += 4 * SECOND_NANOS;
            listener.progressed(new BulkProgress(1234, 4 << 20, 3, 256, 0, OptionalLong.of(4_000)));
            assertThat(takePrinted()).endsWith("copying: 4.0 MiB, 1,234 rows, 1.0 MiB/s, 66:40 left");
        }
    }

    @Test
    void shouldChangeFiveTimesASecondAtMost() {
        try (Progress progress = new Progress(terminal, () -> nowNanos, "reading")) {
            nowNanos += 3 * SECOND_NANOS;
            progress.update(1, 0);
            takePrinted();
            nowNanos += SECOND_NANOS / 10;
            progress.update(2, 0);
            assertThat(takePrinted()).isEmpty();
            nowNanos += SECOND_NANOS / 10;
            progress.update(3, 0);
            assertThat(takePrinted()).contains("reading: 3 B");
        }
    }

    @Test
    void shouldPrintNothingWithoutTerminal() {
        try (Progress progress = new Progress(null, () -> nowNanos, "reading")) {
            nowNanos += 9 * SECOND_NANOS;
            progress.update(1, 1);
        }
        assertThat(takePrinted()).isEmpty();
    }
}
