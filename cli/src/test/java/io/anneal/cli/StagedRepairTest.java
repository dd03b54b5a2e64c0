package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.util.concurrent.Uninterruptibles;
import io.anneal.cli.command.Environment;
import io.anneal.cli.command.ExitCode;
import io.anneal.schema.TableSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an earlier repair staged is no data of a replica, and is never imported along with what does not go with it. */
final class StagedRepairTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
    private static final Instant PAST_GC_GRACE = NOW.plus(Duration.ofDays(11));
    private static final String ID = "2e52ce90e54c11f199539ddbc8d5a59d";
    private static final String ANOTHER_ID = "2e6ce640e54c11f199539ddbc8d5a59d";

    @TempDir
    private Path directory;

    /** A snapshot of a node with these rows. */
    private Path snapshot(String node, String tag, int... ids) throws IOException {
        return snapshot(node, tag, Tables.TEXT, ids);
    }

    private Path snapshot(String node, String tag, String schemaText, int... ids) throws IOException {
        TableSchema schema = Tables.schema(schemaText);
        Path written = Tables.write(directory.resolve("written-" + node + tag), schema, schemaText, writer -> {
            for (int id : ids) {
                writer.row().key("id", id).clustering("at", 1).set("name", "x").insert();
            }
        });
        Path snapshot = directory.resolve(node).resolve(tag);
        Files.createDirectories(snapshot.getParent());
        return Files.move(written, snapshot);
    }

    /** A snapshot where Cassandra makes it. */
    private Path inLayout(String node, String id, String tag, String schemaText, int... ids) throws IOException {
        return snapshot(node + "/ks/readings-" + id + "/snapshots", tag, schemaText, ids);
    }

    private static String withId(String id) {
        String dashed = id.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
        return Tables.TEXT.replace("WITH ", "WITH ID = " + dashed + " AND ");
    }

    private Path out() {
        return directory.resolve("out");
    }

    /** Of snapshots that are taken at the moment of the run, as their files' times say. */
    private static CommandRun repair(Instant at, List<Path> replicas, Object... more) throws IOException {
        for (Path replica : replicas) {
            try (Stream<Path> files = Files.walk(replica)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.setLastModifiedTime(file, FileTime.from(at));
                }
            }
        }
        List<Object> args = new ArrayList<>(List.of("repair", "--table", "ks.readings", "--json"));
        replicas.forEach(replica -> args.addAll(List.of("--dir", replica)));
        args.addAll(Arrays.asList(more));
        return CommandRun.at(at, args.toArray());
    }

    private static CommandRun repairAll(Instant at, List<Path> replicas, Object... more) throws IOException {
        List<Object> args = new ArrayList<>(List.of("--full-replicas"));
        args.addAll(Arrays.asList(more));
        return repair(at, replicas, args.toArray());
    }

    private CommandRun apply(Instant at, List<Path> replicas) throws IOException {
        return repairAll(at, replicas, "--apply", "--out", out());
    }

    private static JsonNode table(CommandRun run) throws IOException {
        assertThat(run.out()).as(run.err()).isNotEmpty();
        return JSON.readTree(run.out()).at("/tables/0");
    }

    private static long received(CommandRun run) throws IOException {
        long rows = 0;
        for (JsonNode replica : table(run).get("replicas")) {
            rows += replica.path("rows-received").asLong();
        }
        return rows;
    }

    private static List<Path> staged(Path staging) throws IOException {
        if (!Files.exists(staging)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(staging)) {
            return files.filter(file -> file.toString().endsWith("-Data.db")).toList();
        }
    }

    @Test
    void shouldNotBringRowsBackThatWereDeletedSinceTheyWereStaged() throws IOException {
        CommandRun first = apply(NOW, List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8)));
        assertThat(received(first)).as(first.err()).isEqualTo(1);
        List<Path> before = staged(out());
        assertThat(before).hasSize(1);

        // Imported from a copy, deleted everywhere, and purged.
        List<Path> later = List.of(snapshot("n1", "b", 8), snapshot("n2", "b", 8));
        CommandRun again = apply(NOW.plusSeconds(60), later);
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(received(again)).isZero();
        assertThat(table(again).get("were-equal").asBoolean()).isTrue();
        assertThat(staged(out())).isEqualTo(before);
    }

    @Test
    void shouldRefuseToAddToWhatMustNotBeImportedAnyMore() throws IOException {
        apply(NOW, List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8)));
        List<Path> before = staged(out());

        List<Path> later = List.of(snapshot("n1", "b", 8), snapshot("n2", "b", 8));
        CommandRun refused = apply(PAST_GC_GRACE, later);

        assertThat(refused.exitCode()).as(refused.out()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err())
                .contains("ANL-3003", "sstable=" + out().toRealPath().resolve("n2/ks/readings/nb-1-big"))
                .contains("import-deadline=", "remove it, or give another directory");
        assertThat(staged(out())).isEqualTo(before);
        CommandRun elsewhere = repairAll(PAST_GC_GRACE, later, "--apply", "--out", directory.resolve("another"));
        assertThat(elsewhere.exitCode()).as(elsewhere.err()).isZero();
        assertThat(repairAll(PAST_GC_GRACE, later).exitCode()).isZero();

        for (Path file : before) {
            Files.delete(file);
        }
        deleteAll(out().resolve("n2/ks/readings"));
        assertThat(apply(PAST_GC_GRACE, later).exitCode()).isZero();
    }

    @Test
    void shouldPrintTheEarliestDeadlineOfAllThatAnImportWouldTake() throws IOException {
        Instant later = NOW.plus(Duration.ofDays(3));
        Instant earliest = NOW.plus(Duration.ofDays(10));
        apply(NOW, List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8, 9)));

        // What n1 lacked is imported; what n2 lacked still lies there.
        deleteAll(out().resolve("n1/ks/readings"));
        List<Path> replicas = List.of(directory.resolve("n1/a"), directory.resolve("n2/a"));
        CommandRun second = apply(later, replicas);
        assertThat(second.exitCode()).as(second.err()).isZero();
        assertThat(staged(out().resolve("n2"))).hasSize(2);
        JsonNode table = table(second);
        assertThat(table.get("import-before").asText()).isEqualTo(earliest.toString());
        assertThat(table.at("/replicas/1/import-before").asText()).isEqualTo(earliest.toString());
        assertThat(table.at("/replicas/0/import-before").asText())
                .isEqualTo(later.plus(Duration.ofDays(10)).toString());

        List<Object> args =
                new ArrayList<>(List.of("repair", "--table", "ks.readings", "--full-replicas", "--apply", "--out"));
        args.add(out());
        replicas.forEach(replica -> args.addAll(List.of("--dir", replica)));
        assertThat(CommandRun.at(later, args.toArray()).out())
                .contains("import before " + earliest + " on the node of n2:")
                .contains("import before " + later.plus(Duration.ofDays(10)) + " on the node of n1:");
    }

    @Test
    void shouldPrintNoImportOnlyWhereAnEarlierRunIsTooLate() throws IOException {
        apply(NOW, List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8, 9)));
        deleteAll(out().resolve("n1/ks/readings"));
        List<Path> replicas = List.of(directory.resolve("n1/a"), directory.resolve("n2/a"));
        // Begins in the last second of the earlier run.
        CommandRun late = apply(NOW.plus(Duration.ofDays(10)), replicas);

        assertThat(late.exitCode()).as(late.err()).isEqualTo(1);
        JsonNode table = table(late);
        assertThat(table.get("too-late-to-import").asBoolean()).isTrue();
        assertThat(table.at("/replicas/0/import")).hasSize(1);
        assertThat(table.at("/replicas/1/import")).isEmpty();
    }

    @Test
    void shouldSeeByThePathThatTheTableWasMadeAgainWhateverTheTextSays() throws IOException {
        Path text = Files.writeString(directory.resolve("old.cql"), withId(ID));
        List<Path> first = List.of(inLayout("n1", ID, "a", withId(ID), 7, 8), inLayout("n2", ID, "a", withId(ID), 8));
        assertThat(repairAll(NOW, first, "--apply", "--out", out(), "--schema", text)
                        .exitCode())
                .isZero();

        List<Path> again = List.of(
                inLayout("n1", ANOTHER_ID, "b", withId(ANOTHER_ID), 8),
                inLayout("n2", ANOTHER_ID, "b", withId(ANOTHER_ID), 8));
        CommandRun refused = repairAll(NOW.plusSeconds(60), again, "--apply", "--out", out(), "--schema", text);

        assertThat(refused.exitCode()).as(refused.out()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err()).contains("dropped and made again", "staged-id=" + ID, "id=" + ANOTHER_ID);
    }

    @Test
    void shouldSeeByTheTextBesideTheSSTablesThatTheTableWasMadeAgain() throws IOException {
        Path text = Files.writeString(directory.resolve("old.cql"), withId(ID));
        List<Path> first = List.of(snapshot("n1", "a", withId(ID), 7, 8), snapshot("n2", "a", withId(ID), 8));
        repairAll(NOW, first, "--apply", "--out", out(), "--schema", text);
        for (Path replica : first) {
            Files.writeString(replica.resolve("schema.cql"), withId(ANOTHER_ID));
        }

        CommandRun refused = repairAll(NOW.plusSeconds(60), first, "--apply", "--out", out(), "--schema", text);

        assertThat(refused.err()).contains("dropped and made again", "staged-id=" + ID, "id=" + ANOTHER_ID);
    }

    @Test
    void shouldRefuseASnapshotWhoseTextIsOfAnotherTableThanItsPath() throws IOException {
        List<Path> replicas =
                List.of(inLayout("n1", ID, "a", withId(ID), 7, 8), inLayout("n2", ID, "a", withId(ANOTHER_ID), 8));

        CommandRun refused = repairAll(NOW, replicas);

        assertThat(refused.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err())
                .contains(
                        "ANL-3003",
                        "path-id=" + ID,
                        "text-id=" + ANOTHER_ID,
                        replicas.get(1).toString());
    }

    @Test
    void shouldCompareTablesOfDifferentIdsUnderOneText() throws IOException {
        Path text = Files.writeString(directory.resolve("all.cql"), Tables.TEXT);
        List<Path> replicas = List.of(
                inLayout("n1", ID, "a", withId(ID), 7, 8), inLayout("n2", ANOTHER_ID, "a", withId(ANOTHER_ID), 8));

        CommandRun run = repairAll(NOW, replicas, "--schema", text);

        assertThat(run.exitCode()).as(run.err()).isEqualTo(1);
    }

    @Test
    void shouldNotSayDroppedWhenOnlyOneOfTheIdsIsKnown() throws IOException {
        apply(NOW, List.of(snapshot("n1", "a", withId(ID), 7, 8), snapshot("n2", "a", withId(ID), 8)));

        CommandRun refused = apply(NOW.plusSeconds(60), List.of(snapshotAgain("n1", 7, 8), snapshotAgain("n2", 8)));

        assertThat(refused.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err())
                .contains("not known whether it is the same table", ID)
                .doesNotContain("dropped", "none");
    }

    /** The snapshot of the same path, written anew without an id. */
    private Path snapshotAgain(String node, int... ids) throws IOException {
        deleteAll(directory.resolve(node).resolve("a"));
        Files.delete(directory.resolve(node).resolve("a"));
        return Files.move(snapshot(node, "again", ids), directory.resolve(node).resolve("a"));
    }

    @Test
    void shouldRefuseToCountWhatWasImportedMeanwhile() throws IOException {
        List<Path> replicas = List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8));
        String run = table(apply(NOW, replicas)).get("run").asText();
        deleteAll(out().resolve("n2/ks/readings"));

        for (int attempt = 0; attempt < 2; attempt++) {
            CommandRun refused = repairAll(NOW, replicas, "--out", out(), "--staged", run);
            assertThat(refused.exitCode()).as(refused.out()).isEqualTo(ExitCode.UNANSWERED);
            assertThat(refused.err())
                    .contains("ANL-3003", "gone", "run=" + run)
                    .contains(out().toRealPath()
                            .resolve("n2/ks/readings/nb-1-big")
                            .toString());
        }

        // The name is free again.
        String next = table(apply(NOW, replicas)).get("run").asText();
        CommandRun checked = repairAll(NOW, replicas, "--out", out(), "--staged", next);
        assertThat(checked.exitCode()).as(checked.err()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Statistics.db", "Index.db", "TOC.txt"})
    void shouldRefuseToAddToAnSSTableThatLacksAComponent(String component) throws IOException {
        List<Path> replicas = List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8));
        apply(NOW, replicas);
        Files.delete(out().resolve("n2/ks/readings/nb-1-big-" + component));

        CommandRun refused = apply(NOW, replicas);

        assertThat(refused.exitCode()).as(refused.out()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err()).contains("ANL-3003", "n2/ks/readings/nb-1-big", component);
        assertThat(staged(out())).hasSize(1);
    }

    @Test
    void shouldRefuseAnOutputThatOverlapsAReplica() throws IOException {
        Path n1 = snapshot("i", "n1", 7, 8);
        Path n2 = snapshot("i", "n2", 8);
        Path i = directory.resolve("i");
        Path link = Files.createSymbolicLink(directory.resolve("link"), n1);
        List<String> before = tree();
        for (Path out : List.of(
                i,
                n1,
                n2.resolve("new/deep"),
                link.resolve("new"),
                i.resolve("nowhere/../n2/new"),
                directory.resolve("absent/../i"))) {
            for (String staged : List.of("", "00000000-0000-0000-0000-000000000001")) {
                CommandRun refused = staged.isEmpty()
                        ? repairAll(NOW, List.of(n1, n2), "--apply", "--out", out)
                        : repairAll(NOW, List.of(n1, n2), "--out", out, "--staged", staged);
                assertThat(refused.exitCode()).as("%s %s", out, refused.err()).isEqualTo(2);
                assertThat(refused.err()).contains("ANL-4001", "directory=", "source=");
                assertThat(tree()).isEqualTo(before);
            }
        }
        CommandRun above =
                repairAll(NOW, List.of(n1, n2), "--apply", "--out", directory, "--name", "i", "--name", "west");
        assertThat(above.exitCode()).as(above.err()).isEqualTo(2);
        CommandRun beside = repairAll(NOW, List.of(n1, n2), "--apply", "--out", i, "--name", "east", "--name", "west");
        assertThat(beside.exitCode()).as(beside.err()).isZero();
    }

    @Test
    void shouldRefuseAnOutputInTheTableOfASnapshot() throws IOException {
        Path n1 = inLayout("n1", ID, "a", withId(ID), 7, 8);
        Path n2 = inLayout("n2", ID, "a", withId(ID), 8);

        CommandRun refused = repairAll(NOW, List.of(n1, n2), "--apply", "--out", n1.resolveSibling("b"));

        assertThat(refused.exitCode()).as(refused.err()).isEqualTo(2);
    }

    private List<String> tree() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(Path::toString).sorted().toList();
        }
    }

    private Path token() throws IOException {
        Path token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(token, "a secret that is long enough to be one");
    }

    @Test
    void shouldRefuseToServeWithAStagingDirectoryThatOverlapsTheData() throws Exception {
        Path token = token();
        Path data = snapshot("q", "n1", 7, 8);
        List<String> before = tree();
        for (Path staging : List.of(data, data.getParent(), data.resolve("new/deep"))) {
            try (Served refused = new Served(token, data, staging)) {
                assertThat(refused.address()).as("%s", staging).isEmpty();
                assertThat(refused.err()).contains("ANL-4001", "directory=" + staging, "source=" + data);
            }
            assertThat(tree()).isEqualTo(before);
        }
    }

    @Test
    void shouldNotServeASiblingWithTheStagingDirectoryOfAnother() throws Exception {
        Path token = token();
        Path staging = directory.resolve("staging");
        try (Served one = new Served(token, snapshot("q", "n1", 8), staging);
                Served other = new Served(token, snapshot("r", "n3", 7, 8), directory.resolve("other"))) {
            assertThat(received(repairServers(token, one, other))).isEqualTo(1);
        }
        try (Served two = new Served(token, snapshot("q", "n2", 8), staging)) {
            assertThat(two.address()).isEmpty();
            assertThat(two.err()).contains("ANL-3003", "another replica's", "q/n1", "q/n2");
        }
    }

    @Test
    void shouldServeASnapshotOfAnotherTagWithTheStagingDirectoryOfTheNode() throws Exception {
        Path token = token();
        Path staging = directory.resolve("staging");
        try (Served one = new Served(token, inLayout("n1", ID, "a", withId(ID), 8), staging);
                Served other = new Served(token, snapshot("r", "n3", withId(ID), 7, 8), directory.resolve("other"))) {
            assertThat(received(repairServers(token, one, other))).isEqualTo(1);
        }
        try (Served later = new Served(token, inLayout("n1", ID, "b", withId(ID), 8), staging)) {
            assertThat(later.address()).as(later.err()).isNotEmpty();
        }
    }

    private static void deleteAll(Path tableDirectory) throws IOException {
        try (Stream<Path> files = Files.list(tableDirectory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
    }

    @Test
    void shouldNotBringRowsBackWhenTheTableWasDroppedAndMadeAgain() throws IOException {
        apply(NOW, List.of(snapshot("n1", "a", withId(ID), 7, 8), snapshot("n2", "a", withId(ID), 8)));

        List<Path> again = List.of(snapshot("n1", "b", withId(ANOTHER_ID), 8), snapshot("n2", "b", withId(ANOTHER_ID)));
        CommandRun refused = apply(NOW.plusSeconds(60), again);

        assertThat(refused.exitCode()).as(refused.out()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err()).contains("dropped and made again", ID, ANOTHER_ID, "n2/ks/readings/nb-1-big");
    }

    @Test
    void shouldNotBringRowsBackWhenTheTableWasTruncated() throws IOException {
        apply(NOW, List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8)));

        CommandRun again = apply(NOW.plusSeconds(60), List.of(snapshot("n1", "b", 9), snapshot("n2", "b", 9)));

        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(received(again)).isZero();
    }

    @Test
    void shouldRefuseToAddToSomebodysOwnFilesAndKeepThem() throws IOException {
        Path foreign = Tables.write(
                out().resolve("n2"),
                writer -> writer.row().key("id", 5).clustering("at", 1).insert());

        CommandRun refused = apply(NOW, List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8)));

        assertThat(refused.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err()).contains("no run of a repair wrote it", "n2/ks/readings/nb-1-big");
        assertThat(staged(foreign)).hasSize(1);
    }

    /** Cassandra imports a whole directory, and looks at all of a file only where it is told to. */
    @Test
    void shouldNotCallGoodWhatWasCutShort() throws IOException {
        List<Path> replicas = List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8, 9));
        String run = table(apply(NOW, replicas)).get("run").asText();
        Path data;
        try (Stream<Path> files = Files.walk(out().resolve("n1"))) {
            data = files.filter(file -> file.toString().endsWith("-Data.db"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] whole = Files.readAllBytes(data);
        Files.write(data, Arrays.copyOf(whole, whole.length - 1));

        CommandRun checked = repairAll(NOW, replicas, "--out", out(), "--staged", run);
        assertThat(checked.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(checked.err()).contains("ANL-3003", "cut short or replaced", "n1/ks/readings/nb-1-big");
        CommandRun again = apply(NOW, replicas);
        assertThat(again.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(again.err()).contains("ANL-3003", "cut short or replaced", "remove it");
        Files.write(data, whole);
        assertThat(repairAll(NOW, replicas, "--out", out(), "--staged", run).exitCode())
                .isZero();
    }

    @Test
    void shouldTakeTheStartOfARunsIdAsItIsPrinted() throws IOException {
        List<Path> replicas = List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8, 9));
        Path state = directory.resolve("state");
        CommandRun applied = repairAll(NOW, replicas, "--apply", "--out", out(), "--state", state);
        String run = JSON.readTree(applied.out()).get("run").asText();
        assertThat(table(applied).get("run").asText()).isEqualTo(run);
        String start = run.substring(0, 8);

        CommandRun checked =
                repairAll(NOW, replicas, "--out", out(), "--state", state, "--staged", start.toUpperCase(Locale.ROOT));

        assertThat(checked.exitCode()).as(checked.err()).isZero();
        String alike = start + "-0000-0000-0000-000000000001";
        Files.createDirectories(state.resolve(alike));
        CommandRun unclear = repairAll(NOW, replicas, "--out", out(), "--state", state, "--staged", start);
        assertThat(unclear.err()).contains("ANL-3009", "several runs' ids start so", alike, run);
        CommandRun unknown = repairAll(NOW, replicas, "--out", out(), "--state", state, "--staged", "00000000");
        assertThat(unknown.err()).contains("ANL-3009", "no run has this id");
        CommandRun wrong = repairAll(NOW, replicas, "--out", out(), "--state", state, "--staged", "nothing");
        assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void shouldCountWhatARunStagedWhenItIsNamed() throws IOException {
        List<Path> replicas =
                List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8, 9), snapshot("n3", "a", 7, 8, 9));
        String run = table(apply(NOW, replicas)).get("run").asText();

        assertThat(repairAll(NOW, replicas).exitCode()).isEqualTo(1);
        CommandRun checked = repairAll(NOW, replicas, "--out", out(), "--staged", run);
        assertThat(checked.exitCode()).as(checked.err()).isZero();
        assertThat(table(checked).get("were-equal").asBoolean()).isTrue();

        assertThat(repairAll(PAST_GC_GRACE, replicas, "--out", out(), "--staged", run)
                        .err())
                .contains("ANL-3003", "run=" + run);
        String unknown = "00000000-0000-0000-0000-000000000001";
        assertThat(repairAll(NOW, replicas, "--out", out(), "--staged", unknown).err())
                .contains("ANL-3003", "no such run finished here", "run=" + unknown);
        assertThat(repairAll(NOW, replicas, "--out", directory.resolve("elsewhere"), "--staged", run)
                        .err())
                .contains("ANL-3003", "nothing is staged there");
        assertThat(directory.resolve("elsewhere")).doesNotExist();
    }

    @Test
    void shouldPrintTheRunWhenSomethingWasWritten() throws IOException {
        List<Path> replicas = List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8));
        List<Object> args = new ArrayList<>(List.of("repair", "--table", "ks.readings", "--full-replicas"));
        replicas.forEach(replica -> args.addAll(List.of("--dir", replica)));
        assertThat(CommandRun.at(NOW, args.toArray()).out()).doesNotContain("--staged");
        args.addAll(List.of("--apply", "--out", out()));

        assertThat(CommandRun.at(NOW, args.toArray()).out())
                .containsPattern("run [0-9a-f-]{36}; --staged")
                .contains("nodetool import ks readings " + out().toRealPath().resolve("n2/ks/readings"));
    }

    @Test
    void shouldAddRangeAfterRangeToOneDirectory() throws IOException {
        List<Path> replicas = List.of(snapshot("n1", "a", 1, 2, 3, 4, 5, 6, 7, 8), snapshot("n2", "a", 4));
        CommandRun left = repair(NOW, replicas, "--range=(0,-9223372036854775808]", "--apply", "--out", out());
        CommandRun right =
                repair(NOW.plusSeconds(60), replicas, "--range=(-9223372036854775808,0]", "--apply", "--out", out());

        assertThat(received(left)).as(left.err()).isPositive();
        assertThat(received(right)).as(right.err()).isPositive();
        assertThat(staged(out().resolve("n2"))).hasSize(2);
        // As the import would.
        Path imported = out().resolve("n2/ks/readings");
        try (Stream<Path> files = Files.list(imported)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                Files.copy(file, replicas.get(1).resolve(name.replaceFirst("^nb-", "nb-10")));
            }
        }
        assertThat(repairAll(NOW, replicas).exitCode()).isZero();
    }

    @Test
    void shouldNameOutputsByNodeAndRefuseAnotherNodesDirectory() throws IOException {
        Path n1 = snapshot("n1", "anneal", 1);
        Path n2 = snapshot("n2", "anneal", 2);
        Path n3 = snapshot("n3", "anneal", 3);
        Path n4 = snapshot("n4", "anneal", 4);
        assertThat(repair(NOW, List.of(n1, n2, n3), "--range=(0,-9223372036854775808]", "--apply", "--out", out())
                        .exitCode())
                .isZero();
        CommandRun second =
                repair(NOW, List.of(n2, n3, n4), "--range=(-9223372036854775808,0]", "--apply", "--out", out());
        assertThat(second.exitCode()).as(second.err()).isZero();
        try (Stream<Path> names = Files.list(out())) {
            assertThat(names.map(name -> name.getFileName().toString()))
                    .containsExactlyInAnyOrder("n1", "n2", "n3", "n4");
        }

        Path otherOne = snapshot("other/n1", "anneal", 1, 9);
        Path otherTwo = snapshot("other/n2", "anneal", 2);
        CommandRun refused = apply(NOW, List.of(otherOne, otherTwo));
        assertThat(refused.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err())
                .contains("another replica's", "owner=n1 " + n1.getParent().toRealPath())
                .contains("replica=n1 " + otherOne.getParent().toRealPath());

        // Another tag of the same node.
        assertThat(repair(
                                NOW,
                                List.of(snapshot("n1", "later", 1), snapshot("n2", "later", 2)),
                                "--full-replicas",
                                "--apply",
                                "--out",
                                out())
                        .exitCode())
                .isZero();
    }

    @Test
    void shouldTakeNamesThatAreGiven() throws IOException {
        List<Path> replicas = List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8));
        CommandRun run = repairAll(NOW, replicas, "--apply", "--out", out(), "--name", "east", "--name", "west");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(staged(out().resolve("west/ks/readings"))).hasSize(1);

        for (List<String> wrong :
                List.of(List.of("east"), List.of("east", "east"), List.of("east", "../west"), List.of("east", "."))) {
            List<Object> args = new ArrayList<>();
            wrong.forEach(name -> args.addAll(List.of("--name", name)));
            CommandRun refused = repairAll(NOW, replicas, args.toArray());
            assertThat(refused.exitCode()).as("%s", wrong).isEqualTo(2);
            assertThat(refused.err()).contains("ANL-4001", "name");
        }
    }

    @Test
    void shouldRefuseOneDirectoryTwice() throws IOException {
        Path one = snapshot("n1", "a", 7, 8);
        Path link = Files.createSymbolicLink(directory.resolve("link"), one);
        for (Path same : List.of(one, link, one.resolve("."), one.getParent())) {
            CommandRun refused = repairAll(NOW, List.of(one, same));
            assertThat(refused.exitCode()).as("%s", same).isEqualTo(2);
            assertThat(refused.err()).contains("ANL-4001", "directory=");
        }
    }

    @Test
    void shouldRefuseStagedWithoutADryRun() throws IOException {
        List<Path> replicas = List.of(snapshot("n1", "a", 7, 8), snapshot("n2", "a", 8));
        String run = "00000000-0000-0000-0000-000000000001";
        assertThat(repairAll(NOW, replicas, "--staged", run).exitCode()).isEqualTo(2);
        assertThat(repairAll(NOW, replicas, "--apply", "--out", out(), "--staged", run)
                        .exitCode())
                .isEqualTo(2);
    }

    @Test
    void shouldShowTheNetworkOfAServerAsMBeans() throws Exception {
        Path token = token();
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName served = new ObjectName("io.anneal:type=Verb,name=serving-latency,*");
        try (Served one = new Served(token, inLayout("n1", ID, "a", Tables.TEXT, 7, 8), directory.resolve("m1"));
                Served two = new Served(token, inLayout("n2", ID, "a", Tables.TEXT, 8), directory.resolve("m2"))) {
            repairServers(token, one, two);

            assertThat(beans.queryNames(new ObjectName("io.anneal:type=Network,name=connections,*"), null))
                    .hasSize(2);
            assertThat(beans.queryNames(served, null)).isNotEmpty();
        }
        assertThat(beans.queryNames(served, null)).isEmpty();
    }

    @Test
    void shouldNotCountWhatAServerStagedBefore() throws Exception {
        Path token = token();
        Path staging = directory.resolve("staging");
        String run;
        try (Served one = new Served(token, inLayout("n1", ID, "a", Tables.TEXT, 7, 8), staging.resolve("1"));
                Served two = new Served(token, inLayout("n2", ID, "a", Tables.TEXT, 8), staging.resolve("2"))) {
            CommandRun first = repairServers(token, one, two);
            assertThat(received(first)).as(first.err()).isEqualTo(1);
            run = table(first).get("run").asText();
            CommandRun checked = repairServers(token, one, two, "--dry-run", "--staged", run);
            assertThat(checked.exitCode()).as(checked.err()).isZero();
            assertThat(repairServers(token, one, two, "--dry-run").exitCode()).isEqualTo(1);
            String unknown = "00000000-0000-0000-0000-000000000001";
            assertThat(repairServers(token, one, two, "--dry-run", "--staged", unknown)
                            .err())
                    .contains("no such run finished here", unknown);
        }
        try (Served one = new Served(token, inLayout("n1", ID, "b", Tables.TEXT, 8), staging.resolve("1"));
                Served two = new Served(token, inLayout("n2", ID, "b", Tables.TEXT, 8), staging.resolve("2"))) {
            CommandRun second = repairServers(token, one, two);
            assertThat(second.exitCode()).as(second.err()).isZero();
            assertThat(received(second)).isZero();
        }
        try (Served other = new Served(token, inLayout("n3", ID, "b", Tables.TEXT, 8), staging.resolve("1"))) {
            assertThat(other.address()).isEmpty();
            assertThat(other.err()).contains("ANL-3003", "another replica's");
        }
    }

    private static CommandRun repairServers(Path token, Served one, Served two, Object... more) {
        List<Object> args = new ArrayList<>(List.of("repair", "--table", "ks.readings", "--json", "--full-replicas"));
        args.addAll(List.of("--token-file", token, "--replica", one.address(), "--replica", two.address()));
        args.addAll(Arrays.asList(more));
        return CommandRun.inTime(args.toArray());
    }

    /** A server in this process, until it is closed. */
    private static final class Served implements AutoCloseable {
        private static final String LISTENING = "listening on ";

        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private final ByteArrayOutputStream err = new ByteArrayOutputStream();
        private final Thread thread;

        Served(Path token, Path data, Path staging) throws InterruptedException {
            Environment environment = new Environment(
                    new PrintStream(out, true, StandardCharsets.UTF_8),
                    new PrintStream(err, true, StandardCharsets.UTF_8),
                    Clock.systemUTC(),
                    System::nanoTime,
                    false,
                    CommandRun.HOME);
            String[] args = {
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--data",
                data.toString(),
                "--staging",
                staging.toString(),
                "--token-file",
                token.toString()
            };
            thread = new Thread(() -> AnnealCommand.commandLine(environment).execute(args));
            thread.start();
            while (thread.isAlive() && address().isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
        }

        /** Empty when it did not start. */
        String address() {
            return out.toString(StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(LISTENING))
                    .map(line -> line.substring(LISTENING.length()))
                    .findFirst()
                    .orElse("");
        }

        String err() {
            return err.toString(StandardCharsets.UTF_8);
        }

        @Override
        public void close() {
            thread.interrupt();
            Uninterruptibles.joinUninterruptibly(thread);
        }
    }
}
