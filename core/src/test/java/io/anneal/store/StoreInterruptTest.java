package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.table.StoreConfig;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who is interrupted while it writes is told what it may believe. */
final class StoreInterruptTest {
    @TempDir
    private Path directory;

    private final Map<String, ScheduledExecutorService> threads = new ConcurrentHashMap<>();
    private Store store;
    private Table table;

    @BeforeEach
    void openStore() throws Exception {
        HostEnvironment system = HostEnvironment.system();
        HostEnvironment environment = system.withThreads(name -> {
            ScheduledExecutorService executor = system.threads().single(name);
            threads.put(name, executor);
            return executor;
        });
        store = Store.open(directory.resolve("store"), StoreConfig.defaults().withShardCount(1), environment);
        table = store.createTable("CREATE TABLE ks.t (k int PRIMARY KEY)");
    }

    @AfterEach
    void closeStore() throws Exception {
        store.close();
    }

    private interface Work {
        void run() throws Exception;
    }

    /** What the caller is told who is interrupted before it begins, or while it waits. */
    private static Throwable failure(Work work, boolean isBefore) throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            if (isBefore) {
                Thread.currentThread().interrupt();
            }
            try {
                work.run();
                failure.complete(null);
            } catch (Exception e) {
                failure.complete(Thread.currentThread().isInterrupted() ? e : new AssertionError("forgotten", e));
            }
        });
        caller.start();
        while (!isBefore && caller.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        caller.interrupt();
        return failure.get(20, TimeUnit.SECONDS);
    }

    private void hold(String name, CountDownLatch until) {
        threads.get(name).execute(() -> {
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    void shouldDoNothingForWhoIsInterruptedAlready() throws Exception {
        assertThat(failure(() -> table.row().key("k", 1).insert(), true))
                .isInstanceOf(InterruptedIOException.class)
                .hasMessage("interrupted before anything was done");
        table.row().key("k", 2).insert();
        assertThat(table.row(Map.of("k", 1))).isEmpty();
    }

    @Test
    void shouldSayThatAWriteMayLastWhoseCallerIsInterrupted() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        hold("log", goOn);
        assertThat(failure(() -> table.row().key("k", 1).insert(), false))
                .isInstanceOf(InterruptedIOException.class)
                .hasMessageContaining("whether it lasts is not known");
        goOn.countDown();
        table.row().key("k", 2).insert();
        assertThat(table.row(Map.of("k", 1))).isPresent();
    }

    @Test
    void shouldSayThatAFlushGoesOnWhoseCallerIsInterrupted() throws Exception {
        table.row().key("k", 1).insert();
        CountDownLatch goOn = new CountDownLatch(1);
        hold("flush-0", goOn);
        assertThat(failure(table::flush, false))
                .isInstanceOf(InterruptedIOException.class)
                .hasMessageContaining("goes on");
        goOn.countDown();
        table.flush();
        assertThat(store.failure()).isEmpty();
    }
}
