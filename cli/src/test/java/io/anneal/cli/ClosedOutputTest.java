package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.Environment;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.StandardStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What commands do when nobody reads what they print, or it has no room. */
final class ClosedOutputTest {
    private static final String FULL = "No space left on device";

    /** Takes a few bytes and no more. */
    private static final class LimitedStream extends OutputStream {
        private final String reason;
        private int left;
        private int refused;

        LimitedStream(String reason, int left) {
            this.reason = reason;
            this.left = left;
        }

        @Override
        public void write(int oneByte) throws IOException {
            if (left-- <= 0) {
                refused++;
                throw new IOException(reason);
            }
        }
    }

    @TempDir
    private Path directory;

    private Path table;

    @BeforeEach
    void setUp() throws IOException {
        table = CommandRun.copyTable(directory.resolve("dropped"));
    }

    static Stream<String> commands() {
        return Stream.of(
                "--help",
                "--version",
                "sstable verify --help",
                "sstable verify TABLE",
                "sstable dump TABLE",
                "sstable dump -l TABLE",
                "sstable dump TABLE --json",
                "sstable metadata TABLE",
                "scan --data TABLE",
                "scan --data TABLE --format csv",
                "scan --data TABLE --json",
                "repair --status",
                "repair --json --no-such-option",
                "sstable dump absent --json");
    }

    private int run(String command, PrintStream out, PrintStream err) {
        Environment environment =
                new Environment(out, err, Clock.fixed(CommandRun.NOW, ZoneOffset.UTC), () -> 0, false, CommandRun.HOME);
        String[] args = Stream.of(command.split(" "))
                .map(word -> word.replace("TABLE", table.toString()))
                .toArray(String[]::new);
        return AnnealCommand.commandLine(environment, args).execute(args);
    }

    private static PrintStream stream(OutputStream out, boolean isPipe) {
        return StandardStream.of(out, StandardCharsets.UTF_8, () -> isPipe);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldEndQuietlyWhenNobodyReads(String command) {
        for (boolean isPipe : List.of(false, true)) {
            for (int bytes : List.of(0, 5)) {
                ByteArrayOutputStream err = new ByteArrayOutputStream();
                // A message is in the language of the user.
                String reason = isPipe ? "Datenübergabe unterbrochen" : "Broken pipe";
                int exitCode = run(command, stream(new LimitedStream(reason, bytes), isPipe), new PrintStream(err));
                assertThat(exitCode).isEqualTo(ExitCode.CLOSED_PIPE);
                assertThat(err.toString(StandardCharsets.UTF_8))
                        .doesNotContain("ANL-1008", "stopped", "disk", "standard output");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void shouldTellWhenThereIsNoRoom(String command) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = run(command, stream(new LimitedStream(FULL, 5), false), new PrintStream(err));
        assertThat(exitCode).isNotZero().isNotEqualTo(ExitCode.CLOSED_PIPE);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .containsOnlyOnce("ANL-1008: standard output can't be written, reason=" + FULL
                        + "; make room where the output goes");
    }

    @Test
    void shouldEndQuietlyWhenNobodyReadsErrors() {
        PrintStream err = stream(new LimitedStream("Broken pipe", 0), false);
        assertThat(run("sstable verify absent", new PrintStream(new ByteArrayOutputStream()), err))
                .isEqualTo(ExitCode.CLOSED_PIPE);
        assertThat(run("--nonsense", new PrintStream(new ByteArrayOutputStream()), err))
                .isEqualTo(ExitCode.CLOSED_PIPE);
    }

    /** What is read further on nobody sees. */
    @Test
    void shouldNotGoOnReading() {
        LimitedStream closed = new LimitedStream("Broken pipe", 5);
        assertThat(run(
                        "scan --data TABLE --page-size 1",
                        stream(closed, false),
                        new PrintStream(new ByteArrayOutputStream())))
                .isEqualTo(ExitCode.CLOSED_PIPE);
        assertThat(closed.refused).isLessThan(5);
    }
}
