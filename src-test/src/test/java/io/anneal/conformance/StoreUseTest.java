package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.compaction.CompactionCancelledException;
import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Mutation;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableMutation;
import io.anneal.store.TableRow;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.ManualClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What somebody who embeds a store relies on, whatever he does with it at once, too late, or twice. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreUseTest {
    private static final String CREATE = "CREATE TABLE ks.t (k int PRIMARY KEY, v text)";
    private static final StoreConfig SMALL = StoreConfig.defaults()
            .withShardCount(2)
            .withMemtableBudgetBytes(1 << 20)
            .withCommitLogSegmentBytes(64 << 10)
            .withCommitLogBudgetBytes(256 << 10);

    private static final String LATER = HexFormat.of().formatHex("later".getBytes(StandardCharsets.UTF_8));

    @TempDir
    private Path directory;

    private static void insert(Table table, int k) throws IOException {
        table.row().key("k", k).set("v", "value " + k).insert();
    }

    private static Map<Integer, String> rows(Table table) throws IOException {
        Map<Integer, String> found = new TreeMap<>();
        try (TableRows rows = table.rows()) {
            for (TableRow row = rows.next(); row != null; row = rows.next()) {
                found.put(row.value("k", Integer.class), row.value("v", String.class));
            }
        }
        return found;
    }

    private static DecoratedKey key(int k) {
        return DecoratedKey.of(ByteBuffer.allocate(Integer.BYTES).putInt(k).array());
    }

    @Test
    void shouldNameThisProcessWhenItOpensAStoreTwice() throws IOException {
        try (Store store = Store.open(directory, SMALL)) {
            assertThatThrownBy(() -> Store.open(directory, SMALL))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("pid=" + ProcessHandle.current().pid())
                    .hasMessageContaining(directory.toString());
            insert(store.createTable(CREATE), 1);
        }
        try (Store store = Store.open(directory, SMALL)) {
            assertThat(rows(store.table("ks.t"))).hasSize(1);
        }
    }

    @Test
    void shouldNameTheOtherProcessAndTakeOverWhenItIsDead() throws Exception {
        Process holder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Holder.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(said.readLine()).isEqualTo("open");
            assertThatThrownBy(() -> Store.open(directory, SMALL))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("pid=" + holder.pid());
        } finally {
            holder.destroyForcibly().waitFor();
        }
        assertThat(directory.resolve("LOCK")).content().contains("pid=" + holder.pid());
        try (Store store = Store.open(directory, SMALL)) {
            assertThat(rows(store.table("ks.t"))).containsOnlyKeys(1);
        }
    }

    /** Opens a store, writes a row, and waits to be killed. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] arguments) throws Exception {
            Store store = Store.open(Path.of(arguments[0]), SMALL);
            insert(store.createTable(CREATE), 1);
            System.out.println("open");
            System.out.flush();
            Thread.sleep(TimeUnit.MINUTES.toMillis(5));
            store.close();
        }
    }

    /** Everything that one can call, by name. */
    private static Map<String, ThrowingCallable> calls(Table table, Mutation mutation, Path directory) {
        Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
        calls.put("row", () -> insert(table, 1));
        calls.put("mutation", () -> {
            TableMutation several = table.mutation();
            several.row().key("k", 1).set("v", "x").insert();
            several.apply();
        });
        calls.put("apply", () -> table.apply(mutation));
        calls.put("applyAsync", () -> table.applyAsync(mutation).join());
        calls.put("rows", () -> rows(table));
        calls.put("partition", () -> {
            try (TableRows rows = table.partition(1)) {
                rows.next();
            }
        });
        calls.put("row by key", () -> table.row(Map.of("k", 1)));
        calls.put("scan", () -> table.scan(TokenRange.Linear.ALL).advance());
        calls.put("read", () -> table.read(key(1), Slices.ALL, false).advance());
        calls.put("flush", table::flush);
        calls.put("flushAsync", () -> table.flushAsync().join());
        calls.put("compact", table::compact);
        calls.put("compactAsync", () -> table.compactAsync().join());
        calls.put("snapshot", () -> table.snapshot("late"));
        calls.put("import", () -> table.importSSTables(directory.resolve("snapshot")));
        calls.put("truncate", table::truncate);
        return calls;
    }

    private static void assertRefused(Map<String, ThrowingCallable> calls) {
        calls.forEach((name, call) -> assertThatThrownBy(call)
                .as(name)
                .satisfies(failure -> assertThat(failure instanceof CompletionException ? failure.getCause() : failure)
                        .isInstanceOf(IllegalStateException.class)));
    }

    @Test
    void shouldThrowEverywhereWhenTheStoreIsClosed() throws IOException {
        Store store = Store.open(directory.resolve("store"), SMALL);
        Table table = store.createTable(CREATE);
        insert(table, 1);
        TableMutation begun = table.mutation();
        begun.row().key("k", 7).set("v", "x").insert();
        TableMutation toApply = table.mutation();
        toApply.row().key("k", 8).set("v", "x").insert();
        Mutation mutation = begun.build();
        Files.move(table.snapshot("s"), directory.resolve("snapshot"));
        store.close();
        Map<String, ThrowingCallable> calls = calls(table, mutation, directory);
        calls.put("begun mutation", toApply::apply);
        calls.put("createTable", () -> store.createTable("CREATE TABLE ks.late (k int PRIMARY KEY)"));
        calls.put("table", () -> store.table("ks.t"));
        calls.put("tables", store::tables);
        calls.put("dropTable", () -> store.dropTable("ks.t"));
        calls.put("store flush", store::flush);
        calls.put("store compact", store::compact);
        calls.put("store snapshot", () -> store.snapshot("late"));
        assertRefused(calls);
        assertThatCode(store::close).doesNotThrowAnyException();
        assertThat(table.schema().name()).isEqualTo("t");
        try (Store again = Store.open(directory.resolve("store"), SMALL)) {
            assertThat(rows(again.table("ks.t"))).containsOnlyKeys(1);
        }
    }

    @Test
    void shouldThrowEverywhereWhenTheTableIsDropped() throws IOException {
        try (Store store = Store.open(directory.resolve("store"), SMALL)) {
            Table table = store.createTable(CREATE);
            insert(table, 1);
            TableMutation begun = table.mutation();
            begun.row().key("k", 7).set("v", "x").insert();
            Mutation mutation = begun.build();
            table.flush();
            insert(table, 2);
            Files.move(table.snapshot("s"), directory.resolve("snapshot"));
            store.dropTable("ks.t");
            assertRefused(calls(table, mutation, directory));
            assertThat(store.tables()).isEmpty();
            assertThatThrownBy(() -> store.table("ks.t"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("ks.t");
            Table second = store.createTable(CREATE);
            assertThat(rows(second)).isEmpty();
            insert(second, 3);
            assertRefused(calls(table, mutation, directory));
        }
        try (Store store = Store.open(directory.resolve("store"), SMALL)) {
            assertThat(rows(store.table("ks.t"))).containsOnlyKeys(3);
            assertThat(store.tables()).hasSize(1);
        }
    }

    @Test
    void shouldFailOpenCursorsWhenTheStoreIsClosed() throws IOException {
        Store store = Store.open(directory, SMALL);
        Table table = store.createTable(CREATE);
        for (int k = 0; k < 100; k++) {
            insert(table, k);
            if (k == 50) {
                table.flush();
            }
        }
        FragmentCursor scan = table.scan(TokenRange.Linear.ALL);
        scan.advance();
        FragmentCursor unread = table.read(key(1), Slices.ALL, false);
        TableRows rows = table.rows();
        assertThat(rows.next()).isNotNull();
        store.close();
        assertThatThrownBy(scan::advance).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(scan::nextPartition).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> scan.forwardTo(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(unread::advance).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(rows::next).isInstanceOf(IllegalStateException.class);
        scan.close();
        scan.close();
        unread.close();
        rows.close();
        try (Store again = Store.open(directory, SMALL)) {
            assertThat(rows(again.table("ks.t"))).hasSize(100);
        }
    }

    @Test
    void shouldFailOpenCursorsWhenTheirTableIsDropped() throws IOException {
        try (Store store = Store.open(directory, SMALL)) {
            Table table = store.createTable(CREATE);
            for (int k = 0; k < 100; k++) {
                insert(table, k);
                if (k == 50) {
                    table.flush();
                }
            }
            FragmentCursor scan = table.scan(TokenRange.Linear.ALL);
            scan.advance();
            store.dropTable("ks.t");
            assertThatThrownBy(scan::advance).isInstanceOf(IllegalStateException.class);
            scan.close();
            Table second = store.createTable(CREATE);
            insert(second, 1);
            second.flush();
            assertThat(rows(second)).hasSize(1);
        }
    }

    @Test
    void shouldShowACursorWhatWasThereWhenItWasOpened() throws IOException {
        try (Store store = Store.open(directory, SMALL)) {
            Table table = store.createTable(CREATE);
            for (int k = 0; k < 50; k++) {
                insert(table, k);
            }
            table.flush();
            for (int k = 50; k < 100; k++) {
                insert(table, k);
            }
            try (FragmentCursor before = table.scan(TokenRange.Linear.ALL)) {
                for (int k = 0; k < 200; k++) {
                    table.row().key("k", k).set("v", "later").insert();
                }
                table.flush();
                table.compact();
                table.truncate();
                insert(table, 1_000);
                List<String> found = FragmentList.copyOf(before).lines();
                assertThat(found)
                        .filteredOn(line -> line.startsWith("partition"))
                        .hasSize(100);
                assertThat(found).noneMatch(line -> line.contains(LATER));
            }
            assertThat(rows(table)).containsOnlyKeys(1_000);
        }
    }

    @Test
    void shouldKeepTablesOfOneNameApartWhenTheirKeyspacesDiffer() throws IOException {
        try (Store store = Store.open(directory, SMALL)) {
            Table one = store.createTable("CREATE TABLE one.t (k int PRIMARY KEY, v text)");
            Table two = store.createTable("CREATE TABLE two.t (k int PRIMARY KEY, v text)");
            assertThatThrownBy(() -> store.createTable("CREATE TABLE two.t (k int PRIMARY KEY)"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("two.t");
            insert(one, 1);
            insert(two, 2);
            one.flush();
            insert(one, 3);
        }
        try (Store store = Store.open(directory, SMALL)) {
            assertThat(rows(store.table("one.t"))).containsOnlyKeys(1, 3);
            assertThat(rows(store.table("two.t"))).containsOnlyKeys(2);
            store.dropTable("one.t");
            assertThat(rows(store.table("two.t"))).containsOnlyKeys(2);
        }
        try (Store store = Store.open(directory, SMALL)) {
            assertThat(store.tables()).hasSize(1);
            assertThat(rows(store.table("two.t"))).containsOnlyKeys(2);
        }
    }

    /** Each reader sees every row that was there when it began, whatever happens to files and memtables meanwhile. */
    @Test
    void shouldServeReadersWhenFlushesAndCompactionsRun() throws Exception {
        AtomicInteger written = new AtomicInteger();
        AtomicBoolean done = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try (Store store = Store.open(directory, SMALL)) {
            Table table = store.createTable(CREATE);
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(threads.submit(() -> scanUntil(table, written, done)));
                readers.add(threads.submit(() -> readUntil(table, written, done)));
            }
            for (int k = 0; k < 3_000; k++) {
                int number = k;
                CompletableFuture<Void> write = table.applyAsync(mutation(table, number));
                if (k % 10 == 0) {
                    write.join();
                    written.set(k + 1);
                }
                if (k % 300 == 0) {
                    table.flushAsync();
                }
                if (k % 700 == 0) {
                    table.compactAsync();
                }
            }
            table.flush();
            done.set(true);
            for (Future<Integer> reader : readers) {
                assertThat(reader.get()).isPositive();
            }
            assertThat(rows(table)).hasSize(3_000);
        } finally {
            done.set(true);
            threads.shutdown();
        }
    }

    private static Mutation mutation(Table table, int k) throws IOException {
        TableMutation mutation = table.mutation();
        mutation.row().key("k", k).set("v", "value " + k).insert();
        return mutation.build();
    }

    private static int scanUntil(Table table, AtomicInteger written, AtomicBoolean done) throws IOException {
        int rounds = 0;
        do {
            int least = written.get();
            Map<Integer, String> found = rows(table);
            for (int k = 0; k < least; k += 10) {
                assertThat(found).containsKey(k);
            }
            rounds++;
        } while (!done.get());
        return rounds;
    }

    private static int readUntil(Table table, AtomicInteger written, AtomicBoolean done) throws IOException {
        int rounds = 0;
        do {
            int least = Math.max(1, written.get());
            if (least > 1) {
                int k = rounds % least / 10 * 10;
                assertThat(table.row(Map.of("k", k))).as("k=%d", k).isPresent();
            }
            rounds++;
        } while (!done.get());
        return rounds;
    }

    /** Calls either do their work or say that the store is closed; none hangs, none does half. */
    @Test
    void shouldAnswerEveryCallWhenTheStoreIsClosedMeanwhile() throws Exception {
        for (int round = 0; round < 10; round++) {
            Path place = directory.resolve("store-" + round);
            Store store = Store.open(place, SMALL);
            Table table = store.createTable(CREATE);
            AtomicInteger acknowledged = new AtomicInteger();
            AtomicInteger begun = new AtomicInteger();
            ExecutorService threads = Executors.newFixedThreadPool(4);
            List<Future<?>> workers = new ArrayList<>();
            workers.add(threads.submit(() -> untilClosed(() -> {
                insert(table, acknowledged.get());
                acknowledged.incrementAndGet();
                begun.incrementAndGet();
            })));
            workers.add(threads.submit(() -> untilClosed(() -> {
                rows(table);
                begun.incrementAndGet();
            })));
            workers.add(threads.submit(() -> untilClosed(() -> {
                table.flushAsync().join();
                table.row(Map.of("k", 1));
                begun.incrementAndGet();
            })));
            workers.add(threads.submit(() -> untilClosed(() -> {
                table.compact();
                table.applyAsync(mutation(table, -1)).join();
                begun.incrementAndGet();
            })));
            while (begun.get() < 20 + 10 * round) {
                Thread.onSpinWait();
            }
            store.close();
            for (Future<?> worker : workers) {
                worker.get(30, TimeUnit.SECONDS);
            }
            threads.shutdown();
            try (Store again = Store.open(place, SMALL)) {
                Map<Integer, String> found = rows(again.table("ks.t"));
                for (int k = 0; k < acknowledged.get(); k++) {
                    assertThat(found).containsKey(k);
                }
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static Void untilClosed(Work work) throws IOException {
        while (true) {
            try {
                work.run();
            } catch (IllegalStateException | CompactionCancelledException e) {
                // The compaction that runs when the store closes is cancelled.
                return null;
            } catch (CompletionException e) {
                assertThat(e).hasCauseInstanceOf(IllegalStateException.class);
                return null;
            }
        }
    }

    @Test
    void shouldReadEverythingWhenItIsOpenedWithOtherShards() throws IOException {
        int written = 0;
        for (int shards : new int[] {1, 4, 2, 7, 1, 3}) {
            try (Store store = Store.open(directory, SMALL.withShardCount(shards))) {
                Table table = written == 0 ? store.createTable(CREATE) : store.table("ks.t");
                assertThat(rows(table)).hasSize(written);
                for (int i = 0; i < 200; i++) {
                    insert(table, written++);
                    if (i == 100) {
                        table.flush();
                    }
                }
                assertThat(rows(table)).hasSize(written);
                CompletableFuture<Void> compacted = table.compactAsync();
                while (!compacted.isDone()) {
                    assertThat(rows(table)).hasSize(written);
                    assertThat(table.row(Map.of("k", written / 2))).isPresent();
                }
                compacted.join();
                assertThat(rows(table)).hasSize(written);
            }
        }
    }

    @Test
    void shouldGiveOutRisingTimestampsWhenTheClockIsSetBack() throws IOException {
        ManualClock clock = ManualClock.create();
        HostEnvironment environment = HostEnvironment.system().withClock(clock);
        long last = Long.MIN_VALUE;
        for (int round = 0; round < 4; round++) {
            try (Store store = Store.open(directory, SMALL, environment)) {
                Table table = round == 0 ? store.createTable(CREATE) : store.table("ks.t");
                for (int i = 0; i < 20; i++) {
                    table.row().key("k", 1).set("v", round + "/" + i).insert();
                    TableRow row = table.row(Map.of("k", 1)).orElseThrow();
                    assertThat(row.value("v")).isEqualTo(round + "/" + i);
                    long micros = row.writeTimeMicros("v").orElseThrow();
                    assertThat(micros).isGreaterThan(last);
                    last = micros;
                }
                if (round % 2 == 0) {
                    table.flush();
                }
            }
            clock.set(clock.instant().minus(Duration.ofHours(1)));
        }
    }

    @Test
    void shouldSlowWritersDownAndNotFailWhenMemoryIsShort() throws IOException {
        try (Store store = Store.open(directory, SMALL)) {
            Table table = store.createTable("CREATE TABLE ks.blobs (k int PRIMARY KEY, v blob)");
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int k = 0; k < 100; k++) {
                TableMutation mutation = table.mutation();
                // Every tenth is larger than all memory for writes.
                mutation.row()
                        .key("k", k)
                        .set("v", ByteBuffer.allocate(k % 10 == 0 ? 3 << 19 : 100_000))
                        .insert();
                writes.add(mutation.applyAsync());
            }
            writes.forEach(CompletableFuture::join);
            int found = 0;
            try (TableRows rows = table.rows()) {
                while (rows.next() != null) {
                    found++;
                }
            }
            assertThat(found).isEqualTo(100);
        }
    }

    @Test
    void shouldStayUsableWhenAWriterIsInterrupted() throws IOException {
        try (Store store = Store.open(directory, SMALL)) {
            Table table = store.createTable(CREATE);
            insert(table, 1);
            table.flush();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> insert(table, 2)).isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            // A reader that is interrupted must not close files under the others.
            rows(table);
            assertThat(Thread.interrupted()).isTrue();
            insert(table, 3);
            assertThat(rows(table)).containsKeys(1, 3);
            assertThat(store.failure()).isEmpty();
        }
    }
}
