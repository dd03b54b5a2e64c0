package io.anneal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.schema.TableAlteration;
import io.anneal.table.StoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Batches while one of their tables is altered: they wait as a whole. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HeldBatchTest {
    private static final List<String> TABLES = List.of("ks.a", "ks.b", "ks.c");
    private static final StoreConfig CONFIG = StoreConfig.defaults().withShardCount(1);

    @TempDir
    private Path directory;

    private Store store;

    @BeforeEach
    void openStore() throws IOException {
        store = Store.open(directory, CONFIG);
        for (String name : TABLES) {
            store.createTable("CREATE TABLE " + name + " (k int PRIMARY KEY, v text, w text)");
        }
    }

    @AfterEach
    void closeStore() throws IOException {
        store.close();
    }

    private void reopen() throws IOException {
        store.close();
        store = Store.open(directory, CONFIG);
    }

    /** An alteration that has come so far that writes wait, until it may go on. */
    private final class Alteration {
        private final CountDownLatch held = new CountDownLatch(2);
        private final CountDownLatch go = new CountDownLatch(1);
        private final CompletableFuture<Void> done;

        private Alteration(TableAlteration change) throws InterruptedException {
            Table table = store.table(change.qualifiedName());
            done = CompletableFuture.runAsync(() -> {
                try {
                    table.engine().alterTable(table.liveTable(), schema -> {
                        held.countDown();
                        if (held.getCount() == 0) {
                            // Asked the second time, with writes held.
                            awaitQuietly(go);
                        }
                        return change.applyTo(schema, table.engine().nextTimestampMicros());
                    });
                } catch (IOException e) {
                    throw new CompletionException(e);
                }
            });
            held.await();
        }

        private void goOn() {
            go.countDown();
            done.join();
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private CompletableFuture<Void> write(int k) throws IOException {
        StoreBatch batch = store.batch();
        for (String name : TABLES) {
            batch.row(store.table(name)).key("k", k).set("v", "v" + k).insert();
        }
        return batch.applyAsync();
    }

    private void writeOnlyTo(String table, int k) throws IOException {
        store.table(table).row().key("k", k).set("v", "v" + k).insert();
    }

    private int present(int k) throws IOException {
        int count = 0;
        for (String name : TABLES) {
            if (store.table(name)
                    .row(Map.of("k", k))
                    .filter(row -> row.value("v").equals("v" + k))
                    .isPresent()) {
                count++;
            }
        }
        return count;
    }

    @Test
    void shouldWaitAsAWholeAndFollowTheNewSchema() throws Exception {
        Alteration alteration = new Alteration(TableAlteration.of("ks.b").addColumn("a", "text"));
        CompletableFuture<Void> together = write(1);
        TableMutation single = store.table("ks.b").mutation();
        single.row().key("k", 2).set("v", "v2").insert();
        CompletableFuture<Void> behind = store.table("ks.b").applyAsync(single.build());
        writeOnlyTo("ks.a", 3);
        assertThat(together).isNotDone();
        assertThat(behind).isNotDone();
        assertThat(present(1)).isZero();
        assertThat(present(3)).isEqualTo(1);

        alteration.goOn();
        together.join();
        behind.join();
        assertThat(present(1)).isEqualTo(3);
        assertThat(present(2)).isEqualTo(1);
        reopen();
        assertThat(present(1)).isEqualTo(3);
        assertThat(present(2)).isEqualTo(1);
    }

    @Test
    void shouldWaitForEachOfItsTablesInTurn() throws Exception {
        Alteration first = new Alteration(TableAlteration.of("ks.a").addColumn("a", "text"));
        Alteration second = new Alteration(TableAlteration.of("ks.c").addColumn("a", "text"));
        CompletableFuture<Void> together = write(1);
        writeOnlyTo("ks.b", 2);
        first.goOn();
        writeOnlyTo("ks.a", 3);
        assertThat(together).isNotDone();
        assertThat(present(1)).isZero();
        second.goOn();
        together.join();
        assertThat(present(1)).isEqualTo(3);
    }

    @Test
    void shouldWriteNothingWhenAColumnIsDroppedMeanwhile() throws Exception {
        long usedBytes = usedBytes();
        Alteration alteration = new Alteration(TableAlteration.of("ks.b").dropColumn("v"));
        CompletableFuture<Void> together = write(1);
        alteration.goOn();
        assertThatThrownBy(together::join)
                .hasCauseInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("table=ks.b")
                .hasMessageContaining("column=v");
        assertThat(store.table("ks.a").row(Map.of("k", 1))).isEmpty();
        assertThat(store.table("ks.c").row(Map.of("k", 1))).isEmpty();
        assertThat(usedBytes()).as("memory is given back").isEqualTo(usedBytes);
    }

    @Test
    void shouldWriteNothingWhenAnotherTableIsDroppedMeanwhile() throws Exception {
        Alteration alteration = new Alteration(TableAlteration.of("ks.b").addColumn("a", "text"));
        CompletableFuture<Void> together = write(1);
        store.dropTable("ks.c");
        alteration.goOn();
        assertThatThrownBy(together::join)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ks.c");
        assertThat(store.table("ks.a").row(Map.of("k", 1))).isEmpty();
        assertThat(store.table("ks.b").row(Map.of("k", 1))).isEmpty();
        assertThat(store.failure()).isEmpty();
    }

    @Test
    void shouldComeBehindATruncationThatIsMadeMeanwhile() throws Exception {
        Alteration alteration = new Alteration(TableAlteration.of("ks.b").addColumn("a", "text"));
        CompletableFuture<Void> together = write(1);
        writeOnlyTo("ks.a", 2);
        store.table("ks.a").truncate();
        alteration.goOn();
        together.join();
        assertThat(present(1)).isEqualTo(3);
        assertThat(present(2)).isZero();
        reopen();
        assertThat(present(1)).isEqualTo(3);
    }

    private long usedBytes() {
        return store.metrics().get("store.memtable-bytes").longValue();
    }
}
