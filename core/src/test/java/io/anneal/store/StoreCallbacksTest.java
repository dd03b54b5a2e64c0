package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.Mutation;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What users hang onto the futures of a store must not hold it up, whatever it does. */
final class StoreCallbacksTest {
    private static final String CREATE = "CREATE TABLE ks.%s (k int PRIMARY KEY, v text)";

    @TempDir
    private Path directory;

    private final Map<String, ScheduledExecutorService> threads = new ConcurrentHashMap<>();
    private final CountDownLatch testEnded = new CountDownLatch(1);
    private Store store;
    private Table table;

    @BeforeEach
    void openStore() throws IOException {
        open(environment());
    }

    @AfterEach
    void closeStore() throws IOException {
        testEnded.countDown();
        store.close();
    }

    private HostEnvironment environment() {
        HostEnvironment system = HostEnvironment.system();
        return system.withThreads(name -> {
            ScheduledExecutorService executor = system.threads().single(name);
            threads.put(name, executor);
            return executor;
        });
    }

    private void open(HostEnvironment environment) throws IOException {
        store = Store.open(directory.resolve("store"), StoreConfig.defaults().withShardCount(1), environment);
        table = store.findTable("ks.t").isPresent() ? store.table("ks.t") : store.createTable(CREATE.formatted("t"));
    }

    private void openAgain(HostEnvironment environment) throws IOException {
        store.close();
        open(environment);
    }

    private static Mutation mutation(Table table, int k) throws IOException {
        TableMutation mutation = table.mutation();
        mutation.row().key("k", k).set("v", "x").insert();
        return mutation.build();
    }

    private boolean has(int k) throws IOException {
        return table.row(Map.of("k", k)).isPresent();
    }

    /** What a callback does. */
    private interface Work {
        void run() throws Exception;
    }

    /** Begins a write whose future is not complete before the work depends on it. */
    private CompletableFuture<Void> write(int k, Work callback) throws IOException {
        return behind("log", () -> table.applyAsync(mutation(table, k)), callback);
    }

    private interface Asked {
        CompletableFuture<Void> ask() throws IOException;
    }

    private CompletableFuture<Void> behind(String thread, Asked asked, Work callback) throws IOException {
        CountDownLatch registered = new CountDownLatch(1);
        threads.get(thread).execute(() -> await(registered));
        CompletableFuture<Void> answered = asked.ask().thenRun(() -> {
            try {
                callback.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        registered.countDown();
        return answered;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void within20Seconds(CompletableFuture<?> future) throws Exception {
        future.get(20, TimeUnit.SECONDS);
    }

    /** On a thread of its own: it may hang. */
    private static void doWithin20Seconds(Work work) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        within20Seconds(done);
    }

    @Test
    void shouldLetOthersWriteWhileACallbackBlocks() throws Exception {
        write(1, () -> await(testEnded));
        doWithin20Seconds(() -> {
            table.apply(mutation(table, 2));
            table.flush();
            store.flush();
            table.compact();
            table.truncate();
            table.apply(mutation(table, 3));
        });
        table.applyAsync(mutation(table, 4));
        doWithin20Seconds(() -> table.apply(mutation(table, 5)));
        assertThat(has(3)).isTrue();
        assertThat(has(4)).isTrue();
    }

    @Test
    void shouldFlushAndCompactWhileACallbackOfThemBlocks() throws Exception {
        table.apply(mutation(table, 1));
        behind("flush-0", table::flushAsync, () -> await(testEnded));
        doWithin20Seconds(table::flush);
        behind("compaction-0", table::compactAsync, () -> await(testEnded));
        doWithin20Seconds(table::compact);
    }

    @Test
    void shouldLetACallbackWriteFlushAndRead() throws Exception {
        within20Seconds(write(1, () -> {
            table.apply(mutation(table, 2));
            table.flush();
            assertThat(has(1)).isTrue();
        }));
        assertThat(has(2)).isTrue();
    }

    @Test
    void shouldLetACallbackDropATable() throws Exception {
        store.createTable(CREATE.formatted("other"));
        within20Seconds(write(1, () -> store.dropTable("ks.other")));
        within20Seconds(write(2, () -> store.dropTable("ks.t")));
        assertThat(store.tables()).isEmpty();
    }

    @Test
    void shouldLetACallbackCloseTheStore() throws Exception {
        within20Seconds(write(1, () -> store.close()));
        openAgain(environment());
        assertThat(has(1)).isTrue();
    }

    @Test
    void shouldGoOnWhenACallbackThrows() throws Exception {
        CompletableFuture<Void> thrown = write(1, () -> {
            throw new AssertionError("as users do");
        });
        assertThat(thrown.handle((done, failure) -> failure).get(20, TimeUnit.SECONDS))
                .hasRootCauseMessage("as users do");
        within20Seconds(table.applyAsync(mutation(table, 2)));
        assertThat(store.failure()).isEmpty();
    }

    @Test
    void shouldRunCallbacksWhereTheUserWants() throws Exception {
        ExecutorService given = Executors.newSingleThreadExecutor(work -> new Thread(work, "given"));
        try {
            openAgain(environment().withCallbacks(given));
            AtomicReference<String> seen = new AtomicReference<>();
            within20Seconds(write(1, () -> seen.set(Thread.currentThread().getName())));
            assertThat(seen).hasValue("given");
        } finally {
            given.shutdown();
        }
    }

    @Test
    void shouldLetAnotherThreadOfTheUsersTakeOverFromACallbackThatBlocks() throws Exception {
        ExecutorService given = Executors.newCachedThreadPool();
        try {
            openAgain(environment().withCallbacks(given));
            write(1, () -> await(testEnded));
            within20Seconds(write(2, () -> {}));
        } finally {
            given.shutdown();
        }
    }

    @Test
    void shouldCompleteFuturesWhenTheUsersExecutorTakesNoMore() throws Exception {
        ExecutorService given = Executors.newSingleThreadExecutor();
        openAgain(environment().withCallbacks(given));
        given.shutdown();
        within20Seconds(write(1, () -> table.apply(mutation(table, 2))));
        assertThat(has(2)).isTrue();
    }

    @Test
    void shouldCompleteFuturesAtTheLatestWhenClosed() throws Exception {
        openAgain(environment().withCallbacks(task -> {
            // As an executor that is shut down with tasks in its queue.
        }));
        CompletableFuture<Void> written = write(1, () -> {});
        store.close();
        within20Seconds(written);
    }

    private static Stream<Throwable> thrown() {
        return Stream.of(
                new IllegalArgumentException("no such queue"),
                new OutOfMemoryError("unable to create native thread"),
                new InterruptedException("thrown by another language"));
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwAnything(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @ParameterizedTest
    @MethodSource("thrown")
    void shouldCompleteFuturesWhateverTheUsersExecutorThrows(Throwable thrown) throws Exception {
        openAgain(environment().withCallbacks(task -> throwAnything(thrown)));
        for (int k = 0; k < 5; k++) {
            within20Seconds(write(k, () -> {}));
        }
        within20Seconds(table.flushAsync());
        within20Seconds(table.compactAsync());
        assertThat(store.failure()).isEmpty();
        assertThat(has(4)).isTrue();
    }

    @Test
    void shouldWriteWhileTheUsersExecutorTakesItsTime() throws Exception {
        openAgain(environment().withCallbacks(task -> await(testEnded)));
        List<CompletableFuture<Void>> asked = List.of(
                table.applyAsync(mutation(table, 1)),
                table.flushAsync(),
                table.compactAsync(),
                table.applyAsync(mutation(table, 2)));
        doWithin20Seconds(() -> {
            table.apply(mutation(table, 3));
            table.flush();
            table.compact();
            store.close();
        });
        for (CompletableFuture<Void> future : asked) {
            within20Seconds(future);
        }
    }

    @Test
    void shouldLetACallbackWriteWhereItsExecutorRunsItAtOnce() throws Exception {
        openAgain(environment().withCallbacks(Runnable::run));
        within20Seconds(write(1, () -> table.apply(mutation(table, 2))));
        assertThat(has(2)).isTrue();
        assertThat(store.failure()).isEmpty();
    }

    @Test
    void shouldCompleteWhatWaitsBehindCallbacksThatBlockWhenClosed() throws Exception {
        CountDownLatch blocking = new CountDownLatch(2);
        for (int k = 0; k < 2; k++) {
            write(k, () -> {
                blocking.countDown();
                await(testEnded);
            });
        }
        CompletableFuture<Void> behind = write(2, () -> {});
        // Its own future comes behind it.
        CompletableFuture<Void> waitsForItself =
                write(3, () -> table.applyAsync(mutation(table, 4)).join());
        table.flush();
        doWithin20Seconds(store::close);
        within20Seconds(behind);
        assertThat(waitsForItself.handle((done, failure) -> true).get(20, TimeUnit.SECONDS))
                .isTrue();
        assertThat(blocking.await(20, TimeUnit.SECONDS)).isTrue();
        testEnded.countDown();
        for (ScheduledExecutorService thread : threads.values()) {
            assertThat(thread.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        }
    }
}
