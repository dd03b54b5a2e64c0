package io.anneal.paging.querier;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReadAheadTest {
    private static final int SHARDS = 4;
    private static final int KEYS = 400;
    private static final int PAGE_ROWS = 12;
    /** So that pages take blocks that are worth another thread. */
    private static final int VALUE_LENGTH = 3_000;

    private static final int PAGES_MAX = 1000;
    private static final ReadQuery ALL = ReadQuery.ofRanges(List.of(TokenRange.FULL));

    private final PagingMetrics metrics = new PagingMetrics("", () -> 0);
    private int begun;
    private boolean isBeside;

    @TempDir
    private Path directory;

    private Store store;
    private Table table;
    private List<String> all;

    @BeforeEach
    void makeTable() throws IOException {
        store = Store.open(directory, StoreConfig.defaults().withShardCount(SHARDS));
        table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY, v text)");
        for (int k = 0; k < KEYS; k++) {
            table.row().key("k", k).set("v", "v".repeat(VALUE_LENGTH)).insert();
        }
        table.flush();
        all = PageRows.of(table, ALL, 0);
        assertThat(all).hasSize(KEYS);
    }

    @AfterEach
    void closeTable() throws IOException {
        store.close();
    }

    /** Work beside pages is given to the runner. */
    private Queriers queriers(int readAheads, Consumer<Runnable> runner) {
        HostEnvironment system = HostEnvironment.system();
        return Queriers.open(
                QuerierLimits.DEFAULT.withReadAheads(readAheads),
                system.withThreads(name -> name.equals("read-ahead")
                        ? new ScheduledThreadPoolExecutor(1) {
                            @Override
                            public void execute(Runnable work) {
                                begun++;
                                runner.accept(work);
                            }
                        }
                        : system.threads().single(name)),
                metrics);
    }

    private void runAtOnce(Runnable work) {
        isBeside = true;
        work.run();
        isBeside = false;
    }

    private static Page page(QuerierPages pages, UUID id, Optional<RingPosition> place, boolean isStateful)
            throws IOException {
        PageLimits limits = PageLimits.DEFAULT.withRows(PAGE_ROWS);
        return pages.read(new PageRequest(id, ALL, place, limits, 0, isStateful));
    }

    private static List<String> rows(QuerierPages pages, boolean isStateful) throws IOException {
        UUID id = new UUID(0, isStateful ? 1 : 2);
        List<String> rows = new ArrayList<>();
        Optional<RingPosition> place = Optional.empty();
        int count = 0;
        do {
            Page page = page(pages, id, place, isStateful);
            rows.addAll(PageRows.of(page));
            place = page.last();
            assertThat(count++).isLessThan(PAGES_MAX);
        } while (place.isPresent());
        return rows;
    }

    @Test
    void shouldReadOtherShardsBesideWhereCoresAreFree() throws IOException {
        try (Queriers queriers = queriers(SHARDS, this::runAtOnce)) {
            QuerierPages pages = queriers.pages("ks.t", table);

            assertThat(rows(pages, true)).isEqualTo(all);

            assertThat(begun).isPositive();
        }
    }

    @Test
    void shouldReadNothingBesideWhereNoCoreIsFree() throws IOException {
        try (Queriers queriers = queriers(0, this::runAtOnce)) {
            QuerierPages pages = queriers.pages("ks.t", table);

            assertThat(rows(pages, true)).isEqualTo(all);
            assertThat(rows(pages, false)).isEqualTo(all);

            assertThat(begun).isZero();
        }
    }

    @Test
    void shouldNotWaitForWorkThatHasNotBegun() throws IOException {
        List<Runnable> late = new ArrayList<>();
        try (Queriers queriers = queriers(SHARDS, late::add)) {
            QuerierPages pages = queriers.pages("ks.t", table);

            assertThat(rows(pages, true)).isEqualTo(all);
            late.forEach(Runnable::run);
            assertThat(rows(pages, false)).isEqualTo(all);

            assertThat(late).isNotEmpty();
        }
    }

    @Test
    void shouldTellAPageThatDoesNotNeedWhatFailedAhead() throws IOException {
        ShardReads breaking = new BreakingBeside();
        int failed = 0;
        try (Queriers queriers = queriers(SHARDS, this::runAtOnce)) {
            QuerierPages pages = queriers.pages("ks.t", breaking);
            Optional<RingPosition> place = Optional.empty();
            List<String> rows = new ArrayList<>();
            for (int i = 0; i < PAGES_MAX && (i == 0 || place.isPresent()); i++) {
                try {
                    Page page = page(pages, new UUID(0, 3), place, true);
                    rows.addAll(PageRows.of(page));
                    place = page.last();
                } catch (IOException needed) {
                    assertThat(needed).hasMessage("broken disk");
                    failed++;
                    Page page = page(queriers.pages("ks.t", table), new UUID(0, 3), place, true);
                    rows.addAll(PageRows.of(page));
                    place = page.last();
                }
            }
            assertThat(rows).isEqualTo(all);
            long stops = metrics.values()
                    .get("paging.multishard_query_failed_reader_stops")
                    .longValue();
            assertThat(stops).isPositive();
            assertThat(failed).isPositive();
            assertThat(metrics.values()
                            .get("paging.multishard_query_failed_reader_saves")
                            .longValue())
                    .isZero();
        }
    }

    /** The table on a disk that breaks whenever it is read beside a page. */
    private final class BreakingBeside implements ShardReads {
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
            return breaking(table.scan(shard, range, after));
        }

        @Override
        public ReadCursor read(DecoratedKey key, Slices slices, boolean reversed) throws IOException {
            return breaking(table.read(key, slices, reversed));
        }

        private ReadCursor breaking(ReadCursor whole) {
            return (ReadCursor) Proxy.newProxyInstance(
                    ReadCursor.class.getClassLoader(), new Class<?>[] {ReadCursor.class}, (proxy, method, values) -> {
                        if (isBeside && method.getName().equals("advance")) {
                            throw new IOException("broken disk");
                        }
                        try {
                            return method.invoke(whole, values);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }
}
