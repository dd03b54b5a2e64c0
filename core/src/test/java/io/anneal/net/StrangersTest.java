package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What has not proven itself may be many and slow and wrong: who has a token gets in, and who is in stays. */
@Timeout(120)
class StrangersTest {
    private static final int STRANGERS = 300;
    /** A peer that a crowd displaces tries again; more than this often, it is shut out. */
    private static final int TRIES_MAX = 5;

    @Test
    void shouldLetAPeerInBesideSocketsThatSayNothing() throws Exception {
        assertLetsAPeerInBeside(new byte[0]);
    }

    @Test
    void shouldLetAPeerInBesideSocketsThatStopInsideTheHello() throws Exception {
        byte[] hello = hello();
        assertLetsAPeerInBeside(Arrays.copyOf(hello, hello.length - 1));
    }

    @Test
    void shouldLetAPeerInBesideSocketsThatNeverProve() throws Exception {
        assertLetsAPeerInBeside(hello());
    }

    private static void assertLetsAPeerInBeside(byte[] said) throws Exception {
        try (NetFixture net = NetFixture.started();
                Crowd crowd = new Crowd()) {
            Connection before = net.connect();
            for (int i = 0; i < STRANGERS; i++) {
                crowd.join(RawPeer.connect(net.server.address())).send(said);
            }

            Connection after = connect(net);

            assertThat(text(after.call(ECHO, bytes("let in")))).isEqualTo("let in");
            assertThat(text(before.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
        }
    }

    @Test
    void shouldLetAPeerInBesideSocketsThatSpeakByteByByte() throws Exception {
        byte[] hello = hello();
        try (NetFixture net = NetFixture.started();
                Crowd crowd = new Crowd()) {
            Connection before = net.connect();
            for (int i = 0; i < STRANGERS; i++) {
                crowd.join(RawPeer.connect(net.server.address()));
            }
            for (int offset = 0; offset < hello.length; offset++) {
                crowd.sendToAll(hello[offset]);
                if (offset % 40 == 0) {
                    try (Connection after = connect(net)) {
                        assertThat(text(after.call(ECHO, bytes("let in")))).isEqualTo("let in");
                    }
                }
            }
            assertThat(text(before.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
        }
    }

    @Test
    void shouldLetAPeerInWhileAThousandWrongTokensASecondCome() throws Exception {
        try (NetFixture net = NetFixture.started();
                Crowd crowd = new Crowd()) {
            Connection before = net.connect();
            Thread guesser = new Thread(() -> crowd.guess(net, 3_000), "guesser");
            guesser.start();
            int letIn = 0;
            while (guesser.isAlive()) {
                try (Connection after = connect(net)) {
                    assertThat(text(after.call(ECHO, bytes("let in")))).isEqualTo("let in");
                    letIn++;
                }
                assertThat(text(before.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
            }
            guesser.join();

            assertThat(crowd.guesses).isEqualTo(3_000);
            assertThat(letIn).isPositive();
            // One report a second and what gathers until the end, however long this machine takes for 3,000 tries.
            assertThat(net.failures.size()).isLessThan(60);
            assertThat(net.failures.poll()).hasMessageContaining("code=token-wrong");
            await(() -> net.server.connectionCount() <= 1);
            net.server.close();
            net.executor.shutdown();
            assertThat(net.executor.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
            assertThat(1 + Crowd.refusalsIn(net.failures)).isGreaterThanOrEqualTo(3_000);
        }
    }

    @Test
    void shouldKeepNoMoreThanAllowedOpenAndGiveTheirSocketsBack() throws Exception {
        try (NetFixture net = NetFixture.started();
                Crowd crowd = new Crowd()) {
            Connection before = net.connect();
            // They have been refused, and stay: a server that waits for them to close must not hold them all.
            crowd.guess(net, 500);

            await(() -> net.server.connectionCount() <= 1 + NetLimits.DEFAULT.unprovenConnectionsMax());
            await(() -> net.server.connectionCount() == 1);
            for (RawPeer peer : crowd.peers) {
                assertClosed(peer);
            }
            assertThat(text(before.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
        }
    }

    @Test
    void shouldTellTheOldestThatItWasDisplaced() throws Exception {
        try (NetFixture net = NetFixture.started(config().withLimits(NetLimits.DEFAULT.withConnections(4, 4, 2)));
                RawPeer first = RawPeer.connect(net.server.address());
                RawPeer second = RawPeer.connect(net.server.address());
                RawPeer third = RawPeer.connect(net.server.address())) {
            Report report = first.readReport();

            assertThat(report.code()).isEqualTo(PeerException.TOO_MANY_CONNECTIONS);
            assertThat(report.message()).contains("this was the oldest of the address with the most, max=2");
            first.awaitEnd();
            second.shakeHands(Handshake.Role.CLIENT, config());
            third.shakeHands(Handshake.Role.CLIENT, config());
            assertThat(net.failure()).hasMessageContaining("this was the oldest of the address with the most, max=2");
        }
    }

    /**
     * In virtual time: each way takes 100 ms, and of 500 sockets a second none says a word.
     *
     * @param addresses from which they come by turns
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 50})
    void shouldLetPeersOfOtherAddressesIn(int addresses) throws Exception {
        long seed = Long.getLong("anneal.seed", 17);
        try (SimulatedPair pair = SimulatedPair.started(seed)) {
            Duration delay = Duration.ofMillis(100);
            pair.network.faults(SimulatedFaults.NONE.withDelay(delay, delay));
            Flood flood = new Flood(pair, addresses);
            flood.start();
            pair.network.runFor(Duration.ofSeconds(3));
            int letIn = 0;
            for (int i = 0; i < 100; i++) {
                try (Connection connection = pair.connect()) {
                    assertThat(connection.isOpen()).isTrue();
                    letIn++;
                } catch (PeerException refused) {
                    assertThat(refused).hasMessageContaining("this was the oldest of the address");
                }
            }
            flood.stopped = true;

            assertThat(flood.count).as("seed=%d", seed).isGreaterThan(5_000);
            assertThat(letIn).as("seed=%d", seed).isGreaterThanOrEqualTo(99);
        }
    }

    /** Sockets that connect and say nothing. */
    private static final class Flood {
        private static final Duration PAUSE = Duration.ofMillis(2);

        private final SimulatedPair pair;
        private final List<Transport> sources = new ArrayList<>();
        private int count;
        private boolean stopped;

        Flood(SimulatedPair pair, int addresses) {
            this.pair = pair;
            for (int i = 0; i < addresses; i++) {
                sources.add(pair.network.host(SimulatedNetwork.address(100 + i)));
            }
        }

        void start() {
            if (!stopped) {
                sources.get(count++ % sources.size())
                        .connect(pair.server.address(), 10_000, new ChannelInitializer<>() {
                            @Override
                            protected void initChannel(DuplexChannel silent) {}
                        });
                pair.network.schedule(PAUSE, this::start);
            }
        }
    }

    @Test
    void shouldEndAHandshakeInTimeHoweverOftenAByteComes() throws Exception {
        NetTimeouts impatient = new NetTimeouts(10_000, 500, 30_000, 60_000, 30_000, 500, 600_000);
        try (NetFixture net = NetFixture.started(config().withTimeouts(impatient));
                RawPeer peer = RawPeer.connect(net.server.address())) {
            byte[] hello = hello();
            for (int i = 0; net.failures.isEmpty(); i++) {
                assertThat(i).as("bytes sent before the time limit").isLessThan(hello.length - 1);
                try {
                    peer.send(new byte[] {hello[i]});
                } catch (IOException endedByServer) {
                    break;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }

            assertThat(net.failure())
                    .hasMessageContaining("code=handshake-timeout")
                    .hasMessageContaining("timeoutMs=500");
        }
    }

    @Test
    void shouldRefuseAnythingButOneHelloAndOneProof() throws Exception {
        byte[] proof = RawPeer.bytesOf(FrameKind.PROOF, 0, 0, new byte[SharedToken.PROOF_LENGTH_BYTES]);
        assertRefused("kind=HELLO", hello(), hello());
        assertRefused("kind=PING", RawPeer.bytesOf(FrameKind.PING, 0, 0, new byte[0]));
        assertRefused("kind=PING", hello(), RawPeer.bytesOf(FrameKind.PING, 0, 0, new byte[0]));
        assertRefused("kind=PONG", hello(), RawPeer.bytesOf(FrameKind.PONG, 0, 0, new byte[0]));
        assertRefused("kind=PROOF", proof);
    }

    private static void assertRefused(String reason, byte[]... frames) throws Exception {
        try (NetFixture net = NetFixture.started();
                RawPeer peer = RawPeer.connect(net.server.address())) {
            for (byte[] frame : frames) {
                peer.send(frame);
            }

            assertThat(net.failure())
                    .isInstanceOf(CorruptFrameException.class)
                    .hasMessageContaining("frame is out of turn, " + reason + ", step=handshake");
        }
    }

    /** By the address that they come from: each may say that it is a new node every time. */
    @Test
    void shouldLimitTheConnectionsOfOnePeerWhoeverItSaysItIs() throws Exception {
        NetConfig serving = config().withLimits(NetLimits.DEFAULT.withConnections(3, 2, 64));
        try (SimulatedPair pair = SimulatedPair.started(5, serving);
                NetClient posing = pair.client(otherNode(), SimulatedPair.CLIENT);
                NetClient other = pair.client(config(), SimulatedNetwork.address(3))) {
            Connection first = pair.connect();
            posing.open(pair.server.address());

            assertThatThrownBy(() -> posing.open(pair.server.address()))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("as many connections of this peer as it allows, max=2")
                    .hasMessageContaining("code=too-many-connections");
            other.open(pair.server.address());
            assertThatThrownBy(() -> other.open(pair.server.address()))
                    .hasMessageContaining("as many connections as it allows, max=3");
            first.close();
            pair.network.runUntil(() -> pair.server.connectionCount() == 2);
            assertThat(pair.connect().isOpen()).isTrue();
        }
    }

    @Test
    void shouldAcceptAgainAfterAnAcceptHasFailed() throws Exception {
        try (NetFixture net = NetFixture.started()) {
            Connection before = net.connect();
            Channel listening = net.server.channel();
            Callable<Boolean> failing = () -> {
                listening.pipeline().fireExceptionCaught(new IOException("Too many open files"));
                return listening.config().isAutoRead();
            };

            assertThat(listening.eventLoop().submit(failing).get())
                    .as("asks for the next connection at once, which would fail too")
                    .isFalse();
            assertThat(net.failure())
                    .hasMessageContaining("connection cannot be accepted, address=")
                    .hasMessageContaining("reason=Too many open files");
            assertThat(text(before.call(ECHO, bytes("goes on")))).isEqualTo("goes on");
            assertThat(text(net.connect().call(ECHO, bytes("let in")))).isEqualTo("let in");
        }
    }

    private static NetConfig otherNode() {
        NodeIdentity node = new NodeIdentity(new UUID(3, 4), "a", Map.of());
        return NetConfig.of(node, config().token(), config().encodingVersions());
    }

    /** Until the 2 minutes of the test are over. */
    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void assertClosed(RawPeer peer) throws IOException {
        try {
            peer.awaitEnd();
        } catch (SocketException reset) {
            assertThat(reset).isNotNull();
        }
    }

    private static byte[] hello() {
        return RawPeer.bytesOf(FrameKind.HELLO, 0, 0, helloPayload());
    }

    private static byte[] helloPayload() {
        return Handshake.hello(config(), new byte[Hello.NONCE_LENGTH_BYTES]).encode();
    }

    private static Connection connect(NetFixture net) throws IOException {
        for (int i = 1; ; i++) {
            try {
                return net.connect();
            } catch (PeerException refused) {
                if (i == TRIES_MAX) {
                    throw refused;
                }
            }
        }
    }

    /** Sockets without a token. */
    private static final class Crowd implements AutoCloseable {
        private static final int GUESSERS_OPEN_MAX = 1_000;

        private static final Pattern REFUSALS = Pattern.compile("connections were refused, count=(\\d+)");

        private final Deque<RawPeer> peers = new ArrayDeque<>();
        private int guesses;

        synchronized RawPeer join(RawPeer peer) {
            peers.add(peer);
            return peer;
        }

        synchronized void sendToAll(int value) {
            List<RawPeer> ended = new ArrayList<>();
            for (RawPeer peer : peers) {
                try {
                    peer.send(new byte[] {(byte) value});
                } catch (IOException endedByServer) {
                    ended.add(peer);
                }
            }
            peers.removeAll(ended);
        }

        /** A thousand tries a second, and no socket is closed before there are a thousand of them. */
        void guess(NetFixture net, int count) {
            long startNanos = System.nanoTime();
            for (int i = 0; i < count; i++) {
                long dueNanos = startNanos + TimeUnit.MILLISECONDS.toNanos(i);
                while (System.nanoTime() - dueNanos < 0) {
                    LockSupport.parkNanos(dueNanos - System.nanoTime());
                }
                try {
                    RawPeer peer = join(RawPeer.connect(net.server.address()));
                    guesses++;
                    peer.send(hello());
                    peer.send(RawPeer.bytesOf(FrameKind.PROOF, 0, 0, new byte[SharedToken.PROOF_LENGTH_BYTES]));
                    if (peers.size() > GUESSERS_OPEN_MAX) {
                        leave();
                    }
                } catch (IOException endedByServer) {
                    continue;
                }
            }
        }

        private synchronized void leave() throws IOException {
            peers.remove().close();
        }

        private static int refusalsIn(Iterable<IOException> failures) {
            int count = 0;
            for (IOException failure : failures) {
                Matcher several = REFUSALS.matcher(failure.getMessage());
                count += several.find() ? Integer.parseInt(several.group(1)) : 1;
            }
            return count;
        }

        @Override
        public synchronized void close() throws IOException {
            for (RawPeer peer : peers) {
                peer.close();
            }
        }
    }
}
