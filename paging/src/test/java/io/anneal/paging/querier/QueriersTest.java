package io.anneal.paging.querier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.key.DecoratedKey;
import io.anneal.key.RingPosition;
import io.anneal.key.ShardRule;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.paging.query.Page;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.PageRequest;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import io.anneal.store.ShardReads;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.table.ReadCursor;
import io.anneal.table.StoreConfig;
import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is kept between pages is bounded in time, in memory and in files, and whatever becomes of it the rows are the same. */
@Timeout(60)
final class QueriersTest {
    private static final int SHARDS = 2;
    private static final int KEYS = 40;
    private static final int ROWS = 20;
    private static final int PAGE_ROWS = 100;
    private static final int PAGES = KEYS * ROWS / PAGE_ROWS;

    @TempDir
    private Path directory;

    private final ManualClock clock = ManualClock.create();
    private final PagingMetrics metrics = new PagingMetrics("test", clock::nanoTime);
    /** The store's, by their names. */
    private final Map<String, ScheduledExecutorService> threads = new ConcurrentHashMap<>();

    private Store store;
    private Table table;
    private List<String> all;

    @BeforeEach
    void makeTable() throws IOException {
        HostEnvironment system = HostEnvironment.system();
        store = Store.open(
                directory,
                StoreConfig.defaults().withShardCount(SHARDS),
                system.withThreads(name -> threads.computeIfAbsent(name, system.threads()::single)));
        table = store.createTable("CREATE TABLE ks.t (k int, c int, v text, PRIMARY KEY (k, c))");
        write("first");
        all = PageRows.of(table, ReadQuery.ofRanges(List.of(TokenRange.FULL)), 0);
        assertThat(all).hasSize(KEYS * ROWS);
    }

    @AfterEach
    void closeTable() throws IOException {
        store.close();
    }

    private void write(String value) throws IOException {
        for (int k = 0; k < KEYS; k++) {
            for (int c = 0; c < ROWS; c++) {
                table.row()
                        .key("k", k)
                        .clustering("c", c)
                        .set("v", value)
                        .timestampMicros(1)
                        .insert();
            }
        }
        table.flush();
    }

    private Queriers queriers(QuerierLimits limits) {
        HostEnvironment environment = HostEnvironment.system()
                .withTime(clock, clock::nanoTime, nanos -> clock.advance(Duration.ofNanos(nanos)));
        return Queriers.open(limits, environment, metrics);
    }

    private long metric(String name) {
        return metrics.values().get("paging." + name).longValue();
    }

    /** One scan, page by page, by hand. */
    private static final class Scan {
        private final QuerierPages pages;
        private final UUID id;
        private final List<String> rows = new ArrayList<>();
        private Optional<RingPosition> place = Optional.empty();
        private int pageCount;

        Scan(QuerierPages pages, int id) {
            this.pages = pages;
            this.id = new UUID(0, id);
        }

        Scan next() {
            try {
                Page page = pages.read(new PageRequest(
                        id,
                        ReadQuery.ofRanges(List.of(TokenRange.FULL)),
                        place,
                        PageLimits.DEFAULT.withRows(PAGE_ROWS),
                        0,
                        true));
                rows.addAll(PageRows.of(page));
                place = page.last();
                pageCount++;
                return this;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        List<String> rest() {
            do {
                next();
            } while (place.isPresent());
            return rows;
        }
    }

    /** What is left of a shard stands encoded by columns that the table has no more, and no cursor is open that would tell. */
    @Test
    void shouldNotGoOnWithWhatIsEncodedByTheSchemaBefore() throws IOException {
        ReadQuery query = ReadQuery.ofRanges(List.of(TokenRange.FULL));
        UUID id = new UUID(0, 1);
        try (Queriers queriers = queriers(QuerierLimits.DEFAULT)) {
            QuerierPages pages = queriers.pages("ks.t", table);
            PageLimits allButOne = PageLimits.DEFAULT.withRows(KEYS * ROWS - 1);
            Page first = pages.read(new PageRequest(id, query, Optional.empty(), allButOne, 0, true));
            assertThat(metric("querier_cache_population")).isPositive();

            store.alterTable("ALTER TABLE ks.t ADD a int");
            Page second = pages.read(new PageRequest(id, query, first.last(), PageLimits.DEFAULT, 0, true));

            assertThat(second.schema()).isEqualTo(table.schema());
            assertThat(PageRows.of(second))
                    .isEqualTo(PageRows.of(table, query, 0).subList(KEYS * ROWS - 1, KEYS * ROWS));
            assertThat(metric("querier_cache_drops")).isPositive();
        }
    }

    @Test
    void shouldTakeUpTheReadersOfThePageBefore() {
        try (Queriers queriers = queriers(QuerierLimits.DEFAULT)) {
            Scan scan = new Scan(queriers.pages("ks.t", table), 1).next();

            assertThat(metric("querier_cache_population")).isEqualTo(SHARDS);
            assertThat(metric("multishard_query_unpopped_fragments")).isPositive();
            assertThat(metric("multishard_query_unpopped_bytes")).isPositive();

            assertThat(scan.rest()).isEqualTo(all);
            assertThat(metric("querier_cache_lookups")).isEqualTo((long) SHARDS * (scan.pageCount - 1));
            assertThat(metric("querier_cache_misses")).isZero();
            assertThat(metric("querier_cache_drops")).isZero();
            assertThat(metric("querier_cache_population")).isZero();
        }
    }

    @Test
    void shouldDropReadersThatAreNotAtThePlace() {
        try (Queriers queriers = queriers(QuerierLimits.DEFAULT)) {
            QuerierPages pages = queriers.pages("ks.t", table);
            Scan first = new Scan(pages, 1).next();
            Scan again = new Scan(pages, 1);
            again.rows.addAll(first.rows);
            again.place = first.place;
            first.next();

            assertThat(again.rest()).isEqualTo(all);
            assertThat(metric("querier_cache_drops")).isEqualTo(SHARDS);
        }
    }

    @Test
    void shouldCloseReadersThatNobodyComesBackFor() {
        try (Queriers queriers = queriers(QuerierLimits.DEFAULT)) {
            Scan scan = new Scan(queriers.pages("ks.t", table), 1).next();
            clock.advance(QuerierLimits.DEFAULT.idle().minusMillis(1));
            queriers.sweep();
            assertThat(metric("querier_cache_population")).isEqualTo(SHARDS);

            clock.advance(Duration.ofMillis(1));
            queriers.sweep();

            assertThat(metric("querier_cache_population")).isZero();
            assertThat(metric("querier_cache_time_based_evictions")).isEqualTo(SHARDS);
            assertThat(queriers.heldBytes()).isZero();
            assertThat(scan.rest()).isEqualTo(all);
        }
    }

    @Test
    void shouldMakeRoomForThePageThatIsRead() {
        // What a page counts at once, and little more.
        long budget = (256 << 10) + 2_000;
        try (Queriers queriers = queriers(QuerierLimits.DEFAULT.withBytes(budget))) {
            QuerierPages pages = queriers.pages("ks.t", table);
            List<Scan> scans =
                    IntStream.range(0, 8).mapToObj(i -> new Scan(pages, i)).toList();
            for (int i = 0; i < PAGES; i++) {
                for (Scan scan : scans) {
                    scan.next();
                    assertThat(queriers.heldBytes()).isLessThanOrEqualTo(budget);
                }
            }
            scans.forEach(scan -> assertThat(scan.rows).isEqualTo(all));
            assertThat(metric("querier_cache_resource_based_evictions")).isPositive();
            assertThat(metric("querier_cache_time_based_evictions")).isZero();
        }
    }

    @Test
    void shouldLetGoOfFilesThatWereCompactedAway() throws Exception {
        // Swept by hand alone.
        QuerierLimits limits = QuerierLimits.DEFAULT.withObsoleteBytes(0).withIdle(Duration.ofDays(1));
        try (Queriers queriers = queriers(limits)) {
            Scan scan = new Scan(queriers.pages("ks.t", table), 1).next();
            queriers.sweep();
            assertThat(metric("querier_cache_population")).isEqualTo(SHARDS);
            List<Path> before = dataFiles();
            write("first");
            table.compact();
            assertThat(before).isNotEmpty().allMatch(Files::exists);

            queriers.sweep();

            assertThat(metric("querier_cache_resource_based_evictions")).isEqualTo(SHARDS);
            finishDeleting();
            assertThat(before).noneMatch(Files::exists);
            assertThat(scan.rest()).isEqualTo(all);
        }
    }

    /** Waits for the store's threads: some let go of what they compacted, and another one then deletes it. */
    private void finishDeleting() throws Exception {
        for (Map.Entry<String, ScheduledExecutorService> thread : threads.entrySet()) {
            if (thread.getKey().startsWith("compaction-")) {
                thread.getValue().submit(() -> {}).get();
            }
        }
        threads.get("care").submit(() -> {}).get();
    }

    /** By their names alone: the store deletes others meanwhile. */
    private List<Path> dataFiles() throws IOException {
        try (Stream<Path> tables = Files.list(directory.resolve("data/ks"));
                Stream<Path> files = Files.list(tables.findFirst().orElseThrow())) {
            return files.filter(file -> file.toString().endsWith("Data.db")).toList();
        }
    }

    /** The table with something in its way. */
    private abstract class Obstructed implements ShardReads {
        @Override
        public TableSchema schema() {
            return table.schema();
        }

        @Override
        public ShardRule shards() {
            return table.shards();
        }

        @Override
        public ReadCursor scan(int shard, TokenRange.Linear range, Optional<DecoratedKey> after) throws IOException {
            return cursor(table.scan(shard, range, after));
        }

        @Override
        public ReadCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException {
            return cursor(table.read(key, slices, reversed));
        }

        abstract ReadCursor cursor(ReadCursor whole) throws IOException;
    }

    /** A scan that is held up in its first page until the latch opens, and others that wait for it. */
    private interface WhileOneReads {
        void run(QuerierPages waiting) throws IOException;
    }

    private void whileOneReads(QuerierLimits limits, WhileOneReads work) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (Queriers queriers = Queriers.open(limits, HostEnvironment.system(), metrics)) {
            QuerierPages slow = queriers.pages("ks.slow", new Obstructed() {
                @Override
                ReadCursor cursor(ReadCursor whole) throws IOException {
                    begun.countDown();
                    try {
                        mayEnd.await();
                    } catch (InterruptedException e) {
                        throw new IOException(e);
                    }
                    return whole;
                }
            });
            CompletableFuture<List<String>> reading = CompletableFuture.supplyAsync(() -> new Scan(slow, 1).rest());
            begun.await();
            try {
                work.run(queriers.pages("ks.t", table));
            } finally {
                mayEnd.countDown();
            }
            assertThat(reading.get()).isEqualTo(all);
            assertThat(new Scan(queriers.pages("ks.t", table), 2).rest()).isEqualTo(all);
        }
    }

    @Test
    void shouldSayThatThereWasNoRoom() throws Exception {
        QuerierLimits limits = QuerierLimits.DEFAULT.withReads(1).withPatience(Duration.ofMillis(20));
        whileOneReads(
                limits,
                waiting -> assertThatThrownBy(() -> new Scan(waiting, 3).next())
                        .hasRootCauseInstanceOf(ReadTimeoutException.class)
                        .hasMessageContainingAll("ask again later", "table=ks.t", "patience=PT0.02S", "reads=1"));
    }

    @Test
    void shouldEndWhenItIsInterruptedWhileItWaits() throws Exception {
        whileOneReads(QuerierLimits.DEFAULT.withReads(1), waiting -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> new Scan(waiting, 3).next())
                    .hasCauseInstanceOf(InterruptedIOException.class)
                    .hasMessageContaining("table=ks.t");
            assertThat(Thread.interrupted()).isTrue();
        });
    }

    /** A cursor that fails when it is closed, though it is. */
    private static ReadCursor failingToClose(ReadCursor whole) {
        return (ReadCursor) Proxy.newProxyInstance(
                ReadCursor.class.getClassLoader(), new Class<?>[] {ReadCursor.class}, (proxy, called, arguments) -> {
                    try {
                        Object result = called.invoke(whole, arguments);
                        if (called.getName().equals("close")) {
                            throw new IOException("broken on purpose");
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void shouldCountReadersThatCannotBeStopped() {
        try (Queriers queriers = queriers(QuerierLimits.DEFAULT)) {
            Scan scan = new Scan(
                            queriers.pages("ks.t", new Obstructed() {
                                @Override
                                ReadCursor cursor(ReadCursor whole) {
                                    return failingToClose(whole);
                                }
                            }),
                            1)
                    .next();
            assertThat(metric("multishard_query_failed_reader_stops")).isZero();
            clock.advance(QuerierLimits.DEFAULT.idle());

            queriers.sweep();

            assertThat(metric("multishard_query_failed_reader_stops")).isEqualTo(SHARDS);
            assertThat(metric("multishard_query_failed_reader_saves")).isZero();
            assertThat(scan.rows).hasSize(PAGE_ROWS);
        }
    }

    @Test
    void shouldGoOnWhereReadersCannotBeKept() {
        HostEnvironment withoutThreads = HostEnvironment.system().withThreads(name -> {
            throw new IllegalStateException("no thread is left, name=" + name);
        });
        try (Queriers queriers = Queriers.open(QuerierLimits.DEFAULT, withoutThreads, metrics)) {
            Scan scan = new Scan(queriers.pages("ks.t", table), 1);

            assertThat(scan.rest()).isEqualTo(all);

            assertThat(metric("multishard_query_failed_reader_saves")).isEqualTo((long) SHARDS * (scan.pageCount - 1));
            assertThat(metric("multishard_query_failed_reader_stops")).isZero();
            assertThat(metric("querier_cache_population")).isZero();
        }
    }

    @Test
    void shouldKeepNoMoreOfTenThousandAbandonedScansThanItMay() throws IOException {
        long budget = 1 << 20;
        long openBefore = openFiles();
        try (Queriers queriers = queriers(QuerierLimits.DEFAULT.withBytes(budget))) {
            QuerierPages pages = queriers.pages("ks.t", table);
            for (int i = 0; i < 10_000; i++) {
                new Scan(pages, i).next();
                assertThat(queriers.heldBytes()).isLessThanOrEqualTo(budget);
            }
            clock.advance(QuerierLimits.DEFAULT.idle());
            queriers.sweep();
            assertThat(queriers.heldBytes()).isZero();
            assertThat(metric("querier_cache_population")).isZero();
        }
        assertThat(openFiles()).isLessThanOrEqualTo(openBefore);
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    @Test
    void shouldServeAThousandScannersAtOnce() {
        try (Queriers queriers =
                queriers(QuerierLimits.DEFAULT.withBytes(2 << 20).withReads(4))) {
            QuerierPages pages = queriers.pages("ks.t", table);
            List<CompletableFuture<Void>> workers = IntStream.range(0, 8)
                    .mapToObj(worker -> CompletableFuture.runAsync(() -> {
                        List<Scan> scans = IntStream.range(0, 125)
                                .mapToObj(i -> new Scan(pages, 125 * worker + i))
                                .toList();
                        for (int i = 0; i < PAGES; i++) {
                            scans.forEach(Scan::next);
                        }
                        scans.forEach(scan -> assertThat(scan.rows).isEqualTo(all));
                    }))
                    .toList();
            workers.forEach(CompletableFuture::join);
            assertThat(queriers.heldBytes()).isLessThanOrEqualTo(2 << 20);
        }
    }
}
