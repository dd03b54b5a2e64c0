package io.anneal.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.anneal.io.AtomicFile;
import io.anneal.io.StorageException;
import io.anneal.job.RangeJob.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class RangeJobTest {
    private static final int UNITS = 8;
    private static final Map<String, String> IDENTITY = Map.of("kind", "test", "table", "shop.orders");

    private final JobTime time = new JobTime();
    private final Set<Integer> ran = new ConcurrentSkipListSet<>();

    @TempDir
    private Path directory;

    private RangeJob.Builder<TestUnit> job() {
        return RangeJob.builder("test", TestUnit::parse, time.environment());
    }

    private Path checkpoint() {
        return directory.resolve("job.checkpoint");
    }

    private RangeJob.Builder<TestUnit> resumable() {
        return job().checkpoint(checkpoint(), IDENTITY);
    }

    private static List<TestUnit> units() {
        return TestUnit.some(UNITS);
    }

    private Outcome done(UnitRun<TestUnit> unit) {
        ran.add(unit.unit().number());
        unit.add(10, 100);
        return Outcome.DONE;
    }

    private static boolean is(UnitRun<TestUnit> unit, int number) {
        return unit.unit().number() == number;
    }

    @Test
    void shouldWorkOnSeveralUnitsAtOnce() throws Exception {
        CyclicBarrier together = new CyclicBarrier(4);

        List<Integer> atWork = new CopyOnWriteArrayList<>();
        try (RangeJob<TestUnit> job = job().parallel(4).open(RangeJobTest::units)) {
            job.run(unit -> {
                try {
                    together.await();
                    atWork.add(job.progress().unitsRunning());
                    together.await();
                } catch (java.util.concurrent.BrokenBarrierException e) {
                    throw new IOException(e);
                }
                return done(unit);
            });

            assertThat(ran).hasSize(UNITS);
            assertThat(atWork).hasSize(UNITS).containsOnly(4);
            assertThat(job.progress().unitsRunning()).isZero();
            assertThat(job.progress().rows()).isEqualTo(10 * UNITS);
            assertThat(job.progress().bytes()).isEqualTo(100 * UNITS);
            assertThat(job.progress().unitsDone()).isEqualTo(UNITS);
            assertThat(job.open()).isEmpty();
        }
    }

    @Test
    void shouldRunOnTheCallersThreadWithoutParallelism() throws Exception {
        Set<Thread> threads = new LinkedHashSet<>();

        try (RangeJob<TestUnit> job = job().open(RangeJobTest::units)) {
            job.run(unit -> {
                threads.add(Thread.currentThread());
                return done(unit);
            });
        }

        assertThat(threads).containsExactly(Thread.currentThread());
    }

    @Test
    void shouldWaitTwiceAsLongEachTimeUpToTheCeiling() throws Exception {
        AtomicInteger left = new AtomicInteger(5);

        try (RangeJob<TestUnit> job =
                job().retries(6, Duration.ofSeconds(1), Duration.ofSeconds(5)).open(RangeJobTest::units)) {
            job.run(unit -> {
                unit.add(1, 1);
                if (is(unit, 3) && left.getAndDecrement() > 0) {
                    throw new IOException("peer is away");
                }
                return Outcome.DONE;
            });

            assertThat(job.retries()).isEqualTo(5);
            assertThat(job.progress().rows())
                    .as("what was done twice counts once")
                    .isEqualTo(UNITS);
        }
        assertThat(time.sleptSeconds()).containsExactly(1L, 2L, 4L, 5L, 5L);
    }

    @Test
    void shouldNotTryAgainWhatDoesNotPass() throws Exception {
        AtomicInteger tried = new AtomicInteger();

        try (RangeJob<TestUnit> job = job().retriesOnly(
                        failure -> !failure.getMessage().contains("refused"))
                .open(RangeJobTest::units)) {
            Throwable failure = catchThrowable(() -> job.run(unit -> {
                if (is(unit, 3)) {
                    throw new IOException(tried.incrementAndGet() == 1 ? "peer is away" : "table is refused");
                }
                return done(unit);
            }));

            assertThat(failure).isInstanceOf(JobFailedException.class).hasMessageContainingAll("unit 3", "refused");
            assertThat(job.open()).containsExactly(new TestUnit(3));
        }
        assertThat(tried).hasValue(2);
        assertThat(ran).hasSize(UNITS - 1);
    }

    @Test
    void shouldComeAgainForWantOfRoomAsLongAsPatienceLasts() throws Exception {
        AtomicInteger busy = new AtomicInteger();
        RangeJob.Builder<TestUnit> patient = job().retries(1, Duration.ofSeconds(1), Duration.ofSeconds(1))
                .patience(failure -> failure.getMessage().equals("busy"), Duration.ofMinutes(1));

        try (RangeJob<TestUnit> job = patient.open(RangeJobTest::units)) {
            job.run(unit -> {
                if (is(unit, 3) && busy.incrementAndGet() <= 20) {
                    throw new IOException("busy");
                }
                return done(unit);
            });

            assertThat(ran).hasSize(UNITS);
            assertThat(job.retries()).isEqualTo(20);
        }
        assertThat(time.sleptSeconds()).allMatch(seconds -> seconds <= 2);

        double before = time.seconds();
        try (RangeJob<TestUnit> job = patient.open(RangeJobTest::units)) {
            Throwable failure = catchThrowable(() -> job.run(unit -> {
                throw new IOException("busy");
            }));
            assertThat(failure).isInstanceOf(JobFailedException.class).hasMessageContaining("busy");
        }
        assertThat(time.seconds() - before).isBetween(60.0 * UNITS, 62.0 * UNITS);
    }

    /** As the many ranges of a node with vnodes. */
    private record LongUnit(String text) implements JobUnit {
        @Override
        public double width() {
            return 1;
        }
    }

    @Test
    void shouldCutALongUnitShortInItsMessage() throws Exception {
        LongUnit unit = new LongUnit("ks.t " + "(1,2];".repeat(10_000));

        try (RangeJob<LongUnit> job = RangeJob.builder("test", LongUnit::new, time.environment())
                .retries(1, Duration.ZERO, Duration.ZERO)
                .open(() -> List.of(unit))) {
            Throwable failure = catchThrowable(() -> job.run(run -> {
                throw new IOException("disk is broken, unit=" + run);
            }));

            assertThat(failure)
                    .isInstanceOf(JobFailedException.class)
                    .hasMessageContainingAll("ks.t (1,2];", "60005 characters", "disk is broken");
            assertThat(failure.getMessage().length()).isLessThan(1_000);
        }
    }

    @Test
    void shouldNameTheUnitsThatFailedAndDoTheOthers() throws Exception {
        RangeJob.Task<TestUnit> failing = unit -> {
            if (unit.unit().number() % 4 == 1) {
                throw new IOException("disk of " + unit.unit().number() + " is broken");
            }
            return done(unit);
        };

        try (RangeJob<TestUnit> job = resumable()
                .parallel(3)
                .retries(2, Duration.ofSeconds(1), Duration.ofSeconds(1))
                .open(RangeJobTest::units)) {
            assertThatThrownBy(() -> job.run(failing))
                    .isInstanceOf(JobFailedException.class)
                    .hasMessageContainingAll("unit 1", "unit 5", "count=2", "is broken")
                    .satisfies(thrown -> assertThat(((JobFailedException) thrown).failures())
                            .extracting(JobFailedException.UnitFailure::unit)
                            .containsExactlyInAnyOrder("unit 1", "unit 5"));
        }

        assertThat(ran).containsExactly(0, 2, 3, 4, 6, 7);
        try (RangeJob<TestUnit> next = resumable().open(RangeJobTest::units)) {
            assertThat(next.open()).containsExactly(new TestUnit(1), new TestUnit(5));
        }
    }

    @Test
    void shouldGoOnWhereTheLastRunStopped() throws Exception {
        try (RangeJob<TestUnit> first = resumable().open(RangeJobTest::units)) {
            first.run(first.units().subList(0, 5), this::done);
        }
        ran.clear();

        try (RangeJob<TestUnit> second = resumable().open(() -> {
            throw new AssertionError("units stand in the checkpoint");
        })) {
            assertThat(second.resumed()).isEqualTo(5);
            assertThat(second.progress().rows()).isEqualTo(50);
            second.run(this::done);
            assertThat(second.progress().rows()).isEqualTo(10 * UNITS);
            assertThat(second.progress().bytes()).isEqualTo(100 * UNITS);
            second.complete();
        }

        assertThat(ran).containsExactly(5, 6, 7);
        assertThat(checkpoint()).doesNotExist();
    }

    @Test
    void shouldGiveATaskBackHowFarItCame() throws Exception {
        List<String> found = new ArrayList<>();
        RangeJob.Task<TestUnit> slow = unit -> {
            String kept = unit.kept().orElse("0");
            found.add(kept);
            int next = Integer.parseInt(kept) + 1;
            unit.add(10, 100);
            unit.keep(Integer.toString(next));
            unit.add(5, 50);
            if (next < 4) {
                throw new IOException("connection lost");
            }
            return Outcome.DONE;
        };

        try (RangeJob<TestUnit> job =
                resumable().retries(2, Duration.ZERO, Duration.ZERO).open(() -> TestUnit.some(1))) {
            assertThatThrownBy(() -> job.run(slow)).isInstanceOf(JobFailedException.class);
        }
        try (RangeJob<TestUnit> job =
                resumable().retries(2, Duration.ZERO, Duration.ZERO).open(() -> TestUnit.some(1))) {
            assertThat(job.progress().rows()).isEqualTo(20);
            job.run(slow);

            assertThat(found).containsExactly("0", "1", "2", "3");
            assertThat(job.progress().rows()).as("each piece once, and the end").isEqualTo(4 * 10 + 5);
        }
    }

    /** What a crash leaves is the file as it is at that moment; see AtomicFileTest for the moments between two of its forms. */
    @Test
    void shouldLoseNothingAtWhateverMomentItIsKilled() throws Exception {
        Map<String, Set<Integer>> moments = new LinkedHashMap<>();
        try (RangeJob<TestUnit> job = resumable().open(RangeJobTest::units)) {
            job.run(unit -> {
                moments.put(Files.readString(checkpoint()), Set.copyOf(ran));
                unit.add(5, 50);
                unit.keep("half");
                moments.put(Files.readString(checkpoint()), Set.copyOf(ran));
                unit.add(5, 50);
                ran.add(unit.unit().number());
                moments.put(Files.readString(checkpoint()), Set.copyOf(ran));
                return Outcome.DONE;
            });
            moments.put(Files.readString(checkpoint()), Set.copyOf(ran));
        }
        assertThat(moments).hasSizeGreaterThan(2 * UNITS);

        for (Map.Entry<String, Set<Integer>> moment : moments.entrySet()) {
            Files.writeString(checkpoint(), moment.getKey());
            Set<Integer> after = new LinkedHashSet<>(moment.getValue());
            try (RangeJob<TestUnit> job = resumable().open(RangeJobTest::units)) {
                assertThat(job.units().stream().filter(unit -> !job.open().contains(unit)))
                        .as("done is only what was worked on")
                        .allMatch(unit -> moment.getValue().contains(unit.number()));
                job.run(unit -> {
                    after.add(unit.unit().number());
                    unit.add(unit.kept().isPresent() ? 5 : 10, 0);
                    return Outcome.DONE;
                });
                assertThat(job.progress().rows()).isEqualTo(10 * UNITS);
            }
            assertThat(after).hasSize(UNITS);
        }
    }

    @Test
    void shouldRefuseTheCheckpointOfAnotherJob() throws Exception {
        resumable().open(RangeJobTest::units).close();

        assertThatThrownBy(() -> job().checkpoint(checkpoint(), Map.of("kind", "test", "table", "shop.others"))
                        .open(RangeJobTest::units))
                .isInstanceOf(JobRefusedException.class)
                .hasMessageContainingAll("another run", checkpoint().toString(), "shop.orders", "shop.others");
        resumable().open(RangeJobTest::units).close();
    }

    @Test
    void shouldStartAnewWhenTheLastRunDoesNotCountAnyMore() throws Exception {
        try (RangeJob<TestUnit> first =
                resumable().facts(Map.of("epoch", "1"), facts -> true).open(RangeJobTest::units)) {
            first.run(first.units().subList(0, 5), this::done);
        }

        try (RangeJob<TestUnit> second = resumable()
                .facts(Map.of("epoch", "2"), facts -> facts.get("epoch").equals("1"))
                .open(RangeJobTest::units)) {
            assertThat(second.resumed()).isEqualTo(5);
            assertThat(second.facts()).containsEntry("epoch", "1");
        }
        try (RangeJob<TestUnit> third = resumable()
                .facts(Map.of("epoch", "3"), facts -> facts.get("epoch").equals("3"))
                .open(RangeJobTest::units)) {
            assertThat(third.resumed()).isZero();
            assertThat(third.facts()).containsEntry("epoch", "3");
        }
    }

    @Test
    void shouldRefuseAnotherRunOfTheSameCheckpoint() throws Exception {
        try (RangeJob<TestUnit> job = resumable().open(RangeJobTest::units)) {
            assertThatThrownBy(() -> resumable().open(RangeJobTest::units))
                    .isInstanceOf(JobRefusedException.class)
                    .hasMessageContaining(checkpoint().toString());
            job.run(this::done);
        }
        resumable().open(RangeJobTest::units).close();
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldLeaveNoFileWhenAllIsDoneOrNothingWasBegun() throws Exception {
        try (RangeJob<TestUnit> job = resumable().open(RangeJobTest::units)) {
            job.run(this::done);
            job.finish();
            job.complete();
            assertThatThrownBy(() -> resumable().open(RangeJobTest::units))
                    .as("it is not over")
                    .isInstanceOf(JobRefusedException.class);
        }
        assertThat(files()).isEmpty();

        assertThatThrownBy(() -> resumable().open(() -> {
                    throw new IOException("no units");
                }))
                .hasMessage("no units");
        assertThat(files()).isEmpty();

        resumable().open(RangeJobTest::units).close();
        assertThat(files()).as("the next run goes on").contains("job.checkpoint");
    }

    @Test
    void shouldRefuseASettingWhereItIsMade() {
        Map<String, Runnable> settings = new LinkedHashMap<>();
        settings.put("parallel=0", () -> job().parallel(0));
        settings.put("attempts=0", () -> job().retries(0, Duration.ZERO, Duration.ZERO));
        settings.put("first=PT-1S", () -> job().retries(1, Duration.ofSeconds(-1), Duration.ZERO));
        settings.put("patience=PT-1S", () -> job().patience(failure -> true, Duration.ofSeconds(-1)));
        settings.put("rowsPerSecond=-1", () -> job().rowsPerSecond(-1));
        settings.put("bytesPerSecond=-1", () -> job().bytesPerSecond(-1));
        settings.forEach((named, setting) -> assertThatThrownBy(setting::run)
                .as(named)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named));
    }

    @Test
    void shouldKnowAllThatIsDoneWhereTheCheckpointStays() throws Exception {
        try (RangeJob<TestUnit> job = resumable().checkpointStays().open(RangeJobTest::units)) {
            job.run(this::done);
            job.finish();
            job.complete();
        }
        ran.clear();

        try (RangeJob<TestUnit> next = resumable().checkpointStays().open(RangeJobTest::units)) {
            next.run(this::done);
            assertThat(ran).isEmpty();
            assertThat(next.resumed()).isEqualTo(UNITS);
        }
    }

    @Test
    void shouldLeaveUnitsOpenForAnotherPass() throws Exception {
        try (RangeJob<TestUnit> job = resumable().open(RangeJobTest::units)) {
            job.run(unit -> {
                unit.add(10, 100);
                return is(unit, 2) || is(unit, 3) ? Outcome.OPEN : Outcome.DONE;
            });
            assertThat(job.progress().unitsDone()).isEqualTo(UNITS - 2);
            assertThat(job.progress().rows()).isEqualTo(10 * UNITS);

            job.run(unit -> is(unit, 2) ? Outcome.UNRECORDED : Outcome.DONE);
            assertThat(job.progress().unitsDone()).isEqualTo(UNITS);
            assertThat(job.progress().rows()).isEqualTo(10 * UNITS);
        }
        try (RangeJob<TestUnit> next = resumable().open(RangeJobTest::units)) {
            assertThat(next.open()).containsExactly(new TestUnit(2));
            assertThat(next.progress().rows()).isEqualTo(10 * (UNITS - 1));
        }
    }

    @Test
    void shouldRestWhilePausedAndGoOnWhenResumed() throws Exception {
        JobControl control = new JobControl();
        CountDownLatch paused = new CountDownLatch(1);
        try (RangeJob<TestUnit> job = job().control(control).parallel(2).open(RangeJobTest::units)) {
            Thread resuming = onceResting(control, 2, () -> {
                assertThat(ran).isEmpty();
                assertThat(job.progress().isPaused()).isTrue();
                control.resume();
            });
            job.run(unit -> {
                if (is(unit, 1)) {
                    control.pause();
                    paused.countDown();
                }
                paused.await();
                unit.pace(1, 1);
                return done(unit);
            });
            resuming.join();

            assertThat(ran).hasSize(UNITS);
            assertThat(job.progress().isPaused()).isFalse();
        }
    }

    /** Acts while so many workers rest; if it fails the job is aborted. */
    private static Thread onceResting(JobControl control, int workers, Runnable action) {
        Thread acting = new Thread(() -> {
            while (control.resting() < workers) {
                Thread.onSpinWait();
            }
            try {
                action.run();
            } catch (Throwable e) {
                control.abort("check failed: " + e);
            }
        });
        acting.setDaemon(true);
        acting.start();
        return acting;
    }

    @Test
    void shouldNotTryAgainWhilePausedInBackoff() throws Exception {
        JobControl control = new JobControl();
        AtomicInteger attempts = new AtomicInteger();
        time.whileAsleep = control::pause;

        try (RangeJob<TestUnit> job = job().control(control).open(() -> TestUnit.some(1))) {
            Thread resuming = onceResting(control, 1, () -> {
                assertThat(attempts).hasValue(1);
                control.resume();
            });
            job.run(unit -> {
                if (attempts.incrementAndGet() == 1) {
                    throw new IOException("once");
                }
                return done(unit);
            });
            resuming.join();
        }

        assertThat(attempts).hasValue(2);
        assertThat(ran).containsExactly(0);
    }

    @Test
    void shouldEndAJobThatIsAbortedWhilePaused() throws Exception {
        JobControl control = new JobControl();
        control.pause();

        try (RangeJob<TestUnit> job = job().control(control).parallel(2).open(RangeJobTest::units)) {
            Thread aborting = onceResting(control, 2, () -> control.abort("enough"));
            assertThatThrownBy(() -> job.run(this::done))
                    .isInstanceOf(JobAbortedException.class)
                    .hasMessageContaining("reason=enough");
            aborting.join();
        }
        assertThat(ran).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldInterruptTasksWhenItIsAborted(int parallel) throws Exception {
        JobControl control = new JobControl();
        CountDownLatch begun = new CountDownLatch(parallel);
        CountDownLatch never = new CountDownLatch(1);
        Thread aborting = new Thread(() -> {
            try {
                begun.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            control.abort("the operator said so");
        });
        aborting.start();

        try (RangeJob<TestUnit> job =
                resumable().control(control).parallel(parallel).open(RangeJobTest::units)) {
            assertThatThrownBy(() -> job.run(unit -> {
                        begun.countDown();
                        never.await();
                        return done(unit);
                    }))
                    .isInstanceOf(JobAbortedException.class)
                    .hasMessageContaining("the operator said so");
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }
        aborting.join();

        try (RangeJob<TestUnit> next = resumable().open(RangeJobTest::units)) {
            next.run(this::done);
        }
        assertThat(ran).hasSize(UNITS);
    }

    @Test
    void shouldEndThoughATaskHidesThatItWasAborted() throws Exception {
        JobControl control = new JobControl();

        try (RangeJob<TestUnit> job =
                job().control(control).retries(1, Duration.ZERO, Duration.ZERO).open(() -> TestUnit.some(1))) {
            assertThatThrownBy(() -> job.run(unit -> {
                        control.abort("enough");
                        Thread.interrupted();
                        throw new IOException("stream was closed");
                    }))
                    .isInstanceOf(JobAbortedException.class);
        }
    }

    @Test
    void shouldEndWhenItIsAbortedInBackoff() throws Exception {
        JobControl control = new JobControl();
        AtomicInteger attempts = new AtomicInteger();
        time.whileAsleep = () -> control.abort("enough");

        try (RangeJob<TestUnit> job = job().control(control).open(() -> TestUnit.some(1))) {
            assertThatThrownBy(() -> job.run(unit -> {
                        attempts.incrementAndGet();
                        throw new IOException("always");
                    }))
                    .isInstanceOf(JobAbortedException.class);
        }
        assertThat(attempts).hasValue(1);
    }

    /** What runs then ends by itself, one that failed is not tried again, and the next run has the rest. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldRecordWhatIsWorkedOnWhenItIsStopped(int parallel) throws Exception {
        JobControl control = new JobControl();
        CountDownLatch begun = new CountDownLatch(parallel);
        List<TestUnit> failing = new CopyOnWriteArrayList<>();

        try (RangeJob<TestUnit> job =
                resumable().control(control).parallel(parallel).open(RangeJobTest::units)) {
            assertThatThrownBy(() -> job.run(unit -> {
                        assertThat(unit.isStopping()).isFalse();
                        begun.countDown();
                        begun.await();
                        control.stop("the operator said so");
                        assertThat(unit.isStopping()).isTrue();
                        if (parallel > 1 && is(unit, 0)) {
                            failing.add(unit.unit());
                            throw new IOException("once more, please");
                        }
                        return done(unit);
                    }))
                    .isInstanceOf(JobAbortedException.class)
                    .hasMessageContaining("the operator said so");
            assertThat(ran).hasSize(parallel == 1 ? 1 : parallel - 1);
            assertThat(failing).hasSize(parallel == 1 ? 0 : 1);
            assertThat(time.sleptSeconds()).hasSize(failing.size());
        }
        Set<Integer> before = Set.copyOf(ran);
        ran.clear();

        try (RangeJob<TestUnit> next = resumable().open(RangeJobTest::units)) {
            next.run(this::done);
        }
        assertThat(ran).hasSize(UNITS - before.size()).doesNotContainAnyElementsOf(before);
    }

    @Test
    void shouldEndWellWhereAllWasDoneWhenItWasStopped() throws Exception {
        JobControl control = new JobControl();

        try (RangeJob<TestUnit> job = job().control(control).open(RangeJobTest::units)) {
            job.run(unit -> {
                if (is(unit, UNITS - 1)) {
                    control.stop("too late");
                }
                return done(unit);
            });
        }
        assertThat(ran).hasSize(UNITS);
    }

    @Test
    void shouldDoNothingAfterAnAbort() throws Exception {
        JobControl control = new JobControl();
        control.abort("too late");

        try (RangeJob<TestUnit> job = job().control(control).open(RangeJobTest::units)) {
            assertThatThrownBy(() -> job.run(this::done)).isInstanceOf(JobAbortedException.class);
        }
        assertThat(ran).isEmpty();
    }

    @Test
    void shouldReturnOnlyOnceTasksEndedHoweverOftenTheCallerIsInterrupted() throws Exception {
        Thread caller = Thread.currentThread();
        CountDownLatch begun = new CountDownLatch(2);
        CountDownLatch cleaning = new CountDownLatch(1);
        AtomicInteger working = new AtomicInteger();
        Thread interrupting = new Thread(() -> {
            try {
                begun.await();
                caller.interrupt();
                cleaning.await();
                caller.interrupt();
                // Only once that one has arrived may the task end: the caller waits for threads to end by then.
                while (caller.isInterrupted()) {
                    Thread.onSpinWait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        interrupting.start();

        try (RangeJob<TestUnit> job = job().parallel(2).open(() -> TestUnit.some(2))) {
            Throwable thrown = catchThrowable(() -> job.run(unit -> {
                working.incrementAndGet();
                begun.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    cleaning.countDown();
                    interrupting.join();
                    throw e;
                } finally {
                    working.decrementAndGet();
                }
                return done(unit);
            }));

            assertThat(working).as("tasks under way").hasValue(0);
            assertThat(thrown).isInstanceOf(InterruptedException.class);
            assertThat(Thread.interrupted())
                    .as("the second one is still to be heard")
                    .isTrue();
        }
    }

    @Test
    void shouldNotOpenOnAThreadThatIsInterrupted() throws Exception {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> resumable().open(RangeJobTest::units)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        resumable().open(RangeJobTest::units).close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldLogAnErrorAndThrowItToTheCaller(int parallel) throws Exception {
        Error error = new OutOfMemoryError("as if");
        List<Throwable> thrown = new ArrayList<>();

        String log = logged(() -> {
            try (RangeJob<TestUnit> job = resumable().parallel(parallel).open(RangeJobTest::units)) {
                thrown.add(catchThrowable(() -> job.run(unit -> {
                    if (is(unit, 2)) {
                        throw error;
                    }
                    return done(unit);
                })));
            }
        });

        assertThat(thrown).containsExactly(error);
        assertThat(log).contains("job=test", "unit=unit 2", "OutOfMemoryError: as if");
        try (RangeJob<TestUnit> next = resumable().open(RangeJobTest::units)) {
            next.run(this::done);
        }
        assertThat(ran).hasSize(UNITS);
    }

    @FunctionalInterface
    private interface Attempt {
        void run() throws Exception;
    }

    private static String logged(Attempt attempt) throws Exception {
        PrintStream usual = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            attempt.run();
        } finally {
            System.setErr(usual);
        }
        return log.toString(StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldEndWhenATaskRefuses(int parallel) throws Exception {
        try (RangeJob<TestUnit> job = job().parallel(parallel).open(RangeJobTest::units)) {
            assertThatThrownBy(() -> job.run(unit -> {
                        if (is(unit, 0)) {
                            throw new JobRefusedException("schema differs");
                        }
                        // Nobody gets further than this: it waits for the refusal.
                        new CountDownLatch(1).await();
                        return done(unit);
                    }))
                    .isInstanceOf(JobRefusedException.class)
                    .hasMessageContaining("schema differs");
        }
        assertThat(ran).isEmpty();
        assertThat(time.sleptSeconds()).as("not tried again").isEmpty();
    }

    @Test
    void shouldEndWhenTheGuardRefusesInTheMidstOfATask() throws Exception {
        CountDownLatch refusing = new CountDownLatch(1);
        CountDownLatch refused = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();

        try (RangeJob<TestUnit> job = job().guard(() -> {
                    if (Thread.currentThread().getName().endsWith("-progress")) {
                        awaitQuietly(refusing);
                        throw new JobRefusedException("phase has changed");
                    }
                    asked.incrementAndGet();
                })
                // It is told after the guard has refused.
                .listener(progress -> refused.countDown())
                .open(RangeJobTest::units)) {
            assertThatThrownBy(() -> job.run(unit -> {
                        refusing.countDown();
                        refused.await();
                        unit.pace(1, 1);
                        return done(unit);
                    }))
                    .isInstanceOf(JobRefusedException.class)
                    .hasMessageContaining("phase has changed");
        }
        assertThat(asked).hasValue(1);
        assertThat(ran).isEmpty();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldNotMindAListenerThatThrows() throws Exception {
        List<JobProgress> told = new CopyOnWriteArrayList<>();
        CountDownLatch first = new CountDownLatch(1);

        try (RangeJob<TestUnit> job = job().listener(progress -> {
                    told.add(progress);
                    first.countDown();
                    if (told.size() == 1) {
                        throw new IllegalStateException("terminal is gone");
                    }
                    throw new AssertionError("terminal is really gone");
                })
                .open(RangeJobTest::units)) {
            first.await();
            job.run(this::done);
            job.finish();

            assertThat(told.get(told.size() - 1).unitsDone()).isEqualTo(UNITS);
            assertThat(told.get(told.size() - 1).secondsLeft()).hasValue(0);
        }
    }

    @Test
    void shouldForetellByTheShareThatIsDoneWithoutPauses() throws Exception {
        JobControl control = new JobControl();
        try (RangeJob<TestUnit> job = job().control(control).open(() -> TestUnit.some(4))) {
            assertThat(job.progress().secondsLeft()).isEmpty();
            job.run(List.of(new TestUnit(0)), unit -> {
                time.pass(10);
                return Outcome.DONE;
            });
            assertThat(job.progress().secondsLeft()).hasValue(30);

            control.pause();
            time.pass(1_000);
            assertThat(job.progress().secondsLeft()).hasValue(30);
            control.resume();
            time.pass(5);
            job.run(List.of(new TestUnit(1)), unit -> {
                unit.covered(0.5);
                assertThat(job.progress().secondsLeft()).hasValue(25);
                return Outcome.OPEN;
            });
            assertThat(job.seconds()).isEqualTo(1_015);
        }
    }

    @Test
    void shouldKeepToItsRates() throws Exception {
        RangeJob.Task<TestUnit> paced = unit -> {
            for (int i = 0; i < 50; i++) {
                unit.pace(1, 10);
            }
            return Outcome.DONE;
        };
        try (RangeJob<TestUnit> job = job().rowsPerSecond(100).open(RangeJobTest::units)) {
            job.run(paced);
        }
        assertThat(time.seconds()).isBetween(3.9, 4.1);
        try (RangeJob<TestUnit> job = job().bytesPerSecond(400).open(RangeJobTest::units)) {
            job.run(paced);
        }
        assertThat(time.seconds()).isBetween(13.8, 14.2);
    }

    @Test
    void shouldRecordAgainWithoutWorkingAgainWhenTheCheckpointCannotBeWritten() throws Exception {
        Path obstacle = AtomicFile.temporary(checkpoint());
        List<Integer> worked = new CopyOnWriteArrayList<>();
        time.whileAsleep = () -> remove(obstacle);

        try (RangeJob<TestUnit> job = resumable().open(RangeJobTest::units)) {
            job.run(unit -> {
                worked.add(unit.unit().number());
                if (is(unit, 3)) {
                    place(obstacle);
                }
                return done(unit);
            });

            assertThat(worked).as("each once").hasSize(UNITS);
            assertThat(job.retries()).isEqualTo(1);
            assertThat(job.progress().rows()).isEqualTo(10 * UNITS);
        }
    }

    @Test
    void shouldEndAndNameTheFileWhenTheCheckpointCannotBeWrittenForGood() throws Exception {
        Path obstacle = AtomicFile.temporary(checkpoint());

        try (RangeJob<TestUnit> job = resumable()
                .retries(3, Duration.ofSeconds(1), Duration.ofSeconds(9))
                .open(RangeJobTest::units)) {
            assertThatThrownBy(() -> job.run(unit -> {
                        if (is(unit, 3)) {
                            place(obstacle);
                        }
                        return done(unit);
                    }))
                    .isInstanceOf(JobFailedException.class)
                    .hasMessageContainingAll("unit 3", "attempts=3", "job.checkpoint")
                    .hasCauseInstanceOf(StorageException.class);
        }
        assertThat(ran).as("no more is done for nothing").containsExactly(0, 1, 2, 3);
        remove(obstacle);
        try (RangeJob<TestUnit> next = resumable().open(RangeJobTest::units)) {
            assertThat(next.resumed()).isEqualTo(3);
        }
    }

    @Test
    void shouldNameTheFileWhenTheCheckpointCannotBeMade() throws Exception {
        Path obstacle = AtomicFile.temporary(checkpoint());
        place(obstacle);

        assertThatThrownBy(() -> resumable().open(RangeJobTest::units))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("job.checkpoint");
        remove(obstacle);
        resumable().open(RangeJobTest::units).close();
    }

    /** A directory that is not empty stands where the new form of the file is to be written, as on a full disk. */
    private static void place(Path obstacle) throws IOException {
        Files.createDirectories(obstacle.resolve("content"));
    }

    private static void remove(Path obstacle) {
        try {
            Files.deleteIfExists(obstacle.resolve("content"));
            Files.deleteIfExists(obstacle);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void shouldRefuseTwoUnitsOfOneName() {
        assertThatThrownBy(() -> job().open(() -> List.of(new TestUnit(1), new TestUnit(1))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldNotStartAThreadThatNobodyNeeds() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        try (RangeJob<TestUnit> job = RangeJob.builder("test", TestUnit::parse, time.environment(name -> {
                    threads.add(name);
                    return JobTime.thread(name);
                }))
                .open(RangeJobTest::units)) {
            job.run(this::done);
            job.finish();
        }
        assertThat(threads).isEmpty();
    }

    @Test
    void shouldEndTheListenersThreadBeforeItIsClosedThoughTheCallerIsInterrupted() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch closing = new CountDownLatch(1);
        AtomicInteger telling = new AtomicInteger();
        RangeJob<TestUnit> job = job().listener(progress -> {
                    telling.incrementAndGet();
                    told.countDown();
                    awaitQuietly(closing);
                    telling.decrementAndGet();
                })
                .open(RangeJobTest::units);
        told.await();
        Thread.currentThread().interrupt();
        Thread caller = Thread.currentThread();
        Thread releasing = new Thread(() -> {
            while (caller.isInterrupted() || caller.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            closing.countDown();
        });
        releasing.setDaemon(true);
        releasing.start();

        job.close();

        assertThat(telling).hasValue(0);
        assertThat(Thread.interrupted()).isTrue();
        releasing.join(TimeUnit.SECONDS.toMillis(30));
    }
}
