package io.anneal.bench.scenario;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.CanonicalEncoder;
import io.anneal.io.ByteBudget;
import io.anneal.net.Connection;
import io.anneal.net.NetConfig;
import io.anneal.net.NetLimits;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.Transport;
import io.anneal.net.Verb;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
import io.anneal.streaming.StreamService;
import io.anneal.table.StoreConfig;
import io.anneal.table.SyncMode;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** What each process of {@link StreamingScenario} has: a store, a node that gives and takes its tables, and what it used. */
final class StreamingSide implements Closeable {
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
    private static final int THREADS = 4;
    /** A run may take no longer than a second. */
    private static final long COLLECTION_PERIOD_MILLIS = 50;

    /** A thousand sessions each have a stream for questions, and one for each small file. */
    private static final int STREAMS_MAX = 16_384;

    private static final NetLimits LIMITS = NetLimits.DEFAULT.withStreams(
            NetLimits.DEFAULT.initialCreditBytes(),
            NetLimits.DEFAULT.windowBytesMax(),
            NetLimits.DEFAULT.messageBytesMax(),
            STREAMS_MAX);
    /** So that the first credit of each of them has room. */
    private static final long BUDGET_BYTES = 512 << 20;

    private static final VersionRange ENCODINGS =
            new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION);
    /** No secret: who speaks to the peer gets drawn rows, and no more. */
    private static final SharedToken TOKEN =
            SharedToken.of("token of anneal bench streaming".getBytes(StandardCharsets.UTF_8));

    /** The answer is the {@link NetSide.Usage}. */
    private static final Verb USAGE = new Verb(1, "bench.usage");
    /** Watches memory from now on. */
    private static final Verb WATCH = new Verb(2, "bench.watch");
    /** Watches no more; the answer is the most that there was. */
    private static final Verb WATCHED = new Verb(3, "bench.watched");

    private final Store store;
    private final Node node;
    private final OldWay oldWay;
    private Optional<MemoryWatch> watch = Optional.empty();

    private StreamingSide(Store store, Node node) {
        this.store = store;
        this.node = node;
        oldWay = new OldWay(store);
    }

    static StreamingSide open(Path directory, int number) throws IOException {
        // The old way's log need not be synced: what was received is lost as a whole or synced in SSTables.
        Store store = Store.open(directory, StoreConfig.defaults().withSyncMode(SyncMode.PERIODIC));
        Node node = Node.open(
                NetConfig.of(new NodeIdentity(new UUID(0, number), "bench", Map.of()), Optional.of(TOKEN), ENCODINGS)
                        .withLimits(LIMITS)
                        .withBudget(ByteBudget.of(BUDGET_BYTES)),
                THREADS,
                new Random(number));
        StreamingSide side = new StreamingSide(store, node);
        node.replicas().add("bench", new StoreReplicas(store));
        StreamService.of(node, HostEnvironment.system()).register(node.handlers());
        side.oldWay.register(node.handlers());
        node.handlers()
                .register(
                        USAGE,
                        (peer, request) ->
                                CompletableFuture.completedFuture(side.usage().encode()))
                .register(WATCH, (peer, request) -> {
                    side.watch();
                    return CompletableFuture.completedFuture(EMPTY);
                })
                .register(
                        WATCHED,
                        (peer, request) -> CompletableFuture.completedFuture(ByteBuffer.allocate(Long.BYTES)
                                .putLong(side.watched())
                                .flip()));
        return side;
    }

    Store store() {
        return store;
    }

    Node node() {
        return node;
    }

    OldWay oldWay() {
        return oldWay;
    }

    int listen() throws IOException {
        return node.listen(NetSide.loopback(0)).getPort();
    }

    Connection connect(InetSocketAddress address) throws IOException {
        return node.peers().open(address);
    }

    NetSide.Usage usage() {
        return NetSide.Usage.of(node.budget());
    }

    /** What a peer has used. */
    static NetSide.Usage usage(Connection peer) throws IOException {
        return NetSide.Usage.decode(peer.call(USAGE, EMPTY));
    }

    synchronized void watch() {
        MemoryWatch started = MemoryWatch.start();
        started.sample(COLLECTION_PERIOD_MILLIS);
        watch = Optional.of(started);
    }

    /** Ends it; the buffers of the network count as a whole, since they are never given back. */
    synchronized long watched() {
        long peakBytes = watch.map(MemoryWatch::peakBytes).orElse(0L) + Transport.directBytes();
        watch.ifPresent(MemoryWatch::close);
        watch = Optional.empty();
        return peakBytes;
    }

    static void watch(Connection peer) throws IOException {
        peer.call(WATCH, EMPTY);
    }

    static long watched(Connection peer) throws IOException {
        return peer.call(WATCHED, EMPTY).getLong();
    }

    @Override
    public void close() throws IOException {
        try (store) {
            node.close();
        }
    }
}
