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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a handler may do wrong: its caller hears of it, and the memory of its request comes back. */
@Timeout(60)
class ServedRequestTest {
    private static final Verb WRONG = new Verb(2, "test.wrong");

    private final ByteBudget budget = ByteBudget.of(1 << 20);

    private NetFixture serving(RequestHandler handler) throws IOException {
        NetFixture net = new NetFixture();
        net.handlers.register(WRONG, handler);
        net.serve(config().withBudget(budget));
        net.callWith(config());
        return net;
    }

    private void awaitFreeBudget() {
        while (budget.reservedBytes() > 0 && !Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait(); // Until the time limit of the test.
        }
        assertThat(budget.reservedBytes()).isZero();
    }

    private void assertFails(RequestHandler handler, String reason) throws IOException {
        try (NetFixture net = serving(handler)) {
            Connection connection = net.connect();

            assertThatThrownBy(() -> connection.call(WRONG, ByteBuffer.allocate(100_000)))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=internal")
                    .hasMessageContaining(reason);
            awaitFreeBudget();
            assertThat(text(connection.call(ECHO, bytes("alive")))).isEqualTo("alive");
        }
    }

    @Test
    void shouldTellTheCallerWhenTheHandlerGivesNothing() throws IOException {
        assertFails((peer, request) -> null, "handler gave no response");
        assertFails((peer, request) -> CompletableFuture.completedFuture(null), "handler gave no response");
    }

    @Test
    void shouldTellTheCallerWhatTheHandlerThrows() throws IOException {
        assertFails(
                (peer, request) -> {
                    throw new StackOverflowError("too deep");
                },
                "too deep");
        assertFails(
                (peer, request) -> {
                    throw new IllegalStateException("not now");
                },
                "not now");
        assertFails((peer, request) -> CompletableFuture.failedFuture(new AssertionError("never")), "never");
    }

    @Test
    void shouldResetTheStreamWhoseHandlerThrowsAnError() throws IOException {
        try (NetFixture net = new NetFixture()) {
            net.handlers.registerStream(WRONG, stream -> {
                throw new StackOverflowError("too deep");
            });
            net.serve(config().withBudget(budget));
            net.callWith(config());
            PeerStream stream = net.connect().open(WRONG);

            assertThatThrownBy(() -> Waiting.result(stream.readMessage(1)))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("too deep");
            awaitFreeBudget();
        }
    }

    @Test
    void shouldGiveBackTheMemoryOfARequestThatIsNeverAnsweredOnceItsStreamIsOver() throws Exception {
        CountDownLatch called = new CountDownLatch(2);
        CompletableFuture<ByteBuffer> never = new CompletableFuture<>();
        try (NetFixture net = serving((peer, request) -> {
            called.countDown();
            return never;
        })) {
            Connection connection = net.connect();
            connection.request(WRONG, ByteBuffer.allocate(100_000), 50);
            connection.request(WRONG, ByteBuffer.allocate(100_000));
            called.await(20, TimeUnit.SECONDS);
            assertThat(budget.reservedBytes()).isGreaterThanOrEqualTo(100_000);

            connection.close();

            awaitFreeBudget();
            never.complete(bytes("late")); // Nothing is given back twice.
            assertThat(text(net.connect().call(ECHO, bytes("alive")))).isEqualTo("alive");
            awaitFreeBudget();
            assertThat(budget.tryReserve(1 << 20)).isTrue();
        }
    }
}
