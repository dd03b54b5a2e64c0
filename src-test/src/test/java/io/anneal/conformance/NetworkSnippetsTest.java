package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.net.Connection;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NetServer;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerException;
import io.anneal.net.PeerStream;
import io.anneal.net.SharedToken;
import io.anneal.net.SimulatedNetwork;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import io.anneal.net.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of {@code docs/network.md}: they compile, they run, and the page quotes them as they stand here. */
@Timeout(60)
class NetworkSnippetsTest {
    // snippet: verbs
    static final Verb LENGTH = new Verb(1001, "example.length");
    static final Verb UPLOAD = new Verb(1002, "example.upload");
    // end

    @TempDir
    private Path directory;

    private static NetConfig config(byte[] secret) {
        // snippet: config
        NodeIdentity identity = new NodeIdentity(UUID.randomUUID(), "example", Map.of());
        SharedToken token = SharedToken.of(secret);
        VersionRange encodings =
                new VersionRange(CanonicalEncoder.LAYOUT_VERSION_OLDEST, CanonicalEncoder.LAYOUT_VERSION);
        NetConfig config = NetConfig.of(identity, Optional.of(token), encodings);
        // end
        return config;
    }

    private static NetServer serve(NetConfig config, ExecutorService executor, Path received) throws IOException {
        // snippet: serve
        VerbHandlers handlers = new VerbHandlers(executor);
        handlers.register(LENGTH, (peer, request) -> {
            ByteBuffer answer = ByteBuffer.allocate(Integer.BYTES).putInt(request.remaining());
            return CompletableFuture.completedFuture(answer.flip());
        });
        handlers.registerStream(UPLOAD, stream -> {
            FileChannel file = FileChannel.open(received, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            stream.readAll(piece -> {
                        while (piece.hasRemaining()) {
                            file.write(piece);
                        }
                    })
                    .whenComplete((done, failure) -> {
                        close(file);
                        if (failure == null) {
                            stream.end();
                        }
                    });
        });
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        NetServer server = NetServer.bind(config, loopback, handlers, new SecureRandom());
        // end
        return server;
    }

    private static void close(FileChannel file) {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int ask(Connection connection) throws IOException {
        // snippet: ask
        ByteBuffer question = ByteBuffer.wrap("how long is this?".getBytes(StandardCharsets.UTF_8));
        int length = connection.call(LENGTH, question).getInt();
        // end
        return length;
    }

    private static void upload(Connection connection, Path path) throws IOException {
        // snippet: upload
        try (FileChannel file = FileChannel.open(path)) {
            PeerStream stream = connection.open(UPLOAD);
            Waiting.result(stream.write(file, 0, file.size()));
            Waiting.result(stream.end());
            Waiting.result(stream.readMessage(0)); // The server ends its direction when all is on its disk.
        }
        // end
    }

    @Test
    void shouldAskAndUpload() throws IOException {
        ExecutorService executor = Executors.newCachedThreadPool();
        Path source = directory.resolve("source");
        Path received = directory.resolve("received");
        byte[] content = new byte[3_000_000];
        new Random(1).nextBytes(content);
        Files.write(source, content);
        NetConfig config = config("0123456789abcdef".getBytes(StandardCharsets.UTF_8));
        try (NetServer server = serve(config, executor, received)) {
            // snippet: connect
            try (NetClient client = NetClient.open(config, new VerbHandlers(executor), new SecureRandom());
                    Connection connection = client.open(server.address())) {
                assertThat(ask(connection)).isEqualTo(17);
                upload(connection, source);
            }
            // end
            assertThat(received).hasBinaryContent(content);
        } finally {
            executor.shutdown();
        }
    }

    @Test
    void shouldFailInVirtualTimeWhenThePeerIsCutOff() throws IOException {
        NetConfig config = config("0123456789abcdef".getBytes(StandardCharsets.UTF_8));
        // snippet: simulate
        SimulatedNetwork network = new SimulatedNetwork(42);
        InetAddress here = SimulatedNetwork.address(1);
        InetAddress there = SimulatedNetwork.address(2);
        VerbHandlers handlers = new VerbHandlers(network.executor());
        handlers.register(LENGTH, (peer, request) -> CompletableFuture.completedFuture(request));
        try (NetServer server = NetServer.bind(
                        config,
                        new InetSocketAddress(there, 7000),
                        handlers,
                        network.random(),
                        failure -> {},
                        network.host(there));
                NetClient client = NetClient.open(config, handlers, network.random(), network.host(here))) {
            Connection connection = client.open(server.address());
            network.partition(here, there);
            assertThatThrownBy(() -> connection.call(LENGTH, ByteBuffer.allocate(8)))
                    .isInstanceOf(PeerException.class)
                    .hasMessageContaining("code=");
        }
        // end
    }

    @Test
    void shouldStandInThePage() throws IOException {
        Snippets.assertQuoted(NetworkSnippetsTest.class, "network.md", 7);
    }
}
