package io.anneal.migrate.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.job.JobFailedException;
import io.anneal.job.JobRefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class BackfillTest {
    private static final int ENTRIES = 500;

    private final TestTime time = new TestTime();
    private final TestSide origin = new TestSide("origin");
    private final TestSide target = new TestSide("target");

    @TempDir
    private Path directory;

    private void fill() {
        for (int i = 0; i < ENTRIES; i++) {
            origin.put(TestSide.position(i, ENTRIES), "v" + i, 1_000 + i);
        }
    }

    private Backfill.Builder<TestEntry> backfill() {
        return Backfill.builder(origin, target).ranges(16).environment(time.environment());
    }

    private Backfill.Builder<TestEntry> resumable() {
        return backfill().checkpoint(directory.resolve("backfill.json"));
    }

    @Test
    void shouldCopyEverythingWithItsTimes() throws Exception {
        fill();

        BackfillResult result = backfill().build().run();

        assertThat(target.all()).isEqualTo(origin.all());
        assertThat(result.rows()).isEqualTo(ENTRIES);
        assertThat(result.bytes())
                .isEqualTo(
                        origin.all().stream().mapToLong(TestEntry::lengthBytes).sum());
        assertThat(result.ranges()).isEqualTo(16);
        assertThat(result.resumedRanges()).isZero();
        assertThat(result.retries()).isZero();
    }

    @Test
    void shouldNotOverwriteWhatIsWrittenMeanwhile() throws Exception {
        fill();
        origin.reading = entry -> {
            // The dual DAO writes both sides while the copy of what was read before is still to come.
            origin.put(entry.position(), "newer", 5_000);
            target.put(entry.position(), "newer", 5_000);
        };

        backfill().build().run();

        assertThat(target.all())
                .hasSize(ENTRIES)
                .allMatch(entry -> entry.value().equals("newer"));
    }

    @Test
    void shouldNotBringBackWhatIsDeletedMeanwhile() throws Exception {
        fill();
        origin.reading = entry -> {
            origin.delete(entry.position(), 5_000);
            target.delete(entry.position(), 5_000);
        };

        backfill().build().run();

        assertThat(target.all()).isEmpty();
    }

    @Test
    void shouldTryARangeAgainAfterAWhile() throws Exception {
        fill();
        AtomicInteger left = new AtomicInteger(3);
        target.writing = entry -> {
            if (entry.value().equals("v77") && left.getAndDecrement() > 0) {
                throw new TestSide.BrokenException("target is away");
            }
        };

        BackfillResult result =
                backfill().retries(5, Duration.ofSeconds(1)).build().run();

        assertThat(target.all()).isEqualTo(origin.all());
        assertThat(result.retries()).isEqualTo(3);
        assertThat(result.rows()).as("what was copied twice counts once").isEqualTo(ENTRIES);
        assertThat(time.nanos()).isEqualTo(TimeUnit.SECONDS.toNanos(1 + 2 + 4));
    }

    @Test
    void shouldCountARangeOnceThoughItCannotBeFinished() throws Exception {
        fill();
        AtomicInteger left = new AtomicInteger(2);
        BulkTarget<TestEntry> failing = new ForwardingTarget(target) {
            @Override
            public void finish(BulkRange range) {
                if (left.getAndDecrement() > 0) {
                    throw new TestSide.BrokenException("disk is full");
                }
            }
        };

        BackfillResult result = Backfill.builder(origin, failing)
                .ranges(16)
                .environment(time.environment())
                .build()
                .run();

        assertThat(result.retries()).isEqualTo(2);
        assertThat(result.rows()).isEqualTo(ENTRIES);
    }

    @Test
    void shouldCountARangeOnceThoughItsCheckpointFails() throws Exception {
        fill();
        Obstacle obstacle = new Obstacle(directory.resolve("backfill.json"));
        origin.reading = entry -> {
            if (entry.value().equals("v77")) {
                origin.reading = again -> {};
                obstacle.place();
            }
        };

        BackfillResult result = resumable()
                .parallel(1)
                .environment(time.environment(obstacle::remove))
                .build()
                .run();

        assertThat(result.retries()).isEqualTo(1);
        assertThat(result.rows()).isEqualTo(ENTRIES);
        assertThat(target.all()).isEqualTo(origin.all());
    }

    @Test
    void shouldFinishTheOtherRangesWhenOneFailsForGood() throws Exception {
        fill();
        origin.reading = entry -> {
            if (entry.value().equals("v77")) {
                throw new TestSide.BrokenException("disk is broken");
            }
        };

        assertThatThrownBy(() ->
                        resumable().retries(2, Duration.ofSeconds(1)).build().run())
                .isInstanceOf(JobFailedException.class)
                .hasMessageContaining("count=1")
                .hasMessageContaining("disk is broken");

        origin.reading = entry -> {};
        BackfillResult result = resumable().build().run();
        assertThat(result.resumedRanges()).isEqualTo(15);
        assertThat(target.all()).isEqualTo(origin.all());
        assertThat(result.rows()).isEqualTo(ENTRIES);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldLoseNothingHoweverOftenItIsKilled(long seed) throws Exception {
        fill();
        Random random = new Random(seed);
        TestSide.BrokenException killed = new TestSide.BrokenException("killed, seed=" + seed);
        int kills = 0;
        for (boolean done = false; !done; ) {
            AtomicInteger left = new AtomicInteger(random.nextInt(2 * ENTRIES));
            TestSide side = random.nextBoolean() ? origin : target;
            origin.reading = entry -> {};
            target.writing = entry -> {};
            if (side == origin) {
                origin.reading = entry -> die(left, killed);
            } else {
                target.writing = entry -> die(left, killed);
            }
            try {
                resumable().parallel(2).retries(1, Duration.ZERO).build().run();
                done = true;
            } catch (JobFailedException e) {
                kills++;
            }
        }

        assertThat(target.all()).as("seed=%d kills=%d", seed, kills).isEqualTo(origin.all());
        assertThat(directory.resolve("backfill.json")).doesNotExist();
    }

    /** From then on nothing works. */
    private static void die(AtomicInteger left, TestSide.BrokenException killed) {
        if (left.getAndDecrement() <= 0) {
            throw killed;
        }
    }

    @Test
    void shouldEndWhenItIsInterruptedAndGoOnLater() throws Exception {
        fill();
        Thread runner = Thread.currentThread();
        origin.reading = entry -> {
            if (entry.value().equals("v250")) {
                runner.interrupt();
                awaitInterruption();
            }
        };

        assertThatThrownBy(() -> resumable().parallel(1).build().run()).isInstanceOf(InterruptedException.class);

        origin.reading = entry -> {};
        BackfillResult result = resumable().build().run();
        assertThat(result.resumedRanges()).isBetween(1, 15);
        assertThat(target.all()).isEqualTo(origin.all());
    }

    /** The runner ends its workers by it; the thread stays interrupted. */
    private static void awaitInterruption() {
        while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldEndWhenItIsAbortedAndGoOnLater() throws Exception {
        fill();
        JobControl control = new JobControl();
        origin.reading = entry -> {
            if (entry.value().equals("v250")) {
                control.abort("the target is needed for other work");
            }
        };

        assertThatThrownBy(
                        () -> resumable().parallel(1).control(control).build().run())
                .isInstanceOf(JobAbortedException.class)
                .hasMessageContaining("needed for other work");

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        origin.reading = entry -> {};
        BackfillResult result = resumable().build().run();
        assertThat(result.resumedRanges()).isBetween(1, 15);
        assertThat(target.all()).isEqualTo(origin.all());
    }

    @Test
    void shouldNotTryAgainWhatFailsOfAnInterruption() throws Exception {
        fill();
        AtomicInteger read = new AtomicInteger();
        origin.reading = entry -> {
            if (entry.value().equals("v250")) {
                read.incrementAndGet();
                Thread.currentThread().interrupt();
                throw new TestSide.BrokenException("channel is closed");
            }
        };

        assertThatThrownBy(() -> resumable().parallel(1).build().run())
                .isInstanceOf(InterruptedException.class)
                .hasRootCauseMessage("channel is closed");

        assertThat(read).hasValue(1);
        origin.reading = entry -> {};
        resumable().build().run();
        assertThat(target.all()).isEqualTo(origin.all());
    }

    @Test
    void shouldKeepARangeThatIsDoneWhenItIsInterruptedThen() throws Exception {
        fill();
        String last = origin.ranges(16).stream()
                .skip(4)
                .findFirst()
                .map(range -> origin.lastIn(range).value())
                .orElseThrow();
        target.writing = entry -> {
            if (entry.value().equals(last)) {
                Thread.currentThread().interrupt();
            }
        };

        assertThatThrownBy(() -> resumable().parallel(1).build().run()).isInstanceOf(InterruptedException.class);

        target.writing = entry -> {};
        assertThat(resumable().build().run().resumedRanges()).isEqualTo(5);
        assertThat(target.all()).isEqualTo(origin.all());
    }

    @Test
    void shouldDoNothingOnAThreadThatIsInterrupted() throws Exception {
        fill();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> resumable().build().run()).isInstanceOf(InterruptedException.class);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        resumable().build().run();
        assertThat(target.all()).isEqualTo(origin.all());
    }

    @Test
    void shouldRefuseACheckpointOfAnotherRun() throws Exception {
        fill();
        interruptOnce();
        TestSide other = new TestSide("another target");

        assertThatThrownBy(() -> Backfill.builder(origin, other)
                        .checkpoint(directory.resolve("backfill.json"))
                        .environment(time.environment())
                        .build()
                        .run())
                .isInstanceOf(JobRefusedException.class)
                .hasMessageContaining("another run")
                .hasMessageContaining("backfill.json")
                .hasMessageContaining("another target");
    }

    private void interruptOnce() {
        origin.reading = entry -> {
            if (entry.value().equals("v250")) {
                throw new TestSide.BrokenException("once");
            }
        };
        assertThatThrownBy(() -> resumable().retries(1, Duration.ZERO).build().run())
                .isInstanceOf(JobFailedException.class);
        origin.reading = entry -> {};
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "{\"format\": 1}", "anneal-job 2\n", "anneal-job 1\n", "anneal-job 1\ncrc32 00000000\n"})
    void shouldRefuseACheckpointThatItCannotRead(String content) throws Exception {
        Files.writeString(directory.resolve("backfill.json"), content);

        assertThatThrownBy(() -> resumable().build().run())
                .isInstanceOf(JobRefusedException.class)
                .hasMessageContaining("backfill.json");
        assertThat(directory.resolve("backfill.json")).hasContent(content);
    }

    @Test
    void shouldRefuseACheckpointThatAnotherRunHas() throws Exception {
        fill();
        List<Throwable> refusals = new ArrayList<>();
        origin.reading = entry -> {
            if (entry.value().equals("v250")) {
                refusals.add(org.assertj.core.api.Assertions.catchThrowable(
                        () -> resumable().build().run()));
            }
        };

        resumable().parallel(1).build().run();

        assertThat(refusals)
                .singleElement()
                .satisfies(refusal -> assertThat(refusal)
                        .isInstanceOf(JobRefusedException.class)
                        .hasMessageContaining("another run uses"));
    }

    @Test
    void shouldRefuseTheSameStoreAndOtherColumns() {
        assertThatThrownBy(() -> Backfill.builder(origin, new TestSide("origin"))
                        .environment(time.environment())
                        .build()
                        .run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("same store");
        target.shape = "words";
        assertThatThrownBy(() -> backfill().build().run())
                .isInstanceOf(BulkRefusedException.class)
                .hasMessageContaining("numbers")
                .hasMessageContaining("words");
    }

    @Test
    void shouldKeepToItsRates() throws Exception {
        fill();

        BackfillResult result =
                backfill().parallel(1).rowsPerSecond(100).build().run();
        assertThat(result.seconds()).isBetween(4.9, 5.1);

        long bytes = result.bytes();
        TestSide again = new TestSide("again");
        result = Backfill.builder(origin, again)
                .parallel(1)
                .bytesPerSecond(bytes / 10)
                .environment(time.environment())
                .build()
                .run();
        assertThat(result.seconds()).isBetween(9.5, 10.5);
    }

    @Test
    void shouldHoldWritesUnderWayToItsBound() throws Exception {
        fill();
        List<CompletableFuture<Void>> open = new ArrayList<>();
        AtomicInteger most = new AtomicInteger();
        BulkTarget<TestEntry> slow = new ForwardingTarget(target) {
            @Override
            public synchronized CompletionStage<Void> write(TestEntry entry) {
                open.removeIf(CompletableFuture::isDone);
                CompletableFuture<Void> written = new CompletableFuture<>();
                open.add(written);
                most.accumulateAndGet(open.size(), Math::max);
                if (open.size() == 8) {
                    // Whoever has eight under way waits: only now does any of them come back.
                    open.forEach(done -> done.complete(null));
                }
                return super.write(entry).thenCombine(written, (first, second) -> null);
            }

            @Override
            public synchronized void finish(BulkRange range) {
                open.forEach(done -> assertThat(done).isDone());
            }
        };
        // A range ends with fewer than eight under way: nobody completes them but this.
        Thread completing = new Thread(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                synchronized (slow) {
                    open.forEach(done -> done.complete(null));
                }
                Thread.onSpinWait();
            }
        });
        completing.start();
        try {
            Backfill.builder(origin, slow)
                    .parallel(1)
                    .writesInFlight(8)
                    .ranges(4)
                    .environment(time.environment())
                    .build()
                    .run();
        } finally {
            completing.interrupt();
            completing.join();
        }

        assertThat(most.get()).isBetween(1, 8);
        assertThat(target.all()).isEqualTo(origin.all());
    }

    /** Passes everything on. */
    private static class ForwardingTarget implements BulkTarget<TestEntry> {
        private final TestSide inner;

        ForwardingTarget(TestSide inner) {
            this.inner = inner;
        }

        @Override
        public String identity() {
            return inner.identity();
        }

        @Override
        public String shape() {
            return inner.shape();
        }

        @Override
        public CompletionStage<Void> write(TestEntry entry) {
            return inner.write(entry);
        }

        @Override
        public CompletionStage<Void> remove(TestEntry there, Optional<TestEntry> kept) {
            return inner.remove(there, kept);
        }

        @Override
        public void finish(BulkRange range) {
            inner.finish(range);
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    @Test
    void shouldMoveWholeRangesWhereTheTargetCan() throws Exception {
        fill();
        BulkTarget<TestEntry> moving = new ForwardingTarget(target) {
            @Override
            public CompletionStage<Void> write(TestEntry entry) {
                throw new AssertionError("entries are not looked at");
            }

            @Override
            public Optional<RangeTransfer> wholeRanges(BulkSource<TestEntry> source) {
                return Optional.of(range -> {
                    int moved = 0;
                    try (BulkCursor<TestEntry> entries = source.open(range)) {
                        for (TestEntry entry = entries.next(); entry != null; entry = entries.next()) {
                            target.put(entry.position(), entry.value(), entry.writeTimeMicros());
                            moved++;
                        }
                    }
                    return new RangeTransfer.Moved(moved, 100L * moved);
                });
            }
        };

        BackfillResult result = Backfill.builder(origin, moving)
                .environment(time.environment())
                .build()
                .run();

        assertThat(target.all()).isEqualTo(origin.all());
        assertThat(result.rows()).isEqualTo(ENTRIES);
        assertThat(result.bytes()).isEqualTo(100L * ENTRIES);
    }

    @Test
    void shouldTellHowFarItIsAndHowLongTheRestWillTake() throws Exception {
        fill();
        List<BulkProgress> told = new ArrayList<>();

        backfill()
                .parallel(1)
                .rowsPerSecond(100)
                .progress(progress -> {
                    synchronized (told) {
                        told.add(progress);
                    }
                })
                .build()
                .run();

        BulkProgress last = told.get(told.size() - 1);
        assertThat(last.rows()).isEqualTo(ENTRIES);
        assertThat(last.rangesDone()).isEqualTo(last.rangesTotal()).isEqualTo(16);
        assertThat(last.secondsLeft()).hasValue(0);
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 5);
    }
}
