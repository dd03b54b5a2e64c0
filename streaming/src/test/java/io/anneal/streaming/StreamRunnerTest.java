package io.anneal.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.anneal.environment.HostEnvironment;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
import io.anneal.net.PeerException;
import io.anneal.node.CassandraReplicas;
import io.anneal.node.ReplicaSource;
import io.anneal.node.StoreReplicas;
import io.anneal.sstable.Component;
import io.anneal.store.LiveFiles;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.store.TableRows;
import io.anneal.testkit.FaultyProxy;
import io.anneal.testkit.LinkFault;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node is told by another to fetch data from a third. */
@Timeout(60)
class StreamRunnerTest {
    private static final String SCHEMA =
            "CREATE TABLE ks.t (k int PRIMARY KEY, v text) WITH id = 11111111-2222-3333-4444-555555555555";
    private static final HostEnvironment ENVIRONMENT = HostEnvironment.system();
    private static final int ROWS = 1000;
    /** Before a node that closes would interrupt what goes on. */
    private static final Duration SOON = Duration.ofSeconds(8);

    @TempDir
    private Path directory;

    private Store from;
    private Store to;
    private Table source;
    private Table target;
    private TestNode fromNode;
    private TestNode toNode;
    private TestNode asking;

    @BeforeEach
    void start() throws IOException {
        from = Store.open(directory.resolve("from"));
        to = Store.open(directory.resolve("to"));
        source = fill(from.createTable(SCHEMA));
        target = to.createTable(SCHEMA);
        fromNode = TestNode.of(new StoreReplicas(from));
        toNode = TestNode.of(new StoreReplicas(to));
        asking = TestNode.of((keyspace, table, staged) -> {
            throw new IOException("has no replica");
        });
    }

    private static Table fill(Table table) throws IOException {
        Random random = new Random(1);
        for (int k = 0; k < ROWS; k++) {
            byte[] bytes = new byte[500];
            random.nextBytes(bytes);
            table.row().key("k", k).set("v", HexFormat.of().formatHex(bytes)).insert();
        }
        table.flush();
        return table;
    }

    @AfterEach
    void stop() throws IOException {
        asking.close();
        toNode.close();
        fromNode.close();
        from.close();
        to.close();
    }

    private StreamPlan plan() {
        return StreamPlan.into(StreamTarget.at(asking.node().peers(), toNode.address()))
                .add("ks.t", StreamSource.at(asking.node().peers(), fromNode.address()), TokenRange.FULL);
    }

    private long rows() throws IOException {
        try (TableRows all = target.rows()) {
            long count = 0;
            while (all.next() != null) {
                count++;
            }
            return count;
        }
    }

    @Test
    void shouldFetchWhatAnotherNodeAsksFor() throws IOException {
        StreamReport report = plan().run(ENVIRONMENT);

        assertThat(report.sstables()).isEqualTo(source.sstableCount());
        assertThat(report.bytes()).isPositive();
        assertThat(rows()).isEqualTo(ROWS);
    }

    @Test
    void shouldTakeNoMoreThanTheRateThatItIsTold() throws IOException {
        AtomicLong nanos = new AtomicLong();
        HostEnvironment virtual = ENVIRONMENT.withTime(ENVIRONMENT.clock(), nanos::get, nanos::addAndGet);
        try (TestNode node = TestNode.of(
                new StoreReplicas(to), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), virtual)) {
            StreamReport report = StreamPlan.into(StreamTarget.at(asking.node().peers(), node.address()))
                    .add("ks.t", StreamSource.at(asking.node().peers(), fromNode.address()), TokenRange.FULL)
                    .bytesPerSecond(400_000)
                    .run(ENVIRONMENT.withTime(ENVIRONMENT.clock(), System::nanoTime, waited -> {}));

            // The last piece passes at once.
            assertThat(nanos.get() / 1e9).isGreaterThan(report.bytes() / 400_000.0 / 2);
        }
    }

    @Test
    void shouldRefuseToRunOnePlanTwiceAtOnce() throws IOException {
        StreamPlan plan = plan();
        AtomicReference<Throwable> second = new AtomicReference<>();

        plan.listener((rows, bytes, share) -> second.compareAndSet(null, catchThrowable(() -> plan.run(ENVIRONMENT))))
                .run(ENVIRONMENT);

        assertThat(second.get()).isInstanceOf(IllegalStateException.class).hasMessageContaining("runs already");
        assertThat(plan.run(ENVIRONMENT).sstables()).isEqualTo(source.sstableCount());
    }

    @Test
    void shouldTellWhatTheTargetRefuses() throws IOException {
        ReplicaSource readOnly =
                new CassandraReplicas(List.of(directory.resolve("from/data")), Optional.empty(), Optional.empty());
        try (TestNode node = TestNode.of(readOnly)) {
            assertThatThrownBy(() -> StreamPlan.into(
                                    StreamTarget.at(asking.node().peers(), node.address()))
                            .add("ks.t", StreamSource.at(asking.node().peers(), fromNode.address()), TokenRange.FULL)
                            .run(ENVIRONMENT))
                    .isInstanceOf(StreamException.class)
                    .hasMessageContaining("target=" + StreamSource.name(node.address(), ""));
        }
    }

    @Test
    void shouldTellWhatTheSourceRefuses() {
        assertThatThrownBy(() -> StreamPlan.into(StreamTarget.at(asking.node().peers(), toNode.address()))
                        .add("ks.t", StreamSource.at(asking.node().peers(), fromNode.address(), "n9"), TokenRange.FULL)
                        .run(ENVIRONMENT))
                .isInstanceOf(StreamException.class)
                .hasMessageContaining("node has no replica of this name, name=n9");
    }

    @Test
    void shouldAbortTheTargetAndGoOnWithWhatItHasWhenTheJobIsAborted() throws Exception {
        JobControl control = new JobControl();
        CountDownLatch begun = new CountDownLatch(1);
        try (FaultyProxy slow = FaultyProxy.to(fromNode.address())) {
            slow.inject(LinkFault.stall(LinkFault.Direction.TO_CLIENT, 300_000));
            StreamPlan plan = StreamPlan.into(StreamTarget.at(asking.node().peers(), toNode.address()))
                    .add("ks.t", StreamSource.at(asking.node().peers(), slow.address()), TokenRange.FULL)
                    .control(control)
                    .listener((rows, bytes, covered) -> begun.countDown());
            List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
            Thread run = new Thread(() -> {
                try {
                    plan.run(ENVIRONMENT);
                } catch (IOException | RuntimeException failed) {
                    failures.add(failed);
                }
            });
            run.start();
            begun.await();

            control.abort("not wanted any more");

            run.join();
            assertThat(failures).singleElement().isInstanceOf(JobAbortedException.class);
        }
        // Which waits until what it ran has ended.
        toNode.close();
        assertThat(target.sstableCount()).isZero();
        toNode = TestNode.of(new StoreReplicas(to));

        StreamReport report = plan().run(ENVIRONMENT);

        assertThat(rows()).isEqualTo(ROWS);
        assertThat(report.sstables()).isEqualTo(source.sstableCount());
    }

    /** A plan that runs on a thread of its own, from a source that falls silent in the middle of a file. */
    private static final class Stalled implements AutoCloseable {
        private final FaultyProxy slow;
        private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        private final Thread thread;

        Stalled(TestNode from, Function<InetSocketAddress, StreamPlan> plans) throws Exception {
            slow = FaultyProxy.to(from.address());
            slow.inject(LinkFault.stall(LinkFault.Direction.TO_CLIENT, 300_000));
            CountDownLatch begun = new CountDownLatch(1);
            StreamPlan plan = plans.apply(slow.address()).listener((rows, bytes, covered) -> {
                begun.countDown();
            });
            thread = new Thread(() -> {
                try {
                    plan.run(ENVIRONMENT);
                } catch (IOException | RuntimeException failed) {
                    failures.add(failed);
                }
            });
            thread.start();
            begun.await();
        }

        /** How it ended. */
        Throwable failure() throws InterruptedException {
            thread.join();
            assertThat(failures).hasSize(1);
            return failures.get(0);
        }

        @Override
        public void close() throws IOException {
            slow.close();
        }
    }

    private StreamPlan here(InetSocketAddress source) {
        return StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", StreamSource.at(asking.node().peers(), source), TokenRange.FULL);
    }

    /** Also: the next one brings all of it. */
    private void assertNothingArrived() throws IOException {
        assertThat(target.sstableCount()).isZero();
        assertThat(rows()).isZero();
        here(fromNode.address()).run(ENVIRONMENT);
        assertThat(rows()).isEqualTo(ROWS);
    }

    @Test
    void shouldEndWhenItIsInterruptedWhileTheSourceIsSilent() throws Exception {
        try (Stalled stalled = new Stalled(fromNode, this::here)) {
            stalled.thread.interrupt();

            assertThat(stalled.failure()).isInstanceOf(InterruptedIOException.class);
        }
        assertNothingArrived();
    }

    @Test
    void shouldEndWithItsNodeWhileTheSourceIsSilent() throws Exception {
        try (Stalled stalled = new Stalled(fromNode, this::here)) {
            assertTimeout(SOON, asking::close);

            assertThat(stalled.failure())
                    .isInstanceOfSatisfying(
                            PeerException.class,
                            failed -> assertThat(failed.code()).isIn(PeerException.CLOSED, PeerException.CLOSED_HERE));
        }
        asking = TestNode.of(new StoreReplicas(from));
        assertNothingArrived();
    }

    @Test
    void shouldCloseATargetWhileTheSourceIsSilent() throws Exception {
        try (Stalled stalled = new Stalled(
                fromNode,
                source -> StreamPlan.into(StreamTarget.at(asking.node().peers(), toNode.address()))
                        .add("ks.t", StreamSource.at(asking.node().peers(), source), TokenRange.FULL))) {
            assertTimeout(SOON, toNode::close);
            assertThat(target.sstableCount()).isZero();

            // Which would wait for the target to come back.
            stalled.thread.interrupt();
            assertThat(stalled.failure()).isInstanceOf(InterruptedIOException.class);
        }
        toNode = TestNode.of(new StoreReplicas(to));
        assertNothingArrived();
    }

    @Test
    void shouldGoOnWhenTheSourceIsStartedAgainAfterItCouldNotBeReached() throws IOException {
        AtomicInteger connects = new AtomicInteger();
        AtomicLong last = new AtomicLong();
        Connector connector = address -> connects.incrementAndGet() == 2
                ? CompletableFuture.failedFuture(new PeerException(
                        address.toString(), "connect", PeerException.CONNECT_FAILED, "nobody listens", null))
                : asking.node().peers().connect(address);
        InetSocketAddress address = fromNode.address();

        StreamReport report = StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", StreamSource.at(connector, address), TokenRange.FULL)
                .listener((rows, bytes, covered) -> {
                    if (last.getAndSet(bytes) < 400_000 && bytes >= 400_000) {
                        fromNode.close();
                        fromNode = TestNode.of(new StoreReplicas(from), address);
                    }
                })
                .run(ENVIRONMENT);

        assertThat(connects).hasValue(3);
        try (LiveFiles files = source.liveFiles()) {
            assertThat(report.bytes())
                    .as("nothing twice")
                    .isEqualTo(files.sstables().stream()
                            .mapToLong(sstable -> sstable.lengthBytes()
                                    - sstable.files().get(Component.TOC).lengthBytes())
                            .sum());
        }
        assertThat(rows()).isEqualTo(ROWS);
    }

    @Test
    void shouldWaitSomeMinutesForATargetThatIsStartedAgain() throws IOException {
        AtomicInteger connects = new AtomicInteger();
        AtomicLong waitedNanos = new AtomicLong();
        AtomicBoolean restarted = new AtomicBoolean();
        Connector connector = address -> connects.incrementAndGet() > 1 && connects.get() < 9
                ? CompletableFuture.failedFuture(new PeerException(
                        address.toString(), "connect", PeerException.CONNECT_FAILED, "nobody listens", null))
                : asking.node().peers().connect(address);
        InetSocketAddress address = toNode.address();

        // It must not be done before it is started again.
        try (FaultyProxy slow = FaultyProxy.to(fromNode.address())) {
            slow.inject(LinkFault.stall(LinkFault.Direction.TO_CLIENT, 300_000));
            StreamPlan.into(StreamTarget.at(connector, address))
                    .add("ks.t", StreamSource.at(asking.node().peers(), slow.address()), TokenRange.FULL)
                    .listener((rows, bytes, covered) -> {
                        if (restarted.compareAndSet(false, true)) {
                            toNode.close();
                            slow.heal();
                            toNode = TestNode.of(new StoreReplicas(to), address);
                        }
                    })
                    .run(ENVIRONMENT.withTime(ENVIRONMENT.clock(), ENVIRONMENT.nanoTime(), waitedNanos::addAndGet));
        }

        assertThat(connects).hasValue(9);
        assertThat(waitedNanos.get()).isBetween(60_000_000_000L, 300_000_000_000L);
        assertThat(rows()).isEqualTo(ROWS);
    }

    @Test
    void shouldNotWaitForASourceThatWasNeverThere() {
        Connector nobody = address -> CompletableFuture.failedFuture(
                new PeerException(address.toString(), "connect", PeerException.CONNECT_FAILED, "nobody listens", null));

        assertThatThrownBy(() -> StreamPlan.into(new StoreReplicas(to))
                        .add("ks.t", StreamSource.at(nobody, fromNode.address()), TokenRange.FULL)
                        .run(ENVIRONMENT.withTime(ENVIRONMENT.clock(), ENVIRONMENT.nanoTime(), nanos -> {
                            throw new AssertionError("waits");
                        })))
                .isInstanceOf(PeerException.class);
    }

    @Test
    void shouldSayInAnExceptionOfStreamingThatTheTargetsTableIsDropped() throws IOException {
        StreamPlan plan = StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", fromNode.source(), TokenRange.FULL)
                .listener((rows, bytes, covered) -> {
                    if (to.findTable("ks.t").isPresent()) {
                        to.dropTable("ks.t");
                    }
                });

        assertThatThrownBy(() -> plan.run(ENVIRONMENT))
                .isInstanceOf(IOException.class)
                .hasMessageMatching("(?s).*(ks\\.t|/ks/t-).*");
    }

    @Test
    void shouldNameWhatIsMissingOfAUnit() {
        StreamPlan plan = StreamPlan.into(new StoreReplicas(to));
        StreamSource from = fromNode.source();

        assertThatThrownBy(() -> plan.add("ks.t", from, (TokenRange) null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("range");
        assertThatThrownBy(() -> plan.add(null, from, TokenRange.FULL))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("qualifiedTable");
    }

    @Test
    void shouldTellOfBytesWhileTheyCome() throws IOException {
        List<Double> covered = Collections.synchronizedList(new ArrayList<>());
        List<Long> bytes = Collections.synchronizedList(new ArrayList<>());
        StreamPlan.into(new StoreReplicas(to))
                .add("ks.t", fromNode.source(), TokenRange.FULL)
                .listener((rows, bytesSoFar, share) -> {
                    bytes.add(bytesSoFar);
                    covered.add(share);
                })
                .run(ENVIRONMENT);

        assertThat(bytes).hasSizeGreaterThan(10).isSorted();
        assertThat(covered).isSorted().endsWith(1.0).first().isEqualTo(0.0);
        assertThat(covered.get(covered.size() / 2)).isBetween(0.1, 0.99);
    }
}
