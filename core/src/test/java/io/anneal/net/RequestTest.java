package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class RequestTest {
    private static final Verb OTHER = new Verb(2, "test.other");

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCarryRequestAndResponseOverEachTransport(boolean epoll) throws IOException {
        Assumptions.assumeTrue(!epoll || Epoll.isAvailable());
        try (NetFixture net = new NetFixture(() -> epoll ? SocketTransport.epoll(1) : SocketTransport.nio(1))) {
            net.serve(config());
            net.callWith(config());

            Connection connection = net.connect();

            assertThat(text(connection.call(ECHO, bytes("hello")))).isEqualTo("hello");
            assertThat(connection.call(ECHO, bytes("")).remaining()).isZero();
            assertThat(connection.node()).isEqualTo(config().node());
            assertThat(connection.encodingVersion()).isEqualTo(3);
            assertThat(connection.address()).isEqualTo(net.server.address());
        }
    }

    @Test
    void shouldAnswerManyRequestsInFlightEachWithItsOwnResponse() throws Exception {
        try (NetFixture net = NetFixture.started()) {
            Connection connection = net.connect();
            for (int round = 0; round < 20; round++) {
                List<CompletableFuture<ByteBuffer>> futures = new ArrayList<>();
                for (int i = 0; i < 256; i++) {
                    futures.add(connection.request(ECHO, bytes(round + "/" + i)));
                }
                for (int i = 0; i < 256; i++) {
                    assertThat(text(futures.get(i).get(20, TimeUnit.SECONDS))).isEqualTo(round + "/" + i);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCarryMessagesOfManyPieces(boolean epoll) throws IOException {
        Assumptions.assumeTrue(!epoll || Epoll.isAvailable());
        try (NetFixture net = new NetFixture(() -> epoll ? SocketTransport.epoll(1) : SocketTransport.nio(1))) {
            net.serve(config());
            net.callWith(config());
            byte[] payload = new byte[9 << 20];
            new Random(7).nextBytes(payload);
            Connection connection = net.connect();

            for (int i = 0; i < 3; i++) {
                ByteBuffer answer = connection.call(ECHO, ByteBuffer.wrap(payload));
                assertThat(answer).isEqualTo(ByteBuffer.wrap(payload));
            }
        }
    }

    @Test
    void shouldCompressPayloadsWhenBothSidesWantIt() throws IOException {
        NetConfig compressing = config().withCompressionFromBytes(100);
        try (NetFixture net = NetFixture.started(compressing)) {
            Connection connection = net.connect();
            ByteBuffer payload = ByteBuffer.allocate(1 << 20).asReadOnlyBuffer();

            assertThat(connection.call(ECHO, payload)).isEqualTo(payload);

            assertThat(connection.isCompressed()).isTrue();
            assertThat(connection.bytesSent()).isLessThan(100_000);
            assertThat(connection.bytesReceived()).isLessThan(100_000);
        }
    }

    @Test
    void shouldNotCompressWhenOnlyOneSideWantsIt() throws IOException {
        try (NetFixture net = new NetFixture()) {
            net.serve(config());
            net.callWith(config().withCompressionFromBytes(100));
            Connection connection = net.connect();

            connection.call(ECHO, ByteBuffer.allocate(100_000));

            assertThat(connection.isCompressed()).isFalse();
            assertThat(connection.bytesSent()).isGreaterThan(100_000);
        }
    }

    @Test
    void shouldCountBytesOfFramesInBothDirections() throws IOException {
        try (NetFixture net = new NetFixture()) {
            AtomicReference<Connection> seen = new AtomicReference<>();
            net.handlers.register(OTHER, (peer, request) -> {
                seen.set(peer);
                return CompletableFuture.completedFuture(bytes("four"));
            });
            net.serve(config());
            net.callWith(config());
            Connection connection = net.connect();
            long sentBefore = connection.bytesSent();
            long receivedBefore = connection.bytesReceived();

            connection.call(OTHER, ByteBuffer.allocate(1000));

            assertThat(connection.bytesSent() - sentBefore).isEqualTo(1000 + FrameDescriptor.HEADER_LENGTH_BYTES);
            assertThat(connection.bytesReceived() - receivedBefore).isEqualTo(4 + FrameDescriptor.HEADER_LENGTH_BYTES);
            assertThat(seen.get().bytesReceived()).isEqualTo(connection.bytesSent());
        }
    }

    @Test
    void shouldRaiseHandlersErrorAtCallerAndKeepConnection() throws IOException {
        try (NetFixture net = new NetFixture()) {
            net.handlers.register(
                    OTHER,
                    (peer, request) -> CompletableFuture.failedFuture(new RequestException("busy", "no room left")));
            net.handlers.register(new Verb(3, "test.throws"), (peer, request) -> {
                throw new IllegalStateException("broken handler");
            });
            net.handlers.register(new Verb(4, "test.null"), (peer, request) -> null);
            net.serve(config());
            net.callWith(config());
            Connection connection = net.connect();

            assertThatThrownBy(() -> connection.call(OTHER, bytes("x")))
                    .asInstanceOf(type(PeerException.class))
                    .satisfies(failure -> {
                        assertThat(failure.code()).isEqualTo("busy");
                        assertThat(failure.step()).isEqualTo("request test.other");
                        assertThat(failure.peer()).isEqualTo(PeerAddress.text(net.server.address()));
                        assertThat(failure).hasMessageContaining("no room left");
                    });
            assertThatThrownBy(() -> connection.call(new Verb(3, "test.throws"), bytes("x")))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("broken handler")
                    .hasMessageContaining("code=internal");
            assertThatThrownBy(() -> connection.call(new Verb(4, "test.null"), bytes("x")))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=internal");
            assertThatThrownBy(() -> connection.call(new Verb(99, "test.nobody"), bytes("x")))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=unknown-verb")
                    .hasMessageContaining("verb=99");
            assertThat(text(connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }

    @Test
    void shouldBoundRequestsInFlight() throws Exception {
        NetLimits limits = NetLimits.DEFAULT.withStreams(32 << 10, 1 << 20, 1 << 20, 3);
        try (NetFixture net = new NetFixture()) {
            CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
            net.handlers.register(OTHER, (peer, request) -> answer);
            net.serve(config().withLimits(limits));
            net.callWith(config());
            Connection connection = net.connect();
            List<CompletableFuture<ByteBuffer>> futures = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                futures.add(connection.request(OTHER, bytes("x")));
            }

            assertThatThrownBy(() -> connection.call(OTHER, bytes("x")))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=too-many-streams")
                    .hasMessageContaining("max=3");
            answer.complete(bytes("done"));

            for (CompletableFuture<ByteBuffer> future : futures) {
                assertThat(future.get(20, TimeUnit.SECONDS).remaining()).isEqualTo(4);
            }
            assertThat(text(connection.call(ECHO, bytes("again")))).isEqualTo("again");
        }
    }

    @Test
    void shouldFailRequestThatIsNotAnsweredInTimeAndIgnoreTheLateAnswer() throws Exception {
        try (NetFixture net = new NetFixture()) {
            CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
            net.handlers.register(OTHER, (peer, request) -> answer);
            net.serve(config());
            net.callWith(config());
            Connection connection = net.connect();

            CompletableFuture<ByteBuffer> late = connection.request(OTHER, bytes("x"), 20);
            assertThatThrownBy(() -> late.get(20, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=request-timeout")
                    .hasMessageContaining("request test.other");
            answer.complete(bytes("late"));

            assertThat(text(connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }

    @Test
    void shouldKeepAnIdleConnectionWhosePeerGivesSignsOfLife() throws Exception {
        NetTimeouts eager = new NetTimeouts(10_000, 10_000, 30_000, 1_500, 30_000, 1_000, 600_000);
        try (NetFixture net = NetFixture.started(config().withTimeouts(eager))) {
            Connection connection = net.connect();
            CompletableFuture<Void> closed = new CompletableFuture<>();
            connection.onClose(() -> closed.complete(null));
            CompletableFuture<Void> pinged = CompletableFuture.runAsync(() -> {
                long handshakeBytes = connection.bytesReceived();
                while (connection.isOpen() && connection.bytesReceived() < handshakeBytes + 6 * 32) {
                    LockSupport.parkNanos(1_000_000);
                }
            });

            pinged.get(30, TimeUnit.SECONDS);

            assertThat(closed).isNotDone();
            assertThat(text(connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }
}
