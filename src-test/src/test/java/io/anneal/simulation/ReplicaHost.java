package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.fragment.FragmentCursor;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.net.Connector;
import io.anneal.net.NetClient;
import io.anneal.net.NetConfig;
import io.anneal.net.NetServer;
import io.anneal.net.SimulatedFaults.Cut;
import io.anneal.net.SimulatedNetwork;
import io.anneal.net.VerbHandlers;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Replicas;
import io.anneal.paging.PagingService;
import io.anneal.paging.querier.PagingMetrics;
import io.anneal.paging.querier.QuerierLimits;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairRunner;
import io.anneal.repair.RepairService;
import io.anneal.schema.TableSchema;
import io.anneal.sstable.SSTableVersion;
import io.anneal.streaming.StreamService;
import io.anneal.testkit.FaultyDirectory;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.ManualClock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A machine of a simulated network with one replica of the table on its disk: serves repairs and begins them, dies and comes
 * back.
 */
abstract class ReplicaHost implements AutoCloseable {
    private static final int PORT = 7000;
    static final long CONNECT_PATIENCE_MS = 5_000;
    private static final long BUDGET_BYTES = 64 << 20;

    /** Time passes while a host starts or ends, and what happens meanwhile must not start or end it again. */
    private enum Standing {
        DOWN,
        CHANGING,
        RUNNING
    }

    /**
     * What all hosts of a world have in common.
     *
     * @param change that is made to the table while repairs run
     * @param sectionsMinBytes of an SSTable that has less than this of the wanted ranges the rows are streamed
     * @param pages what bounds the pages that each serves; empty where nobody asks for any
     */
    record Setting(
            SimulatedNetwork network,
            TableSchema schema,
            Optional<TableChange> change,
            ManualClock clock,
            ManualClock storeClock,
            long sectionsMinBytes,
            Optional<QuerierLimits> pages) {
        /**
         * Time and randomness of the network, and no threads. Data grows old by the clock of the table; milliseconds, by which who
         * waits is heard of, go by with the network.
         */
        HostEnvironment host() {
            InstantSource both = new InstantSource() {
                @Override
                public Instant instant() {
                    return clock.instant();
                }

                @Override
                public long millis() {
                    return TimeUnit.NANOSECONDS.toMillis(network.nanoTime());
                }
            };
            return new HostEnvironment(
                    both,
                    network::nanoTime,
                    network.random(),
                    nanos -> network.runFor(Duration.ofNanos(nanos)),
                    name -> {
                        throw new AssertionError("nothing starts a thread here, name=" + name);
                    });
        }
    }

    /** Something that is done to a host. */
    interface Change {
        void make(ReplicaHost host) throws IOException;
    }

    /** The pages that a host serves from one start to the next end. */
    private record ServedPages(PagingService service, PagingMetrics metrics) implements AutoCloseable {
        @Override
        public void close() {
            service.close();
            metrics.close();
        }
    }

    /** What a replica holds, and the latest local deletion time that it can write. */
    record Content(FragmentList fragments, long ceilingSeconds) {}

    private final Setting setting;
    private final int number;
    private final SSTableVersion version;
    private final FaultyDirectory disk;
    private final ByteBudget budget = ByteBudget.of(BUDGET_BYTES);

    /** Of all starts: they run the repairs of which this host is the master at the request of another one. */
    private final List<ExecutorService> runs = new ArrayList<>();

    /** What it was to take while it was down, in order. */
    private final List<Change> missed = new ArrayList<>();

    private boolean lags;

    private ReplicaSource source;
    private Optional<ServedPages> pages = Optional.empty();
    private NetServer server;
    private NetClient client;
    private Connector peers;
    private Standing standing = Standing.DOWN;
    private int truncations;
    private int starts;
    private boolean altered;

    /** @param version which it writes */
    ReplicaHost(Setting setting, int number, SSTableVersion version, Path parent) throws IOException {
        this.setting = setting;
        this.number = number;
        this.version = version;
        disk = FaultyDirectory.create(parent);
    }

    /** Opens what lies on the disk. */
    abstract ReplicaSource open() throws IOException;

    /** Closes what {@link #open} opened, as far as it came. */
    abstract void closeData() throws IOException;

    /** Writes with a time of their own, acknowledged when it returns. */
    abstract void write(FragmentList fragments) throws IOException;

    /** Rewrites what it has, without what may be purged by now. */
    abstract void compact() throws IOException;

    /** Loses all of its table, as by TRUNCATE at this host alone. */
    abstract void truncate() throws IOException;

    /** Makes the change to its table. */
    abstract void alterTable(TableChange change) throws IOException;

    /** Whether what it receives waits to be taken in. */
    abstract boolean stages();

    /** Makes what it received in repairs that ended well part of the replica. */
    abstract void takeIn() throws IOException;

    /** Names of files that no unfinished or finished repair should have left. */
    abstract boolean isLeftover(Path file);

    final Setting setting() {
        return setting;
    }

    /** Of its table now. */
    final TableSchema schema() {
        return altered ? setting.change().orElseThrow().after() : setting.schema();
    }

    final boolean isAltered() {
        return altered;
    }

    /** Once. */
    final void alter() throws IOException {
        if (!altered) {
            alterTable(setting.change().orElseThrow());
            altered = true;
        }
    }

    final int number() {
        return number;
    }

    /** As a replica. */
    final String name() {
        return "host " + number;
    }

    final SSTableVersion version() {
        return version;
    }

    final FaultyDirectory disk() {
        return disk;
    }

    final ByteBudget budget() {
        return budget;
    }

    final InetAddress host() {
        return SimulatedNetwork.address(number);
    }

    final ReplicaSource source() {
        return source;
    }

    final InetSocketAddress address() {
        return new InetSocketAddress(host(), PORT);
    }

    final boolean isRunning() {
        return standing == Standing.RUNNING;
    }

    /** Whether it may be started: neither running, nor about to start or end. */
    final boolean isDown() {
        return standing == Standing.DOWN;
    }

    final int starts() {
        return starts;
    }

    final int truncations() {
        return truncations;
    }

    final void truncated() {
        truncations++;
    }

    final void start() throws IOException {
        if (!isDown()) {
            throw new IllegalStateException("host is not down, host=" + this);
        }
        standing = Standing.CHANGING;
        try {
            source = open();
            makeUp();
            listen();
            standing = Standing.RUNNING;
            starts++;
        } finally {
            if (!isRunning()) {
                closeDead();
                standing = Standing.DOWN;
            }
        }
    }

    /** Makes a change now, or as soon as it is up again, before anybody hears of it. */
    final void take(Change change) throws IOException {
        if (isRunning() && !lags) {
            change.make(this);
        } else {
            missed.add(change);
        }
    }

    /** From here on changes wait until it catches up, or starts anew. */
    final void lag() {
        lags = true;
    }

    final void catchUp() throws IOException {
        lags = false;
        if (isRunning()) {
            makeUp();
        }
    }

    private void makeUp() throws IOException {
        for (Change change : missed) {
            change.make(this);
        }
        missed.clear();
    }

    /** What the pages count that it has served since it started. */
    final Map<String, Number> pageCounts() {
        return pages.map(served -> (Map<String, Number>) served.metrics().values())
                .orElseThrow();
    }

    private ServedPages servePages(QuerierLimits limits, Replicas replicas, VerbHandlers handlers) {
        PagingMetrics metrics = new PagingMetrics(name(), setting.network()::nanoTime);
        HostEnvironment environment = setting.host().withThreads(name -> new NetworkExecutor(setting.network()));
        PagingService service = new PagingService(replicas, budget, environment, limits, metrics).register(handlers);
        return new ServedPages(service, metrics);
    }

    private void closePages() {
        pages.ifPresent(ServedPages::close);
        pages = Optional.empty();
    }

    private void listen() throws IOException {
        SimulatedNetwork network = setting.network();
        ExecutorService executor = network.executor();
        VerbHandlers handlers = new VerbHandlers(executor);
        Replicas replicas = new Replicas().add("replica", source);
        new RepairService(replicas, executor, budget).register(handlers);
        HostEnvironment environment = HostEnvironment.system().withRandom(new Random(((long) number << 32) + starts));
        new StreamService(replicas, executor, environment, setting.sectionsMinBytes()).register(handlers);
        pages = setting.pages().map(limits -> servePages(limits, replicas, handlers));
        NetConfig config = RemoteFollowers.config(number, budget.totalBytes()).withBudget(budget);
        client = NetClient.open(config, new VerbHandlers(executor), network.random(), network.host(host()));
        peers = client.keepAll(CONNECT_PATIENCE_MS);
        ExecutorService threads = network.threads();
        runs.add(threads);
        new RepairRunner(
                        RemoteFollowers.nodeId(number),
                        replicas,
                        peers,
                        threads,
                        new RepairEnvironment(setting.host(), Runnable::run, budget))
                .register(handlers);
        server = NetServer.bind(config, address(), handlers, network.random(), failure -> {}, network.host(host()));
    }

    final void stop() throws IOException {
        if (!isRunning()) {
            return;
        }
        standing = Standing.CHANGING;
        try {
            client.close();
            server.close();
            setting.network().runUntilIdle();
            closePages();
            closeData();
        } finally {
            standing = Standing.DOWN;
        }
    }

    /**
     * Dies where it stands.
     *
     * @param powerSeed when the machine dies with it: decides what of what was not forced survives
     * @param cut what the others learn of it
     */
    final void die(Optional<Long> powerSeed, Cut cut, List<ReplicaHost> others) throws IOException {
        if (!isRunning()) {
            return;
        }
        standing = Standing.CHANGING;
        try {
            if (powerSeed.isPresent()) {
                disk.crash(powerSeed.get());
            } else {
                disk.kill();
            }
            for (ReplicaHost other : others) {
                if (other != this) {
                    setting.network().cut(host(), other.host(), cut);
                    setting.network().cut(other.host(), host(), cut);
                }
            }
            client.close();
            server.close();
            closeDead();
        } finally {
            standing = Standing.DOWN;
        }
    }

    private void closeDead() {
        closePages();
        try {
            closeData();
        } catch (IOException dead) {
            // Its disk is gone.
        }
    }

    /** As the master of a repair. */
    final RepairMember here() {
        return RepairMember.here(name(), source);
    }

    /** As a follower of another host. */
    final RepairMember from(Connector connector) {
        return RepairMember.at(connector, address());
    }

    /** Connections from here that are kept for all repairs. */
    final Connector peers() {
        return peers;
    }

    /** Connections from here for one repair. */
    final OneConnectionEach ownConnections() {
        return new OneConnectionEach(client);
    }

    /** What is there now. */
    abstract Content content() throws IOException;

    final FragmentList contentNow() throws IOException {
        return content().fragments();
    }

    /** What is there once what a repair left to be taken in is counted, as the replica itself reads it. */
    final FragmentList content(Optional<UUID> staged) throws IOException {
        TableSchema schema = schema();
        try (Replica replica = source.open(schema.keyspace(), schema.name(), stages() ? staged : Optional.empty());
                FragmentCursor cursor = replica.scan(TokenRange.Linear.ALL, replica.localDeletionTimeMaxSeconds())) {
            return FragmentList.copyOf(cursor);
        }
    }

    /** After all repairs have ended, and what they brought was taken in. */
    final void shouldHoldNothingOfThem() throws IOException {
        List<Path> left = new ArrayList<>();
        Files.walkFileTree(disk.path(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (isLeftover(file)) {
                    left.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            /** A store deletes what it has compacted whenever its thread comes to it. */
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }
        });
        assertThat(left).as("files left, %s", this).isEmpty();
    }

    @Override
    public final void close() throws IOException {
        stop();
        disk.close();
    }

    /** Stops for good. */
    final void shouldEndWithNothingHeld() throws IOException {
        stop();
        for (ExecutorService threads : runs) {
            threads.shutdown();
            assertThat(threads.isTerminated())
                    .as("repairs at the request of others have ended, %s", this)
                    .isTrue();
        }
        assertThat(budget.reservedBytes()).as("bytes reserved, %s", this).isZero();
        assertThat(disk.openFileCount()).as("open files, %s", this).isZero();
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + " " + number + " " + version.text();
    }
}
