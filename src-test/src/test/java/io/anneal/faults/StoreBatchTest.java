package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.Mutation;
import io.anneal.key.DecoratedKey;
import io.anneal.store.Store;
import io.anneal.store.StoreBatch;
import io.anneal.store.Table;
import io.anneal.store.TableMutation;
import io.anneal.table.SyncMode;
import io.anneal.testkit.Fault;
import io.anneal.testkit.Fault.Operation;
import io.anneal.testkit.TemporaryStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes to several partitions and tables, of which a crash leaves all or none. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoreBatchTest {
    private static final List<String> TABLES = List.of("ks.a", "ks.b", "ks.c");

    private TemporaryStore temporary;

    @BeforeEach
    void openStore() throws IOException {
        open(SyncMode.BATCH, false);
    }

    private void open(SyncMode mode, boolean compression) throws IOException {
        temporary =
                TemporaryStore.open(TemporaryStore.defaults().withSyncMode(mode).withCommitLogCompression(compression));
        for (String name : TABLES) {
            temporary.store().createTable("CREATE TABLE " + name + " (k int PRIMARY KEY, v text)");
        }
    }

    @AfterEach
    void closeStore() throws IOException {
        temporary.close();
    }

    private Table table(String name) {
        return temporary.store().table(name);
    }

    /** One row in each table, of one partition in the first and of another in the others. */
    private StoreBatch batch(int k, String value) throws IOException {
        StoreBatch batch = temporary.store().batch();
        for (int i = 0; i < TABLES.size(); i++) {
            batch.row(table(TABLES.get(i)))
                    .key("k", k + i * 1000)
                    .set("v", value)
                    .insert();
        }
        return batch;
    }

    private int present(int k) throws IOException {
        int count = 0;
        for (int i = 0; i < TABLES.size(); i++) {
            if (table(TABLES.get(i)).row(Map.of("k", k + i * 1000)).isPresent()) {
                count++;
            }
        }
        return count;
    }

    @Test
    void shouldWriteToSeveralTablesAndPartitions() throws IOException {
        StoreBatch batch = batch(1, "one");
        TableMutation mutation = table("ks.a").mutation();
        mutation.row().key("k", 2).set("v", "two").insert();
        batch.add(table("ks.a"), mutation);
        assertThat(present(1)).isZero();
        batch.apply();
        assertThat(present(1)).isEqualTo(3);
        assertThat(table("ks.a").row(Map.of("k", 2)).orElseThrow().value("v")).isEqualTo("two");
        assertThatIllegalStateException().isThrownBy(batch::apply).withMessageContaining("applied already");

        batch(3, "three").applyAsync().join();
        assertThat(present(3)).isEqualTo(3);
        temporary.store().batch().apply();
        temporary.directory().crash();
        temporary.reopen();
        assertThat(present(1)).isEqualTo(3);
        assertThat(present(3)).isEqualTo(3);
    }

    @Test
    void shouldWriteNothingWhenOneMutationIsWrong() throws IOException {
        DecoratedKey key =
                DecoratedKey.of(ByteBuffer.allocate(Integer.BYTES).putInt(9).array());
        StoreBatch batch = batch(1, "one").add(table("ks.b"), new Mutation(key, new byte[] {1, 2, 3}));
        assertThatIllegalArgumentException().isThrownBy(batch::apply).withMessageContaining("table=ks.b");
        assertThat(present(1)).isZero();
        StoreBatch async = batch(2, "two").add(table("ks.c"), new Mutation(key, new byte[] {1}));
        assertThatThrownBy(() -> async.applyAsync().join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class);
        batch(3, "three").apply();
        temporary.directory().crash();
        temporary.reopen();
        assertThat(present(1) + present(2)).isZero();
        assertThat(present(3)).isEqualTo(3);
    }

    @Test
    void shouldRefuseABatchThatIsTooLargeNamingTheLimit() throws IOException {
        StoreBatch batch = temporary.store().batch();
        String large = "x".repeat(1 << 20);
        for (int k = 0; k < 65; k++) {
            batch.row(table("ks.a")).key("k", k).set("v", large).insert();
        }
        assertThatIllegalArgumentException().isThrownBy(batch::apply).withMessageContaining("maxBytes=" + (64 << 20));
        assertThat(temporary.store().failure()).isEmpty();
        StoreBatch larger = temporary.store().batch();
        for (int k = 0; k < 6; k++) {
            // More than a segment holds.
            larger.row(table("ks.a")).key("k", k).set("v", large).insert();
        }
        larger.apply();
        temporary.directory().crash();
        temporary.reopen();
        assertThat(table("ks.a").rows(List.of(Map.of("k", 0), Map.of("k", 5), Map.of("k", 6))))
                .extracting(row -> row.isPresent())
                .containsExactly(true, true, false);
    }

    @Test
    void shouldBringBackWhatIsNotFlushedTruncatedOrDropped() throws IOException {
        batch(1, "one").apply();
        table("ks.a").flush();
        batch(2, "two").apply();
        table("ks.b").truncate();
        batch(3, "three").apply();
        temporary.store().dropTable("ks.c");
        temporary.directory().crash();
        Store store = temporary.reopen();
        assertThat(store.findTable("ks.c")).isEmpty();
        for (int k = 1; k <= 3; k++) {
            assertThat(store.table("ks.a").row(Map.of("k", k))).isPresent();
            assertThat(store.table("ks.b").row(Map.of("k", k + 1000)).isPresent())
                    .isEqualTo(k == 3);
        }
    }

    @Test
    void shouldRefuseTablesOfOtherStoresAndDroppedOnes() throws IOException {
        try (TemporaryStore other = TemporaryStore.open()) {
            Table foreign = other.store().createTable("CREATE TABLE ks.a (k int PRIMARY KEY, v text)");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> temporary.store().batch().row(foreign))
                    .withMessageContaining("table=ks.a");
        }
        StoreBatch batch = batch(1, "one");
        temporary.store().dropTable("ks.b");
        assertThatIllegalStateException().isThrownBy(batch::apply).withMessageContaining("ks.b");
        assertThat(table("ks.a").row(Map.of("k", 1))).isEmpty();
    }

    @Test
    void shouldHaveAllOrNoneOfBatchesWhileATableOfThemIsTruncatedAndDropped() throws Exception {
        CountDownLatch begun = new CountDownLatch(20);
        CompletableFuture<Integer> writing = CompletableFuture.supplyAsync(() -> {
            int k = 0;
            try {
                while (true) {
                    batch(k, "v" + k).apply();
                    begun.countDown();
                    k++;
                }
            } catch (IllegalStateException | IllegalArgumentException e) {
                // Dropped meanwhile: in front of the batch, or of its writes.
                assertThat(e).hasMessageContaining("ks.c");
                return k;
            } catch (IOException e) {
                throw new CompletionException(e);
            }
        });
        begun.await();
        table("ks.c").truncate();
        temporary.store().dropTable("ks.c");
        int written = writing.join();
        temporary.directory().crash();
        temporary.reopen();
        assertThat(temporary.store().failure()).isEmpty();
        for (int k = 0; k < written; k++) {
            assertThat(table("ks.a").row(Map.of("k", k))).isPresent();
            assertThat(table("ks.b").row(Map.of("k", k + 1000))).isPresent();
        }
        assertThat(table("ks.a").row(Map.of("k", written))).isEmpty();
        assertThat(table("ks.b").row(Map.of("k", written + 1000))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"BATCH,false", "BATCH,true", "PERIODIC,false", "PERIODIC,true", "GROUP,false"})
    void shouldHaveAllOrNoneAfterACrashAnywhere(SyncMode mode, boolean compression) throws IOException {
        long seed = Long.getLong("anneal.seed", 5);
        SplittableRandom random = new SplittableRandom(seed);
        int lost = 0;
        for (int round = 0; round < 25; round++) {
            temporary.close();
            open(mode, compression);
            temporary
                    .directory()
                    .inject(Fault.on(Operation.WRITE, Operation.FORCE)
                            .named(name -> name.startsWith("CommitLog"))
                            .after(random.nextInt(12))
                            .cuttingPower(random.nextLong()));
            int acknowledged = 0;
            try {
                for (int k = 0; k < 20; k++) {
                    batch(k, "v".repeat(1 + random.nextInt(k % 5 == 0 ? 40_000 : 100)))
                            .apply();
                    acknowledged++;
                }
            } catch (IOException | RuntimeException e) {
                assertThat(e).as("seed=%d, round=%d", seed, round).isNotInstanceOf(IllegalArgumentException.class);
            }
            temporary.directory().crash(random.nextLong());
            temporary.directory().heal();
            temporary.reopen();
            for (int k = 0; k < 20; k++) {
                int there = present(k);
                assertThat(there)
                        .as("mode=%s, seed=%d, round=%d, k=%d", mode, seed, round, k)
                        .isIn(0, TABLES.size());
                if (mode != SyncMode.PERIODIC && k < acknowledged) {
                    assertThat(there).isEqualTo(TABLES.size());
                }
                lost += there == 0 ? 1 : 0;
            }
        }
        assertThat(lost).as("crashes came in the middle").isPositive();
    }
}
