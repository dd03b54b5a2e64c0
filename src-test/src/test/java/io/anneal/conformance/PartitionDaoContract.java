package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.anneal.harness.store.Delayer;
import io.anneal.harness.store.Faults;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.MemoryPartitionDao;
import io.anneal.harness.store.Partition;
import io.anneal.harness.store.PartitionCopy;
import io.anneal.harness.store.PartitionDao;
import io.anneal.harness.store.TimedItem;
import io.anneal.harness.store.TimedPartitions;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every {@link PartitionDao} in the box does. Each test uses keys of its own. */
abstract class PartitionDaoContract {
    private static final Item ADA = new Item("name", "", "Ada");
    private static final Item AGE = new Item("age", "", "36");
    private static final int TTL_SECONDS = 10_000;

    /** The DAO, the same for all tests of a class. */
    abstract PartitionDao dao();

    /** Another DAO over the same store. */
    abstract PartitionDao again() throws Exception;

    private TimedPartitions timed() {
        return (TimedPartitions) dao();
    }

    private static <T> T answer(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    }

    private List<Item> read(long a) {
        Partition partition = answer(dao().read(a));
        return partition == null ? List.of() : partition.items();
    }

    private static TimedItem at(long micros, Item item) {
        return new TimedItem(item.b(), item.c(), item.d(), micros, TimedItem.NEVER);
    }

    @Test
    void shouldAnswerNullForWhatIsNotThere() {
        assertThat(answer(dao().read(1))).isNull();
        assertThat(answer(timed().readTimed(1))).isEmpty();
    }

    @Test
    void shouldReadWhatWasWrittenInOrder() {
        answer(dao().write(2, List.of(ADA, AGE)));
        assertThat(answer(dao().read(2))).isEqualTo(new Partition(2, List.of(AGE, ADA)));
    }

    @Test
    void shouldLeaveOtherItemsAloneInAWriteOfSome() {
        answer(dao().write(3, List.of(ADA, AGE)));
        Item grace = new Item("name", "", "Grace");
        answer(dao().write(3, List.of(grace)));
        answer(dao().write(3, List.of()));
        assertThat(read(3)).containsExactly(AGE, grace);
    }

    @Test
    void shouldTakeOtherItemsAwayInAReplacement() {
        answer(dao().write(4, List.of(ADA)));
        answer(dao().replace(4, List.of(AGE)));
        assertThat(read(4)).containsExactly(AGE);
        answer(dao().replace(4, List.of()));
        assertThat(answer(dao().read(4))).isNull();
    }

    @Test
    void shouldDeletePartitionsAndItems() {
        answer(dao().write(5, List.of(ADA, AGE)));
        answer(dao().deleteItem(5, ADA.b(), ADA.c()));
        assertThat(read(5)).containsExactly(AGE);
        answer(dao().delete(5));
        assertThat(answer(dao().read(5))).isNull();
        answer(dao().write(5, List.of(ADA)));
        assertThat(read(5)).containsExactly(ADA);
    }

    @Test
    void shouldKeepTextsOfAnyKind() {
        List<Item> odd = List.of(
                new Item("", "", ""),
                new Item("\u0000", "\ud83d\ude00", "\u00e9\n"),
                new Item("a".repeat(1_000), "c", "x"));
        answer(dao().write(Long.MIN_VALUE, odd));
        assertThat(read(Long.MIN_VALUE)).containsExactlyInAnyOrderElementsOf(odd);
    }

    /** More than a page of the driver's. */
    @Test
    void shouldReadLargePartitionsWhole() {
        List<Item> many = IntStream.range(0, 12_000)
                .mapToObj(i -> new Item("b", Integer.toString(i), "d" + i))
                .toList();
        answer(dao().write(6, many));
        assertThat(read(6)).hasSize(many.size()).containsExactlyInAnyOrderElementsOf(many);
    }

    @Test
    void shouldWriteAndReadWithTimes() {
        List<TimedItem> items = List.of(at(10, AGE), at(20, ADA));
        answer(timed().writeTimed(7, items));
        assertThat(answer(timed().readTimed(7))).containsExactlyElementsOf(items);
        assertThat(read(7)).containsExactly(AGE, ADA);
    }

    @Test
    void shouldLetTheLaterWriteCountWhicheverComesFirst() {
        Item grace = new Item("name", "", "Grace");
        answer(timed().writeTimed(8, List.of(at(20, ADA))));
        answer(timed().writeTimed(8, List.of(at(19, grace))));
        assertThat(read(8)).containsExactly(ADA);
        answer(timed().writeTimed(8, List.of(at(21, grace))));
        assertThat(read(8)).containsExactly(grace);
    }

    @Test
    void shouldLetTheGreaterValueCountAtTheSameTime() {
        Item grace = new Item("name", "", "Grace");
        answer(timed().writeTimed(9, List.of(at(20, grace))));
        answer(timed().writeTimed(9, List.of(at(20, ADA))));
        assertThat(read(9)).containsExactly(grace);
    }

    @Test
    void shouldDeleteWhatWasSeenAndNothingNewer() {
        answer(timed().writeTimed(10, List.of(at(20, ADA), at(20, AGE))));
        List<TimedItem> seen = answer(timed().readTimed(10));
        Item newer = new Item("age", "", "37");
        answer(timed().writeTimed(10, List.of(at(21, newer))));
        answer(timed().deleteTimed(10, seen));
        assertThat(read(10)).containsExactly(newer);
        // The deletion counts at its own time.
        answer(timed().writeTimed(10, List.of(at(20, ADA))));
        assertThat(read(10)).containsExactly(newer);
    }

    @Test
    void shouldNotBringBackWhatWasDeletedLater() {
        answer(dao().delete(11));
        answer(dao().deleteItem(12, ADA.b(), ADA.c()));
        answer(timed().writeTimed(11, List.of(at(20, ADA))));
        answer(timed().writeTimed(12, List.of(at(20, ADA), at(20, AGE))));
        assertThat(answer(dao().read(11))).isNull();
        assertThat(read(12)).containsExactly(AGE);
    }

    @Test
    void shouldKeepExpiries() {
        long nowSeconds = Clock.systemUTC().instant().getEpochSecond();
        answer(timed().writeTimed(
                        13,
                        List.of(
                                new TimedItem("b", "expires", "d", 20, nowSeconds + TTL_SECONDS),
                                new TimedItem("b", "has expired", "d", 20, nowSeconds - 1))));
        List<TimedItem> read = answer(timed().readTimed(13));
        assertThat(read).hasSize(1);
        assertThat(read.get(0).c()).isEqualTo("expires");
        assertThat(read.get(0).writeTimeMicros()).isEqualTo(20);
        // In whole seconds of two clocks, and of the time between.
        assertThat(read.get(0).expiresAtSeconds()).isCloseTo(nowSeconds + TTL_SECONDS, within(300L));
    }

    @Test
    void shouldHoldTheSameAsAnotherStoreAfterACopyEitherWay() {
        long seed = Long.getLong("anneal.seed", 7);
        SplittableRandom random = new SplittableRandom(seed);
        MemoryPartitionDao memory =
                new MemoryPartitionDao("copy", Clock.systemUTC(), new Faults(new SplittableRandom(seed)), Delayer.NONE);
        PartitionCopy copy = PartitionCopy.between(memory, dao());
        for (long a = 100; a < 120; a++) {
            answer(memory.writeTimed(a, randomItems(random)));
            answer(timed().writeTimed(a, randomItems(random)));
            if (a % 2 == 0) {
                answer(copy.copy(a, memory, dao(), Long.MAX_VALUE));
            } else {
                answer(copy.copy(a, dao(), memory, Long.MAX_VALUE));
            }
            // Newer items on the side that was copied to stay, so that only a copy back makes both equal.
            answer(copy.copy(a, dao(), memory, Long.MAX_VALUE));
            answer(copy.copy(a, memory, dao(), Long.MAX_VALUE));
            assertThat(answer(timed().readTimed(a)))
                    .as("seed=" + seed + ", a=" + a)
                    .containsExactlyInAnyOrderElementsOf(memory.items(a));
        }
    }

    private static List<TimedItem> randomItems(SplittableRandom random) {
        List<TimedItem> items = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            if (random.nextBoolean()) {
                items.add(at(1 + random.nextInt(50), new Item("b", Integer.toString(i), "d" + random.nextInt(9))));
            }
        }
        return items;
    }

    @Test
    void shouldBeKnownForTheSameStore() throws Exception {
        PartitionDao again = again();
        assertThat(again.identity()).isEqualTo(dao().identity());
    }
}
