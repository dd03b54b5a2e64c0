package io.anneal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoreCommandsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final StoreConfig CONFIG = StoreConfig.defaults()
            .withShardCount(2)
            .withCompactionThreads(0)
            .withCommitLogSegmentBytes(64 << 10)
            .withSyncMode(SyncMode.PERIODIC);

    @TempDir
    private Path directory;

    private Path store;

    @BeforeEach
    void setUp() throws IOException {
        store = directory.resolve("a store");
        try (Store open = Store.open(store, CONFIG)) {
            Table table = open.createTable("CREATE TABLE ks.t (id int PRIMARY KEY, v text)");
            write(table, 0, 100);
            table.flush();
            write(table, 100, 200);
        }
    }

    private static void write(Table table, int from, int to) throws IOException {
        for (int id = from; id < to; id++) {
            table.row().key("id", id).set("v", "value " + id).insert();
        }
    }

    private static void assertError(CommandRun run, int exitCode, String code, String fact) {
        assertThat(run.exitCode()).isEqualTo(exitCode);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("anneal: error " + code + ": ")
                .contains(fact);
    }

    private CommandRun check(Object... options) {
        Object[] args = new Object[options.length + 3];
        args[0] = "store";
        args[1] = "check";
        System.arraycopy(options, 0, args, 2, options.length);
        args[args.length - 1] = store;
        return CommandRun.of(args);
    }

    private static List<String> wrong(CommandRun run) {
        assertThat(run.err()).isEmpty();
        return run.out().lines().filter(line -> line.startsWith("wrong ")).toList();
    }

    private void assertWrong(String code, String... facts) {
        CommandRun run = check();
        assertThat(wrong(run)).singleElement().asString().contains(code).contains(facts);
        assertThat(run.exitCode()).isEqualTo(1);
    }

    private Path table() throws IOException {
        return tableDirectory("t-");
    }

    private Path data() throws IOException {
        try (Stream<Path> files = Files.list(table())) {
            return files.filter(f -> f.toString().endsWith("-Data.db"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Every file with its length and time. */
    private TreeMap<String, String> state() throws IOException {
        TreeMap<String, String> state = new TreeMap<>();
        try (Stream<Path> walk = Files.walk(store)) {
            for (Path file : walk.toList()) {
                state.put(file.toString(), Files.size(file) + " " + Files.getLastModifiedTime(file));
            }
        }
        return state;
    }

    @Test
    void shouldTellWhatAStoreHolds() throws IOException {
        TreeMap<String, String> before = state();
        CommandRun run = CommandRun.of("store", "info", store);
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains(
                        "table ks.t",
                        "shards        2",
                        "shard 1 flushed to segment",
                        "shard 0, level 0,",
                        "open by       nobody");
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void shouldGoOnWithOtherTablesWhenOneIsBroken() throws IOException {
        try (Store open = Store.open(store, CONFIG)) {
            open.createTable("CREATE TABLE ks.other (id int PRIMARY KEY)")
                    .row()
                    .key("id", 1)
                    .insert();
        }
        Path broken = tableDirectory("t-");
        Files.writeString(broken.resolve("MANIFEST"), "no manifest");

        CommandRun info = CommandRun.of("store", "info", store);
        assertThat(info.out()).contains("table ks.other").doesNotContain("table ks.t\n");
        assertThat(info.err()).contains("ANL-1010", broken.toString());
        assertThat(info.exitCode()).isEqualTo(1);

        CommandRun check = check();
        assertThat(check.out()).contains("wrong " + broken);
        assertThat(check.exitCode()).isEqualTo(1);

        CommandRun snapshot = CommandRun.of("store", "snapshot", "--json", "--name", "rest", store);
        JsonNode taken = JSON.readTree(snapshot.out());
        assertThat(taken.get("snapshots")).hasSize(1);
        assertThat(taken.get("snapshots").get(0).asText()).contains("other-");
        assertThat(taken.get("errors").get(0).get("table").asText()).isEqualTo("ks.t");
        assertThat(snapshot.err()).contains("without a snapshot: ks.t");
        assertThat(snapshot.exitCode()).isEqualTo(1);
    }

    private Path tableDirectory(String start) throws IOException {
        try (Stream<Path> tables = Files.list(store.resolve("data/ks"))) {
            return tables.filter(table -> table.getFileName().toString().startsWith(start))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void shouldTellWhatAStoreHoldsAsJson() throws IOException {
        try (Store open = Store.open(store, CONFIG)) {
            open.snapshot("before");
            CommandRun run = CommandRun.of("store", "info", "--json", store);
            assertThat(run.err()).isEmpty();
            JsonNode result = JSON.readTree(run.out());
            assertThat(result.get("schema").asInt()).isEqualTo(1);
            assertThat(result.get("openBy").asText())
                    .contains("pid=" + ProcessHandle.current().pid());
            assertThat(result.get("commitLog").size()).isPositive();
            JsonNode table = result.get("tables").get(0);
            assertThat(table.get("table").asText()).isEqualTo("ks.t");
            assertThat(table.get("shards").asInt()).isEqualTo(2);
            assertThat(table.get("flushed").size()).isEqualTo(2);
            assertThat(table.get("snapshots").get(0).asText()).isEqualTo("before");
            assertThat(table.get("sstables").size()).isEqualTo(4);
            JsonNode sstable = table.get("sstables").get(0);
            assertThat(sstable.get("lengthBytes").asLong()).isPositive();
            assertThat(sstable.get("level").asInt()).isZero();
            assertThat(sstable.get("shard").asInt()).isBetween(0, 1);
        }
    }

    @Test
    void shouldTellOfAFailedSyncUntilItIsAcknowledged() throws IOException {
        Path noted = store.resolve("FAILED-SYNC");
        Files.writeString(noted, "time=2026-01-02T03:04:05Z\nfile=/a/log\nreason=Input/output error\n");
        String text = "time=2026-01-02T03:04:05Z, file=/a/log, reason=Input/output error";

        assertThat(CommandRun.of("store", "info", store).out()).contains("failed sync   not acknowledged, " + text);
        assertThat(JSON.readTree(CommandRun.of("store", "info", "--json", store).out())
                        .get("failedSync")
                        .asText())
                .isEqualTo(text);
        assertWrong("ANL-1014", text);
        try (Store open = Store.open(store, CONFIG)) {
            CommandRun refused = CommandRun.of("store", "acknowledge", store);
            assertError(refused, 1, "ANL-4002", "store is in use");
            assertThat(open.failedSync()).contains(text);
        }

        CommandRun acknowledged = CommandRun.of("store", "acknowledge", store);
        assertThat(acknowledged.err()).isEmpty();
        assertThat(acknowledged.exitCode()).isZero();
        assertThat(acknowledged.out()).isEqualTo("acknowledged: " + text + "\n");
        assertThat(noted).doesNotExist();
        assertThat(wrong(check())).isEmpty();
        assertThat(CommandRun.of("store", "info", store).out()).doesNotContain("failed sync");
        CommandRun again = CommandRun.of("store", "acknowledge", store);
        assertThat(again.out()).isEqualTo("no sync failed here\n");
        assertThat(again.exitCode()).isZero();
        JsonNode json = JSON.readTree(
                CommandRun.of("store", "acknowledge", "--json", store).out());
        assertThat(json.get("acknowledged").isNull()).isTrue();
    }

    @Test
    void shouldNameWhatIsNoStore() throws IOException {
        Path empty = Files.createDirectory(directory.resolve("empty"));
        for (String command : List.of("info", "check", "snapshot", "acknowledge")) {
            assertError(CommandRun.of("store", command, empty), 1, "ANL-1003", "no store");
            assertError(CommandRun.of("store", command, directory.resolve("absent")), 1, "ANL-1003", "absent");
        }
        assertThat(empty).isEmptyDirectory();
        Files.writeString(empty.resolve("STORE"), "something else");
        assertError(CommandRun.of("store", "info", empty), 1, "ANL-1010", "STORE");
        assertError(CommandRun.of("store"), 2, "ANL-4001", "no command given");
    }

    @Test
    void shouldFindNothingWrongInASoundStore() throws IOException {
        TreeMap<String, String> before = state();
        CommandRun run = check("--extended");
        assertThat(wrong(run)).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().filter(line -> line.startsWith("ok "))).hasSize(1 + 4 + 1);
        assertThat(state()).isEqualTo(before);
    }

    @Test
    void shouldRefuseToCheckAnOpenStore() throws IOException {
        try (Store open = Store.open(store, CONFIG)) {
            assertThat(open.tables()).hasSize(1);
            assertError(check(), 1, "ANL-4002", "pid=");
            assertError(CommandRun.of("store", "snapshot", store), 1, "ANL-4002", "pid=");
        }
    }

    @Test
    void shouldSayWhichSSTableIsWrong() throws IOException {
        CommandRun.corrupt(data());
        assertWrong("ANL-1001", data().toString().replace("-Data.db", ""));
        CommandRun json = check("--json");
        assertThat(json.exitCode()).isEqualTo(1);
        JsonNode result = JSON.readTree(json.out());
        assertThat(result.get("ok").asBoolean()).isFalse();
        assertThat(result.findValuesAsText("code")).containsExactly("ANL-1001");
        assertThat(result.findValuesAsText("verdict")).contains("wrong", "ok");
    }

    @Test
    void shouldSayWhichSSTableIsMissing() throws IOException {
        Files.delete(data());
        assertWrong("ANL-1001", "the manifest lists it", "generation=", "ks.t");
    }

    @Test
    void shouldSayThatTheCommitLogIsMissing() throws IOException {
        Path commitLog = store.resolve("commitlog");
        try (Stream<Path> files = Files.list(commitLog)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(commitLog);

        assertWrong("ANL-4002", "commit log is missing", commitLog.toString(), "ks.t");
    }

    @Test
    void shouldSayWhichManifestIsWrong() throws IOException {
        CommandRun.corrupt(table().resolve("MANIFEST"));
        assertWrong("ANL-1010", "MANIFEST");
        assertError(CommandRun.of("store", "info", store), 1, "ANL-1010", "MANIFEST");
    }

    @Test
    void shouldSayWhichSchemaIsWrong() throws IOException {
        Files.writeString(table().resolve("schema.cql"), "CREATE TABLE");
        assertWrong("ANL-1010", "schema.cql");
    }

    @Test
    void shouldTellStrangersFromWhatACrashLeft() throws IOException {
        Path table = table();
        String name = data().getFileName().toString();
        Files.copy(data(), table.resolve(name.replaceFirst("nb-\\d+", "nb-99")));
        Files.writeString(table.resolve(".anneal-staged.nb-77-big-Data.db.part"), "");
        Files.createDirectory(table.resolve("unlisted"));
        Files.createDirectory(table.resolveSibling(".dropped-u-2d987f40e54c11f199539ddbc8d5a59d"));
        assertWrong("ANL-4002", "nb-99-big", "not in the manifest");
        assertThat(check().out().lines().filter(line -> line.startsWith("note ")))
                .hasSize(3)
                .anyMatch(line -> line.contains(".dropped-u"))
                .anyMatch(line -> line.contains("nb-77"))
                .anyMatch(line -> line.contains("unlisted"));
    }

    @Test
    void shouldFindPartitionsInTheWrongShard() throws IOException {
        Path manifest = table().resolve("MANIFEST");
        String text = Files.readString(manifest);
        String facts = text.substring(0, text.indexOf("crc32 "))
                .replaceAll("(sstable \\d+) 0", "$1 x")
                .replaceAll("(sstable \\d+) 1", "$1 0")
                .replaceAll("(sstable \\d+) x", "$1 1");
        CRC32 crc = new CRC32();
        crc.update(facts.getBytes(StandardCharsets.UTF_8));
        Files.writeString(manifest, facts + "crc32 " + HexFormat.of().toHexDigits((int) crc.getValue()) + "\n");
        assertThat(check().exitCode()).isZero();
        CommandRun run = check("--extended");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(wrong(run)).hasSize(4).allMatch(line -> line.contains("ANL-1001") && line.contains("another shard"));
    }

    @Test
    void shouldSayWhereTheCommitLogIsCorrupt() throws IOException {
        Path crashed = directory.resolve("crashed");
        try (Store open = Store.open(crashed, CONFIG.withSyncMode(SyncMode.BATCH))) {
            write(open.createTable("CREATE TABLE ks.t (id int PRIMARY KEY, v text)"), 0, 20);
            // As a crash leaves it: nothing flushed.
            copy(crashed, store);
        }
        assertThat(check().exitCode()).isZero();
        try (Stream<Path> files = Files.list(store.resolve("commitlog"))) {
            Path segment = files.filter(f -> f.getFileName().toString().startsWith("CommitLog-"))
                    .min(Path::compareTo)
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(segment);
            bytes[1000] ^= 1;
            Files.write(segment, bytes);
        }
        CommandRun run = check();
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(wrong(run)).isNotEmpty().allMatch(line -> line.contains("ANL-1011") && line.contains("CommitLog-"));
        assertError(CommandRun.of("store", "snapshot", store), 1, "ANL-1011", "CommitLog-");
    }

    @Test
    void shouldNotCallATableGoneThatIsBroken() throws IOException {
        Path crashed = directory.resolve("crashed");
        try (Store open = Store.open(crashed, CONFIG.withSyncMode(SyncMode.BATCH))) {
            write(open.createTable("CREATE TABLE ks.t (id int PRIMARY KEY, v text)"), 0, 20);
            copy(crashed, store);
        }
        Files.writeString(tableDirectory("t-").resolve("MANIFEST"), "no manifest");
        assertThat(check().out())
                .contains("writes to a table that cannot be opened, kept until it is mended or dropped")
                .doesNotContain("a table that is not there");
    }

    private static void copy(Path source, Path target) throws IOException {
        try (Stream<Path> walk = Files.walk(target)) {
            for (Path file : walk.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
        try (Stream<Path> walk = Files.walk(source)) {
            for (Path file : walk.toList()) {
                Files.copy(file, target.resolve(source.relativize(file).toString()));
            }
        }
    }

    @Test
    void shouldTakeSnapshots() throws IOException {
        CommandRun run = CommandRun.of("store", "snapshot", store, "--name", "friday");
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        Path snapshot = Path.of(run.out().strip());
        assertThat(snapshot).isEqualTo(table().resolve("snapshots/friday"));
        assertThat(CommandRun.of("sstable", "verify", "--extended", snapshot)
                        .out()
                        .lines())
                .isNotEmpty()
                .allMatch(line -> line.startsWith("ok "));
        assertThat(CommandRun.of("store", "info", store).out()).contains("snapshot      friday", "shards        2");
        assertThat(CommandRun.of("diff", store.resolve("data"), snapshot, "--table", "ks.t")
                        .exitCode())
                .isZero();

        assertError(CommandRun.of("store", "snapshot", store, "--name", "friday"), 1, "ANL-4002", "friday");
        assertError(CommandRun.of("store", "snapshot", store, "--name", "../x"), 2, "ANL-4001", "../x");
        CommandRun json = CommandRun.of("store", "snapshot", "--json", store);
        assertThat(JSON.readTree(json.out()).get("snapshots").get(0).asText()).endsWith("snapshots/1795225134");
    }

    @Test
    void shouldSayWhenThereIsNothingToSnapshot() throws IOException {
        Path empty = directory.resolve("empty");
        Store.open(empty, CONFIG).close();
        CommandRun run = CommandRun.of("store", "snapshot", empty);
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("no tables here");
    }
}
