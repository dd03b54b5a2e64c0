package io.anneal.repair;

import static io.anneal.repair.Sessions.BUFFER_BYTES;
import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.anneal.key.PositionInPartition;
import io.anneal.key.RingPosition;
import io.anneal.key.TokenRange;
import io.anneal.net.Waiting;
import io.anneal.node.Receiving;
import io.anneal.node.StagingArea;
import io.anneal.repair.message.Phase;
import io.anneal.repair.message.ReadRate;
import io.anneal.repair.message.RepairCount;
import io.anneal.repair.message.SessionTerms;
import io.anneal.testkit.HandMadeTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class LocalParticipantTest {
    private static final List<TokenRange> ALL = List.of(TokenRange.FULL);

    @TempDir
    private Path directory;

    private StagingArea staging;
    private TestTable table;
    private LocalParticipant replica;

    @BeforeEach
    void open() throws IOException {
        staging = Sessions.staging(directory);
        table = new TestTable("one", Sessions.rows(KEYS.get(1), 6), Optional.of(staging));
        replica = replica(Runnable::run);
    }

    @AfterEach
    void close() throws IOException {
        staging.close();
    }

    private LocalParticipant replica(Executor executor) {
        return new LocalParticipant("one", table.opener(), executor);
    }

    private void everythingShouldBeClosedOnce() {
        replica.close();
        replica.close();
        assertThat(table.closed).hasValue(table.opened.get());
        assertThat(table.cursorsClosed).hasValue(table.cursorsOpened.get());
    }

    @Test
    void shouldFailNextStepWhenReadingAheadFails() throws IOException {
        Waiting.result(replica.open(Sessions.open(1, 1)));
        Waiting.result(replica.agree(Sessions.terms(1)));
        Waiting.result(replica.start(ALL));
        RingPosition boundary = Waiting.result(replica.read()).last();
        table.beforeFragment = fragment -> {
            throw new IOException("disk is gone");
        };

        assertThat(Waiting.result(replica.window(boundary, 0)).summary().rows().count())
                .isEqualTo(1);
        CompletableFuture<?> vote = replica.read();

        assertThatThrownBy(() -> Waiting.result(replica.hashes(Phase.ROWS))).hasMessage("disk is gone");
        assertThatThrownBy(() -> Waiting.result(vote)).hasMessage("disk is gone");
        assertThatThrownBy(() -> Waiting.result(replica.read())).hasMessage("disk is gone");
        everythingShouldBeClosedOnce();
    }

    @Test
    void shouldCloseEverythingOnceWhenRepairIsDone() throws IOException {
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        Waiting.result(replica.start(ALL));
        Waiting.result(replica.window(Waiting.result(replica.read()).last(), 0));

        assertThat(Waiting.result(replica.finish()).counts().of(RepairCount.ROWS_READ))
                .isEqualTo(6);

        everythingShouldBeClosedOnce();
    }

    @Test
    void shouldNotOpenTableWhenClosedBefore() {
        replica.close();

        assertThatThrownBy(() -> Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(table.opened).hasValue(0);
    }

    @Test
    void shouldCloseTableWhenSessionIsRefused() {
        assertThatThrownBy(() -> Waiting.result(
                        replica.open(Sessions.open(new UUID(0, 1), HandMadeTable.schema(999), BUFFER_BYTES))))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("schema differs")
                .hasMessageContaining("replica=one");
        assertThat(table.closed).hasValue(1);
    }

    @Test
    void shouldEndStepWhenAnErrorIsThrown() throws IOException {
        replica = replica(step -> {
            try {
                step.run();
            } catch (StackOverflowError expected) {
                assertThat(expected).hasMessage("deep");
            }
        });
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        Waiting.result(replica.start(ALL));
        table.beforeFragment = fragment -> {
            throw new StackOverflowError("deep");
        };

        CompletableFuture<?> fill = replica.read();

        assertThat(fill).isCompletedExceptionally();
        assertThatThrownBy(() -> Waiting.result(fill)).hasMessageContaining("replica=one");
        everythingShouldBeClosedOnce();
    }

    @Test
    void shouldKeepNothingOfDoneWindowsWhenItIsClosedBeforeItsEnd() throws IOException {
        receive();

        everythingShouldBeClosedOnce();

        assertThat(table.stagedFiles()).isEmpty();
    }

    @Test
    void shouldRefuseItemsOutsideTheWindow() throws IOException {
        table = new TestTable("one", Sessions.rows(KEYS.get(1), 3), Optional.of(staging));
        RingPosition[] pushed = {
            RingPosition.of(KEYS.get(0), PositionInPartition.at(HandMadeTable.clustering(9, 9))),
            RingPosition.of(KEYS.get(1), PositionInPartition.at(HandMadeTable.clustering(0, 0))),
            RingPosition.of(KEYS.get(1), PositionInPartition.at(HandMadeTable.clustering(1, 1))),
            RingPosition.of(KEYS.get(2), PositionInPartition.at(HandMadeTable.clustering(0, 0))),
        };
        int[][] clusterings = {{9, 9}, {0, 0}, {1, 1}, {0, 0}};
        for (int i = 0; i < pushed.length; i++) {
            replica = replica(Runnable::run);
            Waiting.result(replica.open(Sessions.open(1, 1)));
            Waiting.result(replica.agree(Sessions.terms(1)));
            Waiting.result(replica.start(ALL));
            Waiting.result(replica.window(Waiting.result(replica.read()).last(), 0));
            Waiting.result(replica.window(Waiting.result(replica.read()).last(), 0));
            byte[] item = Sessions.encoded(
                    pushed[i].key().orElseThrow(),
                    HandMadeTable.row(clusterings[i][0], clusterings[i][1])
                            .live(5)
                            .build());
            byte[] inside = Sessions.encoded(
                    KEYS.get(1), HandMadeTable.row(0, 1).live(5).build());

            assertThat(Waiting.result(replica.push(inside)).ghosts()).isEmpty();
            assertThatThrownBy(() -> Waiting.result(replica.push(item)))
                    .as("%s", pushed[i])
                    .isInstanceOf(RepairException.class)
                    .hasMessageContaining("outside the window");
            replica.close();
        }
        assertThat(table.stagedFiles()).isEmpty();
    }

    @Test
    void shouldRefuseBoundaryBehindWhatWasRead() throws IOException {
        Waiting.result(replica.open(Sessions.open(1, 1)));
        Waiting.result(replica.agree(Sessions.terms(1)));
        Waiting.result(replica.start(ALL));
        Waiting.result(replica.read());

        assertThatThrownBy(() -> Waiting.result(replica.window(RingPosition.END, 0)))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("boundary");
        everythingShouldBeClosedOnce();
    }

    @Test
    void shouldRefuseTheSameBoundaryTwiceAndItemsWithoutWindow() throws IOException {
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        Waiting.result(replica.start(ALL));
        Waiting.result(replica.read());
        Waiting.result(replica.window(RingPosition.END, 0));
        assertThatThrownBy(() -> Waiting.result(replica.window(RingPosition.END, 0)))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("does not lie behind the last one");
        replica.close();

        replica = replica(Runnable::run);
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        byte[] item =
                Sessions.encoded(KEYS.get(1), HandMadeTable.row(1, 1).live(5).build());
        assertThatThrownBy(() -> Waiting.result(replica.push(item))).isInstanceOf(IllegalStateException.class);
        everythingShouldBeClosedOnce();
    }

    @Test
    void shouldTakeOnlyWhatItsSessionHasRepairedAsRepaired() throws IOException {
        TokenRange lower = new TokenRange(Long.MIN_VALUE, 5);
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        shouldRefuseRepaired(TokenRange.FULL);
        Waiting.result(replica.agree(Sessions.TERMS));
        Waiting.result(replica.start(List.of(lower, new TokenRange(7, 9))));
        shouldRefuseRepaired(lower);
        Waiting.result(replica.read());
        Waiting.result(replica.window(RingPosition.behind(8), 0));
        shouldRefuseRepaired(lower);
        Waiting.result(replica.finish());
        shouldRefuseRepaired(TokenRange.FULL);
        shouldRefuseRepaired(new TokenRange(4, 8));
        shouldRefuseRepaired(new TokenRange(7, 9));
        assertThat(table.repairedSeconds).isEmpty();

        Waiting.result(replica.repaired(List.of(lower, new TokenRange(7, 8)), 100));

        assertThat(table.repairedSeconds).containsExactly(100L);
        everythingShouldBeClosedOnce();
    }

    private void shouldRefuseRepaired(TokenRange range) {
        assertThatThrownBy(() -> Waiting.result(replica.repaired(List.of(range), 99)))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("not repaired by this session");
    }

    @Test
    void shouldRefuseToStartWithRangesThatItWasNotOpenedFor() throws IOException {
        List<TokenRange> ranges = List.of(new TokenRange(5, 9));
        Waiting.result(replica.open(Sessions.open(new UUID(0, 1), Sessions.SCHEMA, ranges, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));

        assertThatThrownBy(() -> Waiting.result(replica.start(List.of(new TokenRange(5, 10)))))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("not those that the session was opened for");

        everythingShouldBeClosedOnce();
    }

    @Test
    void shouldTakeNothingAsRepairedInADryRun() throws IOException {
        Waiting.result(replica.open(Sessions.dryRun(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        Waiting.result(replica.start(ALL));
        Waiting.result(replica.window(Waiting.result(replica.read()).last(), 0));
        Waiting.result(replica.finish());

        shouldRefuseRepaired(TokenRange.FULL);

        everythingShouldBeClosedOnce();
    }

    @Test
    void shouldRefuseLaterDeletionTimesThanItCanWrite() throws IOException {
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        long later = table.localDeletionTimeMaxSeconds() + 1;

        assertThatThrownBy(() -> Waiting.result(replica.agree(new SessionTerms(
                        later, BUFFER_BYTES, Receiving.NO_DEADLINE, SessionTerms.NO_CUTOFF, ReadRate.UNLIMITED))))
                .isInstanceOf(RepairException.class)
                .hasMessageContaining("later than this replica can write");
        everythingShouldBeClosedOnce();
    }

    @Test
    void shouldRefuseToFinishBeforeTheLastBoundary() throws IOException {
        for (int windows = 0; windows < 2; windows++) {
            replica = replica(Runnable::run);
            Waiting.result(replica.open(Sessions.open(1, 1)));
            Waiting.result(replica.agree(Sessions.terms(1)));
            Waiting.result(replica.start(ALL));
            for (int i = 0; i < windows; i++) {
                Waiting.result(replica.window(Waiting.result(replica.read()).last(), 0));
                Waiting.result(replica.push(Sessions.encoded(
                        KEYS.get(1), HandMadeTable.row(-1, 0).live(5).build())));
            }

            assertThatThrownBy(() -> Waiting.result(replica.finish()))
                    .isInstanceOf(RepairException.class)
                    .hasMessageContaining("before its last sync boundary");
            everythingShouldBeClosedOnce();
        }
        assertThat(table.stagedFiles()).isEmpty();
    }

    /** Leaves an SSTable that is being written. */
    private void receive() throws IOException {
        Waiting.result(replica.open(Sessions.open(1, 1)));
        Waiting.result(replica.agree(Sessions.terms(1)));
        Waiting.result(replica.start(ALL));
        Waiting.result(replica.window(Waiting.result(replica.read()).last(), 0));
        Waiting.result(replica.push(
                Sessions.encoded(KEYS.get(1), HandMadeTable.row(-1, 0).live(5).build())));
        Waiting.result(replica.window(Waiting.result(replica.read()).last(), 0));
        assertThat(table.stagedFiles()).isNotEmpty();
    }

    @Test
    void shouldCloseEverythingWhenExecutorIsShutDown() throws IOException {
        AtomicBoolean shutDown = new AtomicBoolean();
        replica = replica(step -> {
            if (shutDown.get()) {
                throw new RejectedExecutionException("executor is shut down");
            }
            step.run();
        });
        receive();
        shutDown.set(true);

        everythingShouldBeClosedOnce();

        assertThat(replica.closing()).isDone();
        assertThat(table.stagedFiles()).isEmpty();
    }

    @Test
    @Timeout(60)
    void shouldCloseBehindTheStepThatRunsWhenExecutorIsShutDown() throws Exception {
        ExecutorService executor = Executors.newSingleThreadExecutor();
        replica = replica(executor);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger closedMeanwhile = new AtomicInteger();
        table.beforeFragment = fragment -> {
            running.countDown();
            Uninterruptibles.awaitUninterruptibly(goOn);
            closedMeanwhile.addAndGet(table.closed.get());
        };
        Waiting.result(replica.open(Sessions.open(1, BUFFER_BYTES)));
        Waiting.result(replica.agree(Sessions.TERMS));
        Waiting.result(replica.start(ALL));
        CompletableFuture<?> fill = replica.read();
        running.await();
        executor.shutdown();
        Thread closer = new Thread(replica::close);
        closer.start();
        while (closer.isAlive()
                && closer.getState() != Thread.State.BLOCKED
                && closer.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }

        goOn.countDown();

        Waiting.result(fill);
        closer.join();
        assertThat(closedMeanwhile).hasValue(0);
        everythingShouldBeClosedOnce();
    }
}
