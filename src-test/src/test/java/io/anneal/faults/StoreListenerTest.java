package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.StorageException;
import io.anneal.key.TokenRange;
import io.anneal.sstable.CorruptSSTableException;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRows;
import io.anneal.table.StoreConfig;
import io.anneal.table.StoreListener;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.FaultyDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who embeds a store hears what fails in it by itself. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreListenerTest {
    private static final String CREATE = "CREATE TABLE ks.t (k int PRIMARY KEY, v text)";

    @TempDir
    private Path parent;

    private final Heard heard = new Heard();

    /** Keeps what it hears, then throws. */
    private static final class Heard implements StoreListener {
        private final BlockingQueue<String> calls = new LinkedBlockingQueue<>();

        private void hear(String call) {
            calls.add(call + " on " + Thread.currentThread().getName());
            throw new IllegalStateException("listener fails");
        }

        @Override
        public void writesStopped(StorageException reason) {
            hear("writesStopped");
        }

        @Override
        public void flushFailed(String table, Throwable reason) {
            hear("flushFailed " + table);
        }

        @Override
        public void compactionFailed(String table, Throwable reason) {
            hear("compactionFailed " + table);
        }

        @Override
        public void sstableCorrupt(String table, CorruptSSTableException reason) {
            hear("sstableCorrupt " + table);
        }

        private String next() throws InterruptedException {
            return calls.poll(30, TimeUnit.SECONDS);
        }
    }

    private Store open(FaultyDirectory disk) throws IOException {
        return open(disk, 1);
    }

    private Store open(FaultyDirectory disk, int compactionThreads) throws IOException {
        return Store.open(
                disk.path().resolve("store"),
                StoreConfig.defaults()
                        .withShardCount(1)
                        .withMemtableBudgetBytes(1 << 20)
                        .withCompactionThreads(compactionThreads)
                        .withListener(heard));
    }

    private static void insert(Table table, int k) throws IOException {
        table.row().key("k", k).set("v", "value " + k).insert();
    }

    private static void flip(Path store) throws IOException {
        try (Stream<Path> files = Files.walk(store)) {
            Path data = files.filter(file -> file.toString().endsWith("Data.db"))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = Files.readAllBytes(data);
            bytes[bytes.length / 2] ^= 0x10;
            Files.write(data, bytes);
        }
    }

    @Test
    void shouldTellThatAFlushFailedAndWritesStopped() throws Exception {
        try (FaultyDirectory disk = FaultyDirectory.create(parent)) {
            Store store = open(disk);
            Table table = store.createTable(CREATE);
            insert(table, 1);
            disk.inject(Fault.on(Operation.WRITE).named(name -> name.contains("Data.db")));
            assertThatThrownBy(table::flush).isInstanceOf(IOException.class);
            assertThat(heard.next()).startsWith("flushFailed ks.t on anneal-callbacks");
            assertThat(heard.next()).startsWith("writesStopped on anneal-callbacks");
            assertThatThrownBy(table::flush).isInstanceOf(IOException.class);
            disk.heal();
            store.close();
            assertThat(heard.calls).isEmpty();
        }
    }

    @Test
    void shouldTellThatACompactionFailed() throws Exception {
        try (FaultyDirectory disk = FaultyDirectory.create(parent)) {
            try (Store store = open(disk, 0)) {
                Table table = store.createTable(CREATE);
                for (int i = 0; i < 4; i++) {
                    insert(table, i);
                    table.flush();
                }
            }
            disk.inject(Fault.on(Operation.WRITE).named(name -> name.contains("Data.db")));
            try (Store store = open(disk, 1)) {
                assertThat(heard.next()).startsWith("compactionFailed ks.t");
                assertThat(store.failure()).isEmpty();
                disk.heal();
            }
        }
    }

    @Test
    void shouldTellOnceThatAReadMetACorruptFile() throws Exception {
        try (FaultyDirectory disk = FaultyDirectory.create(parent);
                Store store = open(disk)) {
            Table table = store.createTable(CREATE.replace("text)", "text) WITH compression = {'enabled': 'false'}"));
            insert(table, 1);
            table.flush();
            flip(disk.path().resolve("store"));
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> {
                            try (TableRows rows = table.rows(TokenRange.FULL)) {
                                rows.next();
                            }
                        })
                        .isInstanceOf(CorruptSSTableException.class);
            }
            assertThat(heard.next()).startsWith("sstableCorrupt ks.t");
            insert(table, 2);
            assertThat(heard.calls).isEmpty();
        }
    }
}
