package io.anneal.agent;

import io.anneal.environment.HostEnvironment;
import io.anneal.environment.LogThrottle;
import io.anneal.io.Directories;
import io.anneal.node.KeptDirectory;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaSource;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What stands beside a live node: holds tables of it for one run at a time, offers their snapshots as a replica, imports what
 * that has received, and lets go. It does so by itself when the run's lease ends, when nothing of the run may be imported any more,
 * when it is closed, and of what a killed agent held when it is opened. Each step may be asked for twice. Safe for any thread.
 *
 * <pre>
 * directory/fence       which tables are held, see {@link FenceLease}
 * directory/runs/ID/    what the replica of a run has received; by its name the run's snapshot is known, too
 * directory/kept/       what repairs know of the node's tables, see {@link KeptDirectory}
 * </pre>
 */
public final class Agent implements Closeable {
    /** Less than that a busy asker might not renew in time. */
    public static final Duration LEASE_LEAST = Duration.ofSeconds(5);

    /** So long a dead asker's tables may stay held. */
    public static final Duration LEASE_MOST = Duration.ofHours(1);

    private static final Logger LOG = LoggerFactory.getLogger(Agent.class);
    private static final Pattern RUN = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** A node that is down may be so for hours, and is asked each second. */
    private static final Duration SAID_AGAIN = Duration.ofMinutes(1);

    /** Longer than steps of one command are apart. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final LiveNodeConfig config;
    private final HostEnvironment host;
    private final FenceLease fence;
    private final Path runs;
    private final KeptDirectory kept;
    private final AgentStatus self;
    private final ScheduledExecutorService thread;

    /** Guards what is asked of the node, one after the other. */
    private final Object work = new Object();

    /** For what is held, and until it is let go. */
    private final NodeConnection connection;

    private volatile Optional<HeldRun> held = Optional.empty();
    private volatile Optional<Lease> lease = Optional.empty();
    /** Something could not be let go, as while the node is down. */
    private boolean isLeft;

    private boolean closed;
    private final LogThrottle unreached;

    /** When nothing was held any more; empty if that has been told since. */
    private OptionalLong idleSinceNanos;

    private volatile Runnable idle = () -> {};
    private volatile Runnable busy = () -> {};

    /** Apart from the work, since an asker renews while an import runs. */
    private record Lease(UUID run, long endNanos) {}

    private Agent(
            LiveNodeConfig config,
            HostEnvironment host,
            FenceLease fence,
            Path runs,
            KeptDirectory kept,
            AgentStatus self) {
        this.kept = kept;
        this.config = config;
        this.host = host;
        this.fence = fence;
        this.runs = runs;
        this.self = self;
        connection = new NodeConnection(config, host);
        thread = host.threads().single("agent");
        unreached = new LogThrottle(host.nanoTime(), SAID_AGAIN);
        idleSinceNanos = OptionalLong.of(host.nanoTime().getAsLong());
    }

    /**
     * Starts beside a node that runs, and lets go what an agent held that was killed.
     *
     * @param directory of this agent alone, on a file system of the node's data, and not among them
     * @throws IllegalStateException when the node has an agent, or the directory is another one's
     */
    public static Agent open(LiveNodeConfig config, Path directory, HostEnvironment host) throws IOException {
        try (LiveNode node = LiveNode.open(config, host)) {
            AgentDirectory.require(node, directory);
            AgentStatus self = self(node);
            FenceLease fence = FenceLease.take(node, directory);
            boolean opened = false;
            try {
                Path runs = directory.toRealPath().resolve(AgentDirectory.RUNS);
                Directories.create(runs);
                letGo(node, fence, runs);
                KeptDirectory kept = KeptDirectory.open(
                        directory.toRealPath().resolve(AgentDirectory.KEPT),
                        host.random(),
                        host.clock().instant());
                kept.retain(node.tableIds());
                Agent agent = new Agent(config, host, fence, runs, kept, self);
                agent.thread.scheduleWithFixedDelay(agent::look, 1, 1, TimeUnit.SECONDS);
                opened = true;
                return agent;
            } finally {
                if (!opened) {
                    fence.close();
                }
            }
        }
    }

    /**
     * Whether an agent could start beside the node: nothing is let go, and nothing is made.
     *
     * @return what the node says of itself
     * @throws IOException when it could not
     * @throws IllegalStateException when the node has an agent, or the directory is another one's
     */
    public static AgentStatus check(LiveNodeConfig config, Path directory, HostEnvironment host) throws IOException {
        try (LiveNode node = LiveNode.open(config, host)) {
            AgentDirectory.require(node, directory);
            FenceLease.requireFree(node, directory);
            return self(node);
        }
    }

    private static AgentStatus self(LiveNode node) throws IOException {
        // All that is asked before an import can be asked: JMX and CQL answer, and let it.
        node.moment(List.of());
        return new AgentStatus(
                Instant.EPOCH,
                node.hostId(),
                node.version(),
                node.endpoint(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                List.of());
    }

    /** The deletions first: what is left after that costs disk, and no more. */
    private static void letGo(LiveNode node, FenceLease fence, Path runs) throws IOException {
        fence.reset(node);
        for (Path run : Directories.list(runs)) {
            if (RUN.matcher(run.getFileName().toString()).matches()) {
                node.clearSnapshot(HeldRun.tag(UUID.fromString(run.getFileName().toString())), Set.of());
                Directories.deleteTree(run);
            } else {
                LOG.warn("file is no run's, it is left alone, file={}", run);
            }
        }
    }

    /** @param keyspaces of which it is to tell */
    AgentStatus status(List<String> keyspaces) throws IOException {
        List<AgentKeyspace> told = new ArrayList<>();
        if (!keyspaces.isEmpty()) {
            try (LiveNode node = LiveNode.open(config, host)) {
                for (String keyspace : keyspaces) {
                    told.add(AgentKeyspace.of(node, keyspace));
                }
            }
        }
        return new AgentStatus(
                host.clock().instant(),
                self.hostId(),
                self.version(),
                self.endpoint(),
                held.map(HeldRun::id),
                lease.map(this::left),
                held.flatMap(HeldRun::snapshotAt),
                fence.tables(),
                told);
    }

    /**
     * Holds deletions in tables of the node, for as long as the lease is renewed.
     *
     * @throws LiveNodeException when another run holds, or one of the tables must not be imported into
     */
    void hold(UUID run, List<String> tables, GuardedTables.Fence wanted, Duration leased) throws IOException {
        synchronized (work) {
            requireOpen();
            if (held.isPresent() && !held.get().id().equals(run)) {
                throw new LiveNodeException("another run holds tables here, host-id=" + self.hostId() + ", run="
                        + held.get().id() + ", tables=" + fence.tables());
            }
            if (held.isEmpty()) {
                letGoOfLeft();
                Path directory = runs.resolve(run.toString());
                Directories.create(directory);
                boolean holds = false;
                isLeft = true;
                busy.run();
                try {
                    held = Optional.of(HeldRun.hold(connection, host, fence, run, tables, wanted, directory, kept));
                    holds = true;
                } finally {
                    if (!holds) {
                        lookAtLeft();
                    }
                }
            }
            lease = Optional.of(new Lease(run, end(leased)));
        }
    }

    private long end(Duration leased) {
        Duration bounded = leased.compareTo(LEASE_MOST) > 0 ? LEASE_MOST : leased;
        return host.nanoTime().getAsLong() + (bounded.compareTo(LEASE_LEAST) < 0 ? LEASE_LEAST : bounded).toNanos();
    }

    /** @throws LiveNodeException when nothing is held for the run, or not any more */
    void renew(UUID run, Duration leased) throws LiveNodeException {
        Optional<Lease> now = lease;
        if (now.isEmpty() || !now.get().run().equals(run) || isOver(now.get())) {
            throw notHeld(run);
        }
        lease = Optional.of(new Lease(run, end(leased)));
    }

    private boolean isOver(Lease one) {
        return host.nanoTime().getAsLong() - one.endNanos() >= 0;
    }

    private Duration left(Lease one) {
        return Duration.ofNanos(Math.max(0, one.endNanos() - host.nanoTime().getAsLong()));
    }

    private LiveNodeException notHeld(UUID run) {
        return LiveNodeException.over(
                "nothing is held for the run here, or its lease has ended, host-id=" + self.hostId() + ", run=" + run);
    }

    private HeldRun required(UUID run) throws LiveNodeException {
        return held.filter(one -> one.id().equals(run)).orElseThrow(() -> notHeld(run));
    }

    /** Takes the snapshot of the run, if that is not done. */
    AgentSnapshot takeSnapshot(UUID run) throws IOException {
        synchronized (work) {
            return required(run).takeSnapshot();
        }
    }

    /** See {@link HeldRun#look}. */
    List<StagedContent> lookAtStaged(UUID run) throws IOException {
        synchronized (work) {
            return required(run).look();
        }
    }

    /** See {@link HeldRun#importAll}. */
    int importAll(UUID run, Instant earliestSnapshot, Duration skewMost, Set<String> leftOut) throws IOException {
        synchronized (work) {
            return required(run).importAll(earliestSnapshot, skewMost, leftOut);
        }
    }

    /** Lets go what is held for the run, if anything is. */
    void release(UUID run) throws IOException {
        synchronized (work) {
            if (held.isPresent() && held.get().id().equals(run)) {
                end(held.get());
            }
            letGoOfLeft();
        }
    }

    private void end(HeldRun run) {
        held = Optional.empty();
        lease = Optional.empty();
        isLeft = true;
        idleSinceNanos = OptionalLong.of(host.nanoTime().getAsLong());
        try {
            run.close();
        } catch (IOException e) {
            LOG.warn("what was opened for a run did not close well, run={}", run.id(), e);
        }
    }

    private void letGoOfLeft() throws IOException {
        if (isLeft && held.isEmpty()) {
            try (connection) {
                letGo(connection.node(), fence, runs);
            }
            isLeft = false;
            unreached.ended();
        }
    }

    private void lookAtLeft() {
        try {
            letGoOfLeft();
        } catch (IOException e) {
            unreached
                    .happened()
                    .ifPresent(times -> LOG.warn(
                            "what a run held is not let go yet, it is tried again each second, host-id={}, failures={},"
                                    + " reason={}",
                            self.hostId(),
                            times,
                            e.getMessage()));
            LOG.debug("what a run held is not let go yet, host-id={}", self.hostId(), e);
        }
    }

    /** Once a second: ends a run whose lease has ended, or which is held in vain, and tries again what could not be let go. */
    private void look() {
        try {
            synchronized (work) {
                if (lease.isPresent() && isOver(lease.get()) && held.isPresent()) {
                    LOG.warn(
                            "lease of a run has ended, what it held is let go, run={}",
                            held.get().id());
                    end(held.get());
                } else if (held.isPresent() && held.get().isTooLate()) {
                    LOG.warn(
                            "nothing of a run may be imported any more, what it held is let go, run={}",
                            held.get().id());
                    end(held.get());
                }
                lookAtLeft();
                lookWhetherIdle();
            }
        } catch (RuntimeException e) {
            LOG.error("agent failed to look after what it holds", e);
        }
    }

    /** Has this done each time when nothing has been held for some seconds, once a run: on a thread of the agent's, which does not fail by it. */
    public void whenIdle(Runnable work) {
        idle = work;
    }

    /** Has this done each time before something is held for a run: on the asker's thread, which does not fail by it. */
    public void whenBusy(Runnable work) {
        busy = work;
    }

    private void lookWhetherIdle() {
        if (held.isEmpty()
                && idleSinceNanos.isPresent()
                && host.nanoTime().getAsLong() - idleSinceNanos.getAsLong() > IDLE_NANOS) {
            idleSinceNanos = OptionalLong.empty();
            idle.run();
        }
    }

    /** The snapshots that are held, as a replica of the node layer. */
    public ReplicaSource replicas(String name) {
        return new ReplicaSource() {
            @Override
            public Replica open(String keyspace, String table, Optional<UUID> staged) throws IOException {
                return held.orElseThrow(() -> new ReplicaException("no run holds tables here, table=" + keyspace + "."
                                + table + ", host-id=" + self.hostId()))
                        .open(name, keyspace, table, staged);
            }

            @Override
            public List<String> tables(String keyspace) {
                return held.map(run -> run.tables(keyspace)).orElse(List.of());
            }
        };
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("agent is closed, host-id=" + self.hostId());
        }
    }

    /**
     * Lets go what is held, and logs that if it was for a run: that is over here. Takes as long as the node does.
     *
     * @throws LiveNodeException when it could not: the next agent lets go
     */
    @Override
    public void close() throws IOException {
        synchronized (work) {
            if (closed) {
                return;
            }
            closed = true;
            thread.shutdown();
            Optional<UUID> run = held.map(HeldRun::id);
            try {
                List<String> tables = fence.tables();
                held.ifPresent(this::end);
                letGoOfLeft();
                run.ifPresent(id -> LOG.warn(
                        "agent ends during a run, and what it held is let go: the run is over here, host-id={},"
                                + " run={}, tables={}",
                        self.hostId(),
                        id,
                        tables));
            } catch (IOException e) {
                throw new LiveNodeException(
                        "what a run held is not let go: the next agent that starts here lets go, host-id="
                                + self.hostId() + ", run="
                                + run.map(UUID::toString).orElse("") + ", reason="
                                + e.getMessage(),
                        e);
            } finally {
                fence.close();
            }
        }
    }
}
