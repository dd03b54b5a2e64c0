package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;
import io.anneal.bench.oldrepair.Baseline;
import io.anneal.bench.oldrepair.Baselines;
import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.net.Connection;
import io.anneal.net.NetMetrics;
import io.anneal.net.PeerAddress;
import io.anneal.net.Verb;
import io.anneal.repair.RangeTransfer;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairMetrics;
import io.anneal.repair.RepairRunner;
import io.anneal.repair.RepairService;
import io.anneal.repair.message.RepairCount;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.Component;
import io.anneal.store.Store;
import io.anneal.store.Table;
import io.anneal.streaming.StreamPlan;
import io.anneal.streaming.StreamRunner;
import io.anneal.streaming.StreamService;
import io.anneal.streaming.StreamSource;
import io.anneal.streaming.StreamTarget;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * What each of the three processes of {@link RepairScenario} has: a node that repairs its store's tables as {@code anneal serve} does,
 * and in the older ways. It puts its table back as it was.
 */
final class RepairSide implements Closeable {
    /** As the command gives to a server. */
    private static final int THREADS = 8;

    private static final int BUDGET_EIGHTHS = 5;
    private static final long DEADLINE_MS = 600_000;
    private static final String DATA_SUFFIX = "-" + Component.DATA.fileSuffix();

    /** Makes a table what a directory holds. */
    private static final Verb PUT = new Verb(6, "bench.put");
    /** The answer is the number of bytes that went to the other two so far, all that a socket was given. */
    private static final Verb SENT = new Verb(7, "bench.sent");
    /** The answer is the number of rows that this one has read for repairs so far. */
    private static final Verb READ = new Verb(9, "bench.read");
    /** Repairs in an older way, as master. */
    private static final Verb REPAIR = new Verb(8, "bench.old-repair");

    private final StoreNode storeNode;
    private final NetMetrics metrics;
    private final List<Baseline> baselines;

    private RepairSide(StoreNode storeNode, NetMetrics metrics) {
        this.storeNode = storeNode;
        this.metrics = metrics;
        baselines = Baselines.of(storeNode.node());
    }

    /** @param number of those of {@link RepairSides}, from 1 on */
    static RepairSide open(Path directory, int number, long memoryBytes) throws IOException {
        HostEnvironment host = HostEnvironment.system();
        NetMetrics metrics = new NetMetrics(StoreNode.nodeId(number).toString(), host.nanoTime());
        StoreNode storeNode = StoreNode.open(
                directory,
                number,
                THREADS,
                config -> config.withBudget(budget(memoryBytes)).withMetrics(metrics));
        RepairSide side = new RepairSide(storeNode, metrics);
        RepairMetrics repairs = new RepairMetrics(StoreNode.nodeId(number).toString(), host.nanoTime());
        RepairService.of(storeNode.node(), host, repairs)
                .register(storeNode.node().handlers());
        StreamService.of(storeNode.node(), host).register(storeNode.node().handlers());
        StreamRunner.of(storeNode.node(), host, 0).register(storeNode.node().handlers());
        RepairEnvironment environment = new RepairEnvironment(
                        host, storeNode.node().executor(), storeNode.node().budget(), repairs)
                .withTransfer(transfer(host));
        RepairRunner.of(storeNode.node(), environment).register(storeNode.node().handlers());
        storeNode
                .node()
                .handlers()
                .register(PUT, (peer, request) -> done(side.put(text(request))))
                .register(
                        SENT, (peer, request) -> CompletableFuture.completedFuture(StoreNode.number(side.sentBytes())))
                .register(
                        READ, (peer, request) -> CompletableFuture.completedFuture(StoreNode.number(rowsRead(repairs))))
                .register(REPAIR, (peer, request) -> side.repair(text(request)));
        return side;
    }

    private static RangeTransfer transfer(HostEnvironment host) {
        return (task, progress) -> StreamPlan.of()
                .add(
                        task.table(),
                        task.source() instanceof RepairMember.There there
                                ? StreamSource.at(there.connector(), there.address(), there.name())
                                : StreamSource.here(((RepairMember.Here) task.source()).tables()),
                        task.target() instanceof RepairMember.There there
                                ? StreamTarget.at(there.connector(), there.address(), there.name())
                                : StreamTarget.here(((RepairMember.Here) task.target()).tables()),
                        task.ranges())
                .allow(task.waivers())
                .leave(task.leftAs())
                .run(host);
    }

    /** What a command makes of {@code --memory}. */
    static ByteBudget budget(long memoryBytes) {
        return ByteBudget.of(memoryBytes / 8 * BUDGET_EIGHTHS);
    }

    StoreNode storeNode() {
        return storeNode;
    }

    private static CompletableFuture<ByteBuffer> done(long sstables) {
        return CompletableFuture.completedFuture(StoreNode.number(sstables));
    }

    private static String[] text(ByteBuffer request) {
        return StandardCharsets.UTF_8.decode(request).toString().split("\n");
    }

    private static ByteBuffer text(List<String> lines) {
        return ByteBuffer.wrap(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
    }

    /** Has a node hold what a directory holds; done when the future is. */
    static CompletableFuture<ByteBuffer> put(Connection peer, TableShape shape, Path directory) {
        return peer.request(PUT, text(List.of(shape.name(), directory.toString())), DEADLINE_MS);
    }

    private long put(String[] asked) throws IOException {
        TableSchema schema = RepairData.schema(TableShape.valueOf(asked[0]));
        Store store = storeNode.store();
        Optional<Table> known = store.findTable(schema.qualifiedName());
        Table table = known.isPresent() ? known.get() : store.createTable(schema);
        table.truncate();
        List<Path> files = new ArrayList<>();
        try (Stream<Path> found = Files.list(Path.of(asked[1]))) {
            found.filter(file -> file.toString().endsWith(DATA_SUFFIX)).forEach(files::add);
        }
        return files.isEmpty() ? 0 : table.importSSTables(files.toArray(Path[]::new));
    }

    static long sentBytes(Connection peer) throws IOException {
        return peer.call(SENT, StoreNode.EMPTY).getLong();
    }

    static long rowsRead(Connection peer) throws IOException {
        return peer.call(READ, StoreNode.EMPTY).getLong();
    }

    private static long rowsRead(RepairMetrics repairs) {
        return repairs.values().get("repair." + RepairCount.ROWS_READ.text()).longValue();
    }

    private long sentBytes() {
        var values = metrics.values();
        long bytes = 0;
        for (int number = 1; number <= RepairDraw.REPLICAS; number++) {
            Number sent = values.get("net.peer." + StoreNode.nodeId(number) + ".bytes-sent");
            bytes += sent == null ? 0 : sent.longValue();
        }
        return bytes;
    }

    /** Has a node repair in an older way. */
    static void repair(Connection master, String baseline, String qualifiedTable, List<InetSocketAddress> followers)
            throws IOException {
        List<String> words = new ArrayList<>(List.of(baseline, qualifiedTable));
        followers.forEach(follower -> words.add(PeerAddress.text(follower)));
        NetSide.await(master.request(REPAIR, text(words), DEADLINE_MS));
    }

    private CompletableFuture<ByteBuffer> repair(String[] asked) {
        Baseline baseline = baselines.stream()
                .filter(known -> known.name().equals(asked[0]))
                .findFirst()
                .orElseThrow();
        List<InetSocketAddress> followers =
                Stream.of(asked).skip(2).map(PeerAddress::parse).toList();
        CompletableFuture<ByteBuffer> done = new CompletableFuture<>();
        // It waits for others, which no thread of the node's must.
        Thread thread = new Thread(
                () -> {
                    try {
                        baseline.repair(asked[1], followers);
                        done.complete(StoreNode.EMPTY);
                    } catch (IOException | RuntimeException failed) {
                        done.completeExceptionally(failed);
                    }
                },
                "bench-old-repair");
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    @Override
    public void close() throws IOException {
        try (storeNode) {
            metrics.close();
        }
    }
}
