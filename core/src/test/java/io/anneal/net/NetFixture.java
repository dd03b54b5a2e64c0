package io.anneal.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A real server and real clients on loopback, with an echo and the failures that were reported. */
final class NetFixture implements AutoCloseable {
    static final Verb ECHO = new Verb(1, "test.echo");
    static final NetTimeouts TIMEOUTS = new NetTimeouts(10_000, 10_000, 30_000, 60_000, 30_000, 1_000, 600_000);

    final ExecutorService executor = Executors.newFixedThreadPool(4);
    final SecureRandom nonces = new SecureRandom();
    final VerbHandlers handlers =
            new VerbHandlers(executor).register(ECHO, (peer, request) -> CompletableFuture.completedFuture(request));
    final BlockingQueue<IOException> failures = new LinkedBlockingQueue<>();
    final Supplier<Transport> transports;

    NetServer server;
    NetClient client;

    NetFixture() {
        this(() -> Transport.sockets(1));
    }

    NetFixture(Supplier<Transport> transports) {
        this.transports = transports;
    }

    static NetFixture started() throws IOException {
        return started(config());
    }

    static NetFixture started(NetConfig config) throws IOException {
        NetFixture fixture = new NetFixture();
        fixture.serve(config);
        fixture.callWith(config);
        return fixture;
    }

    void serve(NetConfig config) throws IOException {
        server = NetServer.bind(config, loopback(0), handlers, nonces, failures::add, transports.get());
    }

    /** Another server, which reports the first stranger that it refuses at once. */
    void serveAnew(NetConfig config) throws IOException {
        server.close();
        serve(config);
    }

    void callWith(NetConfig config) {
        client = NetClient.open(config, handlers, nonces, transports.get());
    }

    Connection connect() throws IOException {
        return client.open(server.address());
    }

    IOException failure() throws InterruptedException {
        IOException failure = failures.poll(20, TimeUnit.SECONDS);
        if (failure == null) {
            throw new AssertionError("the server reported no failure");
        }
        return failure;
    }

    static NetConfig config() {
        return NetConfig.of(node("a"), Optional.of(token("0123456789abcdef")), new VersionRange(1, 3))
                .withTimeouts(TIMEOUTS);
    }

    static NodeIdentity node(String cluster) {
        return new NodeIdentity(new UUID(1, 2), cluster, Map.of("rack", "r1"));
    }

    static SharedToken token(String text) {
        return SharedToken.of(text.getBytes(StandardCharsets.UTF_8));
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static String text(ByteBuffer response) {
        return StandardCharsets.UTF_8.decode(response.duplicate()).toString();
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
        executor.shutdownNow();
    }
}
