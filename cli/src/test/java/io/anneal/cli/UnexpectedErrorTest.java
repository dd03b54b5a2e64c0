package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.Environment;
import io.anneal.cli.command.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a command ends with that an error stops of which no code of Anneal knows: never with what says that something differs. */
final class UnexpectedErrorTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Throws an error once, where a command prints. */
    private static final class FailingStream extends OutputStream {
        private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        private Error failure;

        FailingStream(Error failure) {
            this.failure = failure;
        }

        @Override
        public void write(int oneByte) {
            if (failure != null) {
                Error thrown = failure;
                failure = null;
                throw thrown;
            }
            printed.write(oneByte);
        }
    }

    @TempDir
    private Path directory;

    private Path one;
    private Path two;

    @BeforeEach
    void setUp() throws IOException {
        one = directory.resolve("one");
        two = directory.resolve("two");
        Tables.write(
                one,
                writer -> writer.row()
                        .key("id", 1)
                        .clustering("at", 1)
                        .set("name", "a")
                        .insert());
        Tables.write(
                two,
                writer -> writer.row()
                        .key("id", 1)
                        .clustering("at", 1)
                        .set("name", "b")
                        .insert());
    }

    private List<String> arguments(String command) {
        return switch (command) {
            case "diff" -> List.of("diff", one.toString(), two.toString());
            case "repair" ->
                List.of(
                        "repair",
                        "--dir",
                        one.toString(),
                        "--dir",
                        two.toString(),
                        "--table=ks.readings",
                        "--full-replicas",
                        "--include-recent");
            case "sstable verify" ->
                List.of("sstable", "verify", one.resolve("ks/readings").toString());
            case "cluster history" -> List.of("cluster", "history");
            default -> List.of("sstable", "metadata", one.resolve("ks/readings").toString());
        };
    }

    static Stream<Arguments> errors() {
        return Stream.of("diff", "repair", "sstable verify", "cluster history", "sstable metadata")
                .flatMap(command -> Stream.of(
                                new StackOverflowError(),
                                new OutOfMemoryError("heap"),
                                new NoClassDefFoundError("io/anneal/None"),
                                new AssertionError("not so"))
                        .map(error -> Arguments.of(command, error)));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void shouldNotAnswerWhenAnErrorStopsIt(String command, Error failure) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Environment environment = new Environment(
                new PrintStream(new FailingStream(failure)),
                new PrintStream(err),
                Clock.fixed(CommandRun.NOW, ZoneOffset.UTC),
                () -> 0,
                false,
                CommandRun.HOME);
        String[] args = arguments(command).toArray(String[]::new);
        int exitCode = AnnealCommand.commandLine(environment, args).execute(args);
        assertThat(exitCode).isEqualTo(ExitCode.UNANSWERED);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains(failure instanceof OutOfMemoryError ? "ANL-4004" : "ANL-9001")
                .doesNotContain("\tat ");
    }

    @Test
    void shouldReadTablesWithLongExtensions() throws IOException {
        for (Path replica : List.of(one, two)) {
            Files.writeString(
                    replica.resolve("ks/readings/schema.cql"),
                    Tables.TEXT.replace(";", " AND extensions = {'tool': 0x" + "ab".repeat(1_500) + "};"));
        }
        CommandRun diff = CommandRun.of("diff", one, two);
        assertThat(diff.exitCode()).as(diff.err()).isEqualTo(ExitCode.NO);
        CommandRun repair = CommandRun.of(arguments("repair").toArray());
        assertThat(repair.exitCode()).as(repair.err()).isEqualTo(ExitCode.NO);
        CommandRun json = CommandRun.of(
                Stream.concat(arguments("repair").stream(), Stream.of("--json")).toArray());
        assertThat(JSON.readTree(json.out()).get("tables").get(0).get("table").asText())
                .isEqualTo("ks.readings");
    }
}
