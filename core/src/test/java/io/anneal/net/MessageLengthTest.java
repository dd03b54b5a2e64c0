package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteBudget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A message says how long it is, so that its receiver finds the memory for all of it, or refuses it, at its first piece. */
@Timeout(60)
class MessageLengthTest {
    private static final Verb ANSWERS = new Verb(2, "test.answers");
    private static final int MIB = 1 << 20;

    private static byte[] open(long streamId) {
        return RawPeer.bytesOf(FrameKind.OPEN, ECHO.number(), streamId, new byte[0]);
    }

    private static byte[] first(long streamId, int saidBytes, int lengthBytes) {
        return RawPeer.bytesOf(FrameKind.DATA, saidBytes, streamId, new byte[lengthBytes]);
    }

    private static byte[] end(byte[] frame) {
        frame[FrameDescriptor.FLAGS_OFFSET] |= FrameDescriptor.FLAG_END;
        return RawPeer.resealed(frame);
    }

    private static Frame readReset(RawPeer peer) throws IOException {
        Frame frame = peer.read();
        while (frame.kind() != FrameKind.RESET) {
            frame = peer.read();
        }
        return frame;
    }

    private static void awaitNothingReserved(ByteBudget budget) {
        // Until the time limit of the test.
        while (budget.reservedBytes() > 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void shouldTakeAnswersAtOnceThatFitTheBudgetTogether() throws Exception {
        NetConfig small = config().withBudget(ByteBudget.of(16 * MIB));
        try (NetFixture net = new NetFixture()) {
            CountDownLatch asked = new CountDownLatch(4);
            net.handlers.register(ANSWERS, (peer, request) -> {
                asked.countDown();
                return CompletableFuture.supplyAsync(
                        () -> {
                            awaitUninterruptibly(asked);
                            return ByteBuffer.allocate(5 * MIB / 2 + 1);
                        },
                        runnable -> new Thread(runnable).start());
            });
            net.serve(config());
            net.callWith(small);
            Connection connection = net.connect();
            List<CompletableFuture<ByteBuffer>> answers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                answers.add(connection.request(ANSWERS, bytes("all")));
            }

            for (CompletableFuture<ByteBuffer> answer : answers) {
                assertThat(answer.get(30, TimeUnit.SECONDS).remaining()).isEqualTo(5 * MIB / 2 + 1);
            }
            awaitNothingReserved(small.budget());
            assertThat(small.budget().tryGoBeyond()).isTrue();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldRefuseAMessageThatSaysToBeTooLongAtItsFirstPiece() throws Exception {
        NetConfig few = config().withLimits(NetLimits.DEFAULT.withStreams(32 << 10, MIB, MIB, 100));
        try (NetFixture net = NetFixture.started(few)) {
            Connection connection = net.connect();

            assertThatThrownBy(() -> connection.call(ECHO, ByteBuffer.allocate(16 * MIB)))
                    .isInstanceOfSatisfying(
                            PeerException.class,
                            refused -> assertThat(refused.code()).isEqualTo(PeerException.MESSAGE_TOO_LARGE))
                    .hasMessageContaining("lengthBytes=16777216, maxBytes=1048576");

            // What was granted before the refusal has arrived.
            assertThat(connection.bytesSent()).isLessThan(4 * MIB);
            assertThat(text(connection.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
        }
    }

    @Test
    void shouldNameTheLimitOfThisSideWhenAnAnswerIsTooLong() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.handlers.register(
                    ANSWERS, (peer, request) -> CompletableFuture.completedFuture(ByteBuffer.allocate(MIB + 1)));
            net.serve(config());
            net.callWith(config().withLimits(NetLimits.DEFAULT.withStreams(32 << 10, MIB, MIB, 100)));

            assertThatThrownBy(() -> net.connect().call(ANSWERS, bytes("much")))
                    .isInstanceOfSatisfying(
                            PeerException.class,
                            refused -> assertThat(refused.code()).isEqualTo(PeerException.MESSAGE_TOO_LARGE))
                    .hasMessageContaining("lengthBytes=1048577, maxBytes=1048576")
                    .hasMessageContaining("test.answers");
        }
    }

    @Test
    void shouldRefuseALieAboutTheLengthAndGoOn() throws Exception {
        NetConfig serving = config();
        try (NetFixture net = NetFixture.started(serving);
                RawPeer peer = RawPeer.connect(net.server.address())) {
            peer.shakeHands(Handshake.Role.CLIENT, serving);
            peer.send(open(1));
            peer.send(first(1, 10, 8));
            peer.send(first(1, 0, 3));
            Frame longer = readReset(peer);
            assertThat(Report.decode("raw", longer).code()).isEqualTo(PeerException.MALFORMED);
            assertThat(Report.decode("raw", longer).message()).contains("longer than it said, saidBytes=10");
            peer.send(open(3));
            peer.send(end(first(3, 10, 9)));
            Frame shorter = readReset(peer);
            assertThat(Report.decode("raw", shorter).code()).isEqualTo(PeerException.MALFORMED);
            assertThat(Report.decode("raw", shorter).message()).contains("shorter than it said, saidBytes=10");
            peer.send(open(5));
            peer.send(end(first(5, 10, 10)));
            Frame answer = peer.read();
            while (answer.kind() != FrameKind.DATA) {
                answer = peer.read();
            }
            assertThat(answer.argument()).isEqualTo(10);
            awaitNothingReserved(serving.budget());
        }
    }

    @Test
    void shouldEndTheConnectionThatSaysALengthOutOfPlace() throws Exception {
        for (byte[] wrong : List.of(first(1, -1, 1), first(1, Integer.MIN_VALUE, 1), end(first(1, 10, 0)))) {
            shouldEnd(wrong);
        }
        shouldEnd(first(1, 0, 5), first(1, 10, 5));
        shouldEnd(first(1, 10, 5), first(1, 10, 5));
    }

    private static void shouldEnd(byte[]... pieces) throws Exception {
        NetConfig serving = config();
        try (NetFixture net = NetFixture.started(serving);
                RawPeer peer = RawPeer.connect(net.server.address())) {
            peer.shakeHands(Handshake.Role.CLIENT, serving);
            peer.send(open(1));
            for (byte[] piece : pieces) {
                peer.send(piece);
            }

            assertThat(net.failure())
                    .isInstanceOf(CorruptFrameException.class)
                    .hasMessageContaining("length of a message is out of place");
            awaitNothingReserved(serving.budget());
        }
    }

    @Test
    void shouldEndThePromiseThatIsNotKeptAndServeOthersMeanwhile() throws Exception {
        NetTimeouts impatient = new NetTimeouts(10_000, 10_000, 30_000, 60_000, 30_000, 1_000, 2_000);
        NetConfig serving = config().withTimeouts(impatient).withBudget(ByteBudget.of(16 * MIB));
        try (NetFixture net = NetFixture.started(serving);
                RawPeer peer = RawPeer.connect(net.server.address())) {
            peer.shakeHands(Handshake.Role.CLIENT, serving);
            peer.send(open(1));
            peer.send(first(1, 7 * MIB, 1));
            while (serving.budget().reservedBytes() < 7 * MIB) {
                LockSupport.parkNanos(1_000_000);
            }
            NodeIdentity another = new NodeIdentity(new UUID(3, 4), "a", Map.of());
            try (NetClient other = NetClient.open(
                    NetConfig.of(another, serving.token(), serving.encodingVersions()), net.handlers, net.nonces)) {
                assertThat(other.open(net.server.address())
                                .call(ECHO, ByteBuffer.allocate(4 * MIB))
                                .remaining())
                        .isEqualTo(4 * MIB);
            }

            assertThat(Report.decode("raw", readReset(peer)).code()).isEqualTo(PeerException.STREAM_IDLE);
            awaitNothingReserved(serving.budget());
        }
    }
}
