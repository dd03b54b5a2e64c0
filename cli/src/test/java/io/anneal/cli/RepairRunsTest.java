package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.cli.command.ExitCode;
import io.anneal.io.Directories;
import io.anneal.io.DirectoryLock;
import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code anneal repair} keeps records of its runs, goes on with those that were interrupted, and tells of them. */
@Timeout(60)
final class RepairRunsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LARGE_ROWS = 2_000;

    @TempDir
    private Path directory;

    private Path state;
    private Path one;
    private Path two;

    @BeforeEach
    void makeReplicas() throws IOException {
        state = directory.resolve("state");
        one = replica("one", 3);
        two = replica("two", 4);
    }

    /** Two tables, of which the second takes its time where rows are read at a rate. */
    private Path replica(String name, int smallRows) throws IOException {
        Path replica = directory.resolve(name);
        write(replica, "a_small", smallRows);
        write(replica, "large", LARGE_ROWS);
        return replica;
    }

    private static void write(Path replica, String table, int rows) throws IOException {
        String text = Tables.TEXT.replace("ks.readings", "ks." + table);
        TableSchema schema = Tables.schema(text);
        Tables.write(replica, schema, text, writer -> {
            for (int id = 0; id < rows; id++) {
                writer.row().key("id", id).clustering("at", 1).set("name", "x").insert();
            }
        });
    }

    private Object[] words(Object... more) {
        List<Object> words = new ArrayList<>(List.of("repair", "--state", state));
        words.addAll(List.of(more));
        return words.toArray();
    }

    private CommandRun run(Object... more) {
        return CommandRun.inTime(words(more));
    }

    private CommandRun compare(String table, Object... more) {
        List<Object> words = new ArrayList<>(List.of("--dir", one, "--dir", two, "--full-replicas", "--table", table));
        words.addAll(List.of(more));
        return run(words.toArray());
    }

    private List<Path> homes() throws IOException {
        if (!Files.exists(state)) {
            return List.of();
        }
        try (Stream<Path> homes = Files.list(state)) {
            return homes.toList();
        }
    }

    private Path home() throws IOException {
        assertThat(homes()).hasSize(1);
        return homes().get(0);
    }

    private String id() throws IOException {
        return home().getFileName().toString();
    }

    private JsonNode record() throws IOException {
        return JSON.readTree(Files.readAllBytes(home().resolve("run.json")));
    }

    private static String lastLine(CommandRun run) {
        List<String> lines = run.err().lines().toList();
        return lines.get(lines.size() - 1);
    }

    /** A repair of both tables into {@code out} that is interrupted when the first is done and the second is not. */
    private CommandRun interrupted() throws Exception {
        return interrupted("--apply", "--out", directory.resolve("out"));
    }

    private CommandRun interrupted(Object... what) throws Exception {
        List<Object> words = new ArrayList<>(List.of("--parallel", "1", "--rate", "100"));
        words.addAll(List.of(what));
        Callable<CommandRun> slow = () -> compare("ks.*", words.toArray());
        FutureTask<CommandRun> task = new FutureTask<>(slow);
        Thread thread = new Thread(task, "interrupted-repair");
        thread.start();
        while (homes().isEmpty()
                || !Files.exists(home().resolve("run.json"))
                || record().get("tables").isEmpty()) {
            assertThat(thread.isAlive()).isTrue();
            Thread.sleep(5);
        }
        thread.interrupt();
        return task.get(30, TimeUnit.SECONDS);
    }

    @Test
    void shouldGoOnWithARunThatWasInterrupted() throws Exception {
        CommandRun first = interrupted();
        assertThat(first.exitCode()).as(first.err()).isEqualTo(ExitCode.INTERRUPTED);
        String resume = "anneal repair --state=" + state + " --resume " + id().substring(0, 8);
        assertThat(lastLine(first)).isEqualTo("go on with: " + resume);
        CommandRun status = run("--status");
        assertThat(status.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(status.out()).contains("has stopped", "ks.a_small, ks.large between one, two", resume);

        CommandRun second = run("--resume", id().substring(0, 8), "--rate", "0");

        assertThat(second.exitCode()).as(second.err()).isZero();
        assertThat(second.out())
                .as("also of what the first part did")
                .contains("ks.a_small: the replicas differed", "ks.large: ", "run " + id() + " was resumed")
                .contains("one: read 3 rows, received 1 row and");
        assertThat(run("--status").exitCode()).isZero();
        assertThat(record().get("outcome").asText()).isEqualTo("done");
        assertThat(record().get("started")).hasSize(2);
        assertThat(home().resolve("checkpoint")).doesNotExist();
        CommandRun again = run("--resume", id());
        assertThat(again.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(again.err()).contains("ANL-3009", "run has ended", id());
    }

    @Test
    void shouldTellWhatWasRemovedSinceAnEarlierPart() throws Exception {
        interrupted();
        Directories.deleteTree(directory.resolve("out").resolve("one"));

        CommandRun resumed = run("--resume", id(), "--rate", "0");

        assertThat(resumed.exitCode()).as(resumed.err()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(resumed.out())
                .contains(
                        "ks.a_small: the replicas differed; whether they are equal with what was written for each is not"
                                + " known",
                        "may not have kept 1 row or deletion that it was sent",
                        "what an earlier part of the run staged",
                        "repair again where it was not imported",
                        "ks.large: the replicas are equal");
        CommandRun history = run("--history");
        assertThat(history.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(history.out()).contains("ks.a_small: never", "ks.large between one, two: 2");
    }

    /** That it was compared says nothing of what the replica has now. */
    @Test
    void shouldNotGoOnWithAReplicaThatHasLostItsData() throws Exception {
        interrupted();
        try (Stream<Path> files = Files.find(one, 9, (file, attributes) -> attributes.isRegularFile())) {
            for (Path file : files.toList()) {
                if (file.getParent().getFileName().toString().startsWith("a_small")
                        && !file.getFileName().toString().equals("schema.cql")) {
                    Files.delete(file);
                }
            }
        }

        CommandRun resumed = run("--resume", id(), "--rate", "0");

        assertThat(resumed.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(lastLine(resumed)).contains("go on with");
        assertThat(resumed.err())
                .contains(
                        "replica has nothing any more of what an earlier part of the run compared",
                        "replica=one",
                        "table=ks.a_small");
        assertThat(resumed.out()).doesNotContain("equal");
    }

    /** It may lie there for days until somebody goes on, and imports all of it. */
    @Test
    void shouldTellWhatWasCutShortSinceAnEarlierPart() throws Exception {
        interrupted();
        Path data = directory
                .resolve("out")
                .resolve("one")
                .resolve("ks")
                .resolve("a_small")
                .resolve("nb-1-big-Data.db");
        byte[] whole = Files.readAllBytes(data);
        Files.write(data, Arrays.copyOf(whole, whole.length - 1));

        CommandRun resumed = run("--resume", id(), "--rate", "0");

        assertThat(resumed.exitCode()).as(resumed.err()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(resumed.out())
                .contains("what an earlier part of the run staged", "cut short or replaced", "is not known");
    }

    @Test
    void shouldTellWhatWasChangedSinceAnEarlierPart() throws Exception {
        interrupted();
        Path data = directory
                .resolve("out")
                .resolve("one")
                .resolve("ks")
                .resolve("a_small")
                .resolve("nb-1-big-Data.db");
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length - 1] ^= 1;
        Files.write(data, bytes);

        CommandRun resumed = run("--json", "--resume", id(), "--rate", "0");

        assertThat(resumed.exitCode()).as(resumed.err()).isEqualTo(ExitCode.UNANSWERED);
        JsonNode table = JSON.readTree(resumed.out()).at("/tables/0");
        assertThat(table.get("table").asText()).isEqualTo("ks.a_small");
        assertThat(table.has("were-equal")).isFalse();
        assertThat(table.at("/replicas/0/unkept/0/may-be-kept").asBoolean()).isTrue();
        assertThat(table.at("/replicas/0/unkept/0/reason").asText()).contains("digest does not match the data");
    }

    /** It has the slices that were drawn, and tells of all of them. */
    @Test
    void shouldTakeTheSameSlicesWhenASampleIsGoneOnWith() throws Exception {
        CommandRun first = interrupted("--sample", "60%");
        assertThat(first.exitCode()).as(first.err()).isEqualTo(ExitCode.INTERRUPTED);
        String recorded = record().get("arguments").toString();

        CommandRun second = run("--json", "--resume", id(), "--rate", "0");

        JsonNode resumed = JSON.readTree(second.out());
        assertThat(resumed.get("run").asText()).isEqualTo(id());
        assertThat(resumed.get("starts").asInt()).isEqualTo(2);
        assertThat(record().get("outcome").asText()).isEqualTo("done");
        String seed = "--seed=" + resumed.at("/sample/seed").asText();
        assertThat(recorded).contains("\"" + seed + "\"");
        CommandRun again = compare("ks.*", "--sample", "60%", "--json", seed);
        assertThat(second.exitCode()).as(second.err()).isEqualTo(again.exitCode());
        JsonNode alone = JSON.readTree(again.out());
        assertThat(resumed.get("sample")).isEqualTo(alone.get("sample"));
        assertThat(resumed.get("tables"))
                .hasSize(2)
                .extracting(table -> table.get("sample"))
                .containsExactlyElementsOf(alone.findValues("sample").subList(0, 2));
    }

    @Test
    void shouldSayTheSameWithQuietAndAsJson() throws Exception {
        interrupted();
        CommandRun status = run("--status", "--json");
        JsonNode run = JSON.readTree(status.out()).get("runs").get(0);
        assertThat(run.get("state").asText()).isEqualTo("stopped");
        assertThat(run.get("resume").asText()).endsWith("--resume " + id().substring(0, 8));
        assertThat(run.get("arguments").toString())
                .contains("--dir=" + one.toAbsolutePath(), "--table=ks.a_small", "--table=ks.large")
                .doesNotContain("ks.*", "--state");

        CommandRun second = run("--json", "--quiet", "--resume", id(), "--rate", "0");
        assertThat(second.exitCode()).as(second.err()).isZero();
        JsonNode result = JSON.readTree(second.out());
        assertThat(result.get("run").asText()).isEqualTo(id());
        assertThat(result.get("starts").asInt()).isEqualTo(2);
    }

    @Test
    void shouldEndTheJsonOfItsRowsWhenItIsInterrupted() throws Exception {
        CommandRun stopped = interrupted("--rows", "--json");

        assertThat(stopped.exitCode()).isEqualTo(ExitCode.INTERRUPTED);
        JsonNode told = JSON.readTree(stopped.out());
        assertThat(told.get("rows")).isNotEmpty();
        assertThat(told.has("tables")).as("a result").isFalse();
    }

    @Test
    void shouldLetOneOfTwoResumesHaveTheRun() throws Exception {
        interrupted();
        try (DirectoryLock other = DirectoryLock.take(home(), ".run.lock", "run of a repair", Optional.empty())) {
            CommandRun refused = run("--resume", id());
            assertThat(refused.exitCode()).isEqualTo(ExitCode.UNANSWERED);
            assertThat(refused.err()).as("%s", other).contains("run is going on", "pid=");
            assertThat(run("--status").out()).contains("is running since", "pid=");
        }
        assertThat(run("--resume", id(), "--rate", "0").exitCode()).isZero();
    }

    @Test
    void shouldSayWhatHelpsWhereACheckpointIsDamaged() throws Exception {
        interrupted();
        Path checkpoint = home().resolve("checkpoint");
        Files.writeString(checkpoint, "anneal-job 2\nran");
        String anew = "remove " + checkpoint + ", then do all of it again";

        CommandRun status = run("--status");
        assertThat(status.out()).contains("  " + anew + " before ").doesNotContain("go on");
        JsonNode told =
                JSON.readTree(run("--status", "--json").out()).get("runs").get(0);
        assertThat(told.get("remove-first").asText()).isEqualTo(checkpoint.toString());
        CommandRun refused = run("--resume", id());
        assertThat(refused.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err().lines().filter(line -> line.contains("ANL-")))
                .singleElement()
                .asString()
                .contains("checkpoint can't be read", "file=" + checkpoint);
        assertThat(lastLine(refused))
                .isEqualTo(anew + " with: anneal repair --state=" + state + " --resume " + id().substring(0, 8));
        assertThat(refused.out()).doesNotContain("was resumed");

        Files.delete(checkpoint);
        assertThat(run("--status").out()).contains("  go on before ");
        CommandRun again = run("--resume", id(), "--rate", "0");
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(again.out()).contains("ks.a_small: ", "ks.large: ", "run " + id() + " was resumed");
    }

    @Test
    void shouldSayWhatIsNextOfWhatWasTyped() {
        assertThat(compare("ks.a_small").out()).contains("next: the same with --apply --out DIR writes what each");
    }

    @Test
    void shouldNotGoOnWithWhatIsTooOld() throws Exception {
        interrupted();
        Instant later = Instant.now().plus(Duration.ofDays(11));
        CommandRun status = CommandRun.at(later, words("--status"));
        assertThat(status.exitCode()).isZero();
        assertThat(status.out()).contains("is too old to go on with").doesNotContain("--resume");
        CommandRun refused = CommandRun.at(later, words("--resume", id()));
        assertThat(refused.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err()).contains("run is too old", "start another one");
        assertThat(CommandRun.at(later, words("--history")).out()).contains("not finished, and too old");
    }

    @ParameterizedTest
    @CsvSource({
        "--resume 12345678, no run has this id",
        "--resume 1, give 8 characters",
        "--resume 12345678 --dir x, leave out --dir",
        "--resume 12345678 --allow-empty --dry-run, 'leave out --allow-empty, --dry-run'",
        "--status --history, exclude each other",
        "--status --apply, leave out --apply",
        "--history --rate 7, leave out --rate",
        "--dir x --dir y --full-replicas, --table KS.TABLE",
    })
    void shouldRefuseWhatDoesNotGoTogether(String words, String reason) throws Exception {
        Files.createDirectories(state.resolve("1b4e28ba-2fa1-41d2-883f-0016d3cca427"));
        CommandRun run = run((Object[]) words.split(" "));
        assertThat(run.exitCode()).isNotZero();
        assertThat(run.err()).startsWith("anneal: error ").contains(reason);
        assertThat(homes()).as("nothing is recorded of wrong usage").hasSize(1);
    }

    @Test
    void shouldRepairWithoutARecordWhereNoneCanBeWritten() throws Exception {
        Files.writeString(state, "a file");
        CommandRun run = compare("ks.a_small", "--apply", "--out", directory.resolve("out"));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err().lines().filter(line -> line.startsWith("warning: ")))
                .singleElement()
                .asString()
                .contains("can't be resumed", "state=" + state);
    }

    @Test
    void shouldNotOfferToGoOnWhereNothingWasDone() throws Exception {
        CommandRun run = compare("ks.nothing");
        assertThat(run.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(run.err()).doesNotContain("--resume");
        assertThat(record().get("outcome").asText()).isEqualTo("failed");
        assertThat(run("--status").exitCode()).isZero();
        assertThat(run("--history").out()).contains("failed before anything was done");
    }

    @Test
    void shouldCountWhatIsDoneWhereAnotherTableFails() throws Exception {
        write(one, "lonely", 1);
        List<Object> words = new ArrayList<>(List.of("--table", "ks.absent", "--table", "ks.lonely"));
        CommandRun half = compare("ks.a_small", words.toArray());
        assertThat(half.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(run("--status").out()).contains("ks.a_small, ks.lonely between", "1 of 3 parts done");

        write(two, "lonely", 1);
        CommandRun whole = run("--resume");
        assertThat(whole.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(whole.err()).contains("table=ks.absent").doesNotContain("go on with");
        assertThat(run("--status").exitCode()).isZero();
        assertThat(run("--history").out())
                .contains("ks.a_small, ks.lonely between")
                .doesNotContain("failed", "absent");
    }

    @Test
    void shouldPassOverRecordsThatAreNone() throws Exception {
        assertThat(compare("ks.a_small").exitCode()).isEqualTo(ExitCode.NO);
        Path good = home();
        copy(good, "1b4e28ba-2fa1-41d2-883f-0016d3cca427", text -> text);
        copy(good, "2b4e28ba-2fa1-41d2-883f-0016d3cca427", text -> text.substring(0, text.length() / 2));
        copy(good, "3b4e28ba-2fa1-41d2-883f-0016d3cca427", text -> text.replace("\"schema\" : 1", "\"schema\" : 9"));
        copy(good, "4b4e28ba-2fa1-41d2-883f-0016d3cca427", text -> text.replace("\"dry-run\"", "\"wet-run\""));
        copy(good, "5b4e28ba-2fa1-41d2-883f-0016d3cca427", text -> "");
        Files.createDirectories(state.resolve("lost+found"));

        CommandRun history = run("--history");
        assertThat(history.exitCode())
                .as("what can't be read may say otherwise")
                .isEqualTo(ExitCode.NO);
        assertThat(history.out()).contains(good.getFileName().toString().substring(0, 8));
        assertThat(history.err().lines())
                .hasSize(5)
                .allMatch(line -> line.startsWith("warning: record of a run can't be read"));
        CommandRun resume = run("--resume", "2b4e28ba");
        assertThat(resume.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(resume.err()).contains("it is no JSON");
    }

    private void copy(Path home, String id, UnaryOperator<String> change) throws IOException {
        Path copied = Files.createDirectories(state.resolve(id));
        Files.writeString(copied.resolve("run.json"), change.apply(Files.readString(home.resolve("run.json"))));
    }

    @Test
    void shouldKeepAThousandRunsThatAreOver() throws Exception {
        compare("ks.a_small");
        Path first = home();
        String text = Files.readString(first.resolve("run.json"));
        for (int i = 0; i < 1_001; i++) {
            String id = String.format(Locale.ROOT, "%08x-2fa1-41d2-883f-0016d3cca427", i);
            Path copied = Files.createDirectories(state.resolve(id));
            String started = Instant.ofEpochSecond(1_700_000_000L + i).toString();
            Files.writeString(
                    copied.resolve("run.json"),
                    text.replace(first.getFileName().toString(), id)
                            .replaceFirst("\"started\" : \\[ \"[^\"]*\"", "\"started\" : [ \"" + started + "\""));
        }
        compare("ks.a_small");
        assertThat(homes().size()).as("with the one that was going on then").isEqualTo(1_001);
        assertThat(first).exists();
        assertThat(state.resolve("00000001-2fa1-41d2-883f-0016d3cca427")).doesNotExist();
        assertThat(state.resolve("00000002-2fa1-41d2-883f-0016d3cca427")).exists();
    }

    /** A daily alarm looks at what was recorded of tables, however often somebody looked since. */
    @Test
    void shouldKeepWhatSaysUntilWhenATableIsCovered() throws Exception {
        CommandRun repaired = compare("ks.a_small", "--apply", "--out", directory.resolve("out"));
        assertThat(repaired.exitCode()).as(repaired.err()).isZero();
        Path repair = home();
        String covered = lastLineOf(run("--history").out());
        assertThat(run("--history").exitCode()).isEqualTo(ExitCode.NO);
        String text = Files.readString(repair.resolve("run.json")).replace("\"dry-run\" : false", "\"dry-run\" : true");
        Files.writeString(
                repair.resolve("run.json"),
                text.replace("\"dry-run\" : true", "\"dry-run\" : false")
                        .replaceFirst("\"started\" : \\[ \"20", "\"started\" : [ \"19"));
        for (int i = 0; i < 1_001; i++) {
            String id = String.format(Locale.ROOT, "%08x-2fa1-41d2-883f-0016d3cca427", i);
            copy(repair, id, whole -> text.replace(repair.getFileName().toString(), id));
        }
        compare("ks.a_small");

        assertThat(repair).exists();
        assertThat(homes()).hasSizeLessThan(1_004);
        assertThat(run("--history", "--quiet").exitCode()).isEqualTo(ExitCode.NO);
        assertThat(lastLineOf(run("--history").out())).isEqualTo(covered);
    }

    private static String lastLineOf(String text) {
        List<String> lines = text.lines().toList();
        return lines.get(lines.size() - 1);
    }

    @Test
    void shouldShowTheOtherRunsWhereARecordCannotBeOpened() throws Exception {
        compare("ks.a_small");
        String id = id();
        Path broken = state.resolve("2b4e28ba-2fa1-41d2-883f-0016d3cca427");
        Files.createDirectories(broken.resolve("run.json"));

        for (String what : List.of("--history", "--status")) {
            CommandRun run = run(what);
            assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.NO);
            assertThat(run.err()).contains("warning: ", broken.toString());
        }
        assertThat(run("--history").out()).contains(id.substring(0, 8));
    }
}
