package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.util.concurrent.Uninterruptibles;
import io.anneal.schema.TableSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
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
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void shouldNotCountWhatAServerStagedBefore() throws Exception {
        Path token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret that is long enough to be one");
        Path staging = directory.resolve("staging");
        String run;
        try (Served one = new Served(token, snapshot("n1", "a", 7, 8), staging.resolve("1"));
                Served two = new Served(token, snapshot("n2", "a", 8), staging.resolve("2"))) {
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
        try (Served one = new Served(token, snapshot("n1", "b", 8), staging.resolve("1"));
                Served two = new Served(token, snapshot("n2", "b", 8), staging.resolve("2"))) {
            CommandRun second = repairServers(token, one, two);
            assertThat(second.exitCode()).as(second.err()).isZero();
            assertThat(received(second)).isZero();
        }
        try (Served other = new Served(token, snapshot("n3", "b", 8), staging.resolve("1"))) {
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
                    false);
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
