package io.anneal.bench.scenario;

import com.sun.management.OperatingSystemMXBean;
import io.anneal.io.ByteBudget;
import io.anneal.net.Connection;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.PeerStream;
import io.anneal.net.SharedToken;
import io.anneal.net.TlsConfig;
import io.anneal.net.Transport;
import io.anneal.net.Verb;
import io.anneal.net.VerbHandlers;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What both processes of {@link NetScenario} have: names, settings, handlers, and what each of them used. */
final class NetSide implements Closeable {
    /** The stream's bytes are dropped; its end is answered with an end. */
    static final Verb DROP = new Verb(1, "bench.drop");
    /** The stream is given bytes until it is reset. */
    static final Verb FLOOD = new Verb(2, "bench.flood");
    /** The answer is the request. */
    static final Verb ECHO = new Verb(3, "bench.echo");
    /** The answer is the {@link Usage}. */
    static final Verb USAGE = new Verb(4, "bench.usage");

    static final String HOST = "127.0.0.1";

    private static final int WRITE_BYTES = 512 << 10;
    private static final int WRITES_UNDER_WAY = 2;
    private static final int THREADS = 4;
    private static final long DEADLINE_SECONDS = 300;
    private static final VersionRange ENCODINGS = new VersionRange(1, 1);
    /** No secret: who speaks to the peer makes it drop bytes, and no more. */
    private static final SharedToken TOKEN =
            SharedToken.of("token of anneal bench net".getBytes(StandardCharsets.UTF_8));

    private final Node node;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(WRITE_BYTES);

    NetSide(Optional<TlsConfig> tls, int number) {
        NetConfig plain =
                NetConfig.of(new NodeIdentity(new UUID(0, number), "bench", Map.of()), Optional.of(TOKEN), ENCODINGS);
        node = Node.open(tls.map(plain::withTls).orElse(plain), THREADS, new Random(number));
        register(node.handlers());
        while (bytes.hasRemaining()) {
            bytes.put((byte) (bytes.position() * bytes.position() >> 3));
        }
        bytes.clear();
    }

    /** The files that {@link NetCertificate} makes. */
    static TlsConfig tls(Path directory) {
        return new TlsConfig(
                directory.resolve(NetCertificate.CERTIFICATE),
                directory.resolve(NetCertificate.KEY),
                directory.resolve(NetCertificate.CERTIFICATE));
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(HOST, port);
    }

    /** What a process used since its start, and holds now; all threads. */
    record Usage(long cpuNanos, long budgetPeakBytes, long directBytes) {
        private static final OperatingSystemMXBean SYSTEM =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

        static Usage of(ByteBudget budget) {
            return new Usage(SYSTEM.getProcessCpuTime(), budget.reservedBytesMost(), Transport.directBytes());
        }

        static Usage decode(ByteBuffer in) {
            return new Usage(in.getLong(), in.getLong(), in.getLong());
        }

        ByteBuffer encode() {
            return ByteBuffer.allocate(3 * Long.BYTES)
                    .putLong(cpuNanos)
                    .putLong(budgetPeakBytes)
                    .putLong(directBytes)
                    .flip();
        }
    }

    Connection connect(InetSocketAddress address) throws IOException {
        return node.client().open(address);
    }

    /** Listens on any port of loopback, which it returns. */
    int listen() throws IOException {
        return node.listen(loopback(0)).getPort();
    }

    Usage usage() {
        return Usage.of(node.budget());
    }

    private void register(VerbHandlers handlers) {
        handlers.register(ECHO, (peer, request) -> CompletableFuture.completedFuture(request))
                .register(USAGE, (peer, request) -> CompletableFuture.completedFuture(usage().encode()))
                .registerStream(DROP, stream -> stream.readAll(NetSide::drop).thenCompose(end -> stream.end()))
                .registerStream(FLOOD, this::flood);
    }

    /** A consumer of pieces. */
    static void drop(ByteBuffer piece) {
        piece.position(piece.limit());
    }

    /** Sends until the stream is reset. */
    private void flood(PeerStream stream) {
        for (int i = 0; i < WRITES_UNDER_WAY; i++) {
            writeOn(stream);
        }
    }

    private void writeOn(PeerStream stream) {
        stream.write(bytes.duplicate()).whenComplete((written, failure) -> {
            if (failure == null) {
                writeOn(stream);
            }
        });
    }

    /** Sends so many bytes over a stream of its own; returns when the peer has dropped them all. */
    void send(Connection connection, long totalBytes) throws IOException {
        PeerStream stream = connection.open(DROP);
        CompletableFuture<?>[] writes = new CompletableFuture<?>[WRITES_UNDER_WAY];
        int count = 0;
        for (long sentBytes = 0; sentBytes < totalBytes; count++) {
            int lengthBytes = (int) Math.min(WRITE_BYTES, totalBytes - sentBytes);
            int turn = count % WRITES_UNDER_WAY;
            if (writes[turn] != null) {
                await(writes[turn]);
            }
            writes[turn] = stream.write(bytes.slice(0, lengthBytes));
            sentBytes += lengthBytes;
        }
        stream.end();
        await(stream.readAll(NetSide::drop));
    }

    static <T> T await(CompletableFuture<T> future) throws IOException {
        try {
            return future.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw new IOException("the peer of the benchmark failed, reason=" + failed.getCause(), failed.getCause());
        } catch (TimeoutException late) {
            throw new IOException(
                    "the peer of the benchmark does not answer, timeoutSeconds=" + DEADLINE_SECONDS, late);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while the network is measured");
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
