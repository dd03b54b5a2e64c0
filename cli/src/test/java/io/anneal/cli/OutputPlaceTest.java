package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that write files leave alone what they read, and what stands where they would make their own. */
final class OutputPlaceTest {
    private static final String ID = "5a1c395eb41f11e59f22ba0be0483c18";

    @TempDir
    private Path directory;

    private Path table;

    @BeforeEach
    void setUp() throws IOException {
        Path made = Tables.write(
                directory.resolve("made"),
                writer -> writer.row()
                        .key("id", 1)
                        .clustering("at", 1)
                        .set("name", "a")
                        .insert());
        table = directory.resolve("data/ks/readings-" + ID);
        Files.createDirectories(table.getParent());
        Files.move(made, table);
        Files.createSymbolicLink(directory.resolve("link"), table);
        Files.createSymbolicLink(directory.resolve("data-link"), directory.resolve("data"));
    }

    private List<String> tree() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(Path::toString).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"scrub", "rewrite"})
    void shouldRefuseToWriteAmongWhatIsRead(String command) throws IOException {
        Path snapshot = Files.createDirectories(table.resolve("snapshots/tag"));
        try (Stream<Path> files = Files.list(table)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, snapshot.resolve(file.getFileName()));
            }
        }
        List<String> before = tree();
        for (Path source : List.of(table, table.resolve("nb-1-big-Data.db"), directory.resolve("link"), snapshot)) {
            for (Path target : List.of(
                    table,
                    table.resolve("new"),
                    table.resolve("../readings-" + ID),
                    directory.resolve("link"),
                    directory.resolve("link/new/deep"),
                    directory.resolve("absent/../data"),
                    directory.resolve("data-link"),
                    table.resolve("snapshots"),
                    directory.resolve("data"))) {
                CommandRun run = CommandRun.of("sstable", command, source, "--to", target);
                assertThat(run.exitCode())
                        .as("%s to %s: %s", source, target, run.err())
                        .isEqualTo(ExitCode.USAGE);
                assertThat(run.err()).contains("ANL-4001", "directory=" + target, "source=");
                assertThat(tree()).isEqualTo(before);
            }
        }
        for (Path source : List.of(directory.resolve("data"), directory.resolve("data-link/ks"))) {
            for (Path target : List.of(
                    directory.resolve("data/ks/new"), directory.resolve("data-link/ks/new/deep"), table.resolve("x"))) {
                CommandRun run = CommandRun.of("sstable", command, source, "--to", target);
                assertThat(run.exitCode())
                        .as("%s to %s: %s", source, target, run.err())
                        .isEqualTo(ExitCode.USAGE);
                assertThat(run.err()).contains("ANL-4001", "directory=" + target, "source=");
                assertThat(tree()).isEqualTo(before);
            }
        }
        CommandRun beside = CommandRun.of("sstable", command, table, "--to", directory);
        assertThat(beside.exitCode()).as(beside.err()).isZero();
        assertThat(directory.resolve("ks/readings/nb-1-big-Data.db")).exists();
    }

    @ParameterizedTest
    @ValueSource(strings = {"scrub", "rewrite", "rewrite --compact"})
    void shouldLeaveTheSchemaBesideWhatItWrites(String command) throws IOException {
        Path source = directory.resolve("link");
        Path given = directory.resolve("given.cql");
        Path target = directory.resolve("new");
        Path text = target.resolve("ks/readings/schema.cql");
        List<Object> words = new ArrayList<>(List.of("sstable"));
        words.addAll(List.of(command.split(" ")));
        words.addAll(List.of(source, "--to", target));

        assertThat(CommandRun.of(words.toArray()).exitCode()).isZero();
        assertThat(CommandRun.of("scan", "--data", target).out())
                .isNotEmpty()
                .isEqualTo(CommandRun.of("scan", "--data", source).out());

        Files.writeString(text, "-- another's");
        Files.move(source.resolve("schema.cql"), given);
        words.addAll(List.of("--schema", given));
        assertThat(CommandRun.of(words.toArray()).exitCode()).isZero();
        assertThat(text).hasContent("-- another's");
        Files.delete(text);
        assertThat(CommandRun.of(words.toArray()).exitCode()).isZero();
        assertThat(Files.readString(text)).contains("readings", "name text");

        Files.delete(text);
        words.subList(words.size() - 2, words.size()).clear();
        assertThat(CommandRun.of(words.toArray()).exitCode()).isZero();
        assertThat(text).as("SSTables alone do not tell all").doesNotExist();
    }

    @Test
    void shouldRefuseADemoWhereFilesStand() throws IOException {
        List<String> before = tree();
        for (Path place : List.of(directory.resolve("data"), table.resolve("nb-1-big-Data.db"))) {
            CommandRun run = CommandRun.of("demo", "--rows", 100, "--dir", place);
            assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("ANL-4001", "--dir", place.toString());
            assertThat(tree()).isEqualTo(before);
        }
        for (Path place : List.of(Files.createDirectory(directory.resolve("empty")), directory.resolve("a/new"))) {
            assertThat(CommandRun.of("demo", "--rows", 100, "--dir", place).exitCode())
                    .isZero();
        }
    }

    @Test
    void shouldGenerateWhatTheNextCommandReads() throws IOException {
        Path schema = Files.writeString(directory.resolve("t.cql"), Tables.TEXT);
        Object[] generate = {"sstable", "generate", "--schema", schema, "--rows", 3, "--to", directory.resolve("out")};
        assertThat(CommandRun.of(generate).exitCode()).isZero();
        Path generated = directory.resolve("out/ks/readings");
        CommandRun scan = CommandRun.of("scan", "--data", directory.resolve("out"), "--where", "id > -2147483648");
        assertThat(scan.exitCode()).as(scan.err()).isZero();
        assertThat(scan.out().lines()).hasSize(3).allMatch(line -> line.contains("\"id\""));

        List<String> before = tree();
        CommandRun again = CommandRun.of(generate);
        assertThat(again.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(again.err()).contains("ANL-4001", "--to", "directory=" + generated);
        assertThat(tree()).isEqualTo(before);

        Files.delete(generated.resolve("schema.cql"));
        CommandRun without = CommandRun.of("scan", "--data", generated, "--where", "id = 1");
        assertThat(without.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(without.err())
                .contains("ANL-2001", "column=id", "--schema FILE.cql")
                .doesNotContain("no such column");
    }
}
