package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.net.SimulatedFaults.Cut;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeptConnectionTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final long TIMEOUT_MS = 120_000;
    private static final int SEEDS = 20;

    @Test
    void shouldConnectAnewWhenTheConnectionHasEnded() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try (SimulatedPair net = SimulatedPair.started(seed)) {
                KeptConnection kept = net.client.keep(net.server.address());
                Connection first = Waiting.result(kept.get(TIMEOUT_MS));
                assertThat(Waiting.result(kept.get(TIMEOUT_MS))).isSameAs(first);

                net.network.cut(SimulatedPair.CLIENT, SimulatedPair.SERVER, Cut.RESET);
                net.network.runFor(Duration.ofSeconds(1));
                Connection second = Waiting.result(kept.get(TIMEOUT_MS));

                assertThat(second).as("seed=" + seed).isNotSameAs(first);
                assertThat(second.call(ECHO, bytes("x"))).isEqualTo(bytes("x"));
                kept.close();
                net.network.runFor(Duration.ofSeconds(1));
                assertThat(second.isOpen()).isFalse();
                assertThatThrownBy(() -> Waiting.result(kept.get(TIMEOUT_MS)))
                        .isInstanceOfSatisfying(
                                PeerException.class,
                                failure -> assertThat(failure.code()).isEqualTo(PeerException.CLOSED_HERE));
            }
        }
    }

    @Test
    void shouldFailAndTryAgainWhenTheConnectorThrows() {
        AtomicInteger tries = new AtomicInteger();
        Connector throwing = address -> {
            tries.incrementAndGet();
            throw new OutOfMemoryError("unable to create native thread");
        };
        KeptConnection kept = new KeptConnection(
                throwing,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 7000),
                new KeptConnection.Host() {
                    @Override
                    public CompletableFuture<Connection> newFuture() {
                        return new CompletableFuture<>();
                    }

                    @Override
                    public boolean schedule(Runnable work, long delayMs) {
                        return true;
                    }
                },
                new Random(1));

        for (int i = 1; i <= 2; i++) {
            CompletableFuture<Connection> connection = kept.get(TIMEOUT_MS);

            assertThatThrownBy(connection::join).hasRootCauseInstanceOf(OutOfMemoryError.class);
            assertThat(tries).hasValue(i);
        }
    }

    @Test
    void shouldWaitForAServerThatStartsLater() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try (SimulatedPair net = SimulatedPair.started(seed)) {
                InetSocketAddress later = new InetSocketAddress(SimulatedPair.SERVER, 7001);
                CompletableFuture<Connection> connection =
                        net.client.keep(later).get(TIMEOUT_MS);
                net.network.runFor(Duration.ofSeconds(20));
                assertThat(connection).isNotDone();
                long eventsBefore = net.network.eventCount();
                try (NetServer server = NetServer.bind(
                        NetFixture.config(),
                        later,
                        net.handlers,
                        net.network.random(),
                        failure -> {},
                        net.network.host(SimulatedPair.SERVER))) {
                    long startNanos = net.network.nanoTime();
                    assertThat(Waiting.result(connection).isOpen()).isTrue();
                    assertThat(Duration.ofNanos(net.network.nanoTime() - startNanos))
                            .as("seed=" + seed)
                            .isLessThanOrEqualTo(Duration.ofMillis(KeptConnection.WAIT_MAX_MS));
                    assertThat(server.connectionCount()).isEqualTo(1);
                    assertThat(eventsBefore).as("tries become rarer").isLessThan(1_000);
                }
            }
        }
    }

    @Test
    void shouldFailWithTheLastReasonWhenNobodyListensInTime() throws IOException {
        try (SimulatedPair net = SimulatedPair.started(1)) {
            KeptConnection kept = net.client.keep(new InetSocketAddress(SimulatedPair.SERVER, 7001));
            long startNanos = net.network.nanoTime();
            assertThatThrownBy(() -> Waiting.result(kept.get(3_000)))
                    .isInstanceOfSatisfying(PeerException.class, failure -> {
                        assertThat(failure.code()).isEqualTo(PeerException.CONNECT_FAILED);
                        assertThat(failure).hasMessageContaining("refused");
                    });
            assertThat(Duration.ofNanos(net.network.nanoTime() - startNanos))
                    .isBetween(Duration.ofMillis(2_900), Duration.ofMillis(3_100));
        }
    }

    /** A machine with much to do may need nearly all of the handshake's limit. */
    @Test
    void shouldLetTheTryEndThatRunsWhenTheTimeIsOver() throws IOException {
        try (SimulatedPair net = SimulatedPair.started(1)) {
            CompletableFuture<Connection> slow = net.network.newFuture();
            KeptConnection kept =
                    new KeptConnection(address -> slow, net.server.address(), hostOf(net), net.network.random());
            CompletableFuture<Connection> first = kept.get(1_000);
            net.network.runFor(Duration.ofSeconds(2));
            assertThat(first).isNotDone();

            Connection connection = net.connect();
            slow.complete(connection);

            assertThat(Waiting.result(first)).isSameAs(connection);
        }
    }

    @Test
    void shouldNotTryAgainWhenTheTimeWasOverBeforeTheTryFailed() throws IOException {
        try (SimulatedPair net = SimulatedPair.started(1)) {
            CompletableFuture<Connection> slow = net.network.newFuture();
            KeptConnection kept =
                    new KeptConnection(address -> slow, net.server.address(), hostOf(net), net.network.random());
            CompletableFuture<Connection> first = kept.get(1_000);
            net.network.runFor(Duration.ofSeconds(2));
            PeerException tooSlow = new PeerException("peer", "handshake", PeerException.HANDSHAKE_TIMEOUT, "slow");
            slow.completeExceptionally(tooSlow);

            assertThatThrownBy(() -> Waiting.result(first)).hasMessage(tooSlow.getMessage());
        }
    }

    private static KeptConnection.Host hostOf(SimulatedPair net) {
        return new KeptConnection.Host() {
            @Override
            public CompletableFuture<Connection> newFuture() {
                return net.network.newFuture();
            }

            @Override
            public boolean schedule(Runnable work, long delayMs) {
                net.network.schedule(Duration.ofMillis(delayMs), work);
                return true;
            }
        };
    }

    @Test
    void shouldFailAtOnceWhenNoTryCanMendIt() throws IOException {
        try (SimulatedPair net = SimulatedPair.started(1)) {
            NetConfig stranger = NetConfig.of(
                    NetFixture.node("a"),
                    Optional.of(NetFixture.token("another token, a wrong one")),
                    new VersionRange(1, 3));
            try (NetClient client = NetClient.open(
                    stranger, net.handlers, net.network.random(), net.network.host(SimulatedNetwork.address(3)))) {
                KeptConnection kept = client.keep(net.server.address());
                long startNanos = net.network.nanoTime();
                assertThatThrownBy(() -> Waiting.result(kept.get(TIMEOUT_MS)))
                        .isInstanceOfSatisfying(
                                PeerException.class,
                                failure -> assertThat(failure.code()).isEqualTo(PeerException.TOKEN_WRONG));
                assertThat(Duration.ofNanos(net.network.nanoTime() - startNanos))
                        .isLessThan(Duration.ofSeconds(1));
            }
        }
    }

    @Test
    void shouldAskAPeerThatRefusesOnceASecond() throws IOException {
        try (SimulatedPair net = SimulatedPair.started(1)) {
            AtomicInteger tries = new AtomicInteger();
            PeerException refusal = new PeerException("peer", "tls", PeerException.TLS_REFUSED, "a stranger");
            KeptConnection kept = new KeptConnection(
                    address -> {
                        tries.incrementAndGet();
                        return CompletableFuture.failedFuture(refusal);
                    },
                    net.server.address(),
                    hostOf(net),
                    net.network.random());

            for (int second = 1; second <= 3; second++) {
                for (int i = 0; i < 10; i++) {
                    assertThatThrownBy(() -> Waiting.result(kept.get(TIMEOUT_MS)))
                            .hasMessage(refusal.getMessage());
                }
                assertThat(tries).hasValue(second);
                net.network.runFor(Duration.ofMillis(KeptConnection.REFUSED_MS + 1));
            }
        }
    }

    @Test
    void shouldFailWhoWaitsWhenTheClientCloses() throws IOException {
        try (SimulatedPair net = SimulatedPair.started(1)) {
            KeptConnection kept = net.client.keep(new InetSocketAddress(SimulatedPair.SERVER, 7001));
            CompletableFuture<Connection> connection = kept.get(TIMEOUT_MS);
            net.network.runFor(Duration.ofSeconds(1));
            net.client.close();
            assertThatThrownBy(() -> Waiting.result(connection)).isInstanceOf(PeerException.class);
        }
    }

    /** Answers that are under way are given, then peers are told. */
    @Test
    void shouldAnswerWhatIsUnderWayWhenAServerDrains() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            Verb slow = new Verb(9, "test.slow");
            try (SimulatedPair net = SimulatedPair.started(seed)) {
                net.handlers.register(slow, (peer, request) -> {
                    CompletableFuture<ByteBuffer> answer = net.network.newFuture();
                    net.network.schedule(Duration.ofSeconds(1), () -> answer.complete(request));
                    return answer;
                });
                Connection busy = net.connect();
                Connection idle = net.connect();
                CompletableFuture<ByteBuffer> answer = busy.request(slow, bytes("x"));
                net.network.runFor(Duration.ofMillis(500));
                net.server.drain(5_000);
                net.network.runFor(Duration.ofSeconds(1));

                assertThat(Waiting.result(answer)).as("seed=" + seed).isEqualTo(bytes("x"));
                assertThat(busy.isOpen() || idle.isOpen()).isFalse();
                assertThat(busy.closeCause()).isEmpty();
                assertThat(idle.closeCause()).isEmpty();
            }
        }
    }
}
