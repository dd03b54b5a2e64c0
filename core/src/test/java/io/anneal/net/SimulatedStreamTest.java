package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.net.SimulatedFaults.Cut;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Streams, requests and TLS under faults that only a simulated network can bring about on demand. */
@Timeout(300)
class SimulatedStreamTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final Verb FILE = new Verb(3, "test.file");
    private static final Verb UNREAD = new Verb(4, "test.unread");
    private static final int LATE_PARTITION_MS = 20;
    private static final int SEEDS = Integer.getInteger("anneal.seeds", 40);

    @Test
    void shouldSendAPartOfAFileWhole(@TempDir Path directory) throws IOException {
        byte[] content = new byte[300_000];
        new Random(1).nextBytes(content);
        Path path = Files.write(directory.resolve("content"), content);
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try (FileChannel file = FileChannel.open(path);
                    SimulatedPair net = SimulatedPair.started(seed)) {
                net.handlers.registerStream(FILE, stream -> {
                    stream.write(file, 1_000, content.length - 1_000);
                    stream.end();
                });
                net.bothWays(SimulatedFaults.NONE.withBufferBytes(10_000 + Math.floorMod(seed, SEEDS)));
                PeerStream stream = net.connect().open(FILE);
                stream.end();

                assertThat(Waiting.result(stream.readMessage(content.length)))
                        .as("seed=" + seed)
                        .isEqualTo(ByteBuffer.wrap(content, 1_000, content.length - 1_000));
            }
        }
    }

    @Test
    void shouldStopAStreamThatNobodyReadsAlone() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try (SimulatedPair net = SimulatedPair.connected(seed)) {
                net.handlers.registerStream(UNREAD, stream -> {});
                CompletableFuture<Void> written = net.connection.open(UNREAD).write(ByteBuffer.allocate(8 << 20));

                for (int i = 0; i < 20; i++) {
                    assertThat(text(net.connection.call(ECHO, bytes("beside " + i))))
                            .isEqualTo("beside " + i);
                }

                assertThat(written).as("seed=" + seed).isNotDone();
                assertThat(Duration.ofNanos(net.network.nanoTime())).isLessThan(Duration.ofSeconds(1));
            }
        }
    }

    /** The peer lives, and says so; but the message that is waited for does not come, or not to its end. */
    @Test
    void shouldNotWaitForAMessageLongerThanForAResponse() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try (SimulatedPair net = SimulatedPair.connected(seed)) {
                CompletableFuture<Void> ended = new CompletableFuture<>();
                boolean begins = seed % 2 == 0;
                net.handlers.registerStream(UNREAD, stream -> {
                    stream.messages().write(1, bytes("first"));
                    if (begins) {
                        stream.write(ByteBuffer.wrap(new byte[] {0, 0, 0, 9, 2, 'h'}));
                    }
                    stream.closed().whenComplete((done, failure) -> ended.complete(null));
                });
                MessageStream messages = net.connection.open(UNREAD).messages();
                messages.readHere().orElseThrow().close();
                long startNanos = net.network.nanoTime();

                assertThatThrownBy(messages::readHere)
                        .as("seed=" + seed)
                        .isInstanceOf(PeerException.class)
                        .hasMessageContainingAll(
                                "peer=127.0.0.1:7000", "test.unread", "code=request-timeout", "timeoutMs=30000");

                assertThat(Duration.ofNanos(net.network.nanoTime() - startNanos))
                        .isBetween(Duration.ofSeconds(30), Duration.ofSeconds(31));
                net.network.await(ended).join();
                assertThat(text(net.connection.call(ECHO, bytes("beside")))).isEqualTo("beside");
            }
        }
    }

    /** Each request ends, with its own answer or with an error, and once the network is whole again all is as before. */
    @Test
    void shouldEndEveryRequestUnderAnyFaults() {
        Ends ends = new Ends();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try {
                runUnderFaults(seed, ends);
            } catch (IOException | RuntimeException failure) {
                throw new AssertionError("failed with seed=" + seed, failure);
            }
        }
        assertThat(ends.answers).isGreaterThan(SEEDS);
        assertThat(ends.failures).isGreaterThan(SEEDS);
    }

    @Test
    void shouldRepeatARunUnderAnyFaults() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 10; seed++) {
            long trace = runUnderFaults(seed, new Ends());
            assertThat(runUnderFaults(seed, new Ends())).as("seed=" + seed).isEqualTo(trace);
        }
    }

    private static final class Ends {
        int answers;
        int failures;
    }

    private static long runUnderFaults(long seed, Ends ends) throws IOException {
        Random random = new Random(seed);
        SimulatedPair net = SimulatedPair.started(seed);
        try (net) {
            List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
            List<ByteBuffer> questions = new ArrayList<>();
            for (int round = 0; round < 12; round++) {
                disturb(net, random);
                try {
                    Connection connection = net.connect();
                    for (int i = 0; i < 5; i++) {
                        byte[] question = new byte[random.nextInt(1 << random.nextInt(19))];
                        random.nextBytes(question);
                        questions.add(ByteBuffer.wrap(question));
                        answers.add(connection.request(ECHO, ByteBuffer.wrap(question)));
                    }
                    net.network.runFor(Duration.ofMillis(random.nextInt(100)));
                } catch (PeerException | CorruptFrameException lost) {
                    ends.failures++;
                }
            }
            net.network.runFor(Duration.ofMillis(LATE_PARTITION_MS));
            calm(net);
            for (int i = 0; i < answers.size(); i++) {
                try {
                    assertThat(Waiting.result(answers.get(i)))
                            .as("seed=" + seed)
                            .isEqualTo(questions.get(i));
                    ends.answers++;
                } catch (PeerException | CorruptFrameException lost) {
                    ends.failures++;
                }
            }
            net.network.runFor(Duration.ofMinutes(5));
            assertThat(text(net.connect().call(ECHO, bytes("whole")))).isEqualTo("whole");
        }
        return net.network.trace();
    }

    private static void disturb(SimulatedPair net, Random random) {
        SimulatedNetwork network = net.network;
        calm(net);
        Cut cut = Cut.values()[random.nextInt(3)];
        switch (random.nextInt(9)) {
            case 0 -> net.bothWays(SimulatedFaults.NONE.withCutChance(1e-5, cut));
            case 1 ->
                network.faults(
                        SimulatedPair.SERVER,
                        SimulatedPair.CLIENT,
                        SimulatedFaults.NONE.withCut(random.nextInt(5_000), cut));
            case 2 -> net.bothWays(SimulatedFaults.NONE.withCorruptedChance(1e-5));
            case 3 ->
                network.schedule(
                        Duration.ofMillis(random.nextInt(LATE_PARTITION_MS)),
                        () -> network.partition(SimulatedPair.SERVER, SimulatedPair.CLIENT));
            case 4 -> network.cut(SimulatedPair.SERVER, SimulatedPair.CLIENT, cut);
            case 5 -> network.readBytesPerSecond(SimulatedPair.SERVER, random.nextInt(100_000));
            case 6 -> net.bothWays(SimulatedFaults.NONE.withBufferBytes(1 + random.nextInt(3_000)));
            case 7 -> net.bothWays(SimulatedFaults.NONE.withDelay(Duration.ZERO, Duration.ofSeconds(1)));
            default -> {}
        }
    }

    private static void calm(SimulatedPair net) {
        net.network.heal(SimulatedPair.SERVER, SimulatedPair.CLIENT);
        net.network.readAtOnce(SimulatedPair.SERVER);
        net.bothWays(SimulatedFaults.NONE);
    }

    @Test
    void shouldSpeakTlsWhereverTheBytesAreSplit(@TempDir Path directory) throws Exception {
        Certificates certificates = Certificates.make(directory);
        certificates.issue("sim", "IP:127.0.0.1,IP:127.0.0.2", "20200101000000Z", "20900101000000Z");
        NetConfig config = NetConfig.of(
                        new NodeIdentity(new UUID(1, 2), "a", Map.of()), Optional.empty(), new VersionRange(1, 3))
                .withTimeouts(NetFixture.TIMEOUTS)
                .withTls(certificates.of("sim"));
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 5; seed++) {
            try (SimulatedPair net = SimulatedPair.started(seed, config)) {
                byte[] content = new byte[200_000];
                assertThat(net.connect().call(ECHO, ByteBuffer.wrap(content))).isEqualTo(ByteBuffer.wrap(content));

                net.bothWays(SimulatedFaults.NONE.withCutChance(1e-3, Cut.HALF_OPEN));
                try {
                    assertThat(text(net.connect().call(ECHO, bytes("hello")))).isEqualTo("hello");
                } catch (PeerException cut) {
                    assertThat(cut.code()).as("seed=" + seed).isNotEqualTo(PeerException.INTERNAL);
                }
            }
        }
    }
}
