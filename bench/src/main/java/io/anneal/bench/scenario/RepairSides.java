package io.anneal.bench.scenario;

import io.anneal.environment.HostEnvironment;
import io.anneal.job.JobAbortedException;
import io.anneal.job.JobControl;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.node.Node;
import io.anneal.node.Waiver;
import io.anneal.repair.Repair;
import io.anneal.repair.RepairEnvironment;
import io.anneal.repair.RepairMember;
import io.anneal.repair.RepairReport;
import io.anneal.repair.message.RepairCount;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/**
 * Three nodes in processes of their own, which stay for all cases, and this process, which asks the first of them to repair, as the
 * command does. One thread.
 */
final class RepairSides implements Closeable {
    private static final int COMMAND = RepairDraw.REPLICAS + 1;
    private static final int COMMAND_THREADS = 2;
    private static final double SECOND_NANOS = 1e9;

    private final LongSupplier nanoTime;
    private final RepairSizes sizes;
    private final Node command;
    private final PeerGroup nodes;
    private final List<Long> processes = new ArrayList<>();
    /** Further processes of the benchmark, whose time is nobody else's. */
    private final List<Long> further = new ArrayList<>();

    /** What the nodes hold, until something is repaired; null for nothing that is known. */
    private RepairData held;

    private RepairSides(LongSupplier nanoTime, RepairSizes sizes, Node command, PeerGroup nodes) {
        this.nanoTime = nanoTime;
        this.sizes = sizes;
        this.command = command;
        this.nodes = nodes;
        processes.add(ProcessHandle.current().pid());
        nodes.peers().forEach(peer -> processes.add(peer.pid()));
    }

    /** @param directory of their stores */
    static RepairSides start(OwnCommand own, LongSupplier nanoTime, RepairSizes sizes, Path directory)
            throws IOException {
        Node command = Node.open(
                StoreNode.config(COMMAND).withBudget(RepairSide.budget(sizes.memoryBytes())),
                COMMAND_THREADS,
                new Random(COMMAND));
        PeerGroup nodes = new PeerGroup(command);
        // As the launcher starts a server.
        List<String> options = new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xmx" + sizes.memoryBytes()));
        options.addAll(sizes.javaOptions());
        boolean ready = false;
        try {
            for (int number = 1; number <= RepairDraw.REPLICAS; number++) {
                nodes.add(PeerJvm.start(
                        own,
                        options,
                        RepairPeer.class,
                        List.of(
                                directory.resolve("node-" + number).toString(),
                                Integer.toString(number),
                                Long.toString(sizes.memoryBytes()))));
            }
            nodes.connect(RepairPeer.NODE, command.peers()::open);
            ready = true;
            return new RepairSides(nanoTime, sizes, command, nodes);
        } finally {
            if (!ready) {
                nodes.close();
            }
        }
    }

    List<Long> processes() {
        return processes;
    }

    /** Sets which other processes the benchmark has beside these. */
    void beside(List<Long> others) {
        further.clear();
        further.addAll(others);
    }

    private InetSocketAddress address(int replica) {
        return nodes.peers().get(replica).address(RepairPeer.NODE);
    }

    /** Where the followers are. */
    List<InetSocketAddress> followers() {
        List<InetSocketAddress> followers = new ArrayList<>();
        for (int replica = 1; replica < RepairDraw.REPLICAS; replica++) {
            followers.add(address(replica));
        }
        return followers;
    }

    /** Row-level repair, from where the data is as it was drawn. */
    RepairRun repair(RepairData data) throws IOException {
        return repair(data, followers(), sizes.parallel());
    }

    RepairRun repair(RepairData data, List<InetSocketAddress> followers, OptionalInt parallel) throws IOException {
        put(data);
        long[] readBytes = new long[1];
        RepairRun run = measure(data, () -> {
            RepairReport report = run(data, followers, parallel, false);
            long written = report.replicas().stream()
                    .mapToLong(RepairReport.ReplicaReport::rowsWritten)
                    .sum();
            boolean holdSame = report.replicas().stream()
                            .mapToLong(RepairReport.ReplicaReport::rowsRead)
                            .distinct()
                            .count()
                    == 1;
            // What came in files is not written by the session, which then reads it.
            boolean cameInFiles = report.counts().of(RepairCount.FILES_FIRST) > 0 && holdSame;
            if (written != data.rowsLacking() && !cameInFiles) {
                throw new IllegalStateException("repair wrote other rows than replicas lacked, rows=" + written
                        + ", lacking=" + data.rowsLacking());
            }
            readBytes[0] = report.replicas().stream()
                    .mapToLong(RepairReport.ReplicaReport::bytesRead)
                    .sum();
        });
        return new RepairRun(run.run(), run.sentBytes(), OptionalLong.of(readBytes[0]), run.othersCpuSeconds());
    }

    /**
     * A repair with a checkpoint.
     *
     * @param repair what it took, all of its parts together
     * @param sessions that were recorded
     * @param rowsTwice of the rows of all replicas those that were read once more
     */
    record Resumed(RepairRun repair, int sessions, double rowsTwice) {}

    /**
     * Row-level repair with a checkpoint.
     *
     * @param checkpoint is made, and gone afterwards
     * @param endNanos when it is ended and gone on with; {@link Long#MAX_VALUE} if it is not
     * @param ending how: as Ctrl-C does, or as a kill
     */
    Resumed resumed(
            RepairData data,
            Path checkpoint,
            Duration sessionLeast,
            long endNanos,
            BiConsumer<JobControl, String> ending)
            throws IOException {
        put(data);
        List<RepairReport> reports = new ArrayList<>();
        long rowsBefore = rowsRead();
        RepairRun run = measure(data, () -> {
            JobControl control = new JobControl();
            Repair repair = repair(data, followers(), sizes.parallel(), false)
                    .checkpoint(checkpoint)
                    .sessionLeast(sessionLeast);
            if (endNanos < Long.MAX_VALUE) {
                endedAfter(endNanos, repair, control, ending);
            }
            reports.add(repair.control(new JobControl()).run(environment()));
        });
        long rows = reports.get(0).replicas().stream()
                .mapToLong(RepairReport.ReplicaReport::rowsRead)
                .sum();
        return new Resumed(
                run, reports.get(0).sessionIds().size(), (double) (rowsRead() - rowsBefore - data.rowCount()) / rows);
    }

    private void endedAfter(long nanos, Repair repair, JobControl control, BiConsumer<JobControl, String> how)
            throws IOException {
        Thread ending = new Thread(
                () -> {
                    try {
                        TimeUnit.NANOSECONDS.sleep(nanos);
                        how.accept(control, "half is done");
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "bench-ending");
        ending.start();
        try {
            repair.control(control).run(environment());
        } catch (JobAbortedException ended) {
            // It is gone on with.
        } finally {
            ending.interrupt();
        }
    }

    private long rowsRead() throws IOException {
        long rows = 0;
        for (Connection connection : nodes.connections()) {
            rows += RepairSide.rowsRead(connection);
        }
        return rows;
    }

    private RepairEnvironment environment() {
        return new RepairEnvironment(HostEnvironment.system(), command.executor(), command.budget());
    }

    private RepairReport run(RepairData data, List<InetSocketAddress> followers, OptionalInt parallel, boolean dryRun)
            throws IOException {
        return repair(data, followers, parallel, dryRun).run(environment());
    }

    private Repair repair(RepairData data, List<InetSocketAddress> followers, OptionalInt parallel, boolean dryRun) {
        List<RepairMember> members = new ArrayList<>(List.of(RepairMember.at(command.peers(), address(0))));
        followers.forEach(follower -> members.add(RepairMember.at(command.peers(), follower)));
        Repair repair = Repair.of(RepairData.schema(data.shape()).qualifiedName())
                .between(members)
                .range(TokenRange.FULL)
                .dryRun(dryRun)
                .allow(EnumSet.of(Waiver.EMPTY_REPLICA));
        parallel.ifPresent(count -> repair.units(count).parallel(count));
        return repair;
    }

    /** A dry run from where the data is as it was drawn: how many bytes went over the network, over those that did not tell places. */
    double dryRunOverSums(RepairData data) throws IOException {
        put(data);
        RepairReport report = run(data, followers(), OptionalInt.of(1), true);
        long written = report.replicas().stream()
                .mapToLong(RepairReport.ReplicaReport::rowsWritten)
                .sum();
        if (written != data.rowsLacking()) {
            throw new IllegalStateException("a dry run found other rows than replicas lack, rows=" + written
                    + ", lacking=" + data.rowsLacking());
        }
        return (double) report.networkBytes()
                / (report.networkBytes() - report.counts().of(RepairCount.PLACE_BYTES));
    }

    /** The same in an older way. */
    RepairRun baseline(String name, RepairData data) throws IOException {
        put(data);
        String table = RepairData.schema(data.shape()).qualifiedName();
        return measure(data, () -> RepairSide.repair(nodes.connections().get(0), name, table, followers()));
    }

    /** @throws IllegalStateException when they are not equal now */
    void requireEqual(RepairData data) throws IOException {
        RepairReport report = run(data, followers(), OptionalInt.empty(), true);
        if (!report.wereEqual()) {
            throw new IllegalStateException("replicas are not equal after a repair, report=" + report);
        }
    }

    private void put(RepairData data) throws IOException {
        if (held == data) {
            return;
        }
        List<CompletableFuture<ByteBuffer>> puts = new ArrayList<>();
        for (int replica = 0; replica < RepairDraw.REPLICAS; replica++) {
            puts.add(RepairSide.put(
                    nodes.connections().get(replica),
                    data.shape(),
                    data.replicas().get(replica)));
        }
        for (CompletableFuture<ByteBuffer> put : puts) {
            NetSide.await(put);
        }
        held = data;
    }

    private interface Work {
        void run() throws IOException;
    }

    private RepairRun measure(RepairData data, Work work) throws IOException {
        held = data.isEqual() ? data : null;
        long sentBefore = sentBytes();
        ProcessCpu cpu = new ProcessCpu(processes, further);
        long before = nanoTime.getAsLong();
        work.run();
        long wallNanos = nanoTime.getAsLong() - before;
        long cpuNanos = cpu.nanos();
        OptionalDouble others = cpu.othersNanos().stream()
                .mapToDouble(nanos -> nanos / SECOND_NANOS)
                .findFirst();
        Run run = new Run(data.rowCount(), data.dataBytes(), wallNanos, cpuNanos, 0);
        return new RepairRun(run, sentBytes() - sentBefore, OptionalLong.empty(), others);
    }

    private long sentBytes() throws IOException {
        long bytes = 0;
        for (Connection connection : nodes.connections()) {
            bytes += RepairSide.sentBytes(connection);
        }
        return bytes;
    }

    /** The most memory that one of the nodes takes while something runs. */
    long peakBytes(Contender.Work work) throws IOException {
        return nodes.peakBytes(work);
    }

    @Override
    public void close() throws IOException {
        nodes.close();
    }
}
