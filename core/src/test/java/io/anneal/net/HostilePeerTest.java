package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.io.ByteBudget;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A peer that has proven itself and then breaks the rules, or uses them up: it loses its connection, and nobody else does. */
@Timeout(120)
class HostilePeerTest {
    private static final Verb UNREAD = new Verb(2, "test.unread");
    private static final byte[] NOTHING = new byte[0];

    private static byte[] open(long streamId) {
        return RawPeer.bytesOf(FrameKind.OPEN, UNREAD.number(), streamId, NOTHING);
    }

    private static byte[] data(long streamId, int lengthBytes) {
        return RawPeer.bytesOf(FrameKind.DATA, 0, streamId, new byte[lengthBytes]);
    }

    private static NetFixture serving(NetConfig config) throws IOException {
        NetFixture net = NetFixture.started(config);
        net.handlers.registerStream(UNREAD, stream -> {});
        return net;
    }

    @Test
    void shouldEndTheConnectionThatBreaksTheRules() throws Exception {
        assertEnds("payload length is out of bounds, lengthBytes=2147483647", announcing(Integer.MAX_VALUE));
        assertEnds("payload length is out of bounds, lengthBytes=4294967295", announcing(-1));
        assertEnds("payload length is out of bounds, lengthBytes=65505", announcing(65_505));
        assertEnds("payload length is out of bounds, lengthBytes=262113", announcingFile(262_113));
        int wholeCreditBytes = (32 << 10) - FrameDescriptor.PIECE_OVERHEAD_BYTES;
        assertEnds("more data than was allowed, allowedBytes=0", open(1), data(1, wholeCreditBytes), data(1, 1));
        assertEnds("more data than was allowed, allowedBytes=32768", open(1), data(1, wholeCreditBytes + 1));
        assertEnds("piece is empty", open(1), data(1, 0));
        assertEnds("stream is opened out of turn", open(2));
        assertEnds("stream is opened out of turn", open(5), open(3));
        assertEnds("stream is opened out of turn", open(1), open(1));
        assertEnds("frame has another shape", open(-1));
        assertEnds("frame has another shape", open(0));
        assertEnds("stream was never opened", data(1, 1));
        assertEnds("stream was never opened", data(2, 1));
        assertEnds("stream was never opened", open(1), RawPeer.bytesOf(FrameKind.CREDIT, 1, 3, NOTHING));
        assertEnds("stream was never opened", reset(1));
        assertEnds("data after the end", end(open(1)), data(1, 1));
        assertEnds("kind=HELLO", RawPeer.bytesOf(FrameKind.HELLO, 0, 0, new byte[100]));
        assertEnds("kind=PROOF", RawPeer.bytesOf(FrameKind.PROOF, 0, 0, new byte[32]));
        assertEnds("frame has another shape", RawPeer.bytesOf(FrameKind.PING, 0, -1, NOTHING));
        assertEnds("frame has another shape", open(1), RawPeer.bytesOf(FrameKind.CREDIT, 0, 1, NOTHING));
        assertEnds(
                "credit is out of bounds", open(1), RawPeer.bytesOf(FrameKind.CREDIT, Integer.MIN_VALUE, 1, NOTHING));
        assertEnds("piece of a message has no checksum", openRequest(1), unchecked(1, 0));
        assertEnds("piece of a file is compressed", config().withCompressionFromBytes(1), open(1), unchecked(1, 1));
    }

    @Test
    void shouldEndTheConnectionThatDrainsOutOfTurn() throws Exception {
        assertEnds("frame has another shape", drain(2));
        assertEnds("drain is out of turn, argument=1", drain(1));
        assertEnds("drain is out of turn, argument=0", drain(0), drain(0));
        assertEnds("drain is out of turn, argument=1", drain(0), drain(1), drain(1));
    }

    @Test
    void shouldRefuseStreamsOfAPeerThatDrains() throws Exception {
        try (NetFixture net = serving(config());
                RawPeer peer = RawPeer.connect(net.server.address())) {
            peer.shakeHands(Handshake.Role.CLIENT, config());
            peer.send(drain(0));
            peer.send(openRequest(1));

            assertThat(peer.read().kind()).isEqualTo(FrameKind.DRAIN);
            assertThat(peer.readReport().code()).isEqualTo(PeerException.CLOSED);
        }
    }

    private static byte[] drain(int argument) {
        return RawPeer.bytesOf(FrameKind.DRAIN, argument, 0, NOTHING);
    }

    private static byte[] openRequest(long streamId) {
        return RawPeer.bytesOf(FrameKind.OPEN, ECHO.number(), streamId, NOTHING);
    }

    private static byte[] unchecked(long streamId, int moreFlags) {
        byte[] frame = data(streamId, 9);
        frame[FrameDescriptor.FLAGS_OFFSET] |= (byte) (FrameDescriptor.FLAG_UNCHECKED | moreFlags);
        ByteBuffer.wrap(frame).putInt(FrameDescriptor.PAYLOAD_CHECKSUM_OFFSET, 0);
        return RawPeer.resealed(frame);
    }

    private static byte[] announcing(int lengthBytes) {
        byte[] frame = data(1, 0);
        ByteBuffer.wrap(frame).putInt(FrameDescriptor.PAYLOAD_LENGTH_OFFSET, lengthBytes);
        return RawPeer.resealed(frame);
    }

    private static byte[] announcingFile(int lengthBytes) {
        byte[] frame = unchecked(1, 0);
        ByteBuffer.wrap(frame).putInt(FrameDescriptor.PAYLOAD_LENGTH_OFFSET, lengthBytes);
        return RawPeer.resealed(frame);
    }

    private static byte[] reset(long streamId) {
        byte[] report = new Report(0, "test-ended", "no more").encode().array();
        return RawPeer.bytesOf(FrameKind.RESET, 0, streamId, report);
    }

    private static byte[] end(byte[] frame) {
        frame[FrameDescriptor.FLAGS_OFFSET] |= FrameDescriptor.FLAG_END;
        return RawPeer.resealed(frame);
    }

    private static void assertEnds(String reason, byte[]... frames) throws Exception {
        assertEnds(reason, config(), frames);
    }

    private static void assertEnds(String reason, NetConfig config, byte[]... frames) throws Exception {
        try (NetFixture net = serving(config);
                RawPeer peer = RawPeer.connect(net.server.address())) {
            Connection other = net.connect();
            peer.shakeHands(Handshake.Role.CLIENT, config);
            for (byte[] frame : frames) {
                peer.send(frame);
            }

            assertThat(net.failure()).isInstanceOf(CorruptFrameException.class).hasMessageContaining(reason);
            Frame last = peer.read();
            while (last.kind() != FrameKind.GOODBYE) {
                last = peer.read();
            }
            assertThat(Report.decode("raw", last).code()).isEqualTo(Report.CORRUPT_FRAME);
            assertThat(text(other.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
            // Until the time limit of the test.
            while (config.budget().reservedBytes() > 0) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    @Test
    void shouldEndTheConnectionThatGivesMoreCreditThanThereIs() throws Exception {
        byte[] credit = RawPeer.bytesOf(FrameKind.CREDIT, -1, 1, NOTHING);
        List<byte[]> frames = new ArrayList<>(List.of(open(1)));
        for (int i = 0; i < 257; i++) {
            frames.add(credit);
        }
        assertEnds("credit is out of bounds", frames.toArray(byte[][]::new));
    }

    @Test
    void shouldRefuseMoreStreamsThanAgreedAndGoOn() throws Exception {
        NetConfig few = config().withLimits(NetLimits.DEFAULT.withStreams(32 << 10, 1 << 20, 1 << 20, 4));
        try (NetFixture net = serving(few);
                RawPeer peer = RawPeer.connect(net.server.address())) {
            peer.shakeHands(Handshake.Role.CLIENT, few);
            for (int i = 0; i < 1_000; i++) {
                peer.send(open(2L * i + 1));
            }
            for (int i = 4; i < 1_000; i++) {
                Frame refusal = peer.read();
                assertThat(refusal.kind()).isEqualTo(FrameKind.RESET);
                assertThat(refusal.streamId()).isEqualTo(2L * i + 1);
                assertThat(Report.decode("raw", refusal).code()).isEqualTo(PeerException.TOO_MANY_STREAMS);
            }
            peer.send(reset(1));
            peer.send(end(RawPeer.bytesOf(FrameKind.OPEN, ECHO.number(), 2_001, new byte[] {7})));

            Frame answer = peer.read();
            assertThat(answer.streamId()).isEqualTo(2_001);
            assertThat(answer.kind()).isEqualTo(FrameKind.DATA);
        }
    }

    @Test
    void shouldNotGatherWorkOfStreamsThatAreResetAtOnce() throws Exception {
        NetConfig few = config().withLimits(NetLimits.DEFAULT.withStreams(32 << 10, 1 << 20, 1 << 20, 4));
        BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
        VerbHandlers busy = new VerbHandlers(waiting::add).registerStream(UNREAD, stream -> {});
        try (NetServer server = NetServer.bind(few, NetFixture.loopback(0), busy, new SecureRandom());
                RawPeer peer = RawPeer.connect(server.address())) {
            peer.shakeHands(Handshake.Role.CLIENT, few);
            for (int i = 0; i < 1_000; i++) {
                peer.send(open(2L * i + 1));
                peer.send(reset(2L * i + 1));
            }
            peer.send(RawPeer.bytesOf(FrameKind.PING, 0, 0, NOTHING));
            while (peer.read().kind() != FrameKind.PONG) {}

            assertThat(waiting).hasSizeLessThan(100);
        }
    }

    @Test
    void shouldStopReadingAPeerThatAsksForSignsOfLifeAndReadsNone() throws Exception {
        NetTimeouts impatient = new NetTimeouts(10_000, 10_000, 30_000, 60_000, 500, 300, 60_000);
        try (NetFixture net = NetFixture.started(config().withTimeouts(impatient));
                RawPeer peer = RawPeer.connect(net.server.address())) {
            Connection other = net.connect();
            peer.shakeHands(Handshake.Role.CLIENT, config());
            byte[] pings = RawPeer.repeated(RawPeer.bytesOf(FrameKind.PING, 0, 0, NOTHING), 1_000);
            assertThatThrownBy(() -> {
                        // 320 MB: far more than all buffers between the two hold, in either direction.
                        for (int i = 0; i < 10_000; i++) {
                            peer.send(pings);
                        }
                    })
                    .isInstanceOf(IOException.class);

            assertThat(net.failure()).hasMessageContaining("code=write-timeout");
            assertThat(text(other.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
        }
    }

    @Test
    void shouldLeaveMemoryForOthersWhenOnePeerOpensAllItCan() throws Exception {
        NetConfig small = config().withBudget(ByteBudget.of(4 << 20));
        try (NetFixture net = serving(small);
                RawPeer peer = RawPeer.connect(net.server.address());
                RawPeer other = RawPeer.connect(net.server.address(), InetAddress.getByName("127.0.0.2"))) {
            peer.shakeHands(Handshake.Role.CLIENT, small);
            for (int i = 0; i < 1_000; i++) {
                peer.send(open(2L * i + 1));
            }
            peer.send(RawPeer.bytesOf(FrameKind.PING, 0, 0, NOTHING));
            while (peer.read().kind() != FrameKind.PONG) {}

            // The share of the address is used up, for all its connections, whoever it says it is; others have theirs.
            assertThatThrownBy(() -> net.connect().call(ECHO, bytes("no room"))).hasMessageContaining("code=busy");
            other.shakeHands(Handshake.Role.CLIENT, small);
            other.send(open(1));
            other.send(RawPeer.bytesOf(FrameKind.PING, 0, 0, NOTHING));
            assertThat(other.read().kind()).isEqualTo(FrameKind.PONG);
        }
    }
}
