package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a peer says stands in logs and on terminals: it must not make lines of its own there, nor steer a terminal. */
@Timeout(60)
class ForgedTextTest {
    private static final String FORGED = "x\nWARN forged\r\u001b[31m\u007f\u009b\u202e\u2028";
    private static final String ESCAPED = "x\\u000aWARN forged\\u000d\\u001b[31m\\u007f\\u009b\\u202e\\u2028";

    @Test
    void shouldKeepTheGoodbyeOfAStrangerOnOneLine() throws Exception {
        try (NetFixture net = NetFixture.started();
                RawPeer peer = RawPeer.connect(net.server.address())) {
            byte[] report = new Report(0, "bad\ncode", FORGED).encode().array();
            peer.send(RawPeer.bytesOf(FrameKind.GOODBYE, 0, 0, report));

            assertThat(net.failure())
                    .hasMessageContaining("reason=" + ESCAPED)
                    .hasMessageContaining("code=malformed")
                    .message()
                    .matches("\\P{Cntrl}*");
        }
    }

    @Test
    void shouldKeepTheErrorOfARequestOnOneLine() throws Exception {
        try (NetFixture net = NetFixture.started()) {
            Verb forging = new Verb(7, "test.forging");
            net.handlers.register(forging, (peer, request) -> {
                throw new IllegalStateException(FORGED);
            });

            assertThatThrownBy(() -> net.connect().call(forging, bytes("x")))
                    .hasMessageContaining(ESCAPED)
                    .message()
                    .matches("\\P{Cntrl}*");
            assertThat(net.connect().call(ECHO, bytes("x"))).isEqualTo(bytes("x"));
        }
    }

    @Test
    void shouldEscapeNamesInAHello() throws Exception {
        NodeIdentity forged = new NodeIdentity(new UUID(1, 2), FORGED, Map.of("k" + FORGED, "v" + FORGED));
        byte[] hello = new Handshake(
                        Handshake.Role.CLIENT,
                        NetConfig.of(forged, config().token(), new VersionRange(1, 1)),
                        new SecureRandom(),
                        "peer")
                .helloBytes();

        NodeIdentity read = Hello.decode("peer", new Frame(FrameKind.HELLO, 0, 0, 0, Unpooled.wrappedBuffer(hello), 0))
                .node();

        assertThat(read.clusterName()).isEqualTo(ESCAPED);
        assertThat(read.attributes()).isEqualTo(Map.of("k" + ESCAPED, "v" + ESCAPED));
    }

    /** It is told before anybody asks who signed it. */
    @Test
    void shouldEscapeNamesInACertificate(@TempDir Path directory) throws Exception {
        Certificates certificates = Certificates.make(directory);
        certificates.run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -utf8 -subj"
                + " \"/CN=x$(printf '\\nWARN forged\\033[31m')\" -keyout forged.key -out forged.pem");
        try (NetFixture net = new NetFixture()) {
            net.serve(with(certificates.of("node1")));
            net.callWith(with(new TlsConfig(
                    certificates.file("forged.pem"), certificates.file("forged.key"), certificates.file("ca.pem"))));

            assertThatThrownBy(net::connect).isInstanceOf(PeerException.class);
            assertThat(net.failure())
                    .hasMessageContaining("WARN forged")
                    .message()
                    .matches("\\P{Cntrl}*");
        }
    }

    private static NetConfig with(TlsConfig tls) {
        return NetConfig.of(NetFixture.node("a"), Optional.<SharedToken>empty(), new VersionRange(1, 3))
                .withTimeouts(NetFixture.TIMEOUTS)
                .withTls(tls);
    }
}
