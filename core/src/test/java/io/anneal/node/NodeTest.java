package io.anneal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.net.Connection;
import io.anneal.net.Connector;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.Verb;
import io.anneal.net.VersionRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NodeTest {
    private static final Verb ECHO = new Verb(2900, "test.echo");

    private static Node open() {
        return Node.open(config(), 2, new SecureRandom());
    }

    private static NetConfig config() {
        NodeIdentity identity = new NodeIdentity(UUID.randomUUID(), "", Map.of());
        SharedToken token = SharedToken.of("0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        return NetConfig.of(identity, Optional.of(token), new VersionRange(1, 1));
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress("127.0.0.1", 0);
    }

    @Test
    void shouldAnswerOnEveryAddressAndBackOverConnectionsOfOthers() throws Exception {
        try (Node one = open();
                Node two = open()) {
            one.handlers().register(ECHO, (peer, request) -> CompletableFuture.completedFuture(request));
            for (int i = 0; i < 2; i++) {
                try (Connection connection = two.client().open(one.listen(anyPort()))) {
                    assertThat(connection
                                    .call(ECHO, ByteBuffer.wrap(new byte[] {7}))
                                    .get(0))
                            .isEqualTo((byte) 7);
                }
            }
        }
    }

    @Test
    void shouldEndWhatIsConnectedWhenItCloses() throws Exception {
        Node one = open();
        try (Node two = open()) {
            InetSocketAddress address = one.listen(anyPort());
            one.close();
            one.close();

            assertThatThrownBy(() -> two.client().open(address)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> one.listen(anyPort()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("node is closed");
        }
    }

    @Test
    void shouldHaveThreadsForAnswersHoweverManyWaitForThem() throws Exception {
        try (Node one = open();
                Node two = open()) {
            InetSocketAddress address = one.listen(anyPort());
            one.handlers().register(ECHO, (peer, request) -> CompletableFuture.completedFuture(request));
            Connector connector = two.client().keepAll(1_000);
            List<CompletableFuture<Byte>> answers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                answers.add(CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return connector
                                        .open(address)
                                        .call(ECHO, ByteBuffer.wrap(new byte[] {7}))
                                        .get(0);
                            } catch (IOException failed) {
                                throw new UncheckedIOException(failed);
                            }
                        },
                        two.waiting()));
            }

            assertThat(answers)
                    .allSatisfy(answer ->
                            assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo((byte) 7));
        }
    }

    @Test
    void shouldRefuseWorkThatWaitsWhenTooMuchDoes() {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        try (Node node = open()) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1_000; i++) {
                            node.waiting().execute(ended::join);
                        }
                    })
                    .isInstanceOf(RejectedExecutionException.class);
            ended.complete(null);
        }
    }

    @Test
    void shouldNameWhatIsWrongWithItsArguments() {
        assertThatThrownBy(() -> Node.open(config(), 0, new SecureRandom()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("threads=0");
    }

    @Test
    void shouldEndWorkThatFoundNoThreadWhenItCloses() throws Exception {
        Node node = Node.open(config(), 1, new SecureRandom(), 1);
        CountDownLatch running = new CountDownLatch(1);
        CompletableFuture<String> stuck = new CompletableFuture<>();
        CompletableFuture<String> queued = new CompletableFuture<>();
        node.executor().execute(() -> {
            running.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException closed) {
                stuck.complete("interrupted");
            }
        });
        node.executor().execute(() -> queued.complete("ended"));
        running.await();

        node.close();

        assertThat(queued).isCompletedWithValue("ended");
        assertThat(stuck.get(30, TimeUnit.SECONDS)).isEqualTo("interrupted");
    }
}
