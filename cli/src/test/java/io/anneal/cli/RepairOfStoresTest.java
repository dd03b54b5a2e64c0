package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.ExitCode;
import io.anneal.environment.HostEnvironment;
import io.anneal.store.Store;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code anneal repair --dir} and {@code serve --data} over stores: they are written in place. */
final class RepairOfStoresTest {
    private static final StoreConfig CONFIG =
            StoreConfig.defaults().withShardCount(3).withCompactionThreads(0);
    private static final String TABLE = "ks.readings";

    @TempDir
    private Path directory;

    private Path one;
    private Path two;
    private Path cassandra;

    @BeforeEach
    void setUp() throws IOException {
        one = store("one", 1, 2);
        two = store("two", 2, 3);
        cassandra = directory.resolve("cassandra");
        Tables.write(cassandra, writer -> {
            for (int id : new int[] {3, 4}) {
                writer.row().key("id", id).clustering("at", 1).set("name", "a").insert();
            }
        });
    }

    private Path store(String name, int... ids) throws IOException {
        return Tables.store(directory.resolve(name), CONFIG, HostEnvironment.system(), table -> {
            for (int id : ids) {
                table.row()
                        .key("id", id)
                        .clustering("at", 1)
                        .set("name", "a")
                        .timestampMicros(Tables.MICROS)
                        .insert();
            }
        });
    }

    private static List<Integer> ids(Path store) throws IOException {
        return Tables.ids(store, CONFIG);
    }

    private static CommandRun repair(Object... args) {
        List<Object> all = new ArrayList<>(List.of("repair", "--full-replicas", "--table", TABLE));
        all.addAll(List.of(args));
        return CommandRun.inTime(all.toArray());
    }

    private static List<String> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(Path::toString).sorted().toList();
        }
    }

    @Test
    void shouldWriteTwoStoresInPlaceWhenItIsToldTo() throws IOException {
        List<String> before = files(directory);
        CommandRun looked = repair("--dir", one, "--dir", two);
        assertThat(looked.exitCode()).as(looked.err()).isEqualTo(ExitCode.NO);
        assertThat(looked.out()).contains("2 rows and 0 deletions differed");
        assertThat(looked.err()).as("a store has no views").isEmpty();
        assertThat(files(directory)).isEqualTo(before);

        CommandRun applied = repair("--dir", one, "--dir", two, "--apply");
        assertThat(applied.exitCode()).as(applied.err()).isZero();
        assertThat(applied.out()).contains("differed").doesNotContain("nodetool", "--staged", "receiving");

        assertThat(ids(one)).containsExactly(1, 2, 3);
        assertThat(ids(two)).containsExactly(1, 2, 3);
        assertThat(repair("--dir", one, "--dir", two).exitCode()).isZero();
    }

    @Test
    void shouldWriteAStoreInPlaceAndBesideCassandrasFiles() throws IOException {
        CommandRun noPlace = repair("--dir", one, "--dir", cassandra, "--apply");
        assertThat(noPlace.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(noPlace.err()).contains("--out DIR", "replica=" + cassandra);
        Path out = directory.resolve("out");

        CommandRun applied = repair("--dir", one, "--dir", cassandra, "--apply", "--out", out);
        assertThat(applied.exitCode()).as(applied.err()).isZero();
        assertThat(applied.out().lines().filter(line -> line.contains("nodetool import")))
                .singleElement()
                .asString()
                .contains(out.resolve("cassandra").toString());

        assertThat(ids(one)).containsExactly(1, 2, 3, 4);
        assertThat(out.resolve("one")).doesNotExist();
        Matcher run = Pattern.compile("run ([0-9a-f-]{36});").matcher(applied.out());
        assertThat(run.find()).isTrue();
        CommandRun staged = repair("--dir", one, "--dir", cassandra, "--out", out, "--staged", run.group(1));
        assertThat(staged.exitCode()).as(staged.out() + staged.err()).isZero();
    }

    @Test
    void shouldRefuseAStoreThatIsOpenOrOld() throws IOException {
        try (Store open = Store.open(one, CONFIG)) {
            CommandRun refused = repair("--dir", one, "--dir", two, "--apply");
            assertThat(refused.exitCode()).as(open.directory().toString()).isEqualTo(ExitCode.UNANSWERED);
            assertThat(refused.err()).contains("ANL-4002", one.toString(), "pid=");
        }
        closedForDays(two, 20);
        for (Object[] args : new Object[][] {
            {"--dir", one, "--dir", two},
            {"--dir", one, "--dir", two, "--apply"},
            // What the last one opened and closed is as old as before.
            {"--dir", one, "--dir", two, "--apply"},
            {"--dir", one, "--dir", two}
        }) {
            CommandRun refused = repair(args);
            assertThat(refused.exitCode()).as(refused.out()).isEqualTo(ExitCode.UNANSWERED);
            assertThat(refused.err()).contains("older than gc_grace", "replica=two", "--allow-old-snapshots");
        }
        assertThat(ids(one)).containsExactly(1, 2);
        assertThat(ids(two)).containsExactly(2, 3);
        CommandRun refused = repair("--dir", one, "--dir", two, "--apply");
        assertThat(refused.exitCode()).as("its program has opened it").isEqualTo(ExitCode.UNANSWERED);

        CommandRun whole = repair("--dir", one, "--dir", two, "--apply", "--allow-old-snapshots", "--all-replicas");
        assertThat(whole.exitCode()).as(whole.err()).isZero();
        assertThat(repair("--dir", one, "--dir", two, "--apply").exitCode()).isZero();
    }

    /** As if nobody had touched it for so long. */
    private static void closedForDays(Path store, int days) throws IOException {
        Instant old = Instant.now().minusSeconds(days * 86_400L);
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.setLastModifiedTime(file, FileTime.from(old));
            }
        }
    }

    @Test
    void shouldLeaveAStoreAsOldAsItIsWhenAPartOfItIsRepaired() throws IOException {
        closedForDays(two, 9);
        CommandRun part = CommandRun.inTime(
                "repair",
                "--table",
                TABLE,
                "--range=(0,1000]",
                "--all-replicas",
                "--dir",
                one,
                "--dir",
                two,
                "--apply");
        assertThat(part.exitCode()).as(part.err()).isZero();

        CommandRun all = repair("--dir", one, "--dir", two, "--apply", "--all-replicas");
        assertThat(all.exitCode()).as(all.err()).isZero();
        assertThat(all.err()).contains("replicas date from different times", "oldest=two");

        CommandRun again = repair("--dir", one, "--dir", two, "--apply");
        assertThat(again.err()).as("all of it was repaired").doesNotContain("different times");
    }

    @Test
    void shouldTakeASnapshotForAsOldAsTheStoreThatItWasTakenOf() throws IOException {
        closedForDays(two, 20);
        CommandRun taken = CommandRun.of("store", "snapshot", two, "--name", "old");
        assertThat(taken.exitCode()).as(taken.err()).isZero();

        CommandRun refused = repair("--dir", one, "--dir", taken.out().strip());
        assertThat(refused.exitCode()).as(refused.out()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(refused.err()).contains("older than gc_grace", "--allow-old-snapshots");
    }

    @Test
    void shouldCallReplicasByTheirShortNamesWhetherItWritesOrNot() throws IOException {
        Path out = directory.resolve("out");
        for (Object[] args : new Object[][] {
            {"--dir", one, "--dir", cassandra},
            {"--dir", one, "--dir", cassandra, "--apply", "--out", out}
        }) {
            CommandRun run = repair(args);
            assertThat(run.out().lines().filter(line -> line.contains(": read ")))
                    .as(run.out() + run.err())
                    .map(line -> line.strip().substring(0, line.strip().indexOf(':')))
                    .containsExactly("one", "cassandra");
        }
        CommandRun named = repair("--dir", one, "--dir", two, "--name", "left", "--name", "right", "--apply");
        assertThat(named.out()).as(named.err()).contains("  left: read ", "  right: read ");
    }

    @Test
    void shouldTakeAStoresOwnSchemaWhateverIsGiven() throws IOException {
        Path schema = Files.writeString(
                directory.resolve("other.cql"), Tables.TEXT_WITH_ID.replace("5a1c395e-b41f", "6a1c395e-b41f") + ";\n");
        Path out = directory.resolve("out");
        for (Object[] args : new Object[][] {
            {"--dir", one, "--dir", cassandra, "--schema", schema},
            {"--dir", one, "--dir", cassandra, "--schema", schema, "--apply", "--out", out}
        }) {
            CommandRun refused = repair(args);
            assertThat(refused.exitCode()).as(refused.out()).isEqualTo(ExitCode.UNANSWERED);
            assertThat(refused.err()).contains("table ids differ");
        }
        CommandRun useless = repair("--dir", one, "--dir", two, "--schema", schema);
        assertThat(useless.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(useless.err()).contains("--schema goes with Cassandra's directories");
    }

    @Test
    void shouldServeAStoreAloneAndWithoutStaging() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "0123456789abcdef");
        for (Object[] more : new Object[][] {
            {"--staging", directory.resolve("staging")},
            {"--data", cassandra},
            {"--schema", cassandra.resolve("ks/readings/schema.cql")}
        }) {
            List<Object> args =
                    new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0", "--token-file", token, "--data", one));
            args.addAll(List.of(more));
            CommandRun refused = CommandRun.of(args.toArray());
            assertThat(refused.exitCode()).as(args.toString()).isEqualTo(ExitCode.USAGE);
            assertThat(refused.err()).contains("store=" + one);
        }
        CommandRun inTheClear = CommandRun.of("serve", "--listen", "0.0.0.0:0", "--token-file", token, "--data", one);
        assertThat(inTheClear.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(inTheClear.err()).contains("needs --tls-cert, --tls-key and --tls-ca", "0.0.0.0");
        try (Store open = Store.open(one, CONFIG)) {
            CommandRun refused = CommandRun.of(
                    "serve", "--listen", "127.0.0.1:0", "--token-file", token, "--data", open.directory());
            assertThat(refused.err()).contains("ANL-4002", "pid=");
        }
    }
}
