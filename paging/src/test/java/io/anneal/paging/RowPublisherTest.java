package io.anneal.paging;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.paging.querier.Queriers;
import io.anneal.paging.query.PageLimits;
import io.anneal.paging.query.ReadQuery;
import io.anneal.schema.TableSchema;
import io.anneal.store.TableRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.reactivestreams.tck.TestEnvironment;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.TestNG;

/** The rules of Reactive Streams, by their own test kit, and what it does not try. */
final class RowPublisherTest {
    private static final int ROWS = 136;

    private static PagedTable table;
    private static ExecutorService executor;

    @TempDir
    private Path directory;

    private OrdersTable orders;
    private Paging paging;

    /** Run by the test kit's own runner, which makes it. */
    public static final class Rules extends FlowPublisherVerification<TableRow> {
        private static final long PATIENCE_MILLIS = 10_000;
        private static final long SILENCE_MILLIS = 20;
        private static final long COLLECTION_MILLIS = 500;

        public Rules() {
            super(new TestEnvironment(PATIENCE_MILLIS, SILENCE_MILLIS, SILENCE_MILLIS), COLLECTION_MILLIS);
        }

        @Override
        public Flow.Publisher<TableRow> createFlowPublisher(long elements) {
            Scan scan = table.scan().pageSize(3);
            return (elements == 0 ? scan.where("customer", "=", -1) : scan.limit(elements)).publisher(executor);
        }

        @Override
        public Flow.Publisher<TableRow> createFailedFlowPublisher() {
            return table.scan().reversed().publisher(executor);
        }

        @Override
        public long maxElementsFromPublisher() {
            return ROWS;
        }
    }

    /** Keeps what it hears, and asks for one row after the other. */
    private static final class Listener implements Flow.Subscriber<TableRow> {
        private final List<TableRow> rows = new ArrayList<>();
        private final List<String> ends = new ArrayList<>();
        private Flow.Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(1);
        }

        @Override
        public void onNext(TableRow row) {
            rows.add(row);
            subscription.request(1);
        }

        @Override
        public void onError(Throwable e) {
            ends.add(e.toString());
        }

        @Override
        public void onComplete() {
            ends.add("complete");
        }
    }

    @BeforeEach
    void open() throws IOException {
        orders = new OrdersTable(directory);
        paging = Paging.open();
        table = paging.table(orders.table());
        executor = Executors.newFixedThreadPool(2);
    }

    @AfterEach
    void close() throws IOException {
        executor.shutdownNow();
        paging.close();
        orders.close();
    }

    @Test
    void shouldKeepTheRulesOfReactiveStreams() {
        TestListenerAdapter results = new TestListenerAdapter();
        TestNG runner = new TestNG(false);
        runner.setVerbose(0);
        runner.addListener(results);
        runner.setTestClasses(new Class<?>[] {Rules.class});

        runner.run();

        assertThat(results.getFailedTests())
                .extracting(ITestResult::getName, ITestResult::getThrowable)
                .isEmpty();
        assertThat(results.getPassedTests()).hasSizeGreaterThan(25);
    }

    @Test
    void shouldReadOnTheThreadOfWhoAsksWhereThatIsTheExecutor() {
        Listener one = new Listener();
        Listener other = new Listener();
        Flow.Publisher<TableRow> publisher = table.scan().pageSize(5).publisher(Runnable::run);

        publisher.subscribe(one);
        publisher.subscribe(other);

        assertThat(one.rows).hasSize(ROWS);
        assertThat(one.ends).containsExactly("complete");
        assertThat(other.rows)
                .extracting(TableRow::values)
                .isEqualTo(one.rows.stream().map(TableRow::values).toList());
    }

    @Test
    void shouldTellWhereItsExecutorTakesNothing() {
        Listener listener = new Listener();

        table.scan()
                .publisher(task -> {
                    throw new RejectedExecutionException("shut down");
                })
                .subscribe(listener);

        assertThat(listener.rows).isEmpty();
        assertThat(listener.ends).singleElement().asString().contains("shut down");
    }

    @Test
    void shouldTellWhyAPageCannotBeReadAndLetGoOfItsPlace() {
        Queriers queriers = Queriers.open(QuerierLimits.DEFAULT, HostEnvironment.system());
        List<PagingState> forgotten = new ArrayList<>();
        Pager sound = new ReplicaPager(queriers.pages("orders", orders.table()), queriers);
        Pager failing = new Pager() {
            @Override
            public TableSchema schema() {
                return table.schema();
            }

            @Override
            public Step read(
                    ReadQuery query,
                    PagingState state,
                    PageLimits limits,
                    long rowsWanted,
                    long nowSeconds,
                    boolean stateful)
                    throws IOException {
                assertThat(rowsWanted).isEqualTo(2);
                if (state.rowCount() >= 4) {
                    throw new IOException("disk is gone");
                }
                return sound.read(query, state, limits, rowsWanted, nowSeconds, stateful);
            }

            @Override
            public void forget(PagingState state) {
                forgotten.add(state);
            }
        };
        Listener listener = new Listener();

        new PagedTable(failing, HostEnvironment.system())
                .scan()
                .pageSize(2)
                .publisher(Runnable::run)
                .subscribe(listener);

        assertThat(listener.rows).hasSize(4);
        assertThat(listener.ends).containsExactly("java.io.IOException: disk is gone");
        assertThat(forgotten).hasSize(1);
        assertThat(forgotten.get(0).rowCount()).isEqualTo(4);
        queriers.close();
    }
}
