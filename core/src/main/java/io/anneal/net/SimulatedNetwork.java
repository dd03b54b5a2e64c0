package io.anneal.net;

import io.anneal.net.SimulatedFaults.Cut;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;

/**
 * A network in one thread, in virtual time, under one seed: for tests of what happens when delays, partitions and cuts come
 * at the worst moment. Clients and servers run on it as they run on sockets. The same seed and the same calls give the same
 * run, event by event, but for the bytes of TLS, whose keys are random.
 *
 * <pre>{@code
 * SimulatedNetwork network = new SimulatedNetwork(seed);
 * InetSocketAddress there = new InetSocketAddress(SimulatedNetwork.address(1), 7000);
 * NetServer server = NetServer.bind(config, there, handlers, network.random(), failures, network.host(there.getAddress()));
 * NetClient client = NetClient.open(config, handlers, network.random(), network.host(SimulatedNetwork.address(2)));
 * Connection connection = client.open(there);                  // time passes while a call waits
 * network.partition(SimulatedNetwork.address(1), SimulatedNetwork.address(2));
 * network.runFor(Duration.ofMinutes(5));
 * assertThat(connection.isOpen()).isFalse();
 * }</pre>
 *
 * <p>All its methods belong to the thread that made it, and everything runs on that thread, but for the tasks of {@link #threads}. A wait for a future of the network
 * runs events until the future is done; so it is for futures that are derived from one, but not for
 * {@link CompletableFuture#allOf}: use {@link #await} for those. An executor's task that waits runs other tasks meanwhile, and
 * goes on once those that it runs have come to their end. A wait that never ends is an {@link IllegalStateException}.
 */
public final class SimulatedNetwork {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private record Way(InetAddress from, InetAddress to) {}

    private final long seed;
    private final SimulatedTime time;
    private final RandomGenerator random;
    private final Executor futures;
    /** Of its own, and unpooled: so what is in use at any moment is known to the byte. */
    private final UnpooledByteBufAllocator buffers = new UnpooledByteBufAllocator(true);

    private final Map<InetAddress, SimulatedHost> hosts = new LinkedHashMap<>();
    private final Map<Way, SimulatedLink> links = new LinkedHashMap<>();
    private SimulatedFaults commonFaults = SimulatedFaults.NONE;

    public SimulatedNetwork(long seed) {
        this.seed = seed;
        this.time = new SimulatedTime(seed);
        this.random = time.random().split();
        this.futures = new SimulatedExecutor(time, false);
    }

    /** An address for a host: a loopback one, for which nothing needs TLS. */
    public static InetAddress address(int number) {
        if (number < 1 || number > 0xFFFE) {
            throw new IllegalArgumentException("host number is out of bounds, number=" + number);
        }
        try {
            return InetAddress.getByAddress(new byte[] {127, 0, (byte) (number >> 8), (byte) number});
        } catch (UnknownHostException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** A way to the network from this host, for one client or server, which closes it. */
    public Transport host(InetAddress address) {
        time.checkThread();
        return new SimulatedTransport(
                this, hosts.computeIfAbsent(address, added -> new SimulatedHost(added, time)), time);
    }

    /** As a pool of threads: its tasks start in any order. A new one each time, for who shuts it down. */
    public ExecutorService executor() {
        return new SimulatedExecutor(time, false);
    }

    /**
     * As a pool with a thread for each task, for tasks that wait for whoever gave them: one that waits keeps nobody else waiting.
     * Nothing runs beside them: each stands still while another one, or the network's own thread, runs. An interrupt ends a wait, as
     * it does elsewhere. A new one each time, for who shuts it down.
     */
    public ExecutorService threads() {
        return new SimulatedExecutor(time, true);
    }

    /** Whether the caller is the thread of the simulation that runs now, as opposed to one that a test has beside it. */
    public boolean isTurn() {
        return time.isThread();
    }

    /** The time of day, which is midnight of 1 January 2026 at the start. */
    public InstantSource clock() {
        return () -> START.plusNanos(time.nanos());
    }

    /** As {@link System#nanoTime()}, of virtual time. */
    public long nanoTime() {
        return time.nanos();
    }

    /** Random numbers that follow from the seed, apart from those that the network draws for itself. */
    public RandomGenerator random() {
        return random;
    }

    public long seed() {
        return seed;
    }

    /** A number that follows from all that has happened: when, in what order, and the bytes that have arrived. */
    public long trace() {
        return time.trace();
    }

    ByteBufAllocator buffers() {
        return buffers;
    }

    /** What the buffers of all connections hold at this moment. */
    public long bufferBytes() {
        return buffers.metric().usedDirectMemory() + buffers.metric().usedHeapMemory();
    }

    /** How many events there were. */
    public long eventCount() {
        return time.eventCount();
    }

    /** Runs something after a delay; what it throws comes out of the call that made the time pass. */
    public void schedule(Duration delay, Runnable action) {
        time.after(delay.toNanos(), action);
    }

    /** The same, but a network that has nothing else to come counts as idle: for what is done again and again. */
    public void scheduleTimer(Duration delay, Runnable action) {
        time.timerAt(time.nanos() + delay.toNanos(), action);
    }

    /** A future that may be waited for in the network's thread. */
    public <T> CompletableFuture<T> newFuture() {
        return new SimulatedFuture<>(time, futures);
    }

    /** Lets time pass until any future is done. */
    public <T> CompletableFuture<T> await(CompletableFuture<T> future) {
        time.runUntil(future::isDone);
        return future;
    }

    /** Lets time pass until this holds, which is asked after each event. */
    public void runUntil(BooleanSupplier condition) {
        time.runUntil(condition);
    }

    /** Lets so much time pass. */
    public void runFor(Duration duration) {
        time.runUntil(() -> false, duration);
    }

    /** Lets time pass until no task waits and nothing is on its way; time limits and keep-alives may still be to come. */
    public void runUntilIdle() {
        time.runUntilIdle();
    }

    /** Faults of all ways that have none of their own; from now on. */
    public void faults(SimulatedFaults faults) {
        commonFaults = faults;
        links.values().forEach(link -> link.commonFaults(faults));
    }

    /** Faults of what goes from one host to another; from now on, also for connections that there are. */
    public void faults(InetAddress from, InetAddress to, SimulatedFaults faults) {
        link(from, to).faults(faults);
    }

    /** Nothing comes through in either direction until it heals; connections do not notice but by silence. */
    public void partition(InetAddress one, InetAddress other) {
        time.checkThread();
        link(one, other).goDown();
        link(other, one).goDown();
    }

    /** Ends a partition: what was sent meanwhile is sent again, unless its connection has been given up. */
    public void heal(InetAddress one, InetAddress other) {
        time.checkThread();
        link(one, other).comeUp();
        link(other, one).comeUp();
    }

    /** Cuts all connections that there are between two hosts; with {@link Cut#HALF_OPEN}, the second one learns nothing. */
    public void cut(InetAddress one, InetAddress other, Cut kind) {
        time.checkThread();
        link(one, other).cut(kind);
    }

    /** How fast a host reads what has arrived, all its connections together; 0 for not at all. */
    public void readBytesPerSecond(InetAddress host, long bytesPerSecond) {
        if (bytesPerSecond < 0) {
            throw new IllegalArgumentException("rate is negative, bytesPerSecond=" + bytesPerSecond);
        }
        known(host).readBytesPerSecond(bytesPerSecond);
    }

    /** The host reads at once again. */
    public void readAtOnce(InetAddress host) {
        known(host).readBytesPerSecond(SimulatedHost.READS_AT_ONCE);
    }

    private SimulatedHost known(InetAddress address) {
        time.checkThread();
        SimulatedHost host = hosts.get(address);
        if (host == null) {
            throw new IllegalArgumentException("no such host, address=" + address.getHostAddress());
        }
        return host;
    }

    private SimulatedLink link(InetAddress from, InetAddress to) {
        return links.computeIfAbsent(new Way(from, to), added -> new SimulatedLink(time, commonFaults));
    }

    void connect(SimulatedChannel client, InetSocketAddress server) {
        InetSocketAddress from = client.address();
        SimulatedPipe there = SimulatedPipe.pair(
                client, link(from.getAddress(), server.getAddress()), link(server.getAddress(), from.getAddress()));
        client.pipe(there);
        there.carry(0, true, () -> {
            SimulatedHost host = hosts.get(server.getAddress());
            if (host == null) {
                return; // As a machine that is not there: no answer.
            }
            host.listener(server.getPort())
                    .ifPresentOrElse(
                            listener -> {
                                listener.accept(from, there);
                                there.reverse().carry(0, true, client::connected);
                            },
                            () -> there.reverse().carry(0, true, client::refused));
        });
    }
}
