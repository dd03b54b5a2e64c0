package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.bench.peer.CassandraPeer;
import io.anneal.faults.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The lines of {@code docs/operate.md}, "Repair over directories", one after the other as they stand there, with one real
 * Cassandra in the place of three nodes by turns; then again after deletions of which some nodes keep no trace.
 */
@WithCassandra
class OperatePageTest {
    private static final Path PAGE = Path.of("../docs/operate.md");
    private static final Pattern STAGED = Pattern.compile("nodetool (import shop orders \\S+)");
    private static final int NODES = 3;
    private static final long GC_GRACE_SECONDS = 3_600;
    private static final long MICROS = 1_700_000_000_000_000L;

    @TempDir
    private Path directory;

    /** Where this round's snapshots are copied to, as node1/anneal, node2/anneal, node3/anneal. */
    private Path round;

    private static List<String> linesOfPage(String start) throws IOException {
        String page = Files.readString(PAGE);
        String section = page.substring(page.indexOf("## Repair over directories"), page.indexOf("## Repair between"));
        return section.lines()
                .map(line -> line.strip().replaceFirst("^\\d\\. ", ""))
                .map(line -> line.startsWith("`" + start) ? line.substring(1, line.indexOf('`', 1)) : line)
                .filter(line -> line.startsWith(start))
                .toList();
    }

    private Path node(int number) {
        return round.resolve("node" + number).resolve("anneal");
    }

    /** Step 1 and 5 of the page on one node, and the copy between them. */
    private void takeSnapshot(CassandraPeer cassandra, int number) throws IOException {
        for (String line : linesOfPage("nodetool ")) {
            if (line.startsWith("nodetool import")) {
                copyKeepingTimes(cassandra.config().directory().resolve("data/shop"), node(number));
            } else {
                cassandra.nodetool(line.substring("nodetool ".length()).split(" "));
            }
        }
    }

    private static void copyKeepingTimes(Path keyspace, Path target) throws IOException {
        Path snapshot;
        try (Stream<Path> tables = Files.list(keyspace)) {
            snapshot = tables.map(table -> table.resolve("snapshots/anneal"))
                    .filter(Files::isDirectory)
                    .findFirst()
                    .orElseThrow();
        }
        Files.createDirectories(target);
        try (Stream<Path> files = Files.list(snapshot)) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    /** Steps 2 and 3; the last words are the same on the page. */
    private Commands.Result repair(boolean apply) throws IOException {
        String line = linesOfPage("anneal repair").get(apply ? 1 : 0);
        assertThat(line.contains("--apply")).isEqualTo(apply);
        List<String> arguments = new ArrayList<>();
        for (String word : line.substring("anneal ".length()).split(" ")) {
            Matcher node = Pattern.compile("node(\\d)/anneal").matcher(word);
            arguments.add(
                    node.matches()
                            ? node(Integer.parseInt(node.group(1))).toString()
                            : word.replace(
                                    "/var/lib/anneal/repaired",
                                    round.resolve("repaired").toString()));
        }
        return Commands.run(arguments.toArray(String[]::new));
    }

    /** Cassandra takes the place of the node that a snapshot is of. */
    private static void become(CassandraPeer cassandra, Path snapshot) {
        cassandra.truncate("shop", "orders");
        cassandra.importDirectory("shop", "orders", snapshot);
    }

    /** Step 4: what the repair printed for this node. */
    private static void runPrintedImports(CassandraPeer cassandra, Commands.Result applied, int number) {
        applied.out()
                .lines()
                .filter(line -> line.contains("import before ") && line.contains("node" + number))
                .map(STAGED::matcher)
                .filter(Matcher::find)
                .forEach(printed -> cassandra.nodetool(printed.group(1).split(" ")));
    }

    private static TreeSet<String> rows(CassandraPeer cassandra) {
        return new TreeSet<>(cassandra.selectJson("SELECT JSON id, item, writetime(item) AS w FROM shop.orders"));
    }

    private static void insert(CassandraPeer cassandra, int first, int end) {
        List<String> statements = new ArrayList<>();
        for (int id = first; id < end; id++) {
            statements.add("INSERT INTO shop.orders (id, item) VALUES (" + id + ", 'bread') USING TIMESTAMP " + MICROS);
        }
        cassandra.executeAll(statements);
    }

    @Test
    void shouldMakeNodesEqualAndBringNothingBackWhenThePageIsFollowed(CassandraPeer cassandra) throws IOException {
        cassandra.executeAll(List.of(
                "DROP KEYSPACE IF EXISTS shop",
                "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE shop.orders (id int PRIMARY KEY, item text) WITH gc_grace_seconds = " + GC_GRACE_SECONDS
                        + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}"));
        round = directory.resolve("first");
        for (int number = 1; number <= NODES; number++) {
            cassandra.truncate("shop", "orders");
            insert(cassandra, 0, 20);
            insert(cassandra, 100 * number, 100 * number + 5);
            takeSnapshot(cassandra, number);
        }

        Commands.Result applied = lookThenRepair();
        List<Path> snapshots = List.of(node(1), node(2), node(3));
        round = directory.resolve("second");
        TreeSet<String> all = null;
        for (int number = 1; number <= NODES; number++) {
            become(cassandra, snapshots.get(number - 1));
            runPrintedImports(cassandra, applied, number);
            all = all == null ? rows(cassandra) : all;
            assertThat(rows(cassandra)).as("node %d", number).isEqualTo(all).hasSize(20 + 5 * NODES);

            deleteAndPurge(cassandra, number);
            takeSnapshot(cassandra, number);
        }

        applied = lookThenRepair();
        TreeSet<String> expected = new TreeSet<>(all);
        expected.removeIf(row -> row.contains("\"id\": 1,") || row.contains("\"id\": 2,"));
        assertThat(expected).hasSize(all.size() - 2);
        for (int number = 1; number <= NODES; number++) {
            become(cassandra, node(number));
            runPrintedImports(cassandra, applied, number);
            assertThat(rows(cassandra)).as("node %d", number).isEqualTo(expected);
            cassandra.compact("shop", "orders");
            assertThat(rows(cassandra)).as("node %d", number).isEqualTo(expected);
        }
    }

    @Test
    void shouldReadACopyOfASnapshotUnlessItLacksAnSSTable(CassandraPeer cassandra) throws IOException {
        cassandra.executeAll(List.of(
                "CREATE KEYSPACE indexed WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE indexed.orders (id int PRIMARY KEY, item text) WITH compaction ="
                        + " {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}",
                "CREATE INDEX by_item ON indexed.orders (item)"));
        for (int id = 1; id <= 2; id++) {
            cassandra.executeAll(List.of("INSERT INTO indexed.orders (id, item) VALUES (" + id + ", 'bread')"));
            cassandra.flush("indexed", "orders");
        }
        cassandra.nodetool("snapshot", "-t", "anneal", "-kt", "indexed.orders");
        Path copy = directory.resolve("copy");
        copyKeepingTimes(cassandra.config().directory().resolve("data/indexed"), copy);
        assertThat(Files.readString(copy.resolve("manifest.json"))).contains("/");

        String[] verify = {"sstable", "verify", copy.toString()};
        Commands.Result whole = Commands.run(verify);
        assertThat(whole.exitCode()).as(whole.out() + whole.err()).isZero();

        Path lost;
        try (Stream<Path> files = Files.list(copy)) {
            lost = files.filter(file -> file.toString().endsWith("-Data.db"))
                    .findFirst()
                    .orElseThrow();
        }
        String prefix = lost.getFileName().toString().replace("Data.db", "");
        try (Stream<Path> files = Files.list(copy)) {
            for (Path file : files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .toList()) {
                Files.delete(file);
            }
        }
        Commands.Result incomplete = Commands.run(verify);
        assertThat(incomplete.exitCode()).isEqualTo(5);
        assertThat(incomplete.err()).contains("ANL-1012", lost.getFileName().toString());
    }

    private Commands.Result lookThenRepair() throws IOException {
        Commands.Result dry = repair(false);
        assertThat(dry.exitCode()).as(dry.err()).isEqualTo(1);
        assertThat(round.resolve("repaired")).doesNotExist();
        Commands.Result applied = repair(true);
        assertThat(applied.exitCode()).as(applied.err()).isZero();
        return applied;
    }

    /**
     * Deletions that are older than gc_grace: of row 1 on every node, of row 2 on all but the second. The first node has
     * purged them with what they deleted; on the others they still are.
     */
    private static void deleteAndPurge(CassandraPeer cassandra, int number) {
        long deletedSeconds = Instant.now().getEpochSecond() - 2 * GC_GRACE_SECONDS;
        for (int id : number == 2 ? new int[] {1} : new int[] {1, 2}) {
            cassandra.executeAt(
                    deletedSeconds, "DELETE FROM shop.orders USING TIMESTAMP " + (MICROS + 1) + " WHERE id = " + id);
        }
        cassandra.flush("shop", "orders");
        if (number == 1) {
            cassandra.compact("shop", "orders");
        }
    }
}
