package io.anneal.harness.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.harness.load.HistoryChecker.UnknownWrites;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.Partition;
import io.anneal.harness.store.PartitionDao;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class LoadGeneratorTest {
    private static final long SECOND = 1_000_000_000;
    private static final Duration ENDLESS = Duration.ofDays(1);

    private final OperationLog log = new OperationLog();
    private final HeldDao dao = new HeldDao();
    private long nowNanos;

    private LoadGenerator generator(LoadConfig config) {
        return new LoadGenerator(
                config,
                "run-",
                dao,
                keys -> {
                    dao.multiGets.add(keys.size());
                    return CompletableFuture.completedFuture(Map.of());
                },
                log,
                () -> nowNanos,
                Runnable::run);
    }

    private static LoadConfig config(LoadMix mix, int multiGetSize, int inFlightMax) {
        return new LoadConfig(100, 1000, 50, 0.99, mix, multiGetSize, inFlightMax, 42);
    }

    @Test
    void shouldKeepScheduleWhenStoreIsSlow() {
        LoadGenerator generator = generator(config(LoadMix.DEFAULT, 1, 1000));
        dao.hold();
        nowNanos = SECOND;
        generator.pump();
        // Nothing was answered, yet all that was due has begun.
        assertThat(generator.stats().begun()).isEqualTo(101);
        assertThat(generator.inFlight()).isEqualTo(101);
        nowNanos = 2 * SECOND;
        generator.pump();
        assertThat(generator.stats().begun()).isEqualTo(201);
        dao.answerAll();
        assertThat(generator.inFlight()).isZero();
        assertThat(generator.stats().succeeded()).isEqualTo(201);
    }

    @Test
    void shouldSayWhenTheNextIsDue() {
        LoadGenerator generator = generator(config(LoadMix.DEFAULT, 1, 1000));
        assertThat(generator.pump()).isEqualTo(10_000_000);
        nowNanos = 4_000_000;
        assertThat(generator.pump()).isEqualTo(6_000_000);
        assertThat(generator.stats().begun()).isEqualTo(1);
    }

    @Test
    void shouldMeasureFromWhenAnOperationWasDueNotFromWhenItBegan() {
        LoadGenerator generator = generator(config(new LoadMix(1, 0, 0), 1, 1));
        dao.hold();
        generator.pump();
        nowNanos = SECOND;
        // One is under way and there is no room for the hundred that are due.
        assertThat(generator.pump()).isPositive();
        assertThat(generator.stats().begun()).isEqualTo(1);
        dao.release();
        dao.answerAll();
        generator.pump();
        assertThat(generator.stats().begun()).isEqualTo(101);
        assertThat(generator.stats().late()).isEqualTo(100);
        Histogram nanos = generator.stats().readNanos();
        // The store answered each of the hundred at once; their clients had waited half a second in the middle.
        assertThat((double) nanos.getValueAtPercentile(50)).isBetween(0.45 * SECOND, 0.55 * SECOND);
        assertThat((double) nanos.getMaxValue()).isBetween(0.99 * SECOND, 1.02 * SECOND);
    }

    @Test
    void shouldLogWhatItDidSoThatTheCheckerAgrees() throws InterruptedException {
        LoadGenerator generator = generator(config(new LoadMix(50, 30, 20), 1, 10));
        for (int i = 0; i < 2000; i++) {
            nowNanos += SECOND / 100;
            generator.pump();
        }
        HistoryVerdict verdict = HistoryChecker.check(log, UnknownWrites.IN_ORDER);
        assertThat(verdict.clean()).isTrue();
        assertThat(verdict.operations()).isEqualTo(2001);
        // The same log finds it when the store loses what it holds.
        dao.partitions.clear();
        passes(() -> nowNanos + 1, ENDLESS).readAtLast();
        assertThat(HistoryChecker.check(log, UnknownWrites.IN_ORDER).lostWrites())
                .isPositive();
    }

    @Test
    void shouldLogFailedWriteAsUnknownUnlessBothSidesSayThatNothingHappened() {
        dao.failure = new IllegalStateException("broken");
        LoadGenerator generator = generator(config(new LoadMix(0, 1, 0), 1, 10));
        generator.pump();
        assertThat(generator.stats().failed()).isEqualTo(1);
        assertThat(log.histories())
                .singleElement()
                .satisfies(history ->
                        assertThat(history.operations().get(0).outcome()).isEqualTo(LoggedOperation.Outcome.UNKNOWN));
    }

    @Test
    void shouldCountDaoThatThrowsInsteadOfAnswering() {
        dao.thrown = new IllegalStateException("closed");
        LoadGenerator generator = generator(config(LoadMix.DEFAULT, 1, 10));
        nowNanos = SECOND;
        generator.pump();
        assertThat(generator.stats().failed()).isEqualTo(101);
        assertThat(generator.inFlight()).isZero();
    }

    @Test
    void shouldReadManyKeysAtOnce() {
        LoadGenerator generator = generator(config(new LoadMix(1, 0, 0), 20, 10));
        generator.pump();
        assertThat(dao.multiGets).containsExactly(20);
        assertThat(log.operations()).isEqualTo(20);
    }

    @Test
    void shouldFillEveryKeyBeforeTheLoad() throws InterruptedException {
        passes(() -> nowNanos, ENDLESS).fill("first-");
        assertThat(dao.partitions).hasSize(50).containsKeys(1000L, 1049L);
    }

    private LoadPasses passes(LongSupplier time, Duration patience) {
        return new LoadPasses(config(LoadMix.DEFAULT, 1, 10), dao, log, time, Runnable::run, patience);
    }

    @Test
    void shouldFillAndReadAllOthersWhenSomeCallsAreNeverAnswered() throws InterruptedException {
        dao.neverAnswered.add(1007L);
        dao.neverAnswered.add(1030L);
        LoadPasses passes = passes(() -> nowNanos, Duration.ofMillis(1));
        passes.fill("first-");
        assertThat(dao.partitions).hasSize(50);
        nowNanos++;
        assertThat(passes.readAtLast()).isEqualTo(2);
    }

    @Test
    void shouldNotReadOnWhenNothingIsAnswered() throws InterruptedException {
        dao.hold();
        LoadConfig many = new LoadConfig(100, 0, 1000, 0.99, LoadMix.DEFAULT, 1, 10, 42);
        LoadPasses passes = new LoadPasses(many, dao, log, () -> nowNanos, Runnable::run, Duration.ofMillis(1));
        assertThat(passes.readAtLast()).isEqualTo(1000);
        assertThat(dao.answers).hasSize(LoadPasses.AT_ONCE);
    }

    @Test
    void shouldEndAPassThatIsInterrupted() {
        dao.hold();
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> passes(() -> nowNanos, ENDLESS).fill("first-"))
                .isInstanceOf(InterruptedException.class);
    }

    @Test
    void shouldSayWhenMostCallsOfAKindFailedForAWhile() {
        LoadStats stats = new LoadStats();
        FailureShare failures = new FailureShare(stats, () -> nowNanos);
        ended(stats, 12, true, false);
        assertThat(failures.look()).isEmpty();
        ended(stats, 13, true, true);
        ended(stats, 9, false, false);
        nowNanos += FailureShare.WINDOW.toNanos();
        assertThat(failures.look()).isEmpty();
        // The nine still count, they were too few to say anything of.
        ended(stats, 100, true, true);
        ended(stats, 1, false, false);
        nowNanos += FailureShare.WINDOW.toNanos();
        assertThat(failures.look()).hasValue("most calls failed, reads=0 of 100, writes=10 of 10");
        nowNanos += FailureShare.WINDOW.toNanos();
        assertThat(failures.look()).isEmpty();
    }

    private static void ended(LoadStats stats, int calls, boolean read, boolean success) {
        for (int i = 0; i < calls; i++) {
            stats.ended(read, success, 1);
        }
    }

    @Test
    void shouldDrawFirstKeysMoreOftenWithSkewAndAllAlikeWithout() {
        int[] skewed = draw(new ZipfKeys(100, 0.99));
        assertThat(skewed[0]).isGreaterThan(10 * Math.max(1, skewed[99]));
        int[] even = draw(new ZipfKeys(100, 0));
        for (int count : even) {
            assertThat(count).isBetween(500, 1500);
        }
    }

    private static int[] draw(ZipfKeys keys) {
        SplittableRandom random = new SplittableRandom(7);
        int[] counts = new int[100];
        for (int i = 0; i < 100_000; i++) {
            counts[keys.next(random)]++;
        }
        return counts;
    }

    @Test
    void shouldRefuseMixThatIsNone() {
        assertThat(LoadMix.parse("70:20:10")).isEqualTo(new LoadMix(70, 20, 10));
        for (String text : List.of("70:30", "a:b:c", "0:0:0", "-1:2:3", "")) {
            assertThatThrownBy(() -> LoadMix.parse(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** Holds partitions in a map, and answers at once or when it is told. */
    private static final class HeldDao implements PartitionDao {
        private final Map<Long, Map<String, Item>> partitions = new HashMap<>();
        private final List<Runnable> answers = new ArrayList<>();
        private final Set<Long> neverAnswered = new HashSet<>();
        private final List<Integer> multiGets = new ArrayList<>();
        private boolean holding;
        private RuntimeException failure;
        private RuntimeException thrown;

        void hold() {
            holding = true;
        }

        void release() {
            holding = false;
        }

        void answerAll() {
            List<Runnable> now = List.copyOf(answers);
            answers.clear();
            now.forEach(Runnable::run);
        }

        private <T> CompletionStage<T> answer(long a, T value) {
            if (neverAnswered.contains(a)) {
                return new CompletableFuture<>();
            }
            if (thrown != null) {
                throw thrown;
            }
            if (failure != null) {
                return CompletableFuture.failedFuture(failure);
            }
            CompletableFuture<T> answer = new CompletableFuture<>();
            answers.add(() -> answer.complete(value));
            if (!holding) {
                answerAll();
            }
            return answer;
        }

        private Map<String, Item> partition(long a) {
            return partitions.computeIfAbsent(a, key -> new HashMap<>());
        }

        @Override
        public CompletionStage<Partition> read(long a) {
            Map<String, Item> held = partitions.getOrDefault(a, Map.of());
            return answer(a, held.isEmpty() ? null : new Partition(a, List.copyOf(held.values())));
        }

        @Override
        public CompletionStage<Void> write(long a, List<Item> items) {
            items.forEach(item -> partition(a).put(item.b() + item.c(), item));
            return answer(a, null);
        }

        @Override
        public CompletionStage<Void> replace(long a, List<Item> items) {
            partition(a).clear();
            return write(a, items);
        }

        @Override
        public CompletionStage<Void> delete(long a) {
            partition(a).clear();
            return answer(a, null);
        }

        @Override
        public CompletionStage<Void> deleteItem(long a, String b, String c) {
            partition(a).remove(b + c);
            return answer(a, null);
        }

        @Override
        public String identity() {
            return "held";
        }

        @Override
        public void close() {
            // Nothing to let go.
        }
    }
}
