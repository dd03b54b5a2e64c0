package io.anneal.bench.scenario;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.net.Connection;
import io.anneal.net.NetConfig;
import io.anneal.net.NodeIdentity;
import io.anneal.net.SharedToken;
import io.anneal.net.Transport;
import io.anneal.net.Verb;
import io.anneal.net.VersionRange;
import io.anneal.node.Node;
import io.anneal.node.StoreReplicas;
import io.anneal.store.Store;
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
import java.util.function.UnaryOperator;

/**
 * What each process of a scenario of several has: a store, a node that offers its tables on loopback, and answers to those who ask
 * what it used. Safe for any thread.
 */
final class StoreNode implements Closeable {
    static final ByteBuffer EMPTY = ByteBuffer.allocate(0);
    /** A run may take no longer than a second. */
    private static final long COLLECTION_PERIOD_MILLIS = 50;

    private static final VersionRange ENCODINGS =
            new VersionRange(CanonicalEncoder.LAYOUT_VERSION, CanonicalEncoder.LAYOUT_VERSION);
    /** No secret: who speaks to the peer gets drawn rows, and no more. */
    private static final SharedToken TOKEN =
            SharedToken.of("token of anneal bench stores".getBytes(StandardCharsets.UTF_8));

    /** The answer is the {@link NetSide.Usage}. */
    private static final Verb USAGE = new Verb(1, "bench.usage");
    /** Watches memory from now on. */
    private static final Verb WATCH = new Verb(2, "bench.watch");
    /** Watches no more; the answer is the most that there was. */
    private static final Verb WATCHED = new Verb(3, "bench.watched");

    private final Store store;
    private final Node node;
    private Optional<MemoryWatch> watch = Optional.empty();

    private StoreNode(Store store, Node node) {
        this.store = store;
        this.node = node;
    }

    /** How a process of this number speaks to the others. */
    static NetConfig config(int number) {
        return NetConfig.of(new NodeIdentity(nodeId(number), "bench", Map.of()), Optional.of(TOKEN), ENCODINGS);
    }

    static UUID nodeId(int number) {
        return new UUID(0, number);
    }

    /** Does not listen yet. */
    static StoreNode open(Path directory, int number, int threads, UnaryOperator<NetConfig> settings)
            throws IOException {
        // The log of an old way need not be synced: what was received is lost as a whole or synced in SSTables.
        Store store = Store.open(directory, StoreConfig.defaults().withSyncMode(SyncMode.PERIODIC));
        Node node = Node.open(settings.apply(config(number)), threads, new Random(number));
        StoreNode opened = new StoreNode(store, node);
        node.replicas().add("bench", new StoreReplicas(store));
        node.handlers()
                .register(
                        USAGE,
                        (peer, request) -> CompletableFuture.completedFuture(
                                NetSide.Usage.of(node.budget()).encode()))
                .register(WATCH, (peer, request) -> {
                    opened.watch();
                    return CompletableFuture.completedFuture(EMPTY);
                })
                .register(WATCHED, (peer, request) -> CompletableFuture.completedFuture(number(opened.watched())));
        return opened;
    }

    /** An answer. */
    static ByteBuffer number(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).flip();
    }

    Store store() {
        return store;
    }

    Node node() {
        return node;
    }

    int listen() throws IOException {
        return node.listen(NetSide.loopback(0)).getPort();
    }

    Connection connect(InetSocketAddress address) throws IOException {
        return node.peers().open(address);
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
