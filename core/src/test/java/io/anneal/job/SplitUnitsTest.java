package io.anneal.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.job.CheckpointContent.UnitState;
import io.anneal.job.RangeJob.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Units that are given to other workers in part while they are worked on. */
@Timeout(60)
final class SplitUnitsTest {
    private static final int SIZE = 1_000;

    private final JobTime time = new JobTime();

    @TempDir
    private Path directory;

    /** Numbers from one up to another, which is not in it. */
    private record Numbers(int from, int to) implements JobUnit {
        static Numbers parse(String text) {
            String[] ends = text.split(" ");
            return new Numbers(Integer.parseInt(ends[0]), Integer.parseInt(ends[1]));
        }

        @Override
        public String text() {
            return from + " " + to;
        }

        @Override
        public double width() {
            return to - from;
        }
    }

    private RangeJob.Builder<Numbers> job() {
        return RangeJob.builder("test", Numbers::parse, time.environment())
                .checkpoint(checkpoint(), Map.of("kind", "test"))
                .splits(Duration.ZERO);
    }

    private Path checkpoint() {
        return directory.resolve("job.checkpoint");
    }

    private static List<Numbers> units(int count) {
        List<Numbers> units = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            units.add(new Numbers(SIZE * i / count, SIZE * (i + 1) / count));
        }
        return units;
    }

    private static Optional<UnitRun.Split<Numbers>> at(Numbers unit, int middle) {
        return Optional.of(new UnitRun.Split<>(new Numbers(unit.from, middle), List.of(new Numbers(middle, unit.to))));
    }

    /** Works a number off after the other, and gives away half of what is left as often as it is asked. */
    private final class Counting {
        private final UnitRun<Numbers> run;
        private int next;
        private int end;

        Counting(UnitRun<Numbers> run) {
            this.run = run;
            next = run.unit().from;
            end = run.unit().to;
        }

        void run(AtomicIntegerArray counts, Random random) throws InterruptedException {
            run.splitsBy(this::split);
            for (int number = take(); number >= 0; number = take()) {
                counts.incrementAndGet(number);
                run.add(1, 1);
                run.covered(number + 1 - run.unit().from);
                if (random.nextInt(10) == 0) {
                    Thread.sleep(0, random.nextInt(200_000));
                }
            }
        }

        private synchronized int take() {
            return next < end ? next++ : -1;
        }

        private synchronized Optional<UnitRun.Split<Numbers>> split(int parts) {
            int middle = next + Math.max(1, (end - next) / parts);
            if (middle >= end) {
                return Optional.empty();
            }
            List<Numbers> rest = new ArrayList<>();
            int from = middle;
            for (int i = 1; i < parts; i++) {
                int to = i == parts - 1 ? end : Math.min(end, from + middle - next);
                if (from < to) {
                    rest.add(new Numbers(from, to));
                }
                from = to;
            }
            end = middle;
            return Optional.of(new UnitRun.Split<>(new Numbers(run.unit().from, middle), rest));
        }
    }

    private static void shouldBeWhole(List<Numbers> units) {
        List<Numbers> sorted = new ArrayList<>(units);
        sorted.sort(Comparator.comparingInt(Numbers::from));
        int next = 0;
        for (Numbers unit : sorted) {
            assertThat(unit.from).isEqualTo(next);
            assertThat(unit.to).isGreaterThan(unit.from);
            next = unit.to;
        }
        assertThat(next).isEqualTo(SIZE);
    }

    @Test
    void shouldGiveAWorkerWithoutAUnitWhatAHeldOneHasLeft() throws Exception {
        CountDownLatch restDone = new CountDownLatch(1);
        List<Numbers> done = Collections.synchronizedList(new ArrayList<>());

        try (RangeJob<Numbers> job = job().parallel(2).open(() -> units(2))) {
            job.run(run -> {
                if (run.unit().from == 0) {
                    run.splitsBy(parts -> run.unit().to == SIZE / 2 ? at(run.unit(), 100) : Optional.empty());
                    restDone.await();
                }
                done.add(run.unit());
                if (run.unit().from == 100) {
                    restDone.countDown();
                }
                return Outcome.DONE;
            });

            assertThat(job.open()).isEmpty();
            assertThat(job.progress().unitsDone()).isEqualTo(3);
            assertThat(job.progress().unitsTotal()).isEqualTo(3);
        }
        assertThat(done)
                .containsExactlyInAnyOrder(
                        new Numbers(0, 100), new Numbers(100, SIZE / 2), new Numbers(SIZE / 2, SIZE));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldDoAllOnceHoweverItIsSplitAndWheneverItIsKilled(long seed) throws Exception {
        AtomicIntegerArray counts = new AtomicIntegerArray(SIZE);
        List<Moment> moments = Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean split = new AtomicBoolean();

        try (RangeJob<Numbers> job = job().parallel(4).open(() -> units(1))) {
            job.run(run -> {
                new Counting(run).run(counts, new Random(seed + run.unit().from));
                moments.add(moment(counts));
                return Outcome.DONE;
            });
            moments.add(moment(counts));
            split.set(job.units().size() > 1);
            shouldBeWhole(job.units());
        }

        assertThat(split).as("seed=%d", seed).isTrue();
        for (int i = 0; i < SIZE; i++) {
            assertThat(counts.get(i)).as("seed=%d number=%d", seed, i).isOne();
        }
        for (Moment moment : moments) {
            Files.writeString(checkpoint(), moment.file);
            // Another run may have another number of workers, and be no splitting one.
            try (RangeJob<Numbers> job = RangeJob.builder("test", Numbers::parse, time.environment())
                    .checkpoint(checkpoint(), Map.of("kind", "test"))
                    .open(() -> units(1))) {
                shouldBeWhole(job.units());
                for (Numbers unit : job.units()) {
                    for (int i = unit.from; !job.open().contains(unit) && i < unit.to; i++) {
                        assertThat(moment.counts[i])
                                .as("seed=%d number=%d", seed, i)
                                .isOne();
                    }
                }
                job.run(run -> Outcome.DONE);
                assertThat(job.open()).isEmpty();
            }
        }
    }

    /** What is on the disk, and what was done by then. */
    private record Moment(String file, int[] counts) {}

    private Moment moment(AtomicIntegerArray counts) throws IOException {
        String file = Files.readString(checkpoint());
        int[] then = new int[SIZE];
        for (int i = 0; i < SIZE; i++) {
            then[i] = counts.get(i);
        }
        return new Moment(file, then);
    }

    @Test
    void shouldSplitWhatTakesLongestAndNothingThatIsNearItsEnd() throws Exception {
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch restDone = new CountDownLatch(1);
        List<Integer> asked = Collections.synchronizedList(new ArrayList<>());

        try (RangeJob<Numbers> job =
                job().parallel(3).splits(Duration.ofSeconds(5)).open(() -> units(2))) {
            job.run(run -> {
                int from = run.unit().from;
                if (from == 700) {
                    restDone.countDown();
                    return Outcome.DONE;
                }
                // Ten seconds for a tenth of the one, and for nine tenths of the other, which then has one second left.
                begun.countDown();
                begun.await();
                if (from == 0) {
                    time.pass(10);
                }
                run.covered(from == 0 ? 450 : 50);
                run.splitsBy(parts -> {
                    asked.add(from);
                    return asked.size() == 1 ? at(run.unit(), 700) : Optional.empty();
                });
                restDone.await();
                return Outcome.DONE;
            });
        }

        assertThat(asked).isNotEmpty().containsOnly(500);
    }

    @Test
    void shouldTryAgainOnlyWhatIsKept() throws Exception {
        List<Numbers> tried = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch split = new CountDownLatch(1);

        try (RangeJob<Numbers> job = job().parallel(2).open(() -> units(1))) {
            job.run(run -> {
                tried.add(run.unit());
                if (run.unit().to == SIZE) {
                    if (run.unit().from > 0) {
                        split.countDown();
                        return Outcome.DONE;
                    }
                    // Whoever has nothing to do asks again until this attempt ends.
                    run.splitsBy(parts -> run.unit().to == SIZE ? at(run.unit(), 300) : Optional.empty());
                    split.await();
                    throw new IOException("lost");
                }
                return Outcome.DONE;
            });
        }

        assertThat(tried).containsExactly(new Numbers(0, SIZE), new Numbers(300, SIZE), new Numbers(0, 300));
    }

    @Test
    void shouldGoOnWithoutTheFileWhenASplitCannotBeRecorded() throws Exception {
        Checkpoint checkpoint = Checkpoint.open(
                Optional.of(checkpoint()),
                Map.of(),
                Map.of(),
                facts -> true,
                System::nanoTime,
                () -> List.of("a", "b"));
        Files.delete(checkpoint());
        Files.createDirectories(checkpoint().resolve("in the way"));

        int rest = checkpoint.split(0, "a1", List.of("a2"));

        assertThat(checkpoint.units()).extracting(UnitState::unit).containsExactly("a1", "b", "a2");
        Files.delete(checkpoint().resolve("in the way"));
        Files.delete(checkpoint());
        checkpoint.record(rest, checkpoint.unit(rest).done(1, 2, Optional.empty()));
        assertThat(Files.readString(checkpoint())).contains("open 0 0 a1", "open 0 0 b", "done 1 2 a2");
        checkpoint.close();
    }

    @Test
    void shouldKeepPatienceWhileOtherUnitsHaveTheRoom() {
        RetryPolicy policy = RetryPolicy.DEFAULT.withPatience(failure -> true, Duration.ofMinutes(1));
        UnitTries tries = new UnitTries(policy, time.environment());

        for (int i = 0; i < 100; i++) {
            int done = i;
            assertThat(tries.isWorthAnother(new IOException("busy"), false, () -> done))
                    .isTrue();
            time.pass(59);
        }
        assertThat(tries.isWorthAnother(new IOException("busy"), false, () -> 99))
                .isTrue();
        time.pass(2);
        assertThat(tries.isWorthAnother(new IOException("busy"), false, () -> 99))
                .isFalse();
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 4);
    }
}
