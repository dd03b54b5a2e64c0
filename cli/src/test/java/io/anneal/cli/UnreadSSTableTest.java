package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.cli.command.ExitCode;
import io.anneal.cli.repair.CommandNode;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.io.UnsupportedVersionException;
import io.anneal.net.PeerAddress;
import io.anneal.net.TokenFile;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data of a table that no format reads, beside what is read: no command answers as if it were not there. */
@Timeout(120)
final class UnreadSSTableTest {
    private static final String OLD = "ks-readings-ka-1-Data.db";

    @TempDir
    private Path directory;

    /** Two replicas with the same rows. */
    private Path one;

    private Path two;
    private Path token;

    @BeforeEach
    void makeReplicas() throws IOException {
        one = replica("one");
        two = replica("two");
        token = Files.createFile(
                directory.resolve("token"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(token, "a secret that is long enough to be one");
    }

    /** Returns the table's own directory. */
    private Path replica(String name) throws IOException {
        Path table =
                Tables.write(directory.resolve(name), Tables.schema(Tables.TEXT_WITH_ID), Tables.TEXT_WITH_ID, w -> {
                    for (int id = 0; id < 5; id++) {
                        w.row()
                                .key("id", id)
                                .clustering("at", 1)
                                .set("name", "n" + id)
                                .insert();
                    }
                });
        Files.writeString(table.resolve("manifest.json"), "{\"files\":[\"nb-1-big-Data.db\"]}");
        return table;
    }

    private static Path put(Path table, String name) throws IOException {
        return Files.writeString(table.resolve(name), "some bytes");
    }

    private static void assertNames(CommandRun run, String file) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isIn(ExitCode.NO, ExitCode.UNANSWERED);
        assertThat(run.out() + run.err()).contains("ANL-1002", file);
    }

    /** All that read a table's directory. */
    private List<List<Object>> commands(Path table, Path other) {
        List<List<Object>> commands = new ArrayList<>();
        commands.add(List.of("sstable", "verify", table));
        commands.add(List.of("sstable", "verify", "--json", table));
        commands.add(List.of("sstable", "verify", "--extended", table));
        commands.add(List.of("sstable", "dump", table));
        commands.add(List.of("sstable", "dump", "-e", table));
        commands.add(List.of("sstable", "metadata", table));
        commands.add(List.of("sstable", "metadata", "--json", "--scan", table));
        commands.add(List.of("sstable", "scrub", table, "--to", directory.resolve("scrubbed")));
        commands.add(List.of("sstable", "rewrite", table, "--to", directory.resolve("rewritten")));
        commands.add(List.of("sstable", "rewrite", "--compact", table, "--to", directory.resolve("merged")));
        commands.add(List.of("diff", table, other));
        commands.add(List.of("diff", other, table));
        commands.add(List.of("explain", "ks.readings", "1", "--dir", table));
        commands.add(List.of("scan", "--data", table));
        commands.add(List.of("scan", "--format", "count", "--data", table));
        commands.add(List.of("scan", "--where", "id = 1", "--data", table));
        List<Object> repair = List.of(
                "repair",
                "--dir",
                table,
                "--dir",
                other,
                "--name",
                "a",
                "--name",
                "b",
                "--table",
                "ks.readings",
                "--full-replicas");
        commands.add(repair);
        commands.add(with(repair, "--rows", "--include-recent"));
        commands.add(with(repair, "--sample", "1"));
        commands.add(with(repair, "--apply", "--out", directory.resolve("staged")));
        return commands;
    }

    private static List<Object> with(List<Object> command, Object... more) {
        List<Object> longer = new ArrayList<>(command);
        longer.addAll(List.of(more));
        return longer;
    }

    @ParameterizedTest
    @ValueSource(strings = {OLD, "lb-1-big-Data.db", "kept-nb-1-big-Data.db"})
    void shouldFailByNameInEveryCommand(String file) throws IOException {
        for (List<Object> command : commands(one, two)) {
            CommandRun run = CommandRun.of(command.toArray());
            assertThat(run.out() + run.err()).as(run.err()).doesNotContain("ANL-");
        }
        put(one, file);
        for (List<Object> command : commands(one, two)) {
            assertNames(CommandRun.of(command.toArray()), file.replace("-Data.db", ""));
        }
    }

    /** Cassandra 3.x lists what 2.1 wrote until upgradesstables is run. */
    @Test
    void shouldFailByNameWhereTheManifestListsIt() throws IOException {
        put(one, OLD);
        Files.writeString(one.resolve("manifest.json"), "{\"files\":[\"nb-1-big-Data.db\",\"" + OLD + "\"]}");
        for (List<Object> command : commands(one, two)) {
            assertNames(CommandRun.of(command.toArray()), OLD);
        }
    }

    @Test
    void shouldFailByNameWhereItsDataIsGone() throws IOException {
        put(one, "ks-readings-ka-1-Index.db");
        for (List<Object> command : commands(one, two)) {
            assertNames(CommandRun.of(command.toArray()), "ks-readings-ka-1");
        }
        Files.delete(one.resolve("ks-readings-ka-1-Index.db"));
        Files.createSymbolicLink(one.resolve("x-Data.db"), directory.resolve("gone"));
        for (List<Object> command : commands(one, two)) {
            assertNames(CommandRun.of(command.toArray()), "x-Data.db");
        }
    }

    @Test
    void shouldFailByNameWhereNothingElseIsThere() throws IOException {
        Path old = Files.createDirectories(directory.resolve("old/ks/readings"));
        put(old, OLD);
        Files.copy(two.resolve("schema.cql"), old.resolve("schema.cql"));
        for (Path given : List.of(old, directory.resolve("old"))) {
            for (List<Object> command : commands(given, two)) {
                assertNames(CommandRun.of(command.toArray()), OLD);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                OLD,
                "ks-readings-jb-1-Index.db",
                "ks-readings.by_name-ka-1-Data.db",
                "la-1-big-Data.db",
                "x-Data.db"
            })
    void shouldFailByNameWhenItIsGiven(String name) throws IOException {
        Path file = put(Files.createDirectory(directory.resolve("elsewhere")), name);
        String base = name.substring(0, name.lastIndexOf('-'));
        for (String command : List.of("verify", "dump", "metadata")) {
            assertNames(CommandRun.of("sstable", command, file), base);
        }
        for (String command : List.of("scrub", "rewrite")) {
            assertNames(CommandRun.of("sstable", command, file, "--to", directory.resolve("written")), base);
        }
    }

    @Test
    void shouldNotMindWhatIsNoPartOfTheTable() throws IOException {
        for (String file : List.of(
                // What crashes left.
                "ks-readings-tmp-ka-7-Data.db",
                "ks-readings-tmplink-ka-8-Data.db",
                "tmp-la-9-big-Data.db",
                // An index of 2.1, and parts of one of 5.0.
                "ks-readings.by_name-ka-3-Data.db",
                "nb-1-big-SAI+aa+by_name+TermsData.db")) {
            put(one, file);
        }
        for (String child : List.of(".by_name", "backups", "snapshots/before")) {
            put(Files.createDirectories(one.resolve(child)), OLD);
        }
        Files.createDirectory(one.resolve("x-Data.db"));
        for (List<Object> command : commands(one, two)) {
            CommandRun run = CommandRun.of(command.toArray());
            assertThat(run.out() + run.err()).as("%s", command).doesNotContain("ANL-");
        }
    }

    @Test
    void shouldNotMindWhatLiesBesideASingleSSTable() throws IOException {
        put(one, OLD);
        assertThat(CommandRun.of("sstable", "verify", one.resolve("nb-1-big-Data.db"))
                        .exitCode())
                .isZero();
    }

    /** The operator imports the whole directory. */
    @Test
    void shouldNotStageBesideIt() throws IOException {
        Path staged = Files.createDirectories(directory.resolve("staged/a/ks/readings"));
        put(staged, OLD);
        CommandRun run = CommandRun.of(commands(one, two).stream()
                .filter(command -> command.contains("--apply"))
                .findFirst()
                .orElseThrow()
                .toArray());
        assertThat(run.exitCode()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(run.err()).contains("ANL-3003", "ks-readings-ka-1");
    }

    private CommandNode serve(int id, Path table) throws IOException {
        return CommandNode.serve(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new CassandraReplicas(List.of(table), Optional.empty(), Optional.empty()),
                CommandNode.config(new UUID(1, id), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                HostEnvironment.system());
    }

    @Test
    void shouldFailByNameOverServers() throws IOException {
        put(one, OLD);
        try (CommandNode first = serve(1, one);
                CommandNode second = serve(2, two);
                Store store = Store.open(directory.resolve("store"));
                CommandNode target = CommandNode.serve(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new StoreReplicas(store),
                        CommandNode.config(new UUID(1, 3), Optional.of(TokenFile.read(token)), ByteBudget.of(64 << 20)),
                        HostEnvironment.system())) {
            store.createTable(Tables.TEXT_WITH_ID);
            String address = PeerAddress.text(first.address());
            Object[][] commands = {
                {"scan", "--table", "ks.readings", "--replica", address},
                {"explain", "ks.readings", "1", "--replica", address, "--schema", two.resolve("schema.cql")},
                {
                    "repair",
                    "--table",
                    "ks.readings",
                    "--replica",
                    address,
                    "--replica",
                    PeerAddress.text(second.address()),
                    "--full-replicas"
                },
                {
                    "stream",
                    "transfer",
                    "--table",
                    "ks.readings",
                    "--from",
                    "a=" + address,
                    "--to",
                    "c=" + PeerAddress.text(target.address()),
                    "--full-replicas"
                }
            };
            for (Object[] command : commands) {
                CommandRun run = CommandRun.inTime(
                        with(List.of(command), "--token-file", token).toArray());
                assertThat(run.exitCode()).as(run.out() + run.err()).isIn(ExitCode.NO, ExitCode.UNANSWERED);
                assertThat(run.err()).contains(OLD);
            }
        }
    }

    private static Path tableOf(Path store) throws IOException {
        try (var keyspace = Files.list(store.resolve("data/ks"))) {
            return keyspace.findFirst().orElseThrow();
        }
    }

    /** What an opening moves aside, with a warning, must not be passed over before. */
    @Test
    void shouldFailByNameInAClosedStore() throws IOException {
        Path store = Tables.store(
                directory.resolve("store"),
                Tables.STORE,
                HostEnvironment.system(),
                table -> table.row()
                        .key("id", 1)
                        .clustering("at", 1)
                        .set("name", "n")
                        .insert());
        put(tableOf(store), OLD);
        for (List<Object> command : commands(tableOf(store), two)) {
            assertNames(CommandRun.of(command.toArray()), OLD);
        }
        assertNames(CommandRun.of("scan", "--data", store), OLD);
        assertNames(CommandRun.of("store", "info", store), OLD);
        CommandRun check = CommandRun.of("store", "check", store);
        assertThat(check.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(check.out()).contains("wrong").contains("ks-readings-ka-1");

        assertThat(Tables.ids(store, Tables.STORE)).containsExactly(1);
        assertThat(tableOf(store).resolve("unlisted").resolve(OLD)).hasContent("some bytes");
        assertThat(CommandRun.of("scan", "--data", store).exitCode()).isZero();
        try (Store open = Store.open(store, Tables.STORE)) {
            assertThatThrownBy(() -> open.table("ks.readings")
                            .importSSTables(tableOf(store).resolve("unlisted")))
                    .isInstanceOf(UnsupportedVersionException.class)
                    .hasMessageContaining(OLD);
        }
    }
}
