package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.Environment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

final class AnnealCommandTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "sstable",
                "nonsense",
                "sstable nonsense",
                "sstable dump",
                "sstable verify --nonsense x",
                "sstable rewrite x",
                "sstable verify --memory lots x",
                "sstable verify --memory 512 x",
                "sstable verify --log-level loud x",
                "sstable dump --now soon x"
            })
    void shouldTellUsageErrorInOneLine(String commandLine) {
        CommandRun run = CommandRun.of((Object[]) (commandLine.isEmpty() ? new String[0] : commandLine.split(" ")));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("anneal: error ANL-4001: ")
                .contains("--help'");
    }

    @ParameterizedTest
    @CsvSource({"'', warn", "--quiet, error", "--quiet --log-level warn, warn", "--log-level info, info"})
    void shouldLogWarningsUnlessQuietIsWanted(String options, String level) {
        CommandRun.of((Object[]) (options + " sstable verify missing").strip().split(" "));
        assertThat(System.getProperty("org.slf4j.simpleLogger.defaultLogLevel")).isEqualTo(level);
    }

    @ParameterizedTest
    @CsvSource({
        "dmeo, 'no such command: dmeo, did you mean demo; commands: demo, sstable, '",
        "sstable gnerate --schema T.cql --rows=1, 'no such command: gnerate, did you mean generate; commands: dump, '",
        "migrate advnce, 'no such command: advnce, did you mean advance; commands: '",
        "--jsn demo, 'did you mean --json'",
        "scan --tabel=ks.t --data x, 'did you mean --table'",
        "sstable nonsense, 'no such command: nonsense; commands: '"
    })
    void shouldSayWhichNameIsMeant(String commandLine, String answer) {
        CommandRun run = CommandRun.of((Object[]) commandLine.split(" "));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err().lines()).singleElement().asString().contains("ANL-4001", answer);
    }

    /** As /dev/full does. */
    private static final class FullStream extends OutputStream {
        @Override
        public void write(int b) throws IOException {
            throw new IOException("No space left on device");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--version", "--help", "sstable verify --help"})
    void shouldFailWhenOutputIsLost(String commandLine) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Environment environment = new Environment(
                new PrintStream(new FullStream()),
                new PrintStream(err),
                Clock.systemUTC(),
                () -> 0,
                false,
                CommandRun.HOME);
        String[] args = commandLine.split(" ");
        int exitCode = AnnealCommand.commandLine(environment, args).execute(args);
        assertThat(exitCode).isNotZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("ANL-1008", "standard output is closed or full");
    }

    @Test
    void shouldHelpOnEveryCommand() {
        shouldHelp(
                AnnealCommand.commandLine(
                        new Environment(System.out, System.err, null, () -> 0, false, CommandRun.HOME)),
                List.of());
    }

    private static void shouldHelp(CommandLine command, List<String> path) {
        Object[] args = Stream.concat(path.stream(), Stream.of("--help")).toArray();
        CommandRun run = CommandRun.of(args);
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith("Usage: anneal").contains("--stacktrace", "--json", "--quiet", "--memory");
        command.getSubcommands().forEach((name, subcommand) -> {
            List<String> deeper = new ArrayList<>(path);
            deeper.add(name);
            shouldHelp(subcommand, deeper);
        });
    }

    @Test
    void shouldPrintVersion() {
        CommandRun run = CommandRun.of("--version");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith("anneal ");
    }

    @Test
    void shouldPrintStackTraceOnlyWhenAsked() {
        assertThat(CommandRun.of("sstable", "verify", "absent").err()).doesNotContain("\tat ");
        CommandRun run = CommandRun.of("sstable", "verify", "absent", "--stacktrace");
        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.err()).startsWith("anneal: error ANL-1003").contains("NoSuchFileException", "\tat ");
    }
}
