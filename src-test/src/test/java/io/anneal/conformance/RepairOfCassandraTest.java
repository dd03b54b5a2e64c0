package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.faults.Commands;
import io.anneal.store.SSTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three directories that a real Cassandra wrote and that differ in every way; after a repair a real Cassandra shows the
 * same from each replica's old and new SSTables, and the same as from all old ones at once.
 */
@WithCassandra
class RepairOfCassandraTest {
    private static final int REPLICAS = 3;
    /** Rows at which the three replicas differ: see {@link #writeDifferences}. */
    private static final int ROWS_DIFFERING = 16;

    private static final int DELETIONS_DIFFERING = 3;
    private static final long COMMON_MICROS = 1_700_000_000_000_000L;

    private final ObjectMapper json = new ObjectMapper();

    @TempDir
    private Path directory;

    @Test
    void shouldMakeDirectoriesOfCassandraEqualWhenAppliedAndImported(CassandraPeer cassandra) throws IOException {
        List<Path> replicas = writeReplicas(cassandra, "repair_dirs");
        Path out = directory.resolve("out");
        String table = "repair_dirs.t";

        Commands.Result dry = repairDirectories(replicas, table, "--dry-run");
        assertThat(dry.exitCode()).as(dry.err()).isEqualTo(1);
        assertDiffering(dry);
        assertThat(out).doesNotExist();

        Commands.Result applied = repairDirectories(replicas, table, "--apply", "--out", out.toString());
        assertThat(applied.exitCode()).as(applied.err()).isZero();
        assertDifferences(applied);

        List<Path> staged = new ArrayList<>();
        for (Path replica : replicas) {
            staged.add(out.resolve(replica.getFileName()).resolve("repair_dirs").resolve("t"));
        }
        for (Path received : staged) {
            assertThat(minutes(received))
                    .as("windows of what two others wrote, an SSTable each, of %s", received)
                    .hasSize(2)
                    .doesNotHaveDuplicates();
        }
        assertCassandraShowsEqualReplicas(cassandra, "repair_dirs", replicas, staged);

        Commands.Result again = repairDirectories(
                replicas,
                table,
                "--out",
                out.toString(),
                "--staged",
                tableOf(applied).get("run").asText());
        assertThat(again.exitCode()).as(again.err()).isZero();
        assertThat(tableOf(again).get("were-equal").asBoolean()).isTrue();
    }

    @Test
    void shouldMakeServersOverCassandraEqualWhenRepairedOverTheNetwork(CassandraPeer cassandra) throws IOException {
        List<Path> replicas = writeReplicas(cassandra, "repair_servers");
        Path token = Commands.tokenFile(directory);
        List<Path> staged = new ArrayList<>();
        List<Commands.Server> servers = new ArrayList<>();
        try {
            List<String> arguments = new ArrayList<>(List.of("repair", "--json", "--table", "repair_servers.t"));
            arguments.addAll(List.of("--full-replicas", "--token-file", token.toString()));
            for (Path replica : replicas) {
                Path staging = directory.resolve("staging-" + replica.getFileName());
                staged.add(staging.resolve("repair_servers").resolve("t"));
                servers.add(Commands.Server.start(
                        directory.resolve(replica.getFileName() + ".log"),
                        "--data",
                        replica.toString(),
                        "--staging",
                        staging.toString(),
                        "--token-file",
                        token.toString()));
                arguments.addAll(
                        List.of("--replica", servers.get(servers.size() - 1).address()));
            }

            Commands.Result repaired = Commands.run(arguments.toArray(String[]::new));
            assertThat(repaired.exitCode()).as(repaired.err()).isZero();
            assertDifferences(repaired);
            assertThat(tableOf(repaired).get("network-bytes").asLong()).isPositive();

            arguments.addAll(List.of(
                    "--dry-run", "--staged", tableOf(repaired).get("run").asText()));
            Commands.Result again = Commands.run(arguments.toArray(String[]::new));
            assertThat(again.exitCode()).as(again.err()).isZero();
            assertThat(tableOf(again).get("were-equal").asBoolean()).isTrue();
        } finally {
            servers.forEach(Commands.Server::close);
        }
        assertCassandraShowsEqualReplicas(cassandra, "repair_servers", replicas, staged);
    }

    private static Commands.Result repairDirectories(List<Path> replicas, String table, String... more) {
        List<String> arguments = new ArrayList<>(List.of("repair", "--json", "--table", table, "--full-replicas"));
        replicas.forEach(replica -> arguments.addAll(List.of("--dir", replica.toString())));
        arguments.addAll(List.of(more));
        return Commands.run(arguments.toArray(String[]::new));
    }

    private JsonNode tableOf(Commands.Result result) throws IOException {
        return json.readTree(result.out()).get("tables").get(0);
    }

    /** The rows moved are exactly those that differ. */
    private void assertDifferences(Commands.Result result) throws IOException {
        JsonNode table = assertDiffering(result);
        // Each difference is held by one replica: it goes to the master once, unless it is the master's, and to the
        // others.
        int received = 0;
        for (JsonNode replica : table.get("replicas")) {
            received += replica.get("rows-received").asInt();
            received += replica.get("deletions-received").asInt();
        }
        assertThat(received).as(result.out()).isEqualTo(2 * (ROWS_DIFFERING + DELETIONS_DIFFERING));
    }

    private JsonNode assertDiffering(Commands.Result result) throws IOException {
        JsonNode table = tableOf(result);
        assertThat(table.get("rows-differing").asInt()).as(result.out()).isEqualTo(ROWS_DIFFERING);
        assertThat(table.get("deletions-differing").asInt()).as(result.out()).isEqualTo(DELETIONS_DIFFERING);
        return table;
    }

    /** One set of common SSTables, and one more SSTable for each replica. */
    private List<Path> writeReplicas(CassandraPeer cassandra, String keyspace) throws IOException {
        cassandra.execute("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        String table = keyspace + ".t";
        cassandra.execute("CREATE TABLE " + table + " (p int, c int, d text, s text static, v text, w int,"
                + " l list<text>, st set<int>, m map<text, int>, fr frozen<list<int>>, PRIMARY KEY (p, c, d))"
                + " WITH CLUSTERING ORDER BY (c DESC, d ASC) AND compaction = {'class':"
                + " 'TimeWindowCompactionStrategy', 'compaction_window_unit': 'MINUTES', 'compaction_window_size': '1',"
                + " 'enabled': 'false'}");
        writeCommon(cassandra, table);
        cassandra.flush(keyspace, "t");
        List<Path> replicas = new ArrayList<>();
        for (int i = 0; i < REPLICAS; i++) {
            replicas.add(Files.createDirectories(directory.resolve("replica" + i)));
            cassandra.copySSTables(keyspace, "t", replicas.get(i));
        }
        for (int i = 0; i < REPLICAS; i++) {
            cassandra.truncate(keyspace, "t");
            writeDifferences(cassandra, table, i);
            cassandra.flush(keyspace, "t");
            // A snapshot has these beside its SSTables; the second one brings its own.
            Files.delete(replicas.get(i).resolve("manifest.json"));
            Files.delete(replicas.get(i).resolve("schema.cql"));
            cassandra.copySSTables(keyspace, "t", replicas.get(i));
        }
        return replicas;
    }

    private static void writeCommon(CassandraPeer cassandra, String table) {
        List<String> statements = new ArrayList<>();
        for (int p = 0; p < 20; p++) {
            statements.add(
                    "UPDATE " + table + " USING TIMESTAMP " + COMMON_MICROS + " SET s = 'static' WHERE p = " + p);
            for (int c = 0; c < 10; c++) {
                statements.add("INSERT INTO " + table + " (p, c, d, v, w, l, st, m, fr) VALUES (" + p + ", " + c
                        + ", 'd', 'common', " + c + ", ['a', 'b'], {1, 2}, {'k': 1}, [1, 2]) USING TIMESTAMP "
                        + COMMON_MICROS);
            }
        }
        statements.add("INSERT INTO " + table + " (p, c, d, v) VALUES (0, 100, 'd', 'ttl') USING TIMESTAMP "
                + COMMON_MICROS + " AND TTL 864000");
        cassandra.executeAll(statements);
    }

    /** 16 rows, two range deletions and a partition deletion, no two of them at one place; each replica's in a window of their own. */
    private static void writeDifferences(CassandraPeer cassandra, String table, int replica) {
        String using = " USING TIMESTAMP " + (COMMON_MICROS + 10 + TimeUnit.MINUTES.toMicros(replica));
        String row = " WHERE p = %d AND c = %d AND d = 'd'";
        List<String> statements = new ArrayList<>();
        switch (replica) {
            case 0 -> {
                // Three inserts, one of a new partition; two overwrites; a static update.
                for (int i = 0; i < 3; i++) {
                    statements.add("INSERT INTO " + table + " (p, c, d, v) VALUES (" + (i == 0 ? 1_000 : i)
                            + ", 50, 'new', 'inserted')" + using);
                }
                statements.add("UPDATE " + table + using + " SET v = 'overwritten'" + row.formatted(3, 1));
                statements.add("UPDATE " + table + using + " SET w = 77" + row.formatted(3, 2));
                statements.add("UPDATE " + table + using + " SET s = 'newer' WHERE p = 4");
            }
            case 1 -> {
                // Two rows with TTLs; a cell, a row, a range and a partition deletion.
                statements.add("INSERT INTO " + table + " (p, c, d, v) VALUES (5, 60, 'd', 'ttl')" + using
                        + " AND TTL 864000");
                statements.add("UPDATE " + table + using + " AND TTL 864000 SET v = 'ttl'" + row.formatted(5, 1));
                statements.add("DELETE v FROM " + table + using + row.formatted(6, 1));
                statements.add("DELETE FROM " + table + using + row.formatted(6, 2));
                statements.add("DELETE FROM " + table + using + " WHERE p = 7 AND c > 2 AND c <= 6");
                statements.add("DELETE FROM " + table + using + " WHERE p = 8");
            }
            case 2 -> {
                // Five collection updates, one of them static's neighbour; a range deletion of a whole prefix.
                statements.add("UPDATE " + table + using + " SET l = l + ['c']" + row.formatted(9, 1));
                statements.add("UPDATE " + table + using + " SET st = st - {1}" + row.formatted(9, 2));
                statements.add("UPDATE " + table + using + " SET m['k'] = 2" + row.formatted(9, 3));
                statements.add("UPDATE " + table + using + " SET m = {'fresh': 1}" + row.formatted(9, 4));
                statements.add("DELETE l FROM " + table + using + row.formatted(9, 5));
                statements.add("UPDATE " + table + using + " SET fr = [9]" + row.formatted(9, 6));
                statements.add("DELETE FROM " + table + using + " WHERE p = 10 AND c = 3");
            }
            default -> throw new IllegalArgumentException("replica=" + replica);
        }
        cassandra.executeAll(statements);
    }

    /** In which the newest write of each SSTable lies, which is where Cassandra looks for its time window. */
    private static List<Long> minutes(Path table) throws IOException {
        try (SSTables received = SSTables.open(table)) {
            return received.readers().stream()
                    .map(reader -> reader.statistics().maxTimestampMicros() / TimeUnit.MINUTES.toMicros(1))
                    .toList();
        }
    }

    private static void assertCassandraShowsEqualReplicas(
            CassandraPeer cassandra, String keyspace, List<Path> replicas, List<Path> staged) {
        List<Path> all = new ArrayList<>(replicas);
        TreeSet<String> expected = shownFrom(cassandra, keyspace, all);
        assertThat(expected).hasSizeGreaterThan(180);
        for (int i = 0; i < replicas.size(); i++) {
            assertThat(shownFrom(cassandra, keyspace, List.of(replicas.get(i))))
                    .as("the replica differed before")
                    .isNotEqualTo(expected);
            assertThat(shownFrom(cassandra, keyspace, List.of(replicas.get(i), staged.get(i))))
                    .as("replica %d", i)
                    .isEqualTo(expected);
        }
    }

    /** Rows and write times that Cassandra shows when it is given these directories. */
    private static TreeSet<String> shownFrom(CassandraPeer cassandra, String keyspace, List<Path> directories) {
        cassandra.truncate(keyspace, "t");
        directories.forEach(from -> cassandra.importDirectory(keyspace, "t", from));
        TreeSet<String> shown = new TreeSet<>(cassandra.selectJson("SELECT JSON * FROM " + keyspace + ".t"));
        shown.addAll(cassandra.selectJson(
                "SELECT JSON p, c, d, writetime(v) AS tv, writetime(w) AS tw FROM " + keyspace + ".t"));
        return shown;
    }
}
