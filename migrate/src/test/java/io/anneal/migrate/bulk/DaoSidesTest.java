package io.anneal.migrate.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.environment.HostEnvironment;
import io.anneal.migrate.store.EmbeddedPartitionDao;
import io.anneal.migrate.store.Faults;
import io.anneal.migrate.store.Item;
import io.anneal.migrate.store.MemoryPartitionDao;
import io.anneal.migrate.store.Partition;
import io.anneal.migrate.store.PartitionDao;
import io.anneal.migrate.store.TimedItem;
import io.anneal.table.StoreConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The worked example's DAOs as sides: in memory, embedded, and those that can't be. */
final class DaoSidesTest {
    private final TestTime time = new TestTime();
    private final Faults faults = new Faults(new SplittableRandom(1));
    private final MemoryPartitionDao memory = new MemoryPartitionDao("one", time, faults, (nanos, work) -> work.run());

    @TempDir
    private Path directory;

    private void fill() throws Exception {
        for (long a = -50; a < 50; a++) {
            memory.writeTimed(
                            a,
                            List.of(
                                    new TimedItem("name", "first", "n" + a, 1_000 + a, TimedItem.NEVER),
                                    new TimedItem("name", "\uD83D\uDE00", "", 2_000, TimedItem.NEVER),
                                    new TimedItem("name", "\uFFFD", "x", 2_000, time.seconds() + 100),
                                    new TimedItem("gone", "", "x", 2_000, time.seconds() - 1)))
                    .toCompletableFuture()
                    .get();
        }
    }

    private void copy(PartitionDao from, PartitionDao to) throws Exception {
        Backfill.builder(BulkStores.source(from, List::of, time), BulkStores.target(to, time))
                .ranges(8)
                .retries(20, Duration.ofMillis(1))
                .environment(time.environment())
                .build()
                .run();
        VerificationResult found = Verification.builder(
                        BulkStores.source(from, List::of, time), BulkStores.source(to, List::of, time))
                .ranges(8)
                .retries(20, Duration.ofMillis(1))
                .tolerance(BulkTolerance.EXACT)
                .environment(time.environment())
                .build()
                .run();
        assertThat(found.samples()).isEmpty();
        assertThat(found.clean()).isTrue();
        assertThat(found.entries()).isEqualTo(300);
    }

    private EmbeddedPartitionDao embedded() throws Exception {
        return EmbeddedPartitionDao.open(
                directory, StoreConfig.defaults(), HostEnvironment.system().withClock(time));
    }

    @Test
    void shouldCopyFromMemoryToAnEmbeddedStoreAndBack() throws Exception {
        fill();
        MemoryPartitionDao back = new MemoryPartitionDao("two", time, faults, (nanos, work) -> work.run());
        try (EmbeddedPartitionDao embedded = embedded()) {
            copy(memory, embedded);
            copy(embedded, back);
        }
        for (long a = -50; a < 50; a++) {
            assertThat(back.items(a)).isEqualTo(memory.items(a));
        }
    }

    @Test
    void shouldCopyThroughFailures() throws Exception {
        fill();
        faults.failing(0.02);
        MemoryPartitionDao other = new MemoryPartitionDao(
                "two", time, new Faults(new SplittableRandom(2)).failingAfter(0.02), (nanos, work) -> work.run());

        copy(memory, other);

        for (long a = -50; a < 50; a++) {
            assertThat(other.items(a)).isEqualTo(memory.items(a));
        }
    }

    @Test
    void shouldFindWhatAStoreLostThatSaidItHadIt() throws Exception {
        fill();
        MemoryPartitionDao lossy = new MemoryPartitionDao(
                "two", time, new Faults(new SplittableRandom(3)).lossy(0.1), (nanos, work) -> work.run());
        Backfill.builder(BulkStores.source(memory, List::of, time), BulkStores.target(lossy, time))
                .environment(time.environment())
                .build()
                .run();
        lossy.faults().heal();

        VerificationResult found = Verification.builder(
                        BulkStores.source(memory, List::of, time), BulkStores.source(lossy, List::of, time))
                .environment(time.environment())
                .build()
                .run();

        long there = lossy.keys().stream().mapToLong(a -> lossy.items(a).size()).sum();
        assertThat(found.onlyOrigin()).isEqualTo(300 - there).isPositive();
        assertThat(found.onlyTarget() + found.different()).isZero();
    }

    @Test
    void shouldMakeGoodWhatDiffersThroughADao() throws Exception {
        fill();
        MemoryPartitionDao other = new MemoryPartitionDao("two", time, faults, (nanos, work) -> work.run());
        other.writeTimed(7, List.of(new TimedItem("b", "surplus", "x", 5, TimedItem.NEVER)))
                .toCompletableFuture()
                .get();

        VerificationResult found = Verification.builder(
                        BulkStores.source(memory, List::of, time), BulkStores.source(other, List::of, time))
                .repair(BulkStores.target(other, time))
                .environment(time.environment())
                .build()
                .run();

        assertThat(found.clean()).isTrue();
        assertThat(found.repaired()).isEqualTo(301);
        assertThat(other.items(7)).isEqualTo(memory.items(7));
    }

    @Test
    void shouldRefuseADaoWithoutWriteTimes() {
        PartitionDao plain = new PlainDao();

        assertThatThrownBy(() -> BulkStores.source(plain, List::of, time))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("plain")
                .hasMessageContaining("TimedPartitions");
        assertThatThrownBy(() -> BulkStores.target(plain, time)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Knows no times. */
    private static final class PlainDao implements PartitionDao {
        @Override
        public CompletionStage<Partition> read(long a) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> write(long a, List<Item> items) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> replace(long a, List<Item> items) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> delete(long a) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> deleteItem(long a, String b, String c) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public String identity() {
            return "plain";
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
