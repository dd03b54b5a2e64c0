package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.net.SimulatedFaults.Cut;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class SimulatedNetworkTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final Verb HANGING = new Verb(2, "test.hanging");
    private static final int SEEDS = 20;

    @Test
    void shouldAnswerRequestsInVirtualTime() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try (SimulatedPair net = SimulatedPair.connected(seed)) {
                assertThat(text(net.connection.call(ECHO, bytes("hello")))).isEqualTo("hello");
                assertThat(Duration.ofNanos(net.network.nanoTime())).isLessThan(Duration.ofMillis(20));
                assertThat(net.failures).as("seed=" + seed).isEmpty();
            }
        }
    }

    @Test
    void shouldCarryLongPayloadsWhole() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            byte[] payload = new byte[1 << 20];
            new Random(seed).nextBytes(payload);
            try (SimulatedPair net = SimulatedPair.connected(seed)) {
                net.bothWays(SimulatedFaults.NONE.withBufferBytes(5_000));
                assertThat(net.connection.call(ECHO, ByteBuffer.wrap(payload)))
                        .as("seed=" + seed)
                        .isEqualTo(ByteBuffer.wrap(payload));
            }
        }
    }

    @Test
    void shouldRepeatARunEventByEvent() throws IOException {
        List<Long> traces = new ArrayList<>();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            long trace = traceOf(seed);
            assertThat(traceOf(seed)).as("seed=" + seed).isEqualTo(trace);
            traces.add(trace);
        }
        assertThat(traces).doesNotHaveDuplicates();
    }

    private static long traceOf(long seed) throws IOException {
        SimulatedPair net = SimulatedPair.connected(seed);
        try (net) {
            net.bothWays(SimulatedFaults.NONE.withCutChance(1e-4, Cut.RESET).withCorruptedChance(1e-5));
            for (int round = 0; round < 5; round++) {
                List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
                try {
                    Connection one = net.connect();
                    Connection other = net.connect();
                    for (int i = 0; i < 10; i++) {
                        answers.add((i % 2 == 0 ? one : other).request(ECHO, ByteBuffer.allocate(i * 300)));
                    }
                } catch (IOException cut) {
                    net.network.runFor(Duration.ofMillis(1));
                }
                answers.forEach(net.network::await);
            }
        }
        return net.network.trace();
    }

    @Test
    void shouldAnswerOrFailInTimeWhereverAConnectionIsCut() throws IOException {
        for (Cut kind : Cut.values()) {
            for (boolean fromServer : new boolean[] {true, false}) {
                long lengthBytes = bytesOfAnExchange(fromServer);
                for (long offset = 0; offset <= lengthBytes; offset++) {
                    assertAnswerOrFailure(kind, fromServer, offset, offset < lengthBytes);
                }
            }
        }
    }

    private static long bytesOfAnExchange(boolean fromServer) throws IOException {
        try (SimulatedPair net = SimulatedPair.connected(1)) {
            net.connection.call(ECHO, bytes("hello"));
            return fromServer ? net.connection.bytesReceived() : net.connection.bytesSent();
        }
    }

    private static void assertAnswerOrFailure(Cut kind, boolean fromServer, long offset, boolean cut)
            throws IOException {
        String where = "cut=" + kind + ", fromServer=" + fromServer + ", offset=" + offset;
        try (SimulatedPair net = SimulatedPair.started(offset)) {
            SimulatedFaults faults = SimulatedFaults.NONE.withCut(offset, kind);
            if (fromServer) {
                net.network.faults(SimulatedPair.SERVER, SimulatedPair.CLIENT, faults);
            } else {
                net.network.faults(SimulatedPair.CLIENT, SimulatedPair.SERVER, faults);
            }
            boolean answered = false;
            try {
                net.connection = net.connect();
                answered = text(net.connection.call(ECHO, bytes("hello"))).equals("hello");
            } catch (PeerException failure) {
                assertThat(cut).as(where + ", failure=" + failure).isTrue();
            }
            assertThat(answered).as(where).isEqualTo(!cut);
            // Both ends notice, in time.
            net.network.runFor(Duration.ofMinutes(3));
            if (cut) {
                assertThat(net.server.connectionCount()).as(where).isZero();
                assertThat(net.connection == null || !net.connection.isOpen())
                        .as(where)
                        .isTrue();
            }
        }
    }

    @Test
    void shouldNoticeAHalfOpenConnectionByItsSilence() throws IOException {
        try (SimulatedPair net = SimulatedPair.connected(5)) {
            CompletableFuture<Void> closed = net.network.newFuture();
            net.connection.onClose(() -> closed.complete(null));
            long startNanos = net.network.nanoTime();

            net.network.cut(SimulatedPair.SERVER, SimulatedPair.CLIENT, Cut.HALF_OPEN);
            closed.join();

            Duration silence = Duration.ofNanos(net.network.nanoTime() - startNanos);
            assertThat(silence).isBetween(Duration.ofSeconds(39), Duration.ofSeconds(81));
            assertThat(net.connection.closeCause()).get().asString().contains("peer is silent");
            assertThat(net.server.connectionCount()).isZero();
        }
    }

    @Test
    void shouldKeepAQuietConnectionOpen() throws IOException {
        try (SimulatedPair net = SimulatedPair.connected(6)) {
            net.network.runFor(Duration.ofHours(1));

            assertThat(text(net.connection.call(ECHO, bytes("still here")))).isEqualTo("still here");
        }
    }

    @Test
    void shouldGoOnAfterAPartitionThatHealsInTime() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try (SimulatedPair net = SimulatedPair.connected(seed)) {
                net.network.partition(SimulatedPair.CLIENT, SimulatedPair.SERVER);
                CompletableFuture<ByteBuffer> answer = net.connection.request(ECHO, bytes("late"));
                net.network.runFor(Duration.ofSeconds(10));
                assertThat(answer).isNotDone();

                net.network.heal(SimulatedPair.CLIENT, SimulatedPair.SERVER);

                assertThat(text(Waiting.result(answer))).isEqualTo("late");
                assertThat(net.failures).as("seed=" + seed).isEmpty();
            }
        }
    }

    @Test
    void shouldLoseAConnectionToAPartitionThatLasts() throws IOException {
        try (SimulatedPair net = SimulatedPair.connected(8)) {
            CompletableFuture<ByteBuffer> answer = net.connection.request(HANGING, bytes("x"), 3_600_000);
            net.network.partition(SimulatedPair.CLIENT, SimulatedPair.SERVER);

            assertThatThrownBy(() -> Waiting.result(answer))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=peer-lost");

            net.network.heal(SimulatedPair.CLIENT, SimulatedPair.SERVER);
            assertThat(text(net.connect().call(ECHO, bytes("again")))).isEqualTo("again");
            net.network.runFor(Duration.ofMinutes(3));
            assertThat(net.server.connectionCount()).isEqualTo(1);
        }
    }

    @Test
    void shouldEndConnectsThatNobodyAnswers() throws IOException {
        try (SimulatedPair net = SimulatedPair.started(9)) {
            net.network.partition(SimulatedPair.CLIENT, SimulatedPair.SERVER);
            long startNanos = net.network.nanoTime();

            assertThatThrownBy(net::connect)
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=connect-failed")
                    .hasMessageContaining("timed out");
            assertThat(Duration.ofNanos(net.network.nanoTime() - startNanos))
                    .isBetween(Duration.ofSeconds(10), Duration.ofSeconds(11));

            net.network.heal(SimulatedPair.CLIENT, SimulatedPair.SERVER);
            net.network.runFor(Duration.ofSeconds(1));
            assertThat(net.server.connectionCount()).isZero();
            net.server.close();
            assertThatThrownBy(net::connect)
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=connect-failed")
                    .hasMessageContaining("refused");
        }
    }

    @Test
    void shouldReportABrokenByteWhereverItIs() throws IOException {
        long lengthBytes = bytesOfAnExchange(true);
        for (long offset = 0; offset < lengthBytes; offset++) {
            try (SimulatedPair net = SimulatedPair.started(offset)) {
                net.network.faults(
                        SimulatedPair.SERVER, SimulatedPair.CLIENT, SimulatedFaults.NONE.withCorruptedByte(offset));

                assertThatThrownBy(() -> net.connect().call(ECHO, bytes("hello")))
                        .as("offset=" + offset)
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void shouldHoldBackASenderWhoseReaderIsSlow() throws IOException {
        try (SimulatedPair net = SimulatedPair.connected(11)) {
            net.network.readBytesPerSecond(SimulatedPair.SERVER, 100_000);
            long startNanos = net.network.nanoTime();

            net.connection.call(ECHO, ByteBuffer.allocate(1_000_000));

            assertThat(Duration.ofNanos(net.network.nanoTime() - startNanos))
                    .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(12));

            net.network.readBytesPerSecond(SimulatedPair.SERVER, 0);
            CompletableFuture<ByteBuffer> answer = net.connection.request(ECHO, bytes("x"));
            net.network.runFor(Duration.ofSeconds(5));
            assertThat(answer).isNotDone();
            net.network.readAtOnce(SimulatedPair.SERVER);
            assertThat(text(Waiting.result(answer))).isEqualTo("x");
        }
    }

    @Test
    void shouldShareTheBandwidthOfAWay() throws IOException {
        try (SimulatedPair net = SimulatedPair.connected(12)) {
            net.bothWays(SimulatedFaults.NONE.withBytesPerSecond(1_000_000));
            long startNanos = net.network.nanoTime();
            CompletableFuture<ByteBuffer> one = net.connection.request(ECHO, ByteBuffer.allocate(1_000_000));
            CompletableFuture<ByteBuffer> other = net.connect().request(ECHO, ByteBuffer.allocate(1_000_000));

            Waiting.results(List.of(one, other));

            assertThat(Duration.ofNanos(net.network.nanoTime() - startNanos))
                    .isBetween(Duration.ofMillis(1_990), Duration.ofMillis(4_100));
        }
    }

    @Test
    void shouldSayWhenAWaitNeverEnds() {
        SimulatedNetwork network = new SimulatedNetwork(13);

        assertThatThrownBy(() -> network.newFuture().get())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nothing is left to happen")
                .hasMessageContaining("seed=13");
        assertThatThrownBy(() -> network.newFuture().thenApply(x -> x).get(1, TimeUnit.SECONDS))
                .isInstanceOf(TimeoutException.class);
        assertThat(Duration.ofNanos(network.nanoTime())).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(2));
    }

    @Test
    void shouldSayWhenWorkGoesRoundInCircles() {
        SimulatedNetwork network = new SimulatedNetwork(16);
        ExecutorService executor = network.executor();
        Runnable[] again = new Runnable[1];
        again[0] = () -> executor.execute(again[0]);
        again[0].run();

        assertThatThrownBy(() -> network.newFuture().join())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a loop without end");
    }

    @Test
    void shouldRefuseToWaitOnAnEventLoop() {
        SimulatedNetwork network = new SimulatedNetwork(17);
        SimulatedTransport transport = (SimulatedTransport) network.host(SimulatedPair.CLIENT);
        CompletableFuture<Throwable> thrown = network.newFuture();
        transport.loop().execute(() -> {
            try {
                transport.newFuture().join();
            } catch (IllegalStateException refused) {
                thrown.complete(refused);
            }
        });

        assertThat(thrown.join()).hasMessageContaining("an event loop waits");
    }

    @Test
    void shouldLetTasksWaitForEachOther() throws Exception {
        SimulatedNetwork network = new SimulatedNetwork(14);
        ExecutorService executor = network.executor();
        CompletableFuture<String> given = network.newFuture();
        network.schedule(Duration.ofSeconds(1), () -> given.complete("given"));

        Future<String> outer =
                executor.submit(() -> executor.submit(given::join).get() + " twice");

        assertThat(outer.get()).isEqualTo("given twice");
        executor.shutdown();
        assertThat(executor.awaitTermination(1, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldLetATaskWithAThreadAndItsGiverWaitForEachOther() throws Exception {
        SimulatedNetwork network = new SimulatedNetwork(1);
        CompletableFuture<String> question = network.newFuture();
        CompletableFuture<String> answer = network.newFuture();
        CompletableFuture<String> end = network.newFuture();
        Future<String> task = network.threads().submit(() -> {
            answer.complete("an answer to " + question.get());
            return end.get();
        });
        network.schedule(Duration.ofMillis(1), () -> question.complete("a question"));

        // Inside this wait the task would keep this thread from what it waits for.
        assertThat(answer.get()).isEqualTo("an answer to a question");
        end.complete("the end");

        assertThat(task.get()).isEqualTo("the end");
    }

    @Test
    void shouldEndWaitsOfATaskWithAThreadByTimeAndByInterrupt() throws Exception {
        SimulatedNetwork network = new SimulatedNetwork(1);
        CompletableFuture<String> never = network.newFuture();
        List<Thread> threads = new ArrayList<>();
        List<String> ends = new ArrayList<>();
        Future<?> task = network.threads().submit(() -> {
            threads.add(Thread.currentThread());
            long startNanos = network.nanoTime();
            try {
                never.get(1, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                ends.add("after " + Duration.ofNanos(network.nanoTime() - startNanos));
            }
            try {
                never.get();
            } catch (InterruptedException e) {
                ends.add("interrupted");
            }
            return null;
        });
        network.schedule(Duration.ofMinutes(1), () -> threads.get(0).interrupt());

        task.get();

        assertThat(ends).containsExactly("after PT1S", "interrupted");
        assertThat(network.nanoTime()).isGreaterThan(Duration.ofMinutes(1).toNanos());
    }

    @Test
    void shouldBelongToOneThread() throws Exception {
        SimulatedNetwork network = new SimulatedNetwork(15);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread other = new Thread(() -> {
            try {
                network.runUntilIdle();
                thrown.complete(null);
            } catch (IllegalStateException refused) {
                thrown.complete(refused);
            }
        });
        other.start();

        assertThat(thrown.get(20, TimeUnit.SECONDS)).hasMessageContaining("belongs to the thread that made it");
    }
}
