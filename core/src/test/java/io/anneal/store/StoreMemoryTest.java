package io.anneal.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.Row;
import io.anneal.key.TokenRange;
import io.anneal.table.LiveTable;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a store keeps in memory, and what it lets go. */
@Timeout(value = 20, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StoreMemoryTest {
    private static final String CREATE = "CREATE TABLE ks.t (k int PRIMARY KEY, v text)";

    @TempDir
    private Path directory;

    private static <T> void awaitCollected(ReferenceQueue<T> collected) throws InterruptedException {
        do {
            System.gc();
        } while (collected.remove(10) == null);
    }

    private static WeakReference<LiveTable> drop(Store store, ReferenceQueue<LiveTable> collected) throws IOException {
        Table table = store.createTable(CREATE);
        table.row().key("k", 1).set("v", "value").insert();
        table.flush();
        table.compact();
        WeakReference<LiveTable> live = new WeakReference<>(table.liveTable(), collected);
        store.dropTable("ks.t");
        return live;
    }

    @Test
    void shouldLetGoOfATableThatIsDropped() throws IOException, InterruptedException {
        try (Store store = Store.open(directory, StoreConfig.defaults().withShardCount(2))) {
            ReferenceQueue<LiveTable> collected = new ReferenceQueue<>();
            WeakReference<LiveTable> dropped = drop(store, collected);
            awaitCollected(collected);
            assertThat(dropped.get()).isNull();
        }
    }

    private static long number(Store store, String name) {
        return store.metrics().get(name).longValue();
    }

    private static void forget(Table table) throws IOException {
        // Neither is closed nor kept.
        assertThat(table.rows().next()).isNotNull();
        assertThat(table.partition(1).next()).isNotNull();
    }

    @Test
    void shouldLetGoOfWhatAForgottenCursorHeld() throws IOException, InterruptedException {
        try (Store store = Store.open(directory, StoreConfig.defaults().withShardCount(1))) {
            Table table = store.createTable(CREATE);
            table.row().key("k", 1).set("v", "value").insert();
            table.flush();
            table.row().key("k", 2).set("v", "value").insert();
            assertThat(number(store, "store.memtable-bytes")).isPositive();
            forget(table);
            table.compact();
            table.flush();
            table.compact();
            Path data = table.liveTable().directory().directory();
            while (number(store, "store.memtable-bytes") > 0 || dataFiles(data) > 1) {
                System.gc();
            }
            assertThat(table.row(Map.of("k", 1))).isPresent();
        }
    }

    private static long dataFiles(Path table) throws IOException {
        try (Stream<Path> files = Files.list(table)) {
            return files.filter(file -> file.toString().endsWith("-Data.db")).count();
        }
    }

    @Test
    void shouldKeepTheRowOfAForgottenCursorAsItIs() throws IOException, InterruptedException {
        // So small that memory which is given back is taken by the next write.
        StoreConfig config = StoreConfig.defaults().withShardCount(1).withMemtableBudgetBytes(1 << 20);
        try (Store store = Store.open(directory, config)) {
            Table table = store.createTable(CREATE);
            String value = "v".repeat(1000);
            table.row().key("k", 1).set("v", value).insert();
            Row row = lastRow(table);
            table.flush();
            while (number(store, "store.memtable-bytes") > 0) {
                System.gc();
            }
            for (int k = 2; k < 2000; k++) {
                table.row().key("k", k).set("v", "w".repeat(1000)).insert();
            }
            assertThat(new String(row.valueBuffer(0), row.valueOffset(0), row.valueLengthBytes(0), US_ASCII))
                    .isEqualTo(value);
        }
    }

    private static Row lastRow(Table table) throws IOException {
        FragmentCursor forgotten = table.scan(TokenRange.Linear.ALL);
        while (forgotten.advance() != FragmentKind.CLUSTERING_ROW) {
            continue;
        }
        return forgotten.row();
    }
}
