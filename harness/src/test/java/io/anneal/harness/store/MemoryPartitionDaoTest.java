package io.anneal.harness.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

final class MemoryPartitionDaoTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 1);
    private static final List<Item> ITEMS = List.of(new Item("name", "", "Ada"), new Item("age", "", "36"));
    private static final Partition PARTITION = new Partition(7, ITEMS);

    private final SimulatedTime time = new SimulatedTime();
    private final Faults faults = new Faults(new SplittableRandom(1));
    private final MemoryPartitionDao dao = new MemoryPartitionDao("m", time, faults, time);

    private <T> T answer(CompletionStage<T> stage) {
        time.run();
        assertThat(stage.toCompletableFuture()).isDone();
        return stage.toCompletableFuture().join();
    }

    private void assertFails(CompletionStage<?> stage, Class<? extends Exception> type) {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> answer(stage))
                .withCauseInstanceOf(type);
    }

    @Test
    void shouldAnswerAtOnceWithoutFaults() {
        assertThat(dao.write(7, ITEMS).toCompletableFuture()).isCompleted();
        assertThat(dao.read(7).toCompletableFuture()).isCompletedWithValue(PARTITION);
        assertThat(dao.keys()).containsExactly(7L);
    }

    @Test
    void shouldTakeAsLongAsToldAndSpreadEffects() {
        faults.latency(1_000, 2_000);
        long before = time.nowNanos();
        CompletableFuture<Void> written = dao.write(7, ITEMS).toCompletableFuture();
        assertThat(written).isNotDone();
        assertThat(dao.items(7)).isEmpty();
        time.run();
        assertThat(written).isCompleted();
        assertThat(time.nowNanos() - before).isBetween(1_000L, 2_000L);
        assertThat(dao.items(7)).hasSize(2);
    }

    @Test
    void shouldDoNothingWhenItFails() {
        faults.failing(1);
        assertFails(dao.write(7, ITEMS), InjectedFailureException.class);
        assertThat(dao.items(7)).isEmpty();
    }

    @Test
    void shouldHaveWrittenWhenItFailsAfterwards() {
        faults.failingAfter(1);
        assertFails(dao.write(7, ITEMS), InjectedTimeoutException.class);
        assertThat(dao.items(7)).hasSize(2);
    }

    @Test
    void shouldWriteAfterTheCallerWasToldOfATimeout() {
        faults.late(1);
        List<Integer> itemsWhenTold = new ArrayList<>();
        CompletionStage<Void> written = dao.write(7, ITEMS);
        written.whenComplete((none, failure) -> itemsWhenTold.add(dao.items(7).size()));
        assertFails(written, InjectedTimeoutException.class);
        assertThat(itemsWhenTold).containsExactly(0);
        assertThat(dao.items(7)).hasSize(2);
    }

    @Test
    void shouldAcknowledgeWhatItLosesAndLoseNoReads() {
        answer(dao.write(7, ITEMS));
        faults.lossy(1);
        answer(dao.write(8, ITEMS));
        assertThat(dao.items(8)).isEmpty();
        assertThat(answer(dao.read(7))).isEqualTo(PARTITION);
    }

    @Test
    void shouldNeverAnswerWhenItHangs() {
        faults.hanging(1);
        CompletableFuture<Void> written = dao.write(7, ITEMS).toCompletableFuture();
        CompletableFuture<Partition> read = dao.read(7).toCompletableFuture();
        time.run();
        assertThat(written).isNotDone();
        assertThat(read).isNotDone();
        faults.heal();
        assertThat(answer(dao.write(8, ITEMS))).isNull();
    }

    @Test
    void shouldRepeatACourseOfEventsByItsSeed() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 5; seed++) {
            assertThat(course(seed)).as("seed " + seed).isEqualTo(course(seed));
        }
        assertThat(course(1)).isNotEqualTo(course(2));
    }

    private static List<String> course(long seed) {
        SimulatedTime time = new SimulatedTime();
        Faults faults = new Faults(new SplittableRandom(seed))
                .latency(0, 1_000_000)
                .failing(0.1)
                .failingAfter(0.1)
                .late(0.1)
                .lossy(0.1)
                .hanging(0.1);
        MemoryPartitionDao dao = new MemoryPartitionDao("m", time, faults, time);
        List<String> course = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int number = i;
            dao.write(i % 5, List.of(new Item("b", "c", "" + i)))
                    .whenComplete((none, failure) -> course.add(number + " " + failure));
        }
        time.run();
        dao.keys().forEach(key -> course.add(key + " " + dao.items(key)));
        return course;
    }

    @Test
    void shouldRefuseCallsOnceClosed() {
        dao.close();
        assertFails(dao.read(7), IllegalStateException.class);
    }

    @Test
    void shouldRefuseSharesThatMakeMoreThanAll() {
        faults.failing(0.6);
        assertThatIllegalArgumentException().isThrownBy(() -> faults.lossy(0.5)).withMessageContaining("LOSE");
        assertThatIllegalArgumentException().isThrownBy(() -> faults.lossy(-0.1));
        assertThatIllegalArgumentException().isThrownBy(() -> faults.latency(2, 1));
    }
}
