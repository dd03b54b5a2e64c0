package io.anneal.migrate.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.environment.HostEnvironment;
import io.anneal.job.JobFailedException;
import io.anneal.migrate.rows.RowEntry;
import io.anneal.migrate.rows.SSTableSource;
import io.anneal.migrate.rows.StoreSource;
import io.anneal.migrate.rows.StoreTarget;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows between embedded stores, and from SSTables of several replicas. */
final class StoreSidesTest {
    private static final String TABLE = """
            CREATE TYPE shop.place (street text, number int);
            CREATE TABLE shop.orders (
                customer int, region text, placed timestamp, line int,
                name text static, note text, price decimal, parts frozen<list<int>>, address frozen<place>,
                pair frozen<tuple<int, text>>, tags set<text>, history list<text>, sizes map<text, int>,
                PRIMARY KEY ((customer, region), placed, line))
            WITH CLUSTERING ORDER BY (placed DESC, line ASC)""";

    private final TestTime time = new TestTime();

    @TempDir
    private Path directory;

    private Store left;
    private Store right;

    @BeforeEach
    void open() throws IOException {
        left = store("left");
        right = store("right");
    }

    private Store store(String name) throws IOException {
        Store store = Store.open(
                directory.resolve(name),
                StoreConfig.defaults().withShardCount(2),
                HostEnvironment.system().withClock(time));
        store.createTable(TABLE);
        return store;
    }

    @AfterEach
    void close() throws IOException {
        left.close();
        right.close();
    }

    private static Table orders(Store store) {
        return store.table("shop.orders");
    }

    private StoreSource source(Store store) {
        return StoreSource.of(store, "shop.orders", time);
    }

    private StoreTarget target(Store store) {
        return StoreTarget.of(store, "shop.orders", time);
    }

    private BackfillResult backfill(BulkSource<RowEntry> source) throws Exception {
        return Backfill.builder(source, target(right))
                .ranges(8)
                .environment(time.environment())
                .build()
                .run();
    }

    private VerificationResult verify(BulkTolerance tolerance) throws Exception {
        return Verification.builder(source(left), source(right))
                .tolerance(tolerance)
                .ranges(8)
                .environment(time.environment())
                .build()
                .run();
    }

    /** Rows of all kinds: with and without marker, TTLs, nulls, empty values, static values alone, deleted and expired ones. */
    private void fill(Table table, long seed) throws IOException {
        Random random = new Random(Long.getLong("anneal.seed", seed));
        for (int i = 0; i < 200; i++) {
            int customer = random.nextInt(20);
            String region = random.nextBoolean() ? "" : "north";
            long micros = time.micros() - random.nextInt(1_000_000);
            var row = table.row()
                    .key("customer", customer)
                    .key("region", region)
                    .timestampMicros(micros)
                    .localTimeSeconds(time.seconds());
            if (random.nextInt(10) == 0) {
                row.set("name", random.nextBoolean() ? "" : "Ada").update();
                continue;
            }
            row.clustering("placed", time.instant().plusSeconds(random.nextInt(3)))
                    .clustering("line", random.nextInt(5));
            if (random.nextInt(12) == 0) {
                row.deleteRow();
                continue;
            }
            if (random.nextInt(3) == 0) {
                row.ttlSeconds(random.nextBoolean() ? 1_000 : 1);
            }
            if (random.nextInt(8) == 0) {
                row.insert();
                continue;
            }
            row.set("note", random.nextBoolean() ? null : random.nextBoolean() ? "" : "text" + i)
                    .set("parts", List.of(1, random.nextInt()))
                    .set("address", Map.of("street", "Main"))
                    .set("pair", Arrays.asList(null, "x"));
            if (random.nextBoolean()) {
                row.add("tags", Set.of("a" + random.nextInt(3), "b"))
                        .add("history", List.of("first", "second"))
                        .set("sizes", Map.of("m", random.nextInt(5)));
            }
            if (random.nextBoolean()) {
                row.insert();
            } else {
                row.update();
            }
        }
        table.row()
                .key("customer", 3)
                .key("region", "")
                .timestampMicros(time.micros() + 5)
                .deletePartition();
        time.pass(2);
    }

    private static List<String> rows(Store store) throws IOException {
        List<String> all = new ArrayList<>();
        try (TableRows rows = orders(store).rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                TableRow each = row;
                List<String> times = List.of("name", "note", "price", "parts", "address", "pair").stream()
                        .map(column -> each.writeTimeMicros(column) + "/" + each.ttlSeconds(column))
                        .toList();
                all.add(row + " " + times);
            }
        }
        return all;
    }

    @Test
    void shouldCopyRowsWithTimesAndTtls() throws Exception {
        fill(orders(left), 1);

        BackfillResult result = backfill(source(left));

        assertThat(result.rows()).isGreaterThan(50);
        assertThat(rows(right)).isEqualTo(rows(left));
        VerificationResult exact = verify(BulkTolerance.EXACT);
        assertThat(exact.samples()).isEmpty();
        assertThat(exact.clean()).isTrue();
        assertThat(exact.entries()).isEqualTo(result.rows());
        time.pass(2_000);
        assertThat(rows(right)).as("expires on both sides").isEqualTo(rows(left));
        assertThat(verify(BulkTolerance.EXACT).clean()).isTrue();
    }

    @Test
    void shouldHaveEveryRowInExactlyOneRange() throws Exception {
        fill(orders(left), 2);
        StoreSource source = source(left);
        Set<String> seen = new HashSet<>();
        for (BulkRange range : source.ranges(7)) {
            RowEntry last = null;
            try (BulkCursor<RowEntry> cursor = source.open(range)) {
                for (RowEntry entry = cursor.next(); entry != null; entry = cursor.next()) {
                    assertThat(range.contains(entry.position())).isTrue();
                    assertThat(seen.add(entry.key())).as(entry.key()).isTrue();
                    assertThat(last == null || source.order().compare(last, entry) < 0)
                            .isTrue();
                    last = entry;
                    RowEntry again = source.reread(entry).orElseThrow();
                    assertThat(entry.differences(again, BulkTolerance.EXACT)).isEmpty();
                }
            }
        }
        Set<String> whole = new LinkedHashSet<>();
        try (BulkCursor<RowEntry> cursor = source.open(BulkRange.ALL)) {
            for (RowEntry entry = cursor.next(); entry != null; entry = cursor.next()) {
                whole.add(entry.key());
            }
        }
        assertThat(seen).isEqualTo(whole);
    }

    @Test
    void shouldLoseAgainstWhatIsNewerInTheTarget() throws Exception {
        orders(left)
                .row()
                .key("customer", 1)
                .key("region", "x")
                .clustering("placed", time.instant())
                .clustering("line", 1)
                .timestampMicros(1_000)
                .set("note", "old")
                .set("price", 1)
                .insert();
        orders(left)
                .row()
                .key("customer", 2)
                .key("region", "x")
                .clustering("placed", time.instant())
                .clustering("line", 1)
                .timestampMicros(1_000)
                .set("note", "old")
                .insert();
        orders(right)
                .row()
                .key("customer", 1)
                .key("region", "x")
                .clustering("placed", time.instant())
                .clustering("line", 1)
                .timestampMicros(2_000)
                .set("note", "new")
                .update();
        orders(right)
                .row()
                .key("customer", 2)
                .key("region", "x")
                .clustering("placed", time.instant())
                .clustering("line", 1)
                .timestampMicros(2_000)
                .deleteRow();

        backfill(source(left));

        assertThat(rows(right))
                .singleElement()
                .satisfies(row -> assertThat(row).contains("note=new").contains("price=1"));
    }

    @Test
    void shouldSayInWhatCellsDiffer() throws Exception {
        for (Store store : List.of(left, right)) {
            boolean isLeft = store == left;
            orders(store)
                    .row()
                    .key("customer", 1)
                    .key("region", "x")
                    .clustering("placed", time.instant())
                    .clustering("line", 1)
                    .timestampMicros(1_000)
                    .localTimeSeconds(time.seconds())
                    .ttlSeconds(isLeft ? 100 : 110)
                    .set("note", isLeft ? "one" : "two")
                    .set("parts", List.of(7))
                    .add("tags", Set.of("both", isLeft ? "left" : "right"))
                    .add("history", List.of("a", "b"))
                    .insert();
        }

        VerificationResult result = verify(BulkTolerance.VALUES);

        assertThat(result.different()).isEqualTo(1);
        BulkMismatch found = result.samples().get(0);
        assertThat(found.key()).isEqualTo("customer=1 region=x placed=2026-11-21T12:00:00.000Z line=1");
        assertThat(found.diffs())
                .contains(
                        new FieldDiff("note", "one", "two"),
                        new FieldDiff("note, expiry", "2026-11-21T12:01:40Z", "2026-11-21T12:01:50Z"),
                        new FieldDiff("tags[left]", "", "(absent)"),
                        new FieldDiff("tags[right]", "(absent)", ""))
                .noneMatch(diff -> diff.path().equals("parts"));
    }

    @Test
    void shouldCompareListsByTheirElements() throws Exception {
        Instant placed = time.instant();
        for (Store store : List.of(left, right)) {
            // Each store makes up paths of its own, here by its clock.
            time.pass(1);
            orders(store)
                    .row()
                    .key("customer", 1)
                    .key("region", "x")
                    .clustering("placed", placed)
                    .clustering("line", 1)
                    .timestampMicros(1_000)
                    .add("history", List.of("a", "b"))
                    .update();
        }

        assertThat(verify(BulkTolerance.VALUES).clean()).isTrue();
        assertThat(verify(BulkTolerance.EXACT).clean()).isFalse();
    }

    @Test
    void shouldPassExpiriesThatLieTwoSecondsApart() throws Exception {
        for (Store store : List.of(left, right)) {
            orders(store)
                    .row()
                    .key("customer", 1)
                    .key("region", "x")
                    .clustering("placed", time.instant())
                    .clustering("line", 1)
                    .timestampMicros(1_000)
                    .localTimeSeconds(time.seconds())
                    .ttlSeconds(store == left ? 100 : 102)
                    .set("note", "x")
                    .update();
        }
        assertThat(verify(BulkTolerance.VALUES).clean()).isTrue();
    }

    @Test
    void shouldMakeTheTargetWhatTheOriginIs() throws Exception {
        fill(orders(left), 3);
        backfill(source(left));
        // Deleted while the target was not written: back-filling again would not take them away.
        for (int customer = 0; customer < 20; customer++) {
            for (String region : List.of("", "north")) {
                orders(left)
                        .row()
                        .key("customer", customer)
                        .key("region", region)
                        .clustering("placed", time.instant())
                        .clustering("line", 1)
                        .deleteRow();
                orders(left)
                        .row()
                        .key("customer", customer)
                        .key("region", region)
                        .delete("name")
                        .update();
                orders(left)
                        .row()
                        .key("customer", customer)
                        .key("region", region)
                        .clustering("placed", time.instant().minusSeconds(1))
                        .clustering("line", 0)
                        .delete("note")
                        .remove("tags", "b")
                        .update();
            }
        }
        orders(left).row().key("customer", 5).key("region", "north").deletePartition();
        assertThat(verify(BulkTolerance.EXACT).onlyTarget()).isPositive();

        VerificationResult repaired = Verification.builder(source(left), source(right))
                .tolerance(BulkTolerance.EXACT)
                .repair(target(right))
                .environment(time.environment())
                .build()
                .run();

        assertThat(repaired.repaired()).isPositive();
        assertThat(repaired.clean()).isTrue();
        assertThat(rows(right)).isEqualTo(rows(left));
    }

    @Test
    void shouldRefuseTablesThatDiffer() throws Exception {
        right.createTable("CREATE TABLE shop.other (customer int PRIMARY KEY, name text)");

        assertThatThrownBy(() -> Backfill.builder(source(left), StoreTarget.of(right, "shop.other", time))
                        .environment(time.environment())
                        .build()
                        .run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("customer int partition key, name text")
                .hasMessageContaining("placed timestamp desc clustering");
    }

    @Test
    void shouldMergeTheSSTablesOfReplicas() throws Exception {
        Random random = new Random(7);
        List<Store> replicas = List.of(left, store("second"), store("third"));
        Store all = store("all");
        for (int i = 0; i < 150; i++) {
            int customer = random.nextInt(10);
            int line = random.nextInt(4);
            boolean deletes = random.nextInt(5) == 0;
            int missing = random.nextInt(3);
            // What a quorum took: one replica missed it.
            List<Store> wrote = new ArrayList<>(replicas);
            wrote.remove(missing);
            wrote.add(all);
            for (Store store : wrote) {
                var row = orders(store)
                        .row()
                        .key("customer", customer)
                        .key("region", "x")
                        .clustering("placed", time.instant())
                        .clustering("line", line)
                        .timestampMicros(1_000 + i)
                        .localTimeSeconds(time.seconds());
                if (deletes) {
                    row.deleteRow();
                } else {
                    row.set("note", "n" + i).insert();
                }
            }
        }
        List<List<Path>> snapshots = new ArrayList<>();
        for (Store replica : replicas) {
            snapshots.add(List.of(orders(replica).snapshot("now")));
        }
        for (Store opened : List.of(replicas.get(1), replicas.get(2))) {
            opened.close();
        }

        try (SSTableSource merged = SSTableSource.open(snapshots, 3, time)) {
            assertThat(merged.identity()).contains("shop.orders").contains("replicas=3 of 3, all merged");
            backfill(merged);
            assertThat(rows(right)).isEqualTo(rows(all));
            VerificationResult same = Verification.builder(merged, source(right))
                    .tolerance(BulkTolerance.EXACT)
                    .environment(time.environment())
                    .build()
                    .run();
            assertThat(same.clean()).isTrue();
        }
        try (SSTableSource quorum = SSTableSource.open(snapshots.subList(1, 3), 3, time)) {
            assertThat(quorum.identity()).contains("replicas=2 of 3, a quorum merged");
            VerificationResult same = Verification.builder(quorum, source(right))
                    .tolerance(BulkTolerance.EXACT)
                    .environment(time.environment())
                    .build()
                    .run();
            assertThat(same.clean()).isTrue();
        }
        all.close();
    }

    @Test
    void shouldRefuseFewerReplicasThanAQuorum() throws Exception {
        Path snapshot = orders(left).snapshot("now");

        assertThatThrownBy(() -> SSTableSource.open(List.of(List.of(snapshot)), 3, time))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("replicas=1")
                .hasMessageContaining("quorum=2");
        assertThatThrownBy(() -> SSTableSource.open(List.of(List.of(snapshot), List.of(snapshot)), 1, time))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldNameWhatIsWrongWithADirectory() throws Exception {
        orders(left)
                .row()
                .key("customer", 1)
                .key("region", "x")
                .clustering("placed", time.instant())
                .clustering("line", 1)
                .insert();
        Path snapshot = orders(left).snapshot("now");
        Path copy = Files.createDirectories(directory.resolve("copy"));
        try (var files = Files.list(snapshot)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        Path data;
        try (var files = Files.list(copy)) {
            data = files.filter(file -> file.toString().endsWith("-Data.db"))
                    .findFirst()
                    .orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 1;
        Files.write(data, bytes);

        try (SSTableSource source = SSTableSource.open(List.of(List.of(copy)), 1, time)) {
            assertThatThrownBy(() -> Backfill.builder(source, target(right))
                            .retries(1, java.time.Duration.ZERO)
                            .environment(time.environment())
                            .build()
                            .run())
                    .isInstanceOf(JobFailedException.class)
                    .hasMessageContaining(data.getFileName().toString());
        }
    }

    @Test
    void shouldFlushARangeIntoAStoreThatAcknowledgesEarly() throws Exception {
        fill(orders(left), 4);
        StoreTarget flushing = StoreTarget.flushing(right, "shop.orders", time);

        Backfill.builder(source(left), flushing)
                .ranges(2)
                .environment(time.environment())
                .build()
                .run();

        Optional<Path> data;
        try (var files = Files.walk(directory.resolve("right"))) {
            data = files.filter(file -> file.toString().endsWith("-Data.db")).findFirst();
        }
        assertThat(data).isPresent();
    }
}
