package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import io.anneal.bench.peer.CassandraPeer;
import io.anneal.harness.store.CassandraSessions;
import io.anneal.migrate.bulk.Backfill;
import io.anneal.migrate.bulk.BackfillResult;
import io.anneal.migrate.bulk.BulkCursor;
import io.anneal.migrate.bulk.BulkMismatch;
import io.anneal.migrate.bulk.BulkRange;
import io.anneal.migrate.bulk.BulkSource;
import io.anneal.migrate.bulk.BulkTarget;
import io.anneal.migrate.bulk.BulkTolerance;
import io.anneal.migrate.bulk.Verification;
import io.anneal.migrate.bulk.VerificationResult;
import io.anneal.migrate.rows.CassandraBulkConfig;
import io.anneal.migrate.rows.CassandraSource;
import io.anneal.migrate.rows.CassandraTarget;
import io.anneal.migrate.rows.RowEntry;
import io.anneal.migrate.rows.SSTableSource;
import io.anneal.migrate.rows.StoreSource;
import io.anneal.migrate.rows.StoreTarget;
import io.anneal.store.Store;
import io.anneal.store.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole tables between a real Cassandra and embedded stores, cell by cell as CQL shows them. */
@WithCassandra
final class BulkWithCassandraTest {
    /** TTLs begin at the server, a while after they were reckoned; those that are drawn lie further apart. */
    private static final int EXPIRY_SECONDS = 120;

    private static final BulkTolerance TIMES = new BulkTolerance(true, EXPIRY_SECONDS);
    private static final InstantSource CLOCK = Clock.systemUTC();
    private static final List<String> KEYSPACES = List.of("bulk_one", "bulk_two");
    private static final List<String> VALUES =
            List.of("name", "total", "\"Weird Name\"", "note", "parts", "sizes", "address", "pair", "seen", "raw");
    private static final String TABLE = """
            CREATE TABLE %s.orders (
                customer int, region text, placed timestamp, line int,
                name text static, total decimal static,
                "Weird Name" text, note text, parts frozen<list<int>>, sizes frozen<map<text, int>>,
                address frozen<place>, pair frozen<tuple<int, text>>, seen timeuuid, raw blob,
                PRIMARY KEY ((customer, region), placed, line))
            WITH CLUSTERING ORDER BY (placed DESC, line ASC) AND default_time_to_live = 1000000""";
    private static final String REPLICATED = "CREATE TABLE bulk_one.replicated (id int, line int, shared text static,"
            + " note text, tags set<text>, PRIMARY KEY (id, line))";
    private static final int ROWS = 400;

    private static CassandraPeer peer;
    private static CqlSession session;

    @TempDir
    private Path directory;

    @BeforeAll
    static void connect(CassandraPeer shared) throws IOException {
        peer = shared;
        for (String keyspace : KEYSPACES) {
            peer.execute("CREATE KEYSPACE " + keyspace
                    + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            peer.execute("CREATE TYPE " + keyspace + ".place (street text, number int)");
        }
        KEYSPACES.forEach(keyspace -> peer.execute(TABLE.formatted(keyspace)));
        peer.execute("CREATE TABLE bulk_one.tagged (id int PRIMARY KEY, tags set<text>, place place)");
        peer.execute("CREATE TABLE bulk_one.counted (id int PRIMARY KEY, hits counter)");
        peer.execute(REPLICATED);
        session = CassandraSessions.open(
                "cassandra://" + peer.config().address() + ":" + peer.cqlPort() + "/bulk_one", Optional.empty());
    }

    @AfterAll
    static void disconnect() {
        session.close();
        KEYSPACES.forEach(keyspace -> peer.execute("DROP KEYSPACE " + keyspace));
    }

    @BeforeEach
    void emptyTables() {
        KEYSPACES.forEach(keyspace -> peer.truncate(keyspace, "orders"));
    }

    private static CassandraSource source(String keyspace) throws IOException {
        // Pages much smaller than partitions.
        return CassandraSource.open(session, keyspace, "orders", CassandraBulkConfig.DEFAULTS.withPageRows(7), CLOCK);
    }

    private static CassandraTarget target(String keyspace) throws IOException {
        return CassandraTarget.open(session, keyspace, "orders", CassandraBulkConfig.DEFAULTS, CLOCK);
    }

    private static BackfillResult backfill(BulkSource<RowEntry> source, BulkTarget<RowEntry> target) throws Exception {
        return Backfill.builder(source, target).ranges(10).build().run();
    }

    private static VerificationResult verify(
            BulkSource<RowEntry> left, BulkSource<RowEntry> right, BulkTolerance tolerance) throws Exception {
        return Verification.builder(left, right)
                .ranges(10)
                .tolerance(tolerance)
                .rereads(2, Duration.ofMillis(100))
                .build()
                .run();
    }

    /** Inserts, updates, deletions, TTLs, nulls, empty values, static values alone, rows that are a key alone. */
    private static void fill(long seed) {
        Random random = new Random(Long.getLong("anneal.seed", seed));
        long base = CLOCK.instant().toEpochMilli() * 1_000 - 10_000_000;
        for (int i = 0; i < ROWS; i++) {
            String using = " USING TIMESTAMP " + (base + random.nextInt(5_000_000))
                    + (random.nextInt(3) == 0 ? " AND TTL " + (2_000 + random.nextInt(5) * 1_000) : " AND TTL 0");
            String key =
                    "customer = " + random.nextInt(12) + " AND region = '" + (random.nextBoolean() ? "" : "é") + "'";
            String row = key + " AND placed = " + (1_700_000_000_000L + random.nextInt(6)) + " AND line = "
                    + random.nextInt(8);
            switch (random.nextInt(8)) {
                case 0 ->
                    session.execute("UPDATE bulk_one.orders" + using + " SET name = 'n" + i + "', total = "
                            + (random.nextBoolean() ? "null" : "1.500") + " WHERE " + key);
                case 1 ->
                    session.execute("DELETE FROM bulk_one.orders USING TIMESTAMP " + (base + random.nextInt(5_000_000))
                            + " WHERE " + row);
                case 2 ->
                    session.execute("INSERT INTO bulk_one.orders (customer, region, placed, line) VALUES ("
                            + row.replaceAll("\\w+ = ", "").replace(" AND ", ", ") + ")" + using);
                case 3 ->
                    session.execute("INSERT INTO bulk_one.orders (customer, region, placed, line, note, parts, seen)"
                            + " VALUES (" + row.replaceAll("\\w+ = ", "").replace(" AND ", ", ") + ", 'inserted" + i
                            + "', [1, " + i + "], now())" + using);
                default ->
                    session.execute("UPDATE bulk_one.orders" + using + " SET note = "
                            + (random.nextBoolean() ? "''" : "'v" + i + "'") + ", \"Weird Name\" = "
                            + (random.nextInt(3) == 0 ? "null" : "'w" + i + "'")
                            + ", sizes = {'a': 1, 'b': " + i + "}, address = {street: 'Main'}, pair = (" + i
                            + ", null), raw = 0x" + (random.nextBoolean() ? "" : "00ff") + " WHERE " + row);
            }
        }
    }

    /** Every row by its key: of each value itself, its write time, its TTL that is left. */
    private static Map<String, Map<String, List<Object>>> select(String keyspace) {
        StringBuilder columns = new StringBuilder("customer, region, placed, line");
        VALUES.forEach(name -> columns.append(", " + name + ", WRITETIME(" + name + "), TTL(" + name + ")"));
        Map<String, Map<String, List<Object>>> rows = new TreeMap<>();
        for (Row row : session.execute("SELECT " + columns + " FROM " + keyspace + ".orders")) {
            Map<String, List<Object>> cells = new TreeMap<>();
            for (int i = 0; i < VALUES.size(); i++) {
                int at = 4 + 3 * i;
                if (!row.isNull(at)) {
                    cells.put(
                            VALUES.get(i),
                            List.of(
                                    row.codecRegistry()
                                            .codecFor(row.getColumnDefinitions()
                                                    .get(at)
                                                    .getType())
                                            .format(row.getObject(at)),
                                    row.getLong(at + 1),
                                    row.isNull(at + 2) ? 0 : row.getInt(at + 2)));
                }
            }
            rows.put(row.getInt(0) + " " + row.getString(1) + " " + row.getInstant(2) + " " + row.getObject(3), cells);
        }
        return rows;
    }

    private static void assertSameCells(
            Map<String, Map<String, List<Object>>> found, Map<String, Map<String, List<Object>>> expected) {
        assertThat(found.keySet()).isEqualTo(expected.keySet());
        expected.forEach((key, cells) -> {
            Map<String, List<Object>> copied = found.get(key);
            assertThat(copied.keySet()).as(key).isEqualTo(cells.keySet());
            cells.forEach((name, cell) -> {
                List<Object> copy = copied.get(name);
                assertThat(copy.subList(0, 2)).as(key + " " + name).isEqualTo(cell.subList(0, 2));
                int ttl = (Integer) cell.get(2);
                int copiedTtl = (Integer) copy.get(2);
                assertThat(copiedTtl == 0).as(key + " " + name).isEqualTo(ttl == 0);
                // Both are asked one after the other.
                assertThat(copiedTtl).as(key + " " + name).isBetween(ttl - EXPIRY_SECONDS, ttl + EXPIRY_SECONDS);
            });
        });
    }

    @Test
    void shouldCopyCellsWithTimesToAnEmbeddedStoreAndBack() throws Exception {
        fill(1);
        try (Store store = Store.open(directory.resolve("store"))) {
            CassandraSource one = source("bulk_one");
            CassandraSource two = source("bulk_two");
            Table table = store.createTable(one.schema());
            StoreSource embedded = StoreSource.of(store, table.schema().qualifiedName(), CLOCK);
            StoreTarget intoStore = StoreTarget.of(store, table.schema().qualifiedName(), CLOCK);

            BackfillResult there = backfill(one, intoStore);
            BackfillResult back = backfill(embedded, target("bulk_two"));

            assertThat(there.rows()).isEqualTo(back.rows()).isGreaterThan(ROWS / 4);
            assertSameCells(select("bulk_two"), select("bulk_one"));
            for (VerificationResult result :
                    List.of(verify(one, embedded, TIMES), verify(embedded, two, TIMES), verify(one, two, TIMES))) {
                assertThat(result.samples()).isEmpty();
                assertThat(result.clean()).isTrue();
                assertThat(result.entries()).isEqualTo(there.rows());
            }
        }
    }

    @Test
    void shouldCopyFromOneClusterToAnotherAndAgainWithoutChange() throws Exception {
        fill(2);

        backfill(source("bulk_one"), target("bulk_two"));
        backfill(source("bulk_one"), target("bulk_two"));

        assertSameCells(select("bulk_two"), select("bulk_one"));
    }

    @Test
    void shouldReadEveryRowInExactlyOneRange() throws Exception {
        fill(3);
        CassandraSource source = source("bulk_one");
        List<BulkRange> ranges = source.ranges(40);
        assertThat(ranges).hasSizeGreaterThanOrEqualTo(30);
        assertThat(ranges.get(0).after()).isEqualTo(Long.MIN_VALUE);
        assertThat(ranges.get(ranges.size() - 1).through()).isEqualTo(Long.MAX_VALUE);
        for (int i = 1; i < ranges.size(); i++) {
            assertThat(ranges.get(i).after()).isEqualTo(ranges.get(i - 1).through());
        }

        Set<String> seen = new HashSet<>();
        int statics = 0;
        RowEntry last = null;
        for (BulkRange range : ranges) {
            try (BulkCursor<RowEntry> cursor = source.open(range)) {
                for (RowEntry entry = cursor.next(); entry != null; entry = cursor.next()) {
                    assertThat(range.contains(entry.position())).isTrue();
                    assertThat(seen.add(entry.key())).as(entry.key()).isTrue();
                    assertThat(last == null || source.order().compare(last, entry) < 0)
                            .as(last + " before " + entry)
                            .isTrue();
                    statics += entry.key().endsWith(" static") ? 1 : 0;
                    last = entry;
                    RowEntry again = source.reread(entry).orElseThrow();
                    assertThat(again.key()).isEqualTo(entry.key());
                    assertThat(entry.differences(again, TIMES)).isEmpty();
                }
            }
        }
        assertThat(statics).isPositive();
        long rows = select("bulk_one").keySet().stream()
                .filter(key -> !key.endsWith("null"))
                .count();
        assertThat((long) seen.size() - statics).isEqualTo(rows);
    }

    @Test
    void shouldLoseAgainstWhatIsNewerInTheTarget() throws Exception {
        String key = " WHERE customer = %d AND region = 'x' AND placed = 1 AND line = 1";
        for (int customer = 0; customer < 3; customer++) {
            session.execute("INSERT INTO bulk_one.orders (customer, region, placed, line, note, raw) VALUES ("
                    + customer + ", 'x', 1, 1, 'old', 0x01) USING TIMESTAMP 1000");
        }
        session.execute("UPDATE bulk_two.orders USING TIMESTAMP 2000 SET note = 'new'" + key.formatted(0));
        session.execute("DELETE FROM bulk_two.orders USING TIMESTAMP 2000" + key.formatted(1));

        backfill(source("bulk_one"), target("bulk_two"));

        Map<String, Map<String, List<Object>>> rows = select("bulk_two");
        assertThat(rows).hasSize(2);
        assertThat(rows.values().stream().map(cells -> cells.get("note").get(0)))
                .containsExactlyInAnyOrder("'new'", "'old'");
    }

    @Test
    void shouldFindAndMakeGoodWhatDiffers() throws Exception {
        fill(4);
        backfill(source("bulk_one"), target("bulk_two"));
        session.execute("DELETE FROM bulk_one.orders WHERE customer = 3 AND region = ''");
        session.execute("UPDATE bulk_one.orders SET name = null WHERE customer = 4 AND region = ''");
        session.execute(
                "INSERT INTO bulk_two.orders (customer, region, placed, line, note) VALUES (99, '', 1, 1, 'surplus')"
                        + " USING TIMESTAMP 1000");
        session.execute(
                "INSERT INTO bulk_one.orders (customer, region, placed, line, note) VALUES (98, '', 1, 1, 'past')");
        session.execute(
                "UPDATE bulk_one.orders SET note = 'changed' WHERE customer = 98 AND region = '' AND placed = 2 AND line = 1");
        session.execute("UPDATE bulk_two.orders USING TIMESTAMP 1000 SET note = 'stale', raw = 0x01 WHERE customer = 98"
                + " AND region = '' AND placed = 2 AND line = 1");

        VerificationResult found = verify(source("bulk_one"), source("bulk_two"), BulkTolerance.VALUES);
        assertThat(found.onlyOrigin()).as(found.samples().toString()).isEqualTo(1);
        assertThat(found.onlyTarget()).isPositive();
        assertThat(found.different()).isPositive();
        assertThat(found.samples())
                .filteredOn(mismatch -> mismatch.kind() == BulkMismatch.Kind.ONLY_ORIGIN)
                .extracting(BulkMismatch::key)
                .containsExactly("customer=98 region= placed=1970-01-01T00:00:00.001Z line=1");

        // Of a row that is a key alone nobody knows when it was written, nor how to take it away and nothing newer.
        session.execute("DELETE FROM bulk_two.orders WHERE customer = 3 AND region = ''");
        VerificationResult repaired = Verification.builder(source("bulk_one"), source("bulk_two"))
                .repair(target("bulk_two"))
                .rereads(1, Duration.ofMillis(10))
                .build()
                .run();
        assertThat(repaired.samples()).isNotEmpty();
        assertThat(repaired.clean()).isTrue();
        assertSameCells(select("bulk_two"), select("bulk_one"));
    }

    @Test
    void shouldRefuseWhatCqlTellsTooLittleOf() {
        assertThatThrownBy(
                        () -> CassandraSource.open(session, "bulk_one", "tagged", CassandraBulkConfig.DEFAULTS, CLOCK))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SSTableSource")
                .hasMessageContaining("tags set<text>")
                .hasMessageContaining("place place");
        assertThatThrownBy(
                        () -> CassandraTarget.open(session, "bulk_one", "counted", CassandraBulkConfig.DEFAULTS, CLOCK))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("hits counter");
        assertThatThrownBy(
                        () -> CassandraSource.open(session, "bulk_one", "nothing", CassandraBulkConfig.DEFAULTS, CLOCK))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bulk_one.nothing");
    }

    @Test
    void shouldCopyCountersFromSSTables() throws Exception {
        for (int i = 0; i < 50; i++) {
            session.execute("UPDATE bulk_one.counted SET hits = hits + " + i + " WHERE id = " + i % 7);
        }
        peer.flush("bulk_one", "counted");
        Path snapshot = peer.snapshot("bulk_one", "counted", "counters");
        try (SSTableSource source = SSTableSource.open(List.of(List.of(snapshot)), 1, CLOCK);
                Store store = Store.open(directory.resolve("store"))) {
            Table table = store.createTable("CREATE TABLE bulk_one.counted (id int PRIMARY KEY, hits counter)");

            backfill(source, StoreTarget.of(store, "bulk_one.counted", CLOCK));
            backfill(source, StoreTarget.of(store, "bulk_one.counted", CLOCK));

            for (Row row : session.execute("SELECT id, hits FROM bulk_one.counted")) {
                assertThat(table.row(Map.of("id", row.getInt(0))).orElseThrow().value("hits"))
                        .isEqualTo(row.getLong(1));
            }
            assertThat(verify(source, StoreSource.of(store, "bulk_one.counted", CLOCK), TIMES)
                            .clean())
                    .isTrue();
        }
    }

    @Test
    void shouldMergeTheSSTablesOfThreeReplicas() throws Exception {
        Random random = new Random(5);
        List<String> statements = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            String using = " USING TIMESTAMP " + (1_000 + i);
            String row = " WHERE id = " + random.nextInt(10) + " AND line = " + random.nextInt(10);
            statements.add(
                    switch (random.nextInt(6)) {
                        case 0 -> "DELETE FROM bulk_one.replicated" + using + row;
                        case 1 -> "DELETE tags FROM bulk_one.replicated" + using + row;
                        case 2 ->
                            "UPDATE bulk_one.replicated" + using + " SET shared = 's" + i + "'"
                                    + row.substring(0, row.indexOf(" AND"));
                        case 3 -> "UPDATE bulk_one.replicated" + using + " SET tags = tags + {'t" + i % 7 + "'}" + row;
                        default -> "UPDATE bulk_one.replicated" + using + " SET note = 'v" + i + "'" + row;
                    });
        }
        // Each write reaches two of three; the last round is what a node has that took them all.
        List<List<Path>> replicas = new ArrayList<>();
        for (int replica = 0; replica < 4; replica++) {
            peer.truncate("bulk_one", "replicated");
            for (int i = 0; i < statements.size(); i++) {
                if (i % 3 != replica) {
                    session.execute(statements.get(i));
                }
            }
            peer.flush("bulk_one", "replicated");
            Path copy = Files.createDirectories(directory.resolve("replica" + replica));
            try (Stream<Path> files = Files.list(peer.snapshot("bulk_one", "replicated", "copy" + replica))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    Files.copy(file, copy.resolve(file.getFileName()));
                }
            }
            replicas.add(List.of(copy));
        }

        try (SSTableSource merged = SSTableSource.open(replicas.subList(0, 3), 3, CLOCK);
                SSTableSource quorum = SSTableSource.open(replicas.subList(1, 3), 3, CLOCK);
                SSTableSource whole = SSTableSource.open(replicas.subList(3, 4), 1, CLOCK);
                Store store = Store.open(directory.resolve("store"))) {
            Table table = store.createTable(REPLICATED);
            StoreSource embedded = StoreSource.of(store, table.schema().qualifiedName(), CLOCK);
            BackfillResult copied = backfill(merged, StoreTarget.of(store, "bulk_one.replicated", CLOCK));

            assertThat(copied.rows()).isGreaterThan(50);
            assertThat(verify(whole, embedded, TIMES).clean()).isTrue();
            assertThat(verify(quorum, embedded, TIMES).clean()).isTrue();
        }
    }
}
