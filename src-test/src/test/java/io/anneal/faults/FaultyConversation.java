package io.anneal.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.io.UnsupportedVersionException;
import io.anneal.net.Connection;
import io.anneal.net.CorruptFrameException;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NetServer;
import io.anneal.net.NetTimeouts;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.SharedToken;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import io.anneal.testkit.FaultyProxy;
import io.anneal.testkit.LinkFault;
import io.anneal.testkit.LinkFault.Direction;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that says the same again and again to one server, through a proxy that does something bad to it. Each time all
 * answers are right, or what fails does so by name; nothing waits for longer than the deadline.
 */
final class FaultyConversation implements AutoCloseable {
    static final NetTimeouts PATIENT = new NetTimeouts(10_000, 10_000, 30_000, 60_000, 30_000, 200, 60_000);
    static final NetTimeouts IMPATIENT = new NetTimeouts(1_000, 500, 1_000, 300, 300, 100, 1_000);

    private static final Verb ECHO = new Verb(1, "test.echo");
    /** Asks the asking side to echo. */
    private static final Verb ECHO_BACK = new Verb(2, "test.echo-back");
    /** Sends back each piece as it comes. */
    private static final Verb ECHO_STREAM = new Verb(3, "test.echo-stream");
    /** Pieces of each stream. */
    private static final int PIECES = 3;

    /** Far beyond every time limit of the network: what is not done by then is stuck. */
    private static final long DEADLINE_S = 100;

    private final ExecutorService executor = Executors.newCachedThreadPool();
    private final int[] requestBytes;
    private final NetConfig config;
    private final NetServer server;
    private final NetClient client;
    private final FaultyProxy proxy;

    FaultyConversation(NetTimeouts timeouts, int... requestBytes) throws IOException {
        this.requestBytes = requestBytes;
        Random nonces = new Random(1);
        config = NetConfig.of(
                        new NodeIdentity(new UUID(1, 1), "", Map.of()),
                        Optional.of(SharedToken.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8))),
                        new VersionRange(1, 1))
                .withTimeouts(timeouts);
        VerbHandlers answers =
                new VerbHandlers(executor).register(ECHO, (peer, sent) -> CompletableFuture.completedFuture(sent));
        VerbHandlers handlers = new VerbHandlers(executor)
                .register(ECHO, (peer, sent) -> CompletableFuture.completedFuture(sent))
                .register(ECHO_BACK, (peer, sent) -> peer.request(ECHO, sent))
                .registerStream(ECHO_STREAM, FaultyConversation::echo);
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = NetServer.bind(config, loopback, handlers, nonces);
        client = NetClient.open(config, answers, nonces);
        proxy = FaultyProxy.to(server.address());
    }

    private static void echo(PeerStream stream) {
        stream.readAll(piece -> stream.write(ByteBuffer.wrap(bytes(piece)))).thenRun(stream::end);
    }

    /** How many bytes went through in the last conversation. */
    long lengthBytes(Direction direction) {
        return proxy.forwardedBytes(direction);
    }

    /** Has one conversation; returns the failures, none if all answers are whole. */
    List<IOException> run(LinkFault... faults) {
        proxy.inject(faults);
        List<IOException> failures = new ArrayList<>();
        Connection connection = result(client.connect(proxy.address()), failures, faults);
        if (connection == null) {
            return failures;
        }
        List<byte[]> sent = new ArrayList<>();
        List<CompletableFuture<byte[]>> answers = new ArrayList<>();
        for (int lengthBytes : requestBytes) {
            byte[] content = new byte[lengthBytes];
            new Random(lengthBytes).nextBytes(content);
            sent.addAll(List.of(content, content, content));
            answers.add(connection.request(ECHO, ByteBuffer.wrap(content)).thenApply(FaultyConversation::bytes));
            answers.add(connection.request(ECHO_BACK, ByteBuffer.wrap(content)).thenApply(FaultyConversation::bytes));
            answers.add(throughStream(connection.open(ECHO_STREAM), content));
        }
        for (int i = 0; i < answers.size(); i++) {
            byte[] answer = result(answers.get(i), failures, faults);
            if (answer != null) {
                assertThat(answer).as("%s", List.of(faults)).isEqualTo(sent.get(i));
            }
        }
        connection.close();
        return failures;
    }

    private static CompletableFuture<byte[]> throughStream(PeerStream stream, byte[] content) {
        for (int i = 0; i < PIECES; i++) {
            int from = content.length * i / PIECES;
            int to = content.length * (i + 1) / PIECES;
            stream.write(ByteBuffer.wrap(content, from, to - from));
        }
        stream.end();
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        return stream.readAll(piece -> received.writeBytes(bytes(piece)))
                .thenCombine(stream.closed(), (read, closed) -> received.toByteArray());
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** Null, and a failure more, if it fails by name. */
    private static <T> T result(CompletableFuture<T> future, List<IOException> failures, LinkFault... faults) {
        try {
            return future.get(DEADLINE_S, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            assertThat(failed.getCause())
                    .as("%s", List.of(faults))
                    .isInstanceOfAny(
                            PeerException.class, CorruptFrameException.class, UnsupportedVersionException.class);
            if (failed.getCause() instanceof PeerException named) {
                assertThat(named.code()).as("%s: %s", List.of(faults), named).isNotEqualTo(PeerException.INTERNAL);
            }
            failures.add((IOException) failed.getCause());
            return null;
        } catch (TimeoutException | InterruptedException stuck) {
            throw new AssertionError("stuck, faults=" + List.of(faults), stuck);
        }
    }

    /** Both sides have let go of every connection and of its memory, and the server answers the next. */
    void assertRecovers() {
        proxy.resetAll();
        assertThat(run()).isEmpty();
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_S);
        while (server.connectionCount() > 0 || config.budget().reservedBytes() > 0) {
            assertThat(System.nanoTime())
                    .as(
                            "left connections=%s bytes=%s",
                            server.connectionCount(), config.budget().reservedBytes())
                    .isLessThan(giveUpNanos);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() {
        proxy.close();
        client.close();
        server.close();
        executor.shutdownNow();
    }
}
