package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.node;
import static io.anneal.net.NetFixture.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NetMetricsTest {
    private static final Verb STREAM = new Verb(2, "test.stream");
    private static final Verb REFUSING = new Verb(3, "test.refusing");
    private static final Verb NOWHERE = new Verb(9, "test.nowhere");
    private static final UUID SERVER_ID = new UUID(7, 7);
    private static final UUID CLIENT_ID = new UUID(8, 8);
    private static final String OF_CLIENT = "net.peer." + CLIENT_ID + ".";
    private static final String OF_SERVER = "net.peer." + SERVER_ID + ".";

    private final NetMetrics ofServer = new NetMetrics("server", System::nanoTime);
    private final NetMetrics ofClient = new NetMetrics("client", System::nanoTime);

    private static NetConfig configOf(UUID nodeId, NetMetrics metrics) {
        NodeIdentity node = new NodeIdentity(nodeId, "a", Map.of());
        return NetConfig.of(node, config().token(), config().encodingVersions())
                .withTimeouts(NetFixture.TIMEOUTS)
                .withMetrics(metrics);
    }

    private NetFixture counting() throws IOException {
        NetFixture net = new NetFixture();
        net.handlers.register(
                REFUSING, (peer, request) -> CompletableFuture.failedFuture(new RequestException("full", "no room")));
        net.handlers.registerStream(STREAM, stream -> {
            stream.write(ByteBuffer.allocate(100_000));
            stream.end();
            stream.readAll(NetMetricsTest::drop);
        });
        net.serve(configOf(SERVER_ID, ofServer));
        net.callWith(configOf(CLIENT_ID, ofClient));
        return net;
    }

    private static void drop(ByteBuffer piece) {
        piece.position(piece.limit());
    }

    private static long value(NetMetrics metrics, String name) {
        Number value = metrics.values().get(name);
        assertThat(value).as(name).isNotNull();
        return value.longValue();
    }

    /** What a side does after its last frame is not seen by the other. */
    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private static void awaitEnded(NetMetrics metrics) throws InterruptedException {
        await(() -> value(metrics, "net.streams") == 0);
    }

    @Test
    void shouldCountRequestsAndTheirBytesAtBothEnds() throws Exception {
        try (NetFixture net = counting()) {
            Connection connection = net.connect();
            for (int i = 0; i < 3; i++) {
                connection.call(ECHO, ByteBuffer.allocate(1_000));
            }
            assertThatThrownBy(() -> connection.call(REFUSING, bytes("four"))).isInstanceOf(PeerException.class);

            awaitEnded(ofServer);
            assertThat(ofClient.values())
                    .containsEntry("net.verb.test.echo.request-latency.count", 3L)
                    .containsEntry("net.verb.test.echo.serving-latency.count", 0L)
                    .containsEntry("net.verb.test.echo.requests-failed", 0L)
                    .containsEntry("net.verb.test.echo.bytes-sent", 3_000L)
                    .containsEntry("net.verb.test.echo.bytes-received", 3_000L)
                    .containsEntry("net.verb.test.refusing.request-latency.count", 1L)
                    .containsEntry("net.verb.test.refusing.requests-failed", 1L)
                    .containsEntry("net.verb.test.refusing.bytes-sent", 4L)
                    .containsEntry("net.code.full.resets-received", 1L)
                    .containsEntry("net.code.full.resets-sent", 0L);
            assertThat(ofServer.values())
                    .containsEntry("net.verb.test.echo.request-latency.count", 0L)
                    .containsEntry("net.verb.test.echo.serving-latency.count", 3L)
                    .containsEntry("net.verb.test.echo.bytes-sent", 3_000L)
                    .containsEntry("net.verb.test.echo.bytes-received", 3_000L)
                    .containsEntry("net.verb.test.refusing.serving-latency.count", 1L)
                    .containsEntry("net.verb.test.refusing.bytes-received", 4L)
                    .containsEntry("net.code.full.resets-sent", 1L)
                    .containsEntry("net.frames-corrupt", 0L);
            assertThat(value(ofClient, "net.verb.test.echo.request-latency.max-nanos"))
                    .isPositive();
        }
    }

    @Test
    void shouldCountStreamsByPeerAndVerbWhileTheyAreOpen() throws Exception {
        try (NetFixture net = counting()) {
            PeerStream stream = net.connect().open(STREAM);
            stream.write(ByteBuffer.allocate(200_000)).join();
            await(() -> ofServer.values()
                            .getOrDefault("net.verb.test.stream.bytes-received", 0L)
                            .longValue()
                    == 200_000);

            for (String scope : new String[] {"net.", OF_CLIENT, "net.verb.test.stream."}) {
                assertThat(value(ofServer, scope + "streams")).as(scope).isOne();
            }
            assertThat(value(ofClient, OF_SERVER + "streams")).isOne();
            assertThat(value(ofClient, "net.budget-reserved-bytes")).isPositive();

            stream.end();
            stream.readAll(NetMetricsTest::drop).join();
            stream.closed().join();
            awaitEnded(ofClient);
            awaitEnded(ofServer);
            assertThat(value(ofServer, OF_CLIENT + "streams")).isZero();
            assertThat(ofClient.values())
                    .containsEntry("net.verb.test.stream.bytes-sent", 200_000L)
                    .containsEntry("net.verb.test.stream.bytes-received", 100_000L)
                    .containsEntry("net.verb.test.stream.request-latency.count", 0L)
                    .containsEntry("net.budget-bytes", NetConfig.BUDGET_BYTES_DEFAULT);
            assertThat(ofServer.values())
                    .containsEntry("net.verb.test.stream.bytes-sent", 100_000L)
                    .containsEntry("net.verb.test.stream.bytes-received", 200_000L);
            await(() -> value(ofClient, "net.budget-reserved-bytes") == 0);
            assertThat(value(ofClient, "net.budget-reserved-bytes-most")).isPositive();
        }
    }

    @Test
    void shouldCountResetsByCodeAndVerbsNobodyServesTogether() throws Exception {
        try (NetFixture net = counting()) {
            Connection connection = net.connect();
            assertThatThrownBy(() -> connection.call(NOWHERE, bytes("ten bytes!")))
                    .isInstanceOf(PeerException.class);
            assertThatThrownBy(() -> connection.call(new Verb(10, "test.nowhere-else"), bytes("x")))
                    .isInstanceOf(PeerException.class);
            PeerStream stream = connection.open(STREAM);
            stream.read(NetMetricsTest::drop).join();
            stream.reset("had-enough", "thank you");
            await(() -> ofServer.values().containsKey("net.code.had-enough.resets-received"));

            awaitEnded(ofServer);
            assertThat(ofServer.values())
                    .containsEntry("net.code.unknown-verb.resets-sent", 2L)
                    .containsEntry("net.code.had-enough.resets-received", 1L)
                    .containsEntry("net.verb.unknown.bytes-received", 11L);
            assertThat(ofServer.values().keySet()).noneMatch(name -> name.contains("nowhere"));
            assertThat(ofClient.values())
                    .containsEntry("net.code.unknown-verb.resets-received", 2L)
                    .containsEntry("net.code.had-enough.resets-sent", 1L)
                    .containsEntry("net.verb.test.nowhere.requests-failed", 1L);
        }
    }

    @Test
    void shouldBoundTheCodesThatPeersMakeUp() throws Exception {
        try (NetFixture net = counting()) {
            Connection connection = net.connect();
            for (int i = 0; i < 200; i++) {
                PeerStream stream = connection.open(STREAM);
                stream.read(NetMetricsTest::drop).join();
                stream.reset("made-up-" + i, "");
            }
            await(() -> resetsReceived() == 200);

            assertThat(codes()).hasSizeLessThanOrEqualTo(65).contains("other").contains("made-up-0");
        }
    }

    private long resetsReceived() {
        return ofServer.values().entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(".resets-received"))
                .mapToLong(entry -> entry.getValue().longValue())
                .sum();
    }

    private Set<String> codes() {
        Set<String> codes = new TreeSet<>();
        ofServer.values().keySet().stream()
                .filter(name -> name.startsWith("net.code."))
                .forEach(name -> codes.add(name.split("\\.")[2]));
        return codes;
    }

    @Test
    void shouldForgetAPeerWithItsLastConnectionAndKeepTheSum() throws Exception {
        try (NetFixture net = counting()) {
            Connection one = net.connect();
            Connection other = net.connect();
            one.call(ECHO, bytes("hello"));
            other.call(ECHO, bytes("hello"));
            awaitEnded(ofServer);
            assertThat(value(ofServer, "net.connections")).isEqualTo(2);
            assertThat(value(ofServer, OF_CLIENT + "connections")).isEqualTo(2);
            assertThat(value(ofServer, OF_CLIENT + "bytes-received")).isEqualTo(one.bytesSent() + other.bytesSent());
            assertThat(value(ofServer, OF_CLIENT + "bytes-sent"))
                    .isEqualTo(one.bytesReceived() + other.bytesReceived());
            long receivedBytes = value(ofServer, "net.bytes-received");
            assertThat(receivedBytes).isEqualTo(one.bytesSent() + other.bytesSent());

            one.close();
            await(() -> value(ofServer, "net.connections") == 1);
            assertThat(value(ofServer, OF_CLIENT + "bytes-received")).isGreaterThanOrEqualTo(receivedBytes);
            other.close();
            await(() -> ofServer.values().keySet().stream().noneMatch(name -> name.startsWith(OF_CLIENT)));
            assertThat(value(ofServer, "net.connections")).isZero();
            assertThat(value(ofServer, "net.bytes-received")).isGreaterThanOrEqualTo(receivedBytes);

            // It comes again, and is counted from nothing.
            Connection again = net.connect();
            again.call(ECHO, bytes("hello"));
            assertThat(value(ofServer, OF_CLIENT + "bytes-received")).isEqualTo(again.bytesSent());
        }
    }

    @Test
    void shouldCountConnectionsThatAreRefusedByCode() throws Exception {
        try (NetFixture net = counting()) {
            NetConfig wrong = NetConfig.of(
                            node("a"), Optional.of(token("another token, as long")), config().encodingVersions())
                    .withTimeouts(NetFixture.TIMEOUTS)
                    .withMetrics(ofClient);
            net.client.close();
            net.callWith(wrong);
            assertThatThrownBy(net::connect).isInstanceOf(PeerException.class);
            try (RawPeer raw = RawPeer.connect(net.server.address())) {
                raw.send(new byte[100]);
                await(() -> ofServer.values().containsKey("net.code.not-anneal.connections-refused"));
            }

            await(() -> ofClient.values().containsKey("net.code.token-wrong.connects-failed"));
            assertThat(ofServer.values())
                    .containsEntry("net.code.token-wrong.connections-refused", 1L)
                    .containsEntry("net.code.not-anneal.connections-refused", 1L)
                    .containsEntry("net.frames-corrupt", 0L)
                    .containsEntry("net.connections", 0L);
            assertThat(ofClient.values()).containsEntry("net.code.token-wrong.connects-failed", 1L);
        }
    }

    @Test
    void shouldCountCorruptFrames() throws Exception {
        try (NetFixture net = counting();
                RawPeer raw = RawPeer.connect(net.server.address())) {
            raw.shakeHands(Handshake.Role.CLIENT, configOf(CLIENT_ID, ofClient));
            byte[] frame = RawPeer.bytesOf(FrameKind.OPEN, ECHO.number(), 1, new byte[10]);
            frame[frame.length - 1] = 1;
            raw.send(frame);

            await(() -> value(ofServer, "net.frames-corrupt") == 1);
        }
    }

    @Test
    void shouldShowMBeansWhileAskedToAndThePeerIsThere() throws Exception {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName ofPeer =
                new ObjectName("io.anneal:type=Peer,node=\"server\",peer=" + CLIENT_ID + ",name=connections");
        ObjectName ofVerb =
                new ObjectName("io.anneal:type=Verb,node=\"server\",verb=\"test.echo\",name=serving-latency");
        try (NetFixture net = counting()) {
            ofServer.startJmx();
            Connection connection = net.connect();
            connection.call(ECHO, bytes("hello"));

            assertThat(beans.getAttribute(ofPeer, "Value")).isEqualTo(1L);
            assertThat(beans.getAttribute(ofVerb, "Count")).isEqualTo(1L);
            connection.close();
            await(() -> !beans.isRegistered(ofPeer));
            assertThat(beans.isRegistered(ofVerb)).isTrue();
        } finally {
            ofServer.close();
        }
        assertThat(beans.isRegistered(ofVerb)).isFalse();
        assertNoBeans(beans);
    }

    private static void assertNoBeans(MBeanServer beans) throws JMException {
        assertThat(beans.queryNames(new ObjectName("io.anneal:node=\"server\",*"), null))
                .isEmpty();
    }

    /** The document lists every metric, and none that is not there. */
    @Test
    void shouldBeDescribed() throws IOException {
        String document = Files.readString(Path.of("..", "docs", "metrics.md"), StandardCharsets.UTF_8);
        String ofNetwork = document.split("\n# Metrics of the network\n")[1].split("\n# ")[0];
        Set<String> described = new TreeSet<>();
        Matcher row = Pattern.compile("^\\| `([a-z-]+)` \\|", Pattern.MULTILINE).matcher(ofNetwork);
        while (row.find()) {
            described.add(row.group(1));
        }
        SessionMetrics session = ofServer.connected(CLIENT_ID, new Traffic());
        session.ofVerb(ECHO);
        session.resetSent("busy");
        Set<String> names = new TreeSet<>();
        for (String name : ofServer.values().keySet()) {
            names.add(name.replaceFirst("^net\\.(peer\\.[^.]+\\.|verb\\.test\\.echo\\.|code\\.busy\\.)?", "")
                    .replaceFirst("\\..*$", ""));
        }
        assertThat(names).isEqualTo(described);
    }
}
