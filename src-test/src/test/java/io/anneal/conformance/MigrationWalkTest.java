package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.faults.Commands;
import io.anneal.store.Store;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Phases 1 to 5 under load with a real Cassandra on one side: the log of all operations finds nothing lost, nothing resurrected and nothing
 * stale, and what was in the origin before anybody wrote through the dual DAO is in the target, with its write times. How long
 * it takes decides nothing, the bounds are for what hangs.
 */
@WithCassandra
class MigrationWalkTest {
    private static final String KEYSPACE = "walk";
    private static final int OLD_ROWS = 300;
    private static final long OLD_KEYS_FROM = 1_000_000;
    private static final long OLD_TIME_MICROS = 1_600_000_000_000_000L;

    @TempDir
    private Path directory;

    @BeforeEach
    void createKeyspace(CassandraPeer peer) {
        peer.executeAll(List.of(
                "DROP KEYSPACE IF EXISTS " + KEYSPACE,
                "CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE " + KEYSPACE + ".items (a bigint, b text, c text, d text, PRIMARY KEY (a, b, c))"));
    }

    @Test
    @Timeout(value = 25, unit = TimeUnit.MINUTES)
    void shouldWalkFromAnEmbeddedStoreToCassandra(CassandraPeer peer) throws IOException {
        Path origin = directory.resolve("origin");
        try (Store store = Store.open(origin)) {
            var items = store.createTable(
                    "CREATE TABLE migrate.items (a bigint, b text, c text, d text, PRIMARY KEY (a, b, c))");
            for (long i = 0; i < OLD_ROWS; i++) {
                items.row()
                        .key("a", OLD_KEYS_FROM + i)
                        .clustering("b", "old")
                        .clustering("c", "1")
                        .set("d", "data " + i)
                        .timestampMicros(OLD_TIME_MICROS + i)
                        .insert();
            }
        }

        walk("embedded:" + origin, url(peer), "file:" + directory.resolve("phases"));

        assertThat(oldRows(peer)).isEqualTo(expected());
    }

    @Test
    @Timeout(value = 25, unit = TimeUnit.MINUTES)
    void shouldWalkFromCassandraToAnEmbeddedStoreWithThePhaseInCassandra(CassandraPeer peer) throws IOException {
        List<String> inserts = new ArrayList<>();
        for (long i = 0; i < OLD_ROWS; i++) {
            inserts.add("INSERT INTO %s.items (a, b, c, d) VALUES (%d, 'old', '1', 'data %d') USING TIMESTAMP %d"
                    .formatted(KEYSPACE, OLD_KEYS_FROM + i, i, OLD_TIME_MICROS + i));
        }
        peer.executeAll(inserts);
        Path target = directory.resolve("target");

        walk(url(peer), "embedded:" + target, url(peer));

        Map<Long, String> found = new TreeMap<>();
        try (Store store = Store.open(target);
                TableRows rows = store.tables().get(0).rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                if (row.value("b").equals("old")) {
                    found.put(
                            row.value("a", Long.class),
                            row.value("d") + " " + row.writeTimeMicros("d").getAsLong());
                }
            }
        }
        assertThat(found).isEqualTo(expected());
    }

    private void walk(String origin, String target, String phaseStore) throws IOException {
        Path report = directory.resolve("story.html");
        Commands.Result begun = Commands.run("migrate", "init", "--name", "walk", "--phase-store", phaseStore);
        assertThat(begun.exitCode()).as(begun.err()).isZero();
        Commands.Result result = Commands.run(
                "migrate",
                "run",
                "--auto",
                "--json",
                "--name",
                "walk",
                "--phase-store",
                phaseStore,
                "--directory",
                directory.resolve("instance").toString(),
                "--origin",
                origin,
                "--target",
                target,
                "--duration",
                "20m",
                "--bake",
                "1s",
                "--rate",
                "100",
                "--seed",
                "1",
                "--keys",
                "100",
                "--report",
                report.toString());

        assertThat(result.exitCode()).as(result.out() + result.err()).isZero();
        JsonNode json = new ObjectMapper().readTree(result.out());
        assertThat(json.path("phase").asText()).isEqualTo("5");
        assertThat(json.at("/check/operations").asLong()).isPositive();
        for (String kind : List.of("lostWrites", "resurrectedDeletes", "staleReads", "neverWritten")) {
            assertThat(json.at("/check/" + kind).asLong(-1)).as(kind).isZero();
        }
        assertThat(Files.readString(report)).contains("to phase 5", "<svg");
    }

    private static Map<Long, String> expected() {
        Map<Long, String> rows = new TreeMap<>();
        for (long i = 0; i < OLD_ROWS; i++) {
            rows.put(OLD_KEYS_FROM + i, "data " + i + " " + (OLD_TIME_MICROS + i));
        }
        return rows;
    }

    private static Map<Long, String> oldRows(CassandraPeer peer) throws IOException {
        Map<Long, String> rows = new TreeMap<>();
        ObjectMapper json = new ObjectMapper();
        for (String line : peer.selectJson("SELECT JSON a, b, d, writetime(d) AS t FROM " + KEYSPACE + ".items")) {
            JsonNode row = json.readTree(line);
            if (row.get("b").asText().equals("old")) {
                rows.put(
                        row.get("a").asLong(),
                        row.get("d").asText() + " " + row.get("t").asLong());
            }
        }
        return rows;
    }

    private static String url(CassandraPeer peer) {
        return "cassandra://" + peer.config().address() + ":" + peer.cqlPort() + "/" + KEYSPACE;
    }
}
