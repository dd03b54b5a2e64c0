package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.cli.command.ExitCode;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that read Cassandra's directories, given a store's own: what is live in it the manifest says, not the names. */
final class StoreAsDirectoryTest {
    private static final StoreConfig CONFIG =
            StoreConfig.defaults().withShardCount(2).withCompactionThreads(0);

    @TempDir
    private Path directory;

    private Path store;
    private Path snapshot;

    /** Rows of the first flush are no more; the files of it lie there as a crash leaves them, and once more under a new name. */
    @BeforeEach
    void setUp() throws IOException {
        store = directory.resolve("store");
        Path kept = Files.createDirectory(directory.resolve("kept"));
        try (Store open = Store.open(store, CONFIG)) {
            Table table = open.createTable("CREATE TABLE ks.t (id int PRIMARY KEY, v text)");
            write(table, 0, 10);
            table.flush();
            copyFiles(table(), kept);
            table.truncate();
            write(table, 10, 30);
            table.flush();
            Path inside = table.snapshot("truth");
            snapshot = directory.resolve("truth");
            copyTree(inside, snapshot);
        }
        copyFiles(kept, table());
        for (Path file : list(kept)) {
            String renamed = file.getFileName().toString().replaceFirst("^nb-(\\d+)-", "nb-9$1-");
            Files.copy(file, table().resolve(renamed));
        }
    }

    private static void write(Table table, int from, int to) throws IOException {
        for (int id = from; id < to; id++) {
            table.row().key("id", id).set("v", "value " + id).insert();
        }
    }

    private Path table() throws IOException {
        return list(store.resolve("data/ks")).get(0);
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    /** The files of SSTables alone. */
    private static void copyFiles(Path from, Path to) throws IOException {
        for (Path file : list(from)) {
            if (file.getFileName().toString().startsWith("nb-")) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> walk = Files.walk(from)) {
            for (Path file : walk.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    private static void assertRefused(CommandRun run, String code, String... facts) {
        assertThat(run.exitCode()).as(run.out()).isEqualTo(ExitCode.UNANSWERED);
        assertThat(run.err()).contains("anneal: error ").contains(code).contains(facts);
    }

    @Test
    void shouldReadWhatTheManifestListsAndNothingElse() throws IOException {
        for (Path given : List.of(store, store.resolve("data"), store.resolve("data/ks"), table())) {
            CommandRun diff = CommandRun.of("diff", given, snapshot, "--table", "ks.t");
            assertThat(diff.exitCode()).as(diff.out() + diff.err()).isZero();
        }
        CommandRun repair = CommandRun.of(
                "repair",
                "--dir",
                store,
                "--dir",
                snapshot,
                "--table",
                "ks.t",
                "--full-replicas",
                "--rows",
                "--include-recent");
        assertThat(repair.exitCode()).as(repair.out() + repair.err()).isZero();
        CommandRun explain = CommandRun.of("explain", "ks.t", "3", "--dir", store);
        assertThat(explain.out()).doesNotContain("value 3");
        assertThat(CommandRun.of("explain", "ks.t", "13", "--dir", store).out()).contains("value 13");
        assertThat(CommandRun.of("sstable", "verify", store).out().lines())
                .hasSameSizeAs(CommandRun.of("sstable", "verify", snapshot)
                        .out()
                        .lines()
                        .toList());
        assertThat(CommandRun.of("sstable", "dump", table()).out())
                .contains("value 13")
                .doesNotContain("value 3\"");
    }

    @Test
    void shouldRefuseAStoreThatIsOpen() throws IOException {
        try (Store open = Store.open(store, CONFIG)) {
            assertThat(open.tables()).hasSize(1);
            for (CommandRun run :
                    List.of(CommandRun.of("diff", store, snapshot), CommandRun.of("sstable", "verify", table()))) {
                assertRefused(run, "ANL-4002", "store is open", "snapshot", "pid=");
            }
            CommandRun explain = CommandRun.of("explain", "ks.t", "13", "--dir", store.resolve("data"));
            assertThat(explain.exitCode()).isEqualTo(ExitCode.NO);
            assertThat(explain.err()).contains("ANL-4002", "store is open");
            assertRefused(
                    CommandRun.of("repair", "--dir", store, "--dir", snapshot, "--table", "ks.t", "--full-replicas"),
                    "ANL-4002",
                    "store is open",
                    "pid=");
            assertThat(CommandRun.of("diff", snapshot, snapshot).exitCode()).isZero();
        }
    }

    @Test
    void shouldRefuseWritesThatNoSSTableHas() throws IOException {
        Path crashed = directory.resolve("crashed");
        try (Store open = Store.open(store, CONFIG)) {
            write(open.table("ks.t"), 40, 47);
            copyTree(store, crashed);
        }
        assertRefused(CommandRun.of("diff", crashed, snapshot), "ANL-4002", "commit log", "table=ks.t", "writes=7");
        CommandRun taken = CommandRun.of("store", "snapshot", crashed, "--name", "now");
        assertThat(taken.exitCode()).as(taken.err()).isZero();
        Path now = Path.of(taken.out().strip());
        assertThat(CommandRun.of("diff", crashed, now).exitCode()).isZero();
        assertThat(CommandRun.of("explain", "ks.t", "44", "--dir", crashed).out())
                .contains("value 44");
    }

    /** As a data directory of Cassandra's is read without its commit log. */
    @Test
    void shouldReadATableThatWasCopiedWithoutItsStore() throws IOException {
        Path copied = directory.resolve("copied");
        copyTree(table(), copied);
        CommandRun diff = CommandRun.of("diff", copied, snapshot);
        assertThat(diff.exitCode()).as(diff.out() + diff.err()).isZero();
    }

    @Test
    void shouldRefuseAStoresTableWithoutManifest() throws IOException {
        Files.delete(table().resolve("MANIFEST"));
        assertRefused(CommandRun.of("diff", store, snapshot), "ANL-1010", "MANIFEST");
    }
}
