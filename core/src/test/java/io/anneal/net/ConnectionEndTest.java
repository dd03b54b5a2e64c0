package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.loopback;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConnectionEndTest {
    private static final Verb HANGING = new Verb(2, "test.hanging");

    /** A client of ours, connected to a raw server that does what the test says. */
    private static final class RawServer implements AutoCloseable {
        final NetFixture net = new NetFixture();
        final Connection connection;
        final RawPeer peer;

        RawServer(NetConfig config) throws IOException {
            try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                net.callWith(config);
                CompletableFuture<Connection> connecting = net.client.connect(loopback(listening.getLocalPort()));
                peer = new RawPeer(listening.accept());
                peer.shakeHands(Handshake.Role.SERVER, config);
                connection = Waiting.result(connecting);
            }
        }

        @Override
        public void close() throws IOException {
            peer.close();
            net.close();
        }
    }

    @Test
    void shouldFailPendingRequestsByNameWhenThePeerDies() throws Exception {
        try (RawServer raw = new RawServer(config())) {
            CompletableFuture<Void> closed = new CompletableFuture<>();
            raw.connection.onClose(() -> closed.complete(null));
            CompletableFuture<ByteBuffer> pending = raw.connection.request(HANGING, bytes("x"));
            raw.peer.read();
            raw.peer.close();

            assertThatThrownBy(() -> Waiting.result(pending))
                    .asInstanceOf(type(PeerException.class))
                    .satisfies(failure -> {
                        assertThat(failure.code()).isEqualTo(PeerException.PEER_LOST);
                        assertThat(failure.step()).isEqualTo("request test.hanging");
                        assertThat(failure.peer()).isEqualTo(PeerAddress.text(raw.connection.address()));
                    });
            closed.get(20, TimeUnit.SECONDS);
            assertThat(raw.connection.isOpen()).isFalse();
            assertThat(raw.connection.closeCause()).containsInstanceOf(PeerException.class);
            assertThatThrownBy(() -> raw.connection.call(HANGING, bytes("x")))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=peer-lost");
        }
    }

    @Test
    void shouldSayWhenThePeerDiesInTheMiddleOfAFrame() throws Exception {
        try (RawServer raw = new RawServer(config())) {
            CompletableFuture<ByteBuffer> pending = raw.connection.request(ECHO, bytes("x"));
            raw.peer.read();
            byte[] response = RawPeer.bytesOf(FrameKind.DATA, 0, 1, new byte[100]);
            raw.peer.socket.getOutputStream().write(response, 0, 50);
            raw.peer.close();

            assertThatThrownBy(() -> Waiting.result(pending))
                    .isInstanceOf(PeerException.class)
                    .cause()
                    .hasMessageContaining("peer closed the connection in the middle of a frame");
        }
    }

    @Test
    void shouldRunCloseCallbacksOfTheServerWhenItsPeerDies() throws Exception {
        try (NetFixture net = new NetFixture()) {
            CompletableFuture<Void> cleaned = new CompletableFuture<>();
            CountDownLatch called = new CountDownLatch(1);
            net.handlers.register(HANGING, (peer, request) -> {
                peer.onClose(() -> cleaned.complete(null));
                called.countDown();
                return new CompletableFuture<>();
            });
            net.serve(config());
            try (RawPeer peer = RawPeer.connect(net.server.address())) {
                peer.shakeHands(Handshake.Role.CLIENT, config());
                peer.send(RawPeer.bytesOf(FrameKind.OPEN, FrameDescriptor.FLAG_END, HANGING.number(), 1, new byte[1]));
                called.await(20, TimeUnit.SECONDS);
            }

            cleaned.get(20, TimeUnit.SECONDS);
            assertThat(net.failure()).isInstanceOf(PeerException.class).hasMessageContaining("code=peer-lost");
        }
    }

    @Test
    void shouldFailPendingRequestsAndReportNothingWhenTheClientCloses() throws Exception {
        try (NetFixture net = new NetFixture()) {
            CountDownLatch called = new CountDownLatch(1);
            CompletableFuture<Void> cleaned = new CompletableFuture<>();
            net.handlers.register(HANGING, (peer, request) -> {
                peer.onClose(() -> cleaned.complete(null));
                called.countDown();
                return new CompletableFuture<>();
            });
            net.serve(config());
            net.callWith(config());
            Connection connection = net.connect();
            CompletableFuture<ByteBuffer> pending = connection.request(HANGING, bytes("x"));
            called.await(20, TimeUnit.SECONDS);

            connection.close();

            assertThatThrownBy(() -> Waiting.result(pending))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=closed");
            cleaned.get(20, TimeUnit.SECONDS);
            assertThat(connection.closeCause()).isEmpty();
            assertThat(net.failures).isEmpty();
            CompletableFuture<Void> late = new CompletableFuture<>();
            connection.onClose(() -> late.complete(null));
            late.get(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldFailPendingRequestsWhenTheServerCloses() throws Exception {
        try (NetFixture net = new NetFixture()) {
            CountDownLatch called = new CountDownLatch(1);
            net.handlers.register(HANGING, (peer, request) -> {
                called.countDown();
                return new CompletableFuture<>();
            });
            net.serve(config());
            net.callWith(config());
            CompletableFuture<ByteBuffer> pending = net.connect().request(HANGING, bytes("x"));
            called.await(20, TimeUnit.SECONDS);

            net.server.close();

            assertThatThrownBy(() -> Waiting.result(pending))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("request test.hanging")
                    .hasMessageContaining("code=closed");
        }
    }

    @Test
    void shouldReportACorruptResponseOnBothSides() throws Exception {
        try (RawServer raw = new RawServer(config())) {
            CompletableFuture<ByteBuffer> pending = raw.connection.request(ECHO, bytes("x"));
            raw.peer.read();
            byte[] response = RawPeer.bytesOf(FrameKind.DATA, 0, 1, new byte[100]);
            response[60] ^= 1;
            long position = raw.connection.bytesReceived();
            raw.peer.send(response);

            assertThatThrownBy(() -> Waiting.result(pending))
                    .asInstanceOf(type(CorruptFrameException.class))
                    .satisfies(failure -> {
                        assertThat(failure.position()).isEqualTo(position);
                        assertThat(failure.peer()).isEqualTo(PeerAddress.text(raw.connection.address()));
                        assertThat(failure).hasMessageContaining("payload checksum is wrong, found=");
                    });
            Report report = raw.peer.readReport();
            assertThat(report.code()).isEqualTo(Report.CORRUPT_FRAME);
            assertThat(report.position()).isEqualTo(position);
            raw.peer.awaitEnd();
        }
    }

    @Test
    void shouldRaiseCorruptionThatThePeerReports() throws Exception {
        try (RawServer raw = new RawServer(config())) {
            CompletableFuture<ByteBuffer> pending = raw.connection.request(ECHO, bytes("x"));
            raw.peer.read();
            byte[] report = new Report(77, Report.CORRUPT_FRAME, "header checksum is wrong")
                    .encode()
                    .array();
            raw.peer.send(RawPeer.bytesOf(FrameKind.GOODBYE, 0, 0, report));

            assertThatThrownBy(() -> Waiting.result(pending))
                    .isInstanceOf(CorruptFrameException.class)
                    .hasMessageContaining("the peer received it, reason=header checksum is wrong")
                    .hasMessageContaining("position=77");
        }
    }

    @Test
    void shouldRefuseFramesThatAnswerNothing() throws Exception {
        assertRefused(RawPeer.bytesOf(FrameKind.DATA, 0, 99, new byte[0]), "stream was never opened");
        assertRefused(RawPeer.bytesOf(FrameKind.DATA, 0, 2, new byte[0]), "stream was never opened");
        assertRefused(RawPeer.bytesOf(FrameKind.CREDIT, 1, 0, new byte[0]), "frame has another shape");
        assertRefused(RawPeer.bytesOf(FrameKind.DATA, HANGING.number(), 1, new byte[0]), "piece is empty");
        assertRefused(RawPeer.bytesOf(FrameKind.PING, 0, 1, new byte[0]), "frame has another shape");
        assertRefused(RawPeer.bytesOf(FrameKind.CREDIT, 1, 1, new byte[1]), "frame has another shape");
        assertRefused(
                RawPeer.bytesOf(FrameKind.PING, FrameDescriptor.FLAG_END, 0, 0, new byte[0]),
                "frame has another shape");
        assertRefused(RawPeer.bytesOf(FrameKind.OPEN, ECHO.number(), 1, new byte[0]), "stream is opened out of turn");
        assertRefused(RawPeer.bytesOf(FrameKind.HELLO, 0, 0, new byte[0]), "out of turn, kind=HELLO");
        assertRefused(RawPeer.bytesOf(FrameKind.RESET, 0, 1, new byte[3]), "report is cut short");
        assertRefused(RawPeer.bytesOf(FrameKind.GOODBYE, 0, 0, new byte[3]), "report is cut short");
    }

    @Test
    void shouldRefuseHeadersOutOfBounds() throws Exception {
        byte[] good = RawPeer.bytesOf(FrameKind.DATA, 0, 1, new byte[0]);
        assertRefused(
                resealedWith(good, FrameDescriptor.PAYLOAD_LENGTH_OFFSET, 0x7F), "payload length is out of bounds");
        assertRefused(
                resealedWith(good, FrameDescriptor.PAYLOAD_LENGTH_OFFSET, 0xFF), "payload length is out of bounds");
        assertRefused(resealedWith(good, FrameDescriptor.FLAGS_OFFSET, 0x80), "flag is not known");
        assertRefused(resealedWith(good, FrameDescriptor.RESERVED_OFFSET, 3), "reserved byte is not zero, found=3");
        assertRefused(resealedWith(good, FrameDescriptor.KIND_OFFSET, 0xEE), "frame kind is not known");
        assertRefused(
                resealedWith(good, FrameDescriptor.FLAGS_OFFSET, FrameDescriptor.FLAG_LZ4),
                "compressed piece was not agreed");
    }

    @Test
    void shouldRefuseBrokenCompression() throws Exception {
        NetConfig compressing = config().withCompressionFromBytes(1);
        assertRefused(compressing, compressed(new byte[3]), "plain length is out of bounds");
        assertRefused(compressing, compressed(new byte[] {0, 0, 0, 0, 0}), "plain length is out of bounds");
        assertRefused(compressing, compressed(new byte[] {0x7F, 0, 0, 0, 1}), "plain length is out of bounds");
        assertRefused(compressing, compressed(new byte[] {-1, 0, 0, 0, 1}), "plain length is out of bounds");
        assertRefused(compressing, compressed(new byte[] {0, 0, 0, 9, -1, -1}), "piece is not an LZ4 block");
        assertRefused(compressing, compressed(new byte[] {0, 0, 0, 9, 0x10, 'x'}), "piece is shorter than it says");
    }

    @Test
    void shouldLoseAPeerThatFallsSilent() throws Exception {
        NetTimeouts impatient = new NetTimeouts(10_000, 10_000, 30_000, 300, 30_000, 300, 600_000);
        try (RawServer raw = new RawServer(config().withTimeouts(impatient))) {
            CompletableFuture<ByteBuffer> pending = raw.connection.request(ECHO, bytes("x"));

            assertThatThrownBy(() -> Waiting.result(pending))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=peer-lost")
                    .cause()
                    .hasMessageContaining("peer is silent");
        }
    }

    @Test
    void shouldLoseAPeerThatTakesNoMoreBytes() throws Exception {
        NetTimeouts impatient = new NetTimeouts(10_000, 10_000, 30_000, 60_000, 300, 300, 600_000);
        try (RawServer raw = new RawServer(config().withTimeouts(impatient))) {
            for (int i = 0; i < 1000; i++) {
                raw.connection.request(ECHO, ByteBuffer.allocate(32 << 10));
            }
            CompletableFuture<ByteBuffer> pending = raw.connection.request(ECHO, ByteBuffer.allocate(32 << 10));

            assertThatThrownBy(() -> Waiting.result(pending))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=write-timeout");
        }
    }

    @Test
    void shouldRefuseWorkWhenTheExecutorIsShutDown() throws Exception {
        try (NetFixture net = NetFixture.started();
                RawPeer peer = RawPeer.connect(net.server.address())) {
            peer.shakeHands(Handshake.Role.CLIENT, config());
            net.executor.shutdownNow();
            peer.send(RawPeer.bytesOf(FrameKind.OPEN, ECHO.number(), 1, new byte[1]));

            assertThat(peer.readReport().code()).isEqualTo(PeerException.OVERLOADED);
        }
    }

    @Test
    void shouldLeaveNoThreadAndNoConnectionBehind() throws Exception {
        NetFixture net = NetFixture.started();
        Connection connection = net.connect();
        connection.call(ECHO, bytes("x"));
        CompletableFuture<ByteBuffer> big = connection.request(ECHO, ByteBuffer.allocate(8 << 20));
        CompletableFuture<Connection> connecting = net.client.connect(net.server.address());

        net.client.close();
        net.server.close();

        assertThat(big)
                .satisfiesAnyOf(
                        f -> assertThat(f).isDone(),
                        f -> assertThatThrownBy(() -> Waiting.result(f)).isInstanceOf(IOException.class));
        assertThatThrownBy(() -> Waiting.result(connecting).call(ECHO, bytes("x")))
                .isInstanceOf(PeerException.class);
        assertThatThrownBy(() -> net.client.open(net.server.address()))
                .hasMessageContaining("client is closed")
                .isInstanceOfSatisfying(PeerException.class, failure -> {
                    assertThat(failure.code()).isEqualTo(PeerException.CLOSED_HERE);
                    assertThat(failure.mayPass()).isFalse();
                });
        net.close();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("anneal-net")) {
                thread.join(20_000);
                assertThat(thread.isAlive()).as(thread.getName()).isFalse();
            }
        }
    }

    @Test
    void shouldServeOthersWhileOneConnectionIsCorrupt() throws Exception {
        try (NetFixture net = NetFixture.started();
                RawPeer peer = RawPeer.connect(net.server.address())) {
            Connection other = net.connect();
            peer.shakeHands(Handshake.Role.CLIENT, config());
            peer.send(new byte[64]);

            assertThat(net.failure())
                    .isInstanceOf(CorruptFrameException.class)
                    .hasMessageContaining("magic is wrong, seen=00000000");
            assertThat(text(other.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }

    private static byte[] resealedWith(byte[] frame, int offset, int value) {
        byte[] changed = frame.clone();
        changed[offset] = (byte) value;
        return RawPeer.resealed(changed);
    }

    private static byte[] compressed(byte[] payload) {
        byte[] frame = RawPeer.bytesOf(FrameKind.DATA, 0, 1, payload);
        return resealedWith(frame, FrameDescriptor.FLAGS_OFFSET, FrameDescriptor.FLAG_LZ4);
    }

    private static void assertRefused(byte[] frame, String reason) throws IOException {
        assertRefused(config(), frame, reason);
    }

    private static void assertRefused(NetConfig config, byte[] frame, String reason) throws IOException {
        try (RawServer raw = new RawServer(config)) {
            CompletableFuture<ByteBuffer> pending = raw.connection.request(ECHO, bytes("x"));
            raw.peer.read();
            raw.peer.send(frame);

            assertThatThrownBy(() -> Waiting.result(pending))
                    .isInstanceOf(CorruptFrameException.class)
                    .hasMessageContaining(reason);
        }
    }
}
