package io.anneal.net;

import static io.anneal.net.NetFixture.ECHO;
import static io.anneal.net.NetFixture.bytes;
import static io.anneal.net.NetFixture.config;
import static io.anneal.net.NetFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An executor that fails in a way of its own holds nobody up. */
@Timeout(60)
class BrokenExecutorTest {
    private static Executor broken(boolean byError) {
        return work -> {
            if (byError) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            throw new IllegalStateException("no threads today");
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldConnectAndAskWhenTheClientsExecutorFails(boolean byError) throws Exception {
        try (NetFixture net = new NetFixture()) {
            net.serve(config());
            try (NetClient client = NetClient.open(
                    config(), new VerbHandlers(broken(byError)), new SecureRandom(), Transport.sockets(1))) {
                Connection connection = client.connect(net.server.address()).get(20, TimeUnit.SECONDS);

                ByteBuffer answer = connection.request(ECHO, bytes("hello")).get(20, TimeUnit.SECONDS);
                assertThat(text(answer)).isEqualTo("hello");
                CompletableFuture<Void> closed = new CompletableFuture<>();
                connection.onClose(() -> closed.complete(null));
                connection.close();
                closed.get(20, TimeUnit.SECONDS);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldAnswerOverloadedWhenTheServersExecutorFails(boolean byError) throws Exception {
        try (NetFixture net = new NetFixture();
                NetServer server = NetServer.bind(
                        config(),
                        NetFixture.loopback(0),
                        new VerbHandlers(broken(byError))
                                .register(ECHO, (peer, request) -> CompletableFuture.completedFuture(request)),
                        new SecureRandom())) {
            net.callWith(config());
            Connection connection = net.client.open(server.address());

            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> connection.call(ECHO, bytes("x")))
                        .isInstanceOf(PeerException.class)
                        .hasMessageContaining("code=overloaded");
            }
        }
    }

    @Test
    void shouldDoNothingTwiceWhenTheExecutorTakesWorkAndFails() throws Exception {
        ExecutorService threads = Executors.newSingleThreadExecutor();
        AtomicInteger runs = new AtomicInteger();
        VerbHandlers handlers = new VerbHandlers(work -> {
            threads.execute(work);
            throw new OutOfMemoryError("unable to create native thread");
        });

        for (int i = 0; i < 1_000; i++) {
            handlers.run(runs::incrementAndGet);
        }

        threads.shutdown();
        assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
        assertThat(runs).hasValue(1_000);
    }
}
