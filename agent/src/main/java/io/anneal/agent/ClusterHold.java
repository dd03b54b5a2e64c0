package io.anneal.agent;

import io.anneal.environment.FutureFailure;
import io.anneal.environment.HostEnvironment;
import io.anneal.net.PeerException;
import io.anneal.net.Waiting;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables that the agents of several nodes hold for one run, by the steps of {@link GuardedTables}: each step is done on all nodes
 * before the next one begins. The leases are renewed until it is closed; if its process dies they end, and the agents let go. A
 * thread at a time.
 */
public final class ClusterHold implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterHold.class);

    /** More is no drift, but a clock that nobody sets. */
    private static final Duration SKEW_MOST = Duration.ofSeconds(10);

    /** So many of its renewals may be lost before a lease ends. */
    private static final int RENEWALS = 4;

    private final List<AgentPeer> agents;
    private final UUID run;
    private final Duration lease;
    private final Duration skew;
    private final InstantSource clock;
    private final ScheduledExecutorService renewing;
    private volatile Consumer<Instant> heard = until -> {};
    private volatile Consumer<List<AgentPeer>> leaves = left -> {};
    private volatile boolean isClosed;
    private boolean isKept;
    private Optional<Instant> earliestSnapshot = Optional.empty();
    /** Agents that could not tell what they have staged. */
    private final Map<AgentPeer, Throwable> unseen = new HashMap<>();

    private Optional<Instant> importBefore = Optional.empty();
    private Optional<Instant> snapshotsDone = Optional.empty();

    /**
     * What became of an import.
     *
     * @param sstables that it has imported
     * @param failure why it has not imported all that there was for it
     */
    public record Imported(AgentPeer agent, int sstables, Optional<Throwable> failure) {}

    private ClusterHold(List<AgentPeer> agents, UUID run, Duration lease, Duration skew, HostEnvironment host) {
        this.agents = agents;
        this.run = run;
        this.lease = lease;
        this.skew = skew;
        clock = host.clock();
        renewing = host.threads().single("renew");
    }

    private ClusterHold renewing() {
        long periodMs = lease.toMillis() / RENEWALS;
        renewing.scheduleAtFixedRate(this::renewOrTell, periodMs, periodMs, TimeUnit.MILLISECONDS);
        return this;
    }

    /** Hears until when all agents hold at least, each time when all of them have said so; on their threads. */
    public void heldUntil(Consumer<Instant> listener) {
        heard = listener;
    }

    /** Hears when it is closed which agents could not be asked to let go, and may hold still; of none if all have. */
    public void leaving(Consumer<List<AgentPeer>> listener) {
        leaves = listener;
    }

    /** From now on {@link #close} leaves to the agents what they hold, until the lease ends. */
    public void keep() {
        isKept = true;
    }

    /** The same with {@link GuardedTables.Fence#HELD}. */
    public static ClusterHold take(
            List<AgentPeer> agents, UUID run, List<String> qualifiedTables, Duration lease, HostEnvironment host)
            throws IOException {
        return take(agents, run, qualifiedTables, GuardedTables.Fence.HELD, lease, host);
    }

    /**
     * Holds deletions in tables on all of the nodes, or on none.
     *
     * @param qualifiedTables each as {@code keyspace.table}
     * @param fence how deletions are kept
     * @param lease how long agents hold after the last sign of this process
     * @throws LiveNodeException when the clocks are too far apart
     */
    public static ClusterHold take(
            List<AgentPeer> agents,
            UUID run,
            List<String> qualifiedTables,
            GuardedTables.Fence fence,
            Duration lease,
            HostEnvironment host)
            throws IOException {
        Duration skew = skew(agents, host);
        ClusterHold hold = new ClusterHold(List.copyOf(agents), run, lease, skew, host);
        boolean held = false;
        try {
            all(agents, agent -> agent.hold(run, qualifiedTables, fence, lease));
            held = true;
            return hold.renewing();
        } finally {
            if (!held) {
                hold.renewing.shutdownNow();
                hold.releaseAll();
            }
        }
    }

    /**
     * Goes on with what agents hold for a run, whose process is gone.
     *
     * @param skewBefore of the clocks, as that process had found it
     * @throws PeerException when an agent can't be reached, or has let go, which {@link #isOver} tells
     * @throws LiveNodeException when the clocks are too far apart
     */
    public static ClusterHold resume(
            List<AgentPeer> agents, UUID run, Duration skewBefore, Duration lease, HostEnvironment host)
            throws IOException {
        all(agents, agent -> agent.renew(run, lease));
        Duration skew = skew(agents, host);
        return new ClusterHold(
                        List.copyOf(agents), run, lease, skew.compareTo(skewBefore) < 0 ? skewBefore : skew, host)
                .renewing();
    }

    /** Whether a failure says that an agent holds nothing for the run any more. */
    public static boolean isOver(Throwable failure) {
        return failure instanceof PeerException refusal && refusal.code().equals(AgentVerb.OVER)
                || Stream.of(failure.getSuppressed()).anyMatch(ClusterHold::isOver);
    }

    /**
     * Asks agents to let go of a run, whatever became of it; answers those that could not be asked. They do when the lease ends, or, if
     * they do not run, when they are started again.
     */
    public static List<AgentPeer> letGo(List<AgentPeer> agents, UUID run) throws InterruptedIOException {
        List<CompletableFuture<Void>> asked =
                agents.stream().map(agent -> agent.release(run)).toList();
        List<AgentPeer> left = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            try {
                Waiting.result(asked.get(i));
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                LOG.warn(
                        "agent could not be asked to let go: it does when its lease ends, or, if it is not running, when it is"
                                + " started again, agent={}, reason={}",
                        agents.get(i).name(),
                        e.getMessage());
                left.add(agents.get(i));
            }
        }
        return left;
    }

    /** How far the clocks may be apart at most: what one question and one answer each leave open counts as apart. */
    private static Duration skew(List<AgentPeer> agents, HostEnvironment host) throws IOException {
        List<Duration> least = new ArrayList<>();
        List<Duration> most = new ArrayList<>();
        List<String> told = new ArrayList<>();
        for (AgentPeer agent : agents) {
            Waiting.result(agent.status(List.of())); // connects
            Instant asked = host.clock().instant();
            AgentStatus status = Waiting.result(agent.status(List.of()));
            Instant answered = host.clock().instant();
            least.add(Duration.between(answered, status.now()));
            most.add(Duration.between(asked, status.now()));
            told.add(agent.name() + " "
                    + Duration.between(
                                    asked.plus(Duration.between(asked, answered).dividedBy(2)), status.now())
                            .toMillis()
                    + " ms");
        }
        // In whole milliseconds, as agents are told it; more is on the safe side.
        Duration skew = Collections.max(most)
                .minus(Collections.min(least))
                .plusNanos(999_999)
                .truncatedTo(ChronoUnit.MILLIS);
        if (skew.compareTo(SKEW_MOST) > 0) {
            throw new LiveNodeException("clocks of the nodes may be too far apart: set them by NTP, ahead-of-here="
                    + told + ", apart=" + skew + ", apartMost=" + SKEW_MOST);
        }
        return skew;
    }

    /** How far the clocks are apart at most. */
    public Duration skew() {
        return skew;
    }

    /** What is thrown here would end all renewals without a word, and with them the leases. */
    private void renewOrTell() {
        try {
            renew();
        } catch (RuntimeException e) {
            LOG.error("leases were not renewed, it is tried again, run={}", run, e);
        }
    }

    private void renew() {
        Instant until = clock.instant().plus(lease);
        List<CompletableFuture<Void>> asked = new ArrayList<>();
        for (AgentPeer agent : agents) {
            asked.add(agent.renew(run, lease).whenComplete((done, failure) -> {
                // One that is under way when all is over is cut off with the connections.
                if (failure != null && !isClosed) {
                    // If it is true the import says so, and refuses.
                    LOG.warn(
                            "lease was not renewed, agent={}, reason={}",
                            agent.name(),
                            FutureFailure.cause(failure).getMessage());
                }
            }));
        }
        CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new)).thenRun(() -> heard.accept(until));
    }

    /** Asks all at once, waits for all, and throws what the first that failed did; the others are suppressed there. */
    private static <T> List<T> all(List<AgentPeer> agents, Function<AgentPeer, CompletableFuture<T>> question)
            throws IOException {
        List<CompletableFuture<T>> asked = agents.stream().map(question).toList();
        List<T> answers = new ArrayList<>();
        IOException failure = null;
        for (CompletableFuture<T> one : asked) {
            try {
                answers.add(Waiting.result(one));
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        return answers;
    }

    /** Takes the snapshots of all nodes; answers when the first of them began. */
    public Instant takeSnapshots() throws IOException {
        List<AgentSnapshot> taken = all(agents, agent -> agent.takeSnapshot(run));
        Instant earliest = taken.stream()
                .map(AgentSnapshot::at)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        Duration within = taken.stream()
                .map(AgentSnapshot::importWithin)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        earliestSnapshot = Optional.of(earliest);
        snapshotsDone = taken.stream().map(AgentSnapshot::doneAt).max(Comparator.naturalOrder());
        importBefore = Optional.of(earliest.plus(within).minus(skew).truncatedTo(ChronoUnit.SECONDS));
        return earliest;
    }

    /**
     * When the last of the snapshots was there, each by the clock of its own node; empty before they are taken. What is written between
     * the start of the first one and this is in some of them, and not in others.
     */
    public Optional<Instant> snapshotsDone() {
        return snapshotsDone;
    }

    /** From when on some node refuses to import, in whole seconds; empty before the snapshots are taken. */
    public Optional<Instant> importBefore() {
        return importBefore;
    }

    /**
     * What an agent has staged for its node.
     *
     * @param tables those for which anything is
     * @param failure why it can't be told
     */
    public record Looked(AgentPeer agent, List<StagedContent> tables, Optional<Throwable> failure) {}

    /**
     * Has all agents merge the small SSTables that sessions have staged, and read what is staged. A node of which it can't be told
     * imports nothing after that.
     */
    public List<Looked> look() throws IOException {
        List<CompletableFuture<Looked>> asked = agents.stream()
                .map(agent -> agent.lookAtStaged(run)
                        .handle((tables, failure) -> failure == null
                                ? new Looked(agent, tables, Optional.empty())
                                : new Looked(agent, List.of(), Optional.of(FutureFailure.cause(failure)))))
                .toList();
        List<Looked> looked = new ArrayList<>();
        unseen.clear();
        for (CompletableFuture<Looked> one : asked) {
            Looked answer = Waiting.result(one);
            looked.add(answer);
            answer.failure().ifPresent(failure -> unseen.put(answer.agent(), failure));
        }
        return looked;
    }

    /** Has all nodes import what was staged for them: one that refuses keeps no other from it. */
    public List<Imported> importAll() throws IOException {
        return importAll(Set.of());
    }

    /** The same, but nothing of some tables, by qualified name. */
    public List<Imported> importAll(Set<String> leftOut) throws IOException {
        Instant earliest = earliestSnapshot.orElseThrow(() -> new IllegalStateException("snapshots are not taken"));
        List<CompletableFuture<Imported>> asked = agents.stream()
                .map(agent -> (unseen.containsKey(agent)
                                ? CompletableFuture.<Integer>failedFuture(unseen.get(agent))
                                : agent.importAll(run, earliest, skew, leftOut))
                        .handle((sstables, failure) -> failure == null
                                ? new Imported(agent, sstables, Optional.empty())
                                : new Imported(agent, 0, Optional.of(FutureFailure.cause(failure)))))
                .toList();
        List<Imported> imported = new ArrayList<>();
        for (CompletableFuture<Imported> one : asked) {
            imported.add(Waiting.result(one));
        }
        return imported;
    }

    /** Whether no agent says that it holds nothing any more; one that can't be asked may hold. */
    public boolean stands() throws IOException {
        Instant until = clock.instant().plus(lease);
        try {
            all(agents, agent -> agent.renew(run, lease));
            heard.accept(until);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            return !isOver(e);
        }
        return true;
    }

    /** Has all agents let go, unless it is {@link #keep kept}. Of one that can't be asked {@link #leaving} tells. */
    @Override
    public void close() throws IOException {
        isClosed = true;
        renewing.shutdownNow();
        if (!isKept) {
            releaseAll();
        }
    }

    private void releaseAll() throws IOException {
        boolean wasInterrupted = Thread.interrupted();
        try {
            leaves.accept(letGo(agents, run));
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
