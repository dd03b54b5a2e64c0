package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is still to come while a store closes. */
final class StoreClosingTest {
    @TempDir
    private Path directory;

    /** Whose periodic tasks come once more when all else is done. */
    private static final class LatePeriod extends ScheduledThreadPoolExecutor {
        private final List<Runnable> periodic = new ArrayList<>();

        LatePeriod() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long first, long delay, TimeUnit unit) {
            periodic.add(command);
            return super.scheduleWithFixedDelay(command, first, delay, unit);
        }

        @Override
        public void shutdown() {
            periodic.forEach(this::execute);
            // Behind what they have sent.
            execute(() -> execute(super::shutdown));
        }
    }

    @Test
    void shouldNotFailWhenThePeriodOfSyncsEndsWhileItCloses() throws IOException, InterruptedException {
        LatePeriod log = new LatePeriod();
        HostEnvironment environment = environment(name -> threads(name, log));
        Store store = Store.open(directory, StoreConfig.defaults().withSyncMode(SyncMode.PERIODIC), environment);
        store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY)")
                .row()
                .key("k", 1)
                .insert();

        store.close();

        assertThat(log.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        assertThat(store.failure()).isEmpty();
    }

    private static ScheduledExecutorService threads(String name, ScheduledExecutorService log) {
        return name.equals("log") && log != null ? log : Executors.newSingleThreadScheduledExecutor();
    }

    @Test
    void shouldLeaveNoThreadWhenAGroupIsStillGathering() throws Exception {
        List<ScheduledExecutorService> given = new ArrayList<>();
        Store store = Store.open(
                directory,
                StoreConfig.defaults().withSyncMode(SyncMode.GROUP).withGroupWindow(Duration.ofMinutes(1)),
                environment(name -> {
                    ScheduledExecutorService thread =
                            HostEnvironment.system().threads().single(name);
                    given.add(thread);
                    return thread;
                }));
        Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY)");
        TableMutation mutation = table.mutation();
        mutation.row().key("k", 1).insert();
        CompletableFuture<Void> written = mutation.applyAsync();

        store.close();

        written.get(20, TimeUnit.SECONDS);
        for (ScheduledExecutorService thread : given) {
            assertThat(thread.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** That comes to each of its tasks late. */
    private static final class LateThread extends ScheduledThreadPoolExecutor {
        LateThread() {
            super(1);
        }

        @Override
        protected void beforeExecute(Thread thread, Runnable task) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
    }

    /** Whoever opens it next may give the name of what is deleted to another SSTable. */
    @Test
    void shouldDeleteNothingOnceItIsClosed() throws IOException {
        Store store = Store.open(
                directory,
                StoreConfig.defaults().withShardCount(1),
                environment(name -> name.equals("care") ? new LateThread() : threads(name, null)));
        Table table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY, v text)");
        for (int k = 0; k < 3; k++) {
            table.row().key("k", k).set("v", "v").insert();
            table.flush();
        }
        table.compact();

        store.close();

        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.filter(file -> file.toString().endsWith("-Data.db")))
                    .hasSize(1);
        }
    }

    private static HostEnvironment environment(HostEnvironment.Threads threads) {
        return HostEnvironment.system().withThreads(threads);
    }
}
