package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.loopback;
import static io.anneal.net.NetFixture.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.handler.ssl.JdkSslContext;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who is let in over TLS and who is refused, with one line on both sides; certificates are made by the page's own lines. */
@Timeout(60)
class TlsTest {
    private static final String LOOPBACK = "IP:127.0.0.1";
    private static final NetTimeouts SHORT = new NetTimeouts(5_000, 500, 30_000, 60_000, 30_000, 500, 600_000);
    private static final UUID NODE_ID = new UUID(7, 8);

    @TempDir
    private static Path directory;

    private static Certificates certificates;
    private static Certificates strangers;

    @BeforeAll
    static void makeCertificates() throws Exception {
        certificates = Certificates.make(directory.resolve("ours"));
        strangers = Certificates.make(directory.resolve("theirs"));
        certificates.issue("past", LOOPBACK, "20200101000000Z", "20210101000000Z");
        certificates.issue("future", LOOPBACK, "20900101000000Z", "20910101000000Z");
        certificates.issue("elsewhere", "IP:10.9.8.7,DNS:elsewhere.example", "20200101000000Z", "20900101000000Z");
        certificates.issue("hosted", "DNS:*.host.example", "20200101000000Z", "20900101000000Z");
        certificates.issue("posing", "IP:127.0.0.1,URI:urn:uuid:" + NODE_ID, "20200101000000Z", "20900101000000Z");
        certificates.issue("named", "DNS:*.host.example,URI:urn:uuid:" + NODE_ID, "20200101000000Z", "20900101000000Z");
        certificates.revokeTheThird();
    }

    static Stream<Named<Supplier<Transport>>> transports() {
        return Stream.of(Named.of("nio", () -> SocketTransport.nio(1)), Named.of("best", () -> Transport.sockets(1)));
    }

    private static NetConfig with(TlsConfig tls) throws IOException {
        UUID nodeId = tls.nodeId().orElse(new UUID(1, 2));
        return NetConfig.of(
                        new NodeIdentity(nodeId, "a", Map.of()), Optional.<SharedToken>empty(), new VersionRange(1, 3))
                .withTimeouts(NetFixture.TIMEOUTS)
                .withTls(tls);
    }

    private static NetConfig withoutTls() {
        return NetFixture.config();
    }

    /** What both sides say when the client comes: the client's line, then the server's. */
    private static PeerException[] refusals(Supplier<Transport> transports, NetConfig server, NetConfig client)
            throws Exception {
        try (NetFixture net = new NetFixture(transports)) {
            net.serve(server);
            net.callWith(client);
            // In TLS 1.3 a client is through before the server has judged it: so what it learns is a matter of order.
            Throwable refused = catchThrowable(net::connect);
            IOException reported = net.failure();
            assertThat(refused).isInstanceOf(PeerException.class);
            assertThat(reported).isInstanceOf(PeerException.class);
            for (Throwable line : new Throwable[] {refused, reported}) {
                assertThat(line.getMessage()).doesNotContain("\n");
            }
            assertThat(((PeerException) refused).peer()).isEqualTo(PeerAddress.text(net.server.address()));
            assertThat(((PeerException) reported).peer()).startsWith("127.0.0.1:");
            return new PeerException[] {(PeerException) refused, (PeerException) reported};
        }
    }

    private static void assertLine(PeerException line, String code, String... words) {
        assertThat(line.code()).as(line.getMessage()).isEqualTo(code);
        for (String word : words) {
            assertThat(line.getMessage()).contains(word);
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldAnswerOverTlsWithoutAToken(Supplier<Transport> transports) throws Exception {
        byte[] content = new byte[1_500_000];
        new Random(1).nextBytes(content);
        try (NetFixture net = new NetFixture(transports)) {
            net.serve(with(certificates.of("node1")));
            net.callWith(with(certificates.of("node2")));
            Connection connection = net.connect();

            assertThat(connection.node().nodeId())
                    .isEqualTo(certificates.of("node1").nodeId().orElseThrow());
            assertThat(echo(connection, ByteBuffer.wrap(content))).isEqualTo(ByteBuffer.wrap(content));
            assertThat(net.failures).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldSendAFileOverTls(Supplier<Transport> transports) throws Exception {
        byte[] content = new byte[1_500_000];
        new Random(2).nextBytes(content);
        Verb verb = new Verb(2, "test.file");
        Path path = Files.write(directory.resolve("content"), content);
        try (NetFixture net = new NetFixture(transports);
                FileChannel file = FileChannel.open(path)) {
            net.handlers.registerStream(verb, stream -> {
                stream.write(file, 1_000, content.length - 1_000);
                stream.end();
            });
            net.serve(with(certificates.of("node1")));
            net.callWith(with(certificates.of("node2")));
            PeerStream stream = net.connect().open(verb);
            stream.end();

            assertThat(Waiting.result(stream.readMessage(content.length)))
                    .isEqualTo(ByteBuffer.wrap(content, 1_000, content.length - 1_000));
        }
    }

    private static ByteBuffer echo(Connection connection, ByteBuffer content) throws IOException {
        return Waiting.result(connection.request(ECHO, content));
    }

    @Test
    void shouldTakeRsaKeys() throws Exception {
        certificates.run("openssl req -x509 -CA ca.pem -CAkey ca.key -newkey rsa:2048 -noenc -days 9 -subj /CN=rsa"
                + " -addext basicConstraints=critical,CA:FALSE -addext subjectAltName=" + LOOPBACK
                + " -keyout rsa.key -out rsa.pem");
        try (NetFixture net = new NetFixture()) {
            net.serve(with(certificates.of("rsa")));
            net.callWith(with(certificates.of("rsa")));

            assertThat(echo(net.connect(), bytes("x"))).isEqualTo(bytes("x"));
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseAClientWhoseCertificateHasExpired(Supplier<Transport> transports) throws Exception {
        PeerException[] lines = refusals(transports, with(certificates.of("node1")), with(certificates.of("past")));

        assertLine(
                lines[0],
                PeerException.TLS_REFUSED,
                "the peer refused this side's certificate",
                "subject=CN=past",
                "end=2021-01-01T00:00:00Z");
        assertLine(
                lines[1],
                PeerException.TLS_REFUSED,
                "certificate has expired, end=2021-01-01T00:00:00Z",
                "subject=CN=past");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseAServerWhoseCertificateHasExpired(Supplier<Transport> transports) throws Exception {
        PeerException[] lines = refusals(transports, with(certificates.of("past")), with(certificates.of("node1")));

        assertLine(lines[0], PeerException.TLS_REFUSED, "certificate has expired", "subject=CN=past");
        assertLine(
                lines[1],
                PeerException.TLS_REFUSED,
                "the peer refused this side's certificate",
                "alert=certificate_",
                "subject=CN=past");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseACertificateThatIsNotValidYet(Supplier<Transport> transports) throws Exception {
        PeerException[] lines = refusals(transports, with(certificates.of("node1")), with(certificates.of("future")));

        assertLine(
                lines[0],
                PeerException.TLS_REFUSED,
                "the peer refused this side's certificate",
                "start=2090-01-01T00:00:00Z");
        assertLine(lines[1], PeerException.TLS_REFUSED, "certificate is not valid yet, start=2090-01-01T00:00:00Z");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseARevokedClient(Supplier<Transport> transports) throws Exception {
        PeerException[] lines = refusals(
                transports, with(certificates.of("node1", "ca-with-list.pem")), with(certificates.of("node3")));

        assertLine(lines[0], PeerException.TLS_REFUSED, "the peer refused this side's certificate", "subject=CN=node3");
        assertLine(lines[1], PeerException.TLS_REFUSED, "certificate has been revoked, subject=CN=node3");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseARevokedServer(Supplier<Transport> transports) throws Exception {
        PeerException[] lines = refusals(
                transports, with(certificates.of("node3")), with(certificates.of("node1", "ca-with-list.pem")));

        assertLine(lines[0], PeerException.TLS_REFUSED, "certificate has been revoked, subject=CN=node3");
        assertLine(lines[1], PeerException.TLS_REFUSED, "alert=certificate_revoked");
    }

    @Test
    void shouldLetInWhoIsNotOnTheList() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.serve(with(certificates.of("node1", "ca-with-list.pem")));
            net.callWith(with(certificates.of("node2", "ca-with-list.pem")));

            assertThat(echo(net.connect(), bytes("x"))).isEqualTo(bytes("x"));
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseAClientOfAnotherAuthority(Supplier<Transport> transports) throws Exception {
        TlsConfig stranger =
                new TlsConfig(strangers.file("node2.pem"), strangers.file("node2.key"), certificates.file("ca.pem"));
        PeerException[] lines = refusals(transports, with(certificates.of("node1")), with(stranger));

        assertLine(lines[0], PeerException.TLS_REFUSED, "the peer refused this side's certificate");
        assertLine(
                lines[1],
                PeerException.TLS_REFUSED,
                "certificate is not signed by an authority that this side knows",
                "subject=CN=node2");
        assertThat(lines[1].getMessage()).doesNotContain("reason=", "PKIX", "sun.security");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseAServerOfAnotherAuthority(Supplier<Transport> transports) throws Exception {
        PeerException[] lines = refusals(transports, with(certificates.of("node1")), with(strangers.of("node2")));

        assertLine(lines[0], PeerException.TLS_REFUSED, "certificate is not signed by an authority");
        assertLine(lines[1], PeerException.TLS_REFUSED, "the peer refused this side's certificate");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseAClientWithoutCertificate(Supplier<Transport> transports) throws Exception {
        try (NetFixture net = new NetFixture(transports)) {
            net.serve(with(certificates.of("node1")));
            try (SSLSocket socket = bare(net.server.address())) {
                assertThatThrownBy(() -> {
                            socket.startHandshake();
                            socket.getInputStream().read();
                        })
                        .isInstanceOf(SSLException.class)
                        .hasMessageContaining("Received fatal alert");
            }

            assertLine((PeerException) net.failure(), PeerException.TLS_REFUSED, "the peer brought no certificate");
        }
    }

    @Test
    void shouldSpeakNothingOlderThanTls13() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.serve(with(certificates.of("node1")));
            try (SSLSocket socket = bare(net.server.address())) {
                socket.setEnabledProtocols(new String[] {"TLSv1.2"});
                assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
            }

            assertLine((PeerException) net.failure(), PeerException.TLS_REFUSED, "TLSv1.2");
        }
    }

    /** It sends before it reads; a server that closed at once would answer that with a reset in the place of its reason. */
    @ParameterizedTest
    @MethodSource("transports")
    void shouldTellARefusedClientThatIsStillSending(Supplier<Transport> transports) throws Exception {
        SSLContext expired =
                ((JdkSslContext) TlsMaterial.load(certificates.of("past")).client()).context();
        try (NetFixture net = new NetFixture(transports)) {
            net.serve(with(certificates.of("node1")));
            InetSocketAddress address = net.server.address();
            try (SSLSocket socket =
                    (SSLSocket) expired.getSocketFactory().createSocket(address.getAddress(), address.getPort())) {
                socket.setSoTimeout(20_000);
                socket.startHandshake();
                net.failure();
                for (int i = 0; i < 100; i++) {
                    socket.getOutputStream().write(new byte[16_384]);
                }
                assertThatThrownBy(() -> socket.getInputStream().read())
                        .isInstanceOf(SSLException.class)
                        .hasMessageContaining("Received fatal alert");
            }
        }
    }

    @Test
    void shouldLetAPeerInBesideStrangersThatHangInTheHandshake() throws Exception {
        byte[][] starts = {{}, {22}, {22, 3, 1, 0, 100, 1, 0}};
        List<Socket> strangers = new ArrayList<>();
        try (NetFixture net = new NetFixture()) {
            net.serve(with(certificates.of("node1")));
            net.callWith(with(certificates.of("node2")));
            for (int i = 0; i < 300; i++) {
                Socket stranger = new Socket(
                        InetAddress.getLoopbackAddress(), net.server.address().getPort());
                strangers.add(stranger);
                stranger.getOutputStream().write(starts[i % starts.length]);
            }

            assertThat(echo(net.connect(), bytes("x"))).isEqualTo(bytes("x"));
            assertThat(net.server.connectionCount())
                    .isLessThanOrEqualTo(NetLimits.DEFAULT.unprovenConnectionsMax() + 1);
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    /** A client in the middle of its handshake would take plain text for a server without TLS, and not come again. */
    @Test
    void shouldSayNothingInPlainTextToWhomMaySpeakTls() throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.serve(with(certificates.of("node1")).withLimits(NetLimits.DEFAULT.withConnections(4, 4, 1)));
            InetSocketAddress address = net.server.address();
            try (Socket displaced = new Socket(address.getAddress(), address.getPort());
                    Socket last = new Socket(address.getAddress(), address.getPort())) {
                displaced.setSoTimeout(20_000);

                assertThat(displaced.getInputStream().readAllBytes()).isEmpty();
                assertThat(net.failure())
                        .hasMessageContaining("this was the oldest of the address with the most, max=1");
                assertThat(last.isConnected()).isTrue();
            }
        }
    }

    /** A client that trusts anybody and has no certificate. */
    private static SSLSocket bare(InetSocketAddress address) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustAll()}, new SecureRandom());
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefusePlainTextToATlsPort(Supplier<Transport> transports) throws Exception {
        PeerException[] lines = refusals(transports, with(certificates.of("node1")), withoutTls());

        assertLine(lines[0], PeerException.TLS_EXPECTED, "give the client certificates");
        assertLine(lines[1], PeerException.TLS_EXPECTED, "the client does not speak TLS");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseTlsToAPlainTextPort(Supplier<Transport> transports) throws Exception {
        PeerException[] lines = refusals(transports, withoutTls(), with(certificates.of("node1")));

        assertLine(lines[0], PeerException.NOT_TLS, "the peer does not speak TLS");
        assertLine(lines[1], PeerException.NOT_TLS, "the client speaks TLS, and the server does not");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseAServerWithAnotherName(Supplier<Transport> transports) throws Exception {
        PeerException[] lines =
                refusals(transports, with(certificates.of("elsewhere")), with(certificates.of("node1")));

        assertLine(
                lines[0],
                PeerException.TLS_NAME,
                "host=127.0.0.1",
                "names=[elsewhere.example, 10.9.8.7]",
                "subject=CN=elsewhere");
        assertLine(
                lines[1],
                PeerException.TLS_NAME,
                "this side's certificate (subject=CN=elsewhere) was refused by the peer: the certificate names",
                "host=127.0.0.1");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldRefuseAClientWithAnotherName(Supplier<Transport> transports) throws Exception {
        PeerException[] lines =
                refusals(transports, with(certificates.of("node1")), with(certificates.of("elsewhere")));

        assertLine(
                lines[0],
                PeerException.TLS_NAME,
                "this side's certificate (subject=CN=elsewhere) was refused by the peer: the certificate names",
                "host=127.0.0.1");
        assertLine(lines[1], PeerException.TLS_NAME, "host=127.0.0.1", "subject=CN=elsewhere");
    }

    /** Its address is right, which is enough only for a certificate that names no node. */
    @Test
    void shouldRefuseAClientWhoseCertificateNamesAnotherNode() throws Exception {
        NetConfig liar = NetConfig.of(
                        new NodeIdentity(new UUID(9, 9), "a", Map.of()),
                        Optional.<SharedToken>empty(),
                        new VersionRange(1, 3))
                .withTimeouts(NetFixture.TIMEOUTS)
                .withTls(certificates.of("posing"));

        assertLine(
                refusals(() -> Transport.sockets(1), with(certificates.of("node1")), liar)[1],
                PeerException.TLS_NAME,
                "names another node id than the peer's, node-id=" + new UUID(9, 9));
    }

    @Test
    void shouldRefuseAClientThatClaimsAnotherNodesId() throws Exception {
        NetConfig honest = with(certificates.of("named"));
        NetConfig liar = NetConfig.of(
                        new NodeIdentity(new UUID(9, 9), "a", Map.of()),
                        Optional.<SharedToken>empty(),
                        new VersionRange(1, 3))
                .withTimeouts(NetFixture.TIMEOUTS)
                .withTls(certificates.of("named"));

        assertLine(
                refusals(() -> Transport.sockets(1), with(certificates.of("node1")), liar)[1],
                PeerException.TLS_NAME,
                "node-id=" + new UUID(9, 9));
        try (NetFixture net = new NetFixture()) {
            net.serve(with(certificates.of("node1")));
            net.callWith(honest);

            assertThat(echo(net.connect(), bytes("x"))).isEqualTo(bytes("x"));
        }
    }

    @Test
    void shouldCompareHostNamesAsTheCertificateHasThem() throws Exception {
        X509Certificate named =
                PemFile.read(certificates.file("hosted.pem")).certificates().get(0);
        for (String host : new String[] {"one.host.example", "ONE.Host.example", "one.host.example."}) {
            PeerNames.check(Handshake.Role.CLIENT, named, "peer", at(host), new UUID(0, 0));
        }
        for (String host :
                new String[] {"host.example", "two.one.host.example", ".host.example", "one.host.examples"}) {
            assertThatThrownBy(() -> PeerNames.check(Handshake.Role.CLIENT, named, "peer", at(host), new UUID(0, 0)))
                    .as(host)
                    .hasMessageContaining("code=tls-name");
        }
        // A server sees an address, and asks nobody for its name.
        assertThatThrownBy(() ->
                        PeerNames.check(Handshake.Role.SERVER, named, "peer", at("one.host.example"), new UUID(0, 0)))
                .hasMessageContaining("host=127.0.0.1");
    }

    private static InetSocketAddress at(String host) throws IOException {
        return new InetSocketAddress(InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1}), 1);
    }

    @Test
    void shouldProveTheTokenTooWhenBothHaveOne() throws Exception {
        NetConfig server = with(certificates.of("node1"));
        NetConfig client = with(certificates.of("node2"));
        PeerException[] lines = refusals(
                () -> Transport.sockets(1),
                withToken(server, "0123456789abcdef"),
                withToken(client, "fedcba9876543210"));

        assertLine(lines[0], PeerException.TOKEN_WRONG);
        assertLine(lines[1], PeerException.TOKEN_WRONG);
        try (NetFixture net = new NetFixture()) {
            net.serve(withToken(server, "0123456789abcdef"));
            net.callWith(client);

            assertThat(echo(net.connect(), bytes("x"))).isEqualTo(bytes("x"));
        }
    }

    private static NetConfig withToken(NetConfig config, String text) {
        return NetConfig.of(config.node(), Optional.of(token(text)), config.encodingVersions())
                .withTimeouts(config.timeouts())
                .withTls(config.tls().orElseThrow());
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldNotWaitForAClientThatHangsInItsHandshake(Supplier<Transport> transports) throws Exception {
        try (NetFixture net = new NetFixture(transports)) {
            net.serve(with(certificates.of("node1")).withTimeouts(SHORT));
            try (Socket socket = new Socket(
                    InetAddress.getLoopbackAddress(), net.server.address().getPort())) {
                // The start of a TLS record, and no more.
                socket.getOutputStream().write(new byte[] {22, 3, 1, 0, 100});

                assertLine((PeerException) net.failure(), PeerException.HANDSHAKE_TIMEOUT);
                socket.setSoTimeout(20_000);
                while (socket.getInputStream().read() >= 0) {}
            } catch (SocketException reset) {
                assertThat(reset).hasMessageContaining("reset");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldNotWaitForAServerThatHangsInItsHandshake(Supplier<Transport> transports) throws Exception {
        try (NetFixture net = new NetFixture(transports);
                ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            net.callWith(with(certificates.of("node1")).withTimeouts(SHORT));
            CompletableFuture<Connection> connecting =
                    net.client.connect(new InetSocketAddress("127.0.0.1", silent.getLocalPort()));

            assertThatThrownBy(() -> Waiting.result(connecting))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=handshake-timeout");
        }
    }

    @Test
    void shouldNotListenOnOtherAddressesWithoutTls() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        try (NetFixture net = new NetFixture()) {
            assertThatThrownBy(() -> NetServer.bind(
                            withoutTls(), new InetSocketAddress("0.0.0.0", port), net.handlers, net.nonces))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("needs mutual TLS")
                    .hasMessageContaining("give certificate, key and authorities")
                    .hasMessageNotContaining("--")
                    .hasMessageContaining("0.0.0.0:" + port);
        }
        assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void shouldNotConnectToOtherAddressesWithoutTls() {
        try (NetFixture net = new NetFixture()) {
            net.callWith(withoutTls());
            // Kept for documentation, RFC 5737: nobody is there, and nobody is asked.
            CompletableFuture<Connection> refused = net.client.connect(new InetSocketAddress("192.0.2.1", 7400));

            assertThat(refused).isCompletedExceptionally();
            assertThatThrownBy(() -> Waiting.result(refused))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=tls-missing")
                    .hasMessageContaining("give certificate, key and authorities");
        }
    }

    @Test
    void shouldNotListenWithFilesThatCannotBeUsed() throws Exception {
        TlsConfig unusable = certificates.of("node1", "none.pem");
        try (NetFixture net = new NetFixture()) {
            assertThatThrownBy(() -> net.serve(with(unusable)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("none.pem");
            net.callWith(with(unusable));
            assertThatThrownBy(() -> Waiting.result(net.client.connect(loopback(1))))
                    .hasMessageContaining("code=tls-files")
                    .hasMessageContaining("none.pem");
        }
    }
}
