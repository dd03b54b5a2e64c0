package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.loopback;
import static io.anneal.net.NetFixture.text;
import static io.anneal.net.NetFixture.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.anneal.io.UnsupportedVersionException;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HandshakeTest {
    private static final NetTimeouts SHORT = new NetTimeouts(5_000, 300, 30_000, 60_000, 30_000, 500, 600_000);

    @Test
    void shouldRefuseAnotherTokenOnBothSides() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.serve(config());
            net.callWith(withToken(Optional.of(token("fedcba9876543210"))));

            assertThatThrownBy(net::connect)
                    .asInstanceOf(type(PeerException.class))
                    .satisfies(failure -> {
                        assertThat(failure.code()).isEqualTo(PeerException.TOKEN_WRONG);
                        assertThat(failure.peer()).isEqualTo(PeerAddress.text(net.server.address()));
                        assertThat(failure).hasMessageContaining("the peer holds another token");
                    });
            assertThat(net.failure()).hasMessageContaining("code=token-wrong").hasMessageContaining("peer=127.0.0.1:");
        }
    }

    @Test
    void shouldRefuseAClientWithoutToken() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.serve(config());
            net.callWith(withToken(Optional.empty()));

            assertThatThrownBy(net::connect)
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("the peer brought no token")
                    .hasMessageContaining("code=token-missing");
            assertThat(net.failure()).hasMessageContaining("code=token-missing");
        }
    }

    @Test
    void shouldNotTrustAServerThatCannotProveTheToken() throws Exception {
        try (NetFixture net = new NetFixture();
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            net.callWith(config());
            CompletableFuture<Connection> connecting = net.client.connect(loopback(listening.getLocalPort()));
            try (RawPeer peer = new RawPeer(listening.accept())) {
                Frame hello = peer.read();
                peer.send(RawPeer.bytesOf(FrameKind.HELLO, 0, 0, hello.bytes()));
                // A proof sent back to where it came from is no proof.
                peer.send(RawPeer.bytesOf(FrameKind.PROOF, 0, 0, peer.read().bytes()));

                assertThatThrownBy(() -> Waiting.result(connecting))
                        .isInstanceOf(PeerException.class)
                        .hasMessageContaining("code=token-wrong");
            }
        }
    }

    @Test
    void shouldRefuseRequestsBeforeTheProof() throws Exception {
        try (NetFixture net = NetFixture.started();
                RawPeer peer = RawPeer.connect(net.server.address())) {
            peer.send(RawPeer.bytesOf(FrameKind.OPEN, ECHO.number(), 1, new byte[4]));

            assertThat(peer.readReport().code()).isEqualTo(Report.CORRUPT_FRAME);
            assertThat(net.failure())
                    .isInstanceOf(CorruptFrameException.class)
                    .hasMessageContaining("frame is out of turn, kind=OPEN");
        }
    }

    @Test
    void shouldBoundWhatAStrangerMaySend() throws Exception {
        try (NetFixture net = NetFixture.started();
                RawPeer peer = RawPeer.connect(net.server.address())) {
            peer.send(RawPeer.bytesOf(FrameKind.HELLO, 0, 0, new byte[20_000]));

            assertThat(peer.readReport().code()).isEqualTo(Report.CORRUPT_FRAME);
            assertThat(net.failure())
                    .isInstanceOf(CorruptFrameException.class)
                    .hasMessageContaining("payload length is out of bounds, lengthBytes=20000, max=16384");
        }
    }

    @Test
    void shouldNameBothRangesWhenEncodingVersionsDoNotMeet() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.serve(withEncoding(new VersionRange(4, 5)));
            net.callWith(withEncoding(new VersionRange(1, 3)));

            assertThatThrownBy(net::connect)
                    .asInstanceOf(type(UnsupportedVersionException.class))
                    .satisfies(failure -> {
                        assertThat(failure.found()).isEqualTo("4");
                        assertThat(failure.oldest()).isEqualTo("1");
                        assertThat(failure.newest()).isEqualTo("3");
                        assertThat(failure.resource())
                                .isEqualTo("row encoding of " + PeerAddress.text(net.server.address()));
                    });
            assertThat(net.failure())
                    .isInstanceOf(UnsupportedVersionException.class)
                    .hasMessageContaining("found=3, oldest=4, newest=5");
        }
    }

    @Test
    void shouldAgreeOnTheNewestCommonEncoding() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.serve(withEncoding(new VersionRange(2, 7)));
            net.callWith(withEncoding(new VersionRange(1, 3)));

            assertThat(net.connect().encodingVersion()).isEqualTo(3);
        }
    }

    @Test
    void shouldRefuseAnotherWireVersionByName() throws Exception {
        try (NetFixture net = NetFixture.started();
                RawPeer peer = RawPeer.connect(net.server.address())) {
            Hello ours = Handshake.hello(config(), new byte[Hello.NONCE_LENGTH_BYTES]);
            Hello future = new Hello(
                    new VersionRange(2, 3),
                    ours.encodingVersions(),
                    false,
                    true,
                    ours.initialCreditBytes(),
                    1,
                    ours.nonce(),
                    ours.node());
            peer.send(RawPeer.bytesOf(FrameKind.HELLO, 0, 0, future.encode()));

            assertThat(peer.read().kind()).isEqualTo(FrameKind.HELLO);
            assertThat(peer.readReport().code()).isEqualTo(Report.UNSUPPORTED_VERSION);
            assertThat(net.failure())
                    .isInstanceOf(UnsupportedVersionException.class)
                    .hasMessageContaining("wire protocol of")
                    .hasMessageContaining("found=2, oldest=1, newest=1");
        }
    }

    @Test
    void shouldAcceptAHelloWithFieldsOfALaterVersion() throws Exception {
        byte[] known =
                Handshake.hello(config(), new byte[Hello.NONCE_LENGTH_BYTES]).encode();
        byte[] longer = Arrays.copyOf(known, known.length + 9);

        Hello hello = Hello.decode("peer", new Frame(FrameKind.HELLO, 0, 0, 0, Unpooled.wrappedBuffer(longer), 0));

        assertThat(hello.node()).isEqualTo(config().node());
    }

    @Test
    void shouldRefuseAFrameOfALaterVersion() throws Exception {
        try (NetFixture net = NetFixture.started();
                RawPeer peer = RawPeer.connect(net.server.address())) {
            byte[] frame = RawPeer.bytesOf(FrameKind.HELLO, 0, 0, new byte[10]);
            frame[FrameDescriptor.VERSION_OFFSET] = 9;
            peer.send(RawPeer.resealed(frame));

            assertThat(net.failure())
                    .isInstanceOf(UnsupportedVersionException.class)
                    .hasMessageContaining("found=9, oldest=1, newest=1");
            assertThat(peer.readReport().code()).isEqualTo(Report.UNSUPPORTED_VERSION);
        }
    }

    @Test
    void shouldRefuseAHelloThatIsCutShortAnywhere() {
        byte[] known =
                Handshake.hello(config(), new byte[Hello.NONCE_LENGTH_BYTES]).encode();
        for (int lengthBytes = 0; lengthBytes < known.length; lengthBytes++) {
            byte[] cut = Arrays.copyOf(known, lengthBytes);
            assertThatThrownBy(() ->
                            Hello.decode("peer", new Frame(FrameKind.HELLO, 0, 0, 0, Unpooled.wrappedBuffer(cut), 0)))
                    .isInstanceOf(CorruptFrameException.class);
        }
    }

    @Test
    void shouldRefuseAnIdentityThatDoesNotFit() {
        NodeIdentity big = new NodeIdentity(new UUID(1, 2), "c", Map.of("key", "x".repeat(20_000)));
        NetConfig config = NetConfig.of(big, config().token(), new VersionRange(1, 1));

        assertThatThrownBy(() -> Handshake.hello(config, new byte[Hello.NONCE_LENGTH_BYTES])
                        .encode())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("node identity does not fit");
    }

    @Test
    void shouldTellAnHttpClientFromAPeer() throws Exception {
        try (NetFixture net = NetFixture.started();
                RawPeer peer = RawPeer.connect(net.server.address())) {
            peer.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            assertThat(net.failure())
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("peer does not speak the anneal protocol, seen=474554202f20485454502f312e31")
                    .hasMessageContaining("code=not-anneal");
            assertClosed(peer);
            assertThat(text(net.connect().call(ECHO, bytes("others go on")))).isEqualTo("others go on");
        }
    }

    @Test
    void shouldTellAServerOfAnotherProtocol() throws Exception {
        try (NetFixture net = new NetFixture();
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            net.callWith(config());
            CompletableFuture<Connection> connecting = net.client.connect(loopback(listening.getLocalPort()));
            try (Socket accepted = listening.accept()) {
                accepted.getOutputStream().write(new byte[] {(byte) 0x84, 0, 0, 0, 0});

                assertThatThrownBy(() -> Waiting.result(connecting))
                        .isInstanceOf(PeerException.class)
                        .hasMessageContaining("peer does not speak the anneal protocol, seen=84000000")
                        .hasMessageContaining("peer=localhost:" + listening.getLocalPort());
            }
        }
    }

    @Test
    void shouldTellAServerThatClosesAtOnce() throws Exception {
        try (NetFixture net = new NetFixture();
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            net.callWith(config());
            CompletableFuture<Connection> connecting = net.client.connect(loopback(listening.getLocalPort()));
            Socket accepted = listening.accept();
            accepted.getInputStream().readNBytes(FrameDescriptor.HEADER_LENGTH_BYTES);
            accepted.close();

            assertThatThrownBy(() -> Waiting.result(connecting))
                    .isInstanceOfSatisfying(
                            PeerException.class,
                            lost -> assertThat(lost.isLasting()).isFalse())
                    .hasMessageContaining("peer closed the connection before it said anything")
                    .hasMessageContaining("step=handshake, code=peer-lost");
        }
    }

    @Test
    void shouldGiveUpOnAServerThatSaysNothing() throws Exception {
        try (NetFixture net = new NetFixture();
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            net.callWith(config().withTimeouts(SHORT));

            assertThatThrownBy(() -> net.client.open(loopback(listening.getLocalPort())))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("peer does not speak the anneal protocol or hangs, seen=, timeoutMs=300")
                    .hasMessageContaining("code=handshake-timeout");
        }
    }

    @Test
    void shouldCallAServerSlowThatHasSpokenButNotFinished() throws Exception {
        try (NetFixture net = new NetFixture();
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            net.callWith(config().withTimeouts(SHORT));
            CompletableFuture<Connection> connecting = net.client.connect(loopback(listening.getLocalPort()));
            try (RawPeer peer = new RawPeer(listening.accept())) {
                sayHello(peer);

                assertThatThrownBy(() -> Waiting.result(connecting))
                        .isInstanceOf(PeerException.class)
                        .hasMessageContaining("peer is slow: its handshake was not finished in time, timeoutMs=300")
                        .hasMessageContaining("code=handshake-timeout");
            }
        }
    }

    @Test
    void shouldNotCallAPeerAStrangerThatClosesAfterItsHello() throws Exception {
        try (NetFixture net = new NetFixture();
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            net.callWith(config());
            CompletableFuture<Connection> connecting = net.client.connect(loopback(listening.getLocalPort()));
            try (RawPeer peer = new RawPeer(listening.accept())) {
                sayHello(peer);
                peer.read();
                peer.read();
            }

            assertThatThrownBy(() -> Waiting.result(connecting))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("peer closed the connection during the handshake")
                    .hasMessageContaining("code=peer-lost");
        }
    }

    private static void sayHello(RawPeer peer) throws IOException {
        Handshake handshake = new Handshake(Handshake.Role.SERVER, config(), new SecureRandom(), "raw");
        peer.send(RawPeer.bytesOf(FrameKind.HELLO, 0, 0, handshake.helloBytes()));
    }

    @Test
    void shouldGiveUpOnAClientThatSaysNothing() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.serve(config().withTimeouts(SHORT));
            try (RawPeer peer = RawPeer.connect(net.server.address())) {
                assertThat(net.failure()).hasMessageContaining("code=handshake-timeout");
                assertClosed(peer);
            }
        }
    }

    @Test
    void shouldNameThePeerThatCannotBeReached() throws Exception {
        int port;
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = listening.getLocalPort();
        }
        try (NetFixture net = new NetFixture()) {
            net.callWith(config());

            assertThatThrownBy(() -> net.client.open(loopback(port)))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("peer cannot be reached")
                    .hasMessageContaining("reason=")
                    .hasMessageContaining("peer=localhost:" + port)
                    .hasMessageContaining("code=connect-failed")
                    .hasMessageNotContaining("/127.0.0.1");
            assertThatThrownBy(() -> net.client.open(InetSocketAddress.createUnresolved("no.such.host", 1)))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("cannot be resolved")
                    .hasMessageContaining("no.such.host");
        }
    }

    @Test
    void shouldRefuseToListenBeyondLoopbackOrWithoutToken() throws Exception {
        try (NetFixture net = new NetFixture()) {
            InetSocketAddress everywhere = new InetSocketAddress("0.0.0.0", 0);

            assertThatThrownBy(() -> NetServer.bind(config(), everywhere, net.handlers, net.nonces))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("needs mutual TLS")
                    .hasMessageContaining("address=0.0.0.0:0");
            assertThatThrownBy(() -> NetServer.bind(withToken(Optional.empty()), loopback(0), net.handlers, net.nonces))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a server needs a token");
        }
    }

    @Test
    void shouldNameTheAddressThatIsTaken() throws Exception {
        try (NetFixture net = NetFixture.started()) {
            assertThatThrownBy(() -> NetServer.bind(config(), net.server.address(), net.handlers, net.nonces))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot listen, address=" + PeerAddress.text(net.server.address()));
        }
    }

    @Test
    void shouldRefuseMoreConnectionsThanAllowed() throws Exception {
        NetLimits one = NetLimits.DEFAULT.withConnections(1, 1, 64);
        try (NetFixture net = new NetFixture()) {
            net.serve(config().withLimits(one));
            net.callWith(config());
            Connection first = net.connect();

            assertThatThrownBy(net::connect)
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=too-many-connections");
            assertThat(text(first.call(ECHO, bytes("first goes on")))).isEqualTo("first goes on");
        }
    }

    private static void assertClosed(RawPeer peer) throws IOException {
        try {
            peer.awaitEnd();
        } catch (SocketException reset) {
            // Unread bytes at the other side make it a reset; closed all the same.
            assertThat(reset).hasMessageContaining("reset");
        }
    }

    private static NetConfig withToken(Optional<SharedToken> token) {
        return NetConfig.of(config().node(), token, config().encodingVersions()).withTimeouts(NetFixture.TIMEOUTS);
    }

    private static NetConfig withEncoding(VersionRange versions) {
        return NetConfig.of(config().node(), config().token(), versions).withTimeouts(NetFixture.TIMEOUTS);
    }
}
