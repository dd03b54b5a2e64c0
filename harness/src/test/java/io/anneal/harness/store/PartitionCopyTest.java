package io.anneal.harness.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.config.KeyCopy;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

final class PartitionCopyTest {
    private static final Item ADA = new Item("name", "", "Ada");
    private static final Item AGE = new Item("age", "", "36");

    private final SimulatedTime time = new SimulatedTime();
    private final MemoryPartitionDao origin = memory("origin");
    private final MemoryPartitionDao target = memory("target");
    private final PartitionCopy copy = PartitionCopy.between(origin, target);

    private MemoryPartitionDao memory(String name) {
        return new MemoryPartitionDao(name, time, new Faults(new SplittableRandom(1)), time);
    }

    private static TimedItem at(long micros, Item item) {
        return new TimedItem(item.b(), item.c(), item.d(), micros, TimedItem.NEVER);
    }

    private void copied() {
        copy.copy(7L, origin, target, Long.MAX_VALUE).toCompletableFuture().join();
    }

    @Test
    void shouldCopyWithTimesAndExpiries() {
        TimedItem expiring = new TimedItem("b", "c", "d", 5, time.instant().getEpochSecond() + 100);
        origin.writeTimed(7, List.of(at(10, ADA), expiring));
        copied();
        assertThat(target.items(7)).containsExactlyElementsOf(origin.items(7)).hasSize(2);
        time.advanceSeconds(100);
        assertThat(target.items(7)).containsExactly(at(10, ADA));
        assertThat(copy.guarantee()).isEqualTo(KeyCopy.Guarantee.SOURCE_TIMESTAMPS);
    }

    @Test
    void shouldTakeAwayWhatTheSourceLacks() {
        origin.writeTimed(7, List.of(at(10, ADA)));
        target.writeTimed(7, List.of(at(10, ADA), at(9, AGE)));
        copied();
        assertThat(target.items(7)).containsExactly(at(10, ADA));
        origin.delete(7);
        copied();
        assertThat(target.items(7)).isEmpty();
    }

    @Test
    void shouldLoseAgainstNewerWrites() {
        origin.writeTimed(7, List.of(at(10, ADA)));
        Item newer = new Item("name", "", "Grace");
        target.writeTimed(7, List.of(at(11, newer)));
        copied();
        assertThat(target.items(7)).containsExactly(at(11, newer));
    }

    /** A write that comes between the copy's reads and its deletion, as by another instance. */
    @Test
    void shouldNotTakeAwayWhatIsWrittenMeanwhile() {
        target.writeTimed(7, List.of(at(9, AGE)));
        Item newer = new Item("age", "", "37");
        MeddledWith meddled = new MeddledWith(target);
        meddled.beforeDeletion = () -> {
            origin.writeTimed(7, List.of(at(20, newer)));
            target.writeTimed(7, List.of(at(20, newer)));
        };
        PartitionCopy.between(origin, meddled)
                .copy(7L, origin, meddled, Long.MAX_VALUE)
                .toCompletableFuture()
                .join();
        assertThat(target.items(7)).containsExactly(at(20, newer));
    }

    /** A write that reaches both sides, in their order, between the copy's two reads. */
    @Test
    void shouldNotTakeAwayWhatIsWrittenBetweenItsReads() {
        MeddledWith from = new MeddledWith(origin);
        MeddledWith to = new MeddledWith(target);
        Runnable write = () -> {
            origin.writeTimed(7, List.of(at(20, ADA)));
            target.writeTimed(7, List.of(at(20, ADA)));
        };
        from.afterRead = write;
        to.afterRead = write;
        PartitionCopy.between(from, to)
                .copy(7L, from, to, Long.MAX_VALUE)
                .toCompletableFuture()
                .join();
        assertThat(target.items(7)).containsExactly(at(20, ADA));
    }

    @Test
    void shouldReplaceThePartitionOfDaosWithoutTimes() {
        MemoryPartitionDao plain = memory("plain");
        PartitionDao untimed = new Untimed(plain);
        PartitionCopy replacing = PartitionCopy.between(origin, untimed);
        assertThat(replacing.guarantee()).isEqualTo(KeyCopy.Guarantee.NONE);
        origin.write(7, List.of(ADA));
        plain.write(7, List.of(AGE));
        replacing
                .copy(7L, origin, untimed, Long.MAX_VALUE)
                .toCompletableFuture()
                .join();
        assertThat(plain.read(7).toCompletableFuture()).isCompletedWithValue(new Partition(7, List.of(ADA)));
        origin.delete(7);
        replacing
                .copy(7L, origin, untimed, Long.MAX_VALUE)
                .toCompletableFuture()
                .join();
        assertThat(plain.read(7).toCompletableFuture()).isCompletedWithValue(null);
    }

    /** Passes all on to another. */
    private static class Untimed implements PartitionDao {
        private final PartitionDao inner;

        Untimed(PartitionDao inner) {
            this.inner = inner;
        }

        @Override
        public CompletionStage<Partition> read(long a) {
            return inner.read(a);
        }

        @Override
        public CompletionStage<Void> write(long a, List<Item> items) {
            return inner.write(a, items);
        }

        @Override
        public CompletionStage<Void> replace(long a, List<Item> items) {
            return inner.replace(a, items);
        }

        @Override
        public CompletionStage<Void> delete(long a) {
            return inner.delete(a);
        }

        @Override
        public CompletionStage<Void> deleteItem(long a, String b, String c) {
            return inner.deleteItem(a, b, c);
        }

        @Override
        public String identity() {
            return "other " + inner.identity();
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    /** Does something of its own beside what it passes on. */
    private static final class MeddledWith extends Untimed implements TimedPartitions {
        private final MemoryPartitionDao inner;
        private Runnable afterRead = () -> {};
        private Runnable beforeDeletion = () -> {};

        MeddledWith(MemoryPartitionDao inner) {
            super(inner);
            this.inner = inner;
        }

        @Override
        public CompletionStage<List<TimedItem>> readTimed(long a) {
            List<TimedItem> read = inner.items(a);
            afterRead.run();
            return CompletableFuture.completedFuture(read);
        }

        @Override
        public CompletionStage<Void> writeTimed(long a, List<TimedItem> items) {
            return inner.writeTimed(a, items);
        }

        @Override
        public CompletionStage<Void> deleteTimed(long a, List<TimedItem> seen) {
            beforeDeletion.run();
            return inner.deleteTimed(a, seen);
        }
    }
}
