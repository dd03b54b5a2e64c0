package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.faults.Commands;
import io.anneal.harness.store.CassandraSessions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pages of what a real Cassandra wrote beside the pages that its driver gets: the same rows in the same order. */
@WithCassandra
class ScanOfCassandraTest {
    private static final String KEYSPACE = "scanned";
    private static final int PARTITIONS = 12;
    private static final int ROWS = 9;
    private static final int PAGE_ROWS = 7;

    /** Two SSTables that overlap: values, deletions of all kinds, a partition of a static value alone, nothing but nulls. */
    @BeforeAll
    static void write(CassandraPeer peer) {
        peer.executeAll(List.of(
                "CREATE KEYSPACE " + KEYSPACE
                        + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
                "CREATE TABLE scanned.t (p int, c int, d text, n int, s text static, tags set<text>,"
                        + " PRIMARY KEY (p, c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)"));
        List<String> writes = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            writes.add("INSERT INTO scanned.t (p, s) VALUES (" + p + ", 'of " + p + "')");
            for (int c = 0; c < ROWS; c++) {
                for (String d : List.of("a", "b")) {
                    writes.add("INSERT INTO scanned.t (p, c, d, n, tags) VALUES (" + p + ", " + c + ", '" + d + "', "
                            + (p + c) % 5 + ", {'x', 'y" + c + "'})");
                }
            }
        }
        writes.add("INSERT INTO scanned.t (p, s) VALUES (100, 'alone')");
        peer.executeAll(writes);
        peer.flush(KEYSPACE, "t");
        peer.executeAll(List.of(
                "DELETE FROM scanned.t WHERE p = 1",
                "DELETE FROM scanned.t WHERE p = 2 AND c > 2 AND c < 6",
                "DELETE FROM scanned.t WHERE p = 3 AND c = 4",
                "DELETE FROM scanned.t WHERE p = 4 AND c = 4 AND d = 'b'",
                "DELETE n, tags FROM scanned.t WHERE p = 5 AND c = 5 AND d = 'a'",
                "DELETE s FROM scanned.t WHERE p = 6",
                "UPDATE scanned.t SET tags = tags - {'x'} WHERE p = 7 AND c = 1 AND d = 'a'",
                "INSERT INTO scanned.t (p, c, d) VALUES (8, 77, 'new')"));
        peer.flush(KEYSPACE, "t");
    }

    @AfterAll
    static void drop(CassandraPeer peer) {
        peer.execute("DROP KEYSPACE " + KEYSPACE);
    }

    private static List<String> scan(Path directory, String... options) {
        List<String> arguments = new ArrayList<>(List.of("scan", "--quiet", "--data", directory.toString()));
        arguments.addAll(List.of("--page-size", String.valueOf(PAGE_ROWS)));
        arguments.addAll(List.of(options));
        Commands.Result result = Commands.run(arguments.toArray(String[]::new));
        assertThat(result.exitCode()).as(result.err()).isZero();
        return JsonRows.ofDocuments(result.out().lines().toList());
    }

    /** Through the driver, as long pages as ours. */
    private static List<String> select(CqlSession session, String where) {
        SimpleStatement statement = SimpleStatement.newInstance("SELECT JSON * FROM scanned.t " + where)
                .setPageSize(PAGE_ROWS);
        List<String> documents = new ArrayList<>();
        session.execute(statement).forEach(row -> documents.add(row.getString(0)));
        return JsonRows.ofDocuments(documents);
    }

    @Test
    void shouldGiveTheRowsThatTheDriverGives(CassandraPeer peer) throws IOException {
        Path snapshot = peer.snapshot(KEYSPACE, "t", "scanned");
        String url = "cassandra://" + peer.config().address() + ":" + peer.cqlPort() + "/" + KEYSPACE;
        try (CqlSession session = CassandraSessions.open(url, Optional.empty())) {
            assertThat(select(session, "")).hasSizeGreaterThan(PARTITIONS * ROWS);
            assertSame(scan(snapshot), select(session, ""));
            assertSame(scan(snapshot, "--stateless"), select(session, ""));
            for (int p = 0; p < PARTITIONS; p++) {
                assertSame(scan(snapshot, "--where", "p = " + p), select(session, "WHERE p = " + p));
                assertSame(
                        scan(snapshot, "--where", "p = " + p, "--reversed"),
                        select(session, "WHERE p = " + p + " ORDER BY c ASC, d DESC"));
            }
            assertSame(
                    scan(snapshot, "--where", "p IN (2, 3, 100)", "--where", "c >= 2", "--where", "c < 7"),
                    select(session, "WHERE p IN (2, 3, 100) AND c >= 2 AND c < 7"));
            assertSame(
                    scan(snapshot, "--where", "n = 3", "--where", "d = 'b'"),
                    select(session, "WHERE n = 3 AND d = 'b' ALLOW FILTERING"));
            assertSame(scan(snapshot, "--where", "s = 'of 2'"), select(session, "WHERE s = 'of 2' ALLOW FILTERING"));
            assertSame(
                    scan(snapshot, "--range=(0,4611686018427387904]"),
                    select(session, "WHERE token(p) > 0 AND token(p) <= 4611686018427387904"));
        } finally {
            peer.clearSnapshot(KEYSPACE, "t", "scanned");
        }
    }

    private static void assertSame(List<String> ours, List<String> cassandras) {
        Differences.assertSame("scanned.t", ours, cassandras);
    }
}
