package io.anneal.repair;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaSource;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.RunRepair;
import io.anneal.repair.message.Waiver;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * A repair of one table: says between which replicas, and of what, and then runs. A replica of this process is its master;
 * without one, the first node is. Session id, hash seed, purge time and the ceiling of deletion times are chosen inside. One
 * thread.
 */
public final class Repair {
    private static final Duration PATIENCE_DEFAULT = Duration.ofHours(1);
    private static final long WAIT_MIN_MS = 100;
    private static final long WAIT_MAX_MS = 2_000;

    private final String keyspace;
    private final String table;
    private final Set<Waiver> waivers = EnumSet.noneOf(Waiver.class);
    private List<RepairMember> members = List.of();
    private Optional<TokenRange> range = Optional.empty();
    private boolean dryRun;
    private Optional<UUID> staged = Optional.empty();
    private Optional<Integer> bufferBytes = Optional.empty();
    private RepairListener listener = RepairListener.NONE;
    private Duration patience = PATIENCE_DEFAULT;
    private Optional<DistinctReplicas.Named> ownReplica = Optional.empty();
    private Optional<SessionMemory.Place> place = Optional.empty();

    private Repair(String keyspace, String table) {
        this.keyspace = keyspace;
        this.table = table;
    }

    /** @param qualifiedTable {@code keyspace.table} */
    public static Repair of(String qualifiedTable) {
        int dot = qualifiedTable.indexOf('.');
        if (dot <= 0 || dot == qualifiedTable.length() - 1) {
            throw new IllegalArgumentException("table is not keyspace.table, table=" + qualifiedTable);
        }
        return of(qualifiedTable.substring(0, dot), qualifiedTable.substring(dot + 1));
    }

    public static Repair of(String keyspace, String table) {
        return new Repair(keyspace, table);
    }

    /** The replicas that shall become equal, two at least. */
    public Repair between(RepairMember... replicas) {
        return between(List.of(replicas));
    }

    /** The replicas that shall become equal, two at least. */
    public Repair between(List<RepairMember> replicas) {
        members = List.copyOf(replicas);
        return this;
    }

    /** The tokens that every replica owns. */
    public Repair range(TokenRange tokens) {
        range = Optional.of(tokens);
        return this;
    }

    /** Whether differences are only found and counted, and nothing is written. */
    public Repair dryRun(boolean value) {
        dryRun = value;
        return this;
    }

    /** In a dry run: counts what this run staged, although it is not imported yet. */
    public Repair staged(UUID sessionId) {
        staged = Optional.of(sessionId);
        return this;
    }

    /** Goes on where it would else refuse. */
    public Repair allow(Set<Waiver> values) {
        waivers.addAll(values);
        return this;
    }

    /** Size of each replica's row buffer, instead of one that the budget gives. */
    public Repair bufferBytes(int value) {
        bufferBytes = Optional.of(value);
        return this;
    }

    public Repair listener(RepairListener value) {
        listener = value;
        return this;
    }

    /** How long to come again while a node has no room for another session; an hour unless it is said. */
    public Repair patience(Duration value) {
        patience = value;
        return this;
    }

    /** Memory that is taken for it already, and stays its caller's. */
    Repair place(SessionMemory.Place taken) {
        place = Optional.of(taken);
        return this;
    }

    /** The replica of this process has a name for others, by which it must not take part once more. */
    Repair ownReplica(UUID nodeId, String name) {
        ownReplica = Optional.of(new DistinctReplicas.Named(nodeId, name));
        return this;
    }

    /**
     * Runs until all replicas hold the same in the range; or, in a dry run, until it is known in what they differ. An
     * interrupt aborts it.
     *
     * @throws RepairException when it is refused or cannot go on; nothing of what was received is kept then
     * @throws PeerException when a node cannot be reached, or has no room for so long
     */
    public RepairReport run(RepairEnvironment environment) throws IOException {
        if (members.size() < 2) {
            throw new IllegalArgumentException("a repair needs two replicas at least, replicas=" + members.size());
        }
        if (range.isEmpty()) {
            throw new IllegalArgumentException("a repair needs the range that its replicas own");
        }
        long waitedMs = 0;
        long waitMs = WAIT_MIN_MS;
        while (true) {
            try {
                return tryOnce(environment);
            } catch (PeerException busy) {
                if (!busy.code().equals(PeerException.BUSY) || waitedMs >= patience.toMillis()) {
                    throw busy;
                }
            }
            // Half of it is random, so that many do not come back at one moment.
            long nowMs = waitMs / 2 + environment.host().random().nextLong(waitMs / 2 + 1);
            sleep(environment, nowMs);
            waitedMs += nowMs;
            waitMs = Math.min(2 * waitMs, WAIT_MAX_MS);
        }
    }

    private static void sleep(RepairEnvironment environment, long ms) throws InterruptedIOException {
        try {
            environment.host().sleeper().sleepNanos(Duration.ofMillis(ms).toNanos());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for room at a node");
        }
    }

    /** Holds nothing afterwards, so that two repairs that each hold what the other one needs both come on. */
    RepairReport tryOnce(RepairEnvironment environment) throws IOException {
        List<RepairMember> ordered = new ArrayList<>(members);
        // The first of this process is the master.
        for (RepairMember member : members) {
            if (member instanceof RepairMember.Here) {
                ordered.remove(member);
                ordered.add(0, member);
                break;
            }
        }
        return ordered.get(0) instanceof RepairMember.Here own
                ? here(own.tables(), ordered.subList(1, ordered.size()), environment)
                : there(ordered, environment);
    }

    private RepairReport there(List<RepairMember> nodes, RepairEnvironment environment) throws IOException {
        RepairMember.There master = (RepairMember.There) nodes.get(0);
        List<RunRepair.Follower> followers = nodes.subList(1, nodes.size()).stream()
                .map(RepairMember.There.class::cast)
                .map(node -> new RunRepair.Follower(text(node.address()), node.name()))
                .toList();
        RunRepair wanted = new RunRepair(
                master.name(),
                keyspace,
                table,
                range.orElseThrow(),
                followers,
                askedBufferBytes(),
                dryRun,
                staged,
                waivers);
        return new RepairClient(master.connector().open(master.address())).run(wanted, listener);
    }

    private static String text(InetSocketAddress address) {
        String host = address.getHostString();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    private int askedBufferBytes() {
        return bufferBytes.orElse(RepairConfig.BUFFER_MAX_BYTES);
    }

    private RepairReport here(ReplicaSource own, List<RepairMember> others, RepairEnvironment environment)
            throws IOException {
        if (place.isPresent()) {
            return here(own, others, place.get().bufferBytes(), environment);
        }
        int replicasHere = 1
                + (int) others.stream()
                        .filter(other -> other instanceof RepairMember.Here)
                        .count();
        // What is all here has the memory for itself; nodes that the others are may be this process, too.
        int sessions = replicasHere == members.size() ? 1 : SessionMemory.SESSIONS_OF_NODE;
        SessionMemory memory = new SessionMemory(environment.budget(), sessions);
        try (SessionMemory.Place taken = memory.take(askedBufferBytes(), members.size(), replicasHere)) {
            return here(own, others, taken.bufferBytes(), environment);
        } catch (RequestException noRoom) {
            throw new PeerException(
                    "this process", RepairVerb.SESSION.name(), noRoom.code(), noRoom.getMessage(), noRoom);
        }
    }

    private RepairReport here(
            ReplicaSource own, List<RepairMember> others, int rowBufferBytes, RepairEnvironment environment)
            throws IOException {
        RepairConfig config = new RepairConfig(
                environment.host().newId(),
                keyspace,
                table,
                range.orElseThrow(),
                rowBufferBytes,
                environment.host().clock().instant().getEpochSecond(),
                environment.host().random().nextLong(),
                dryRun,
                staged,
                waivers);
        List<Participant> followers = new ArrayList<>();
        DistinctReplicas distinct = new DistinctReplicas();
        if (ownReplica.isPresent()) {
            distinct.add(ownReplica.get(), "replica of this process");
        }
        try (Replica replica = own.open(keyspace, table, staged)) {
            listener.begins(replica.schema());
            int clusteringColumns = replica.schema().clustering().size();
            for (RepairMember other : others) {
                followers.add(participant(other, clusteringColumns, distinct, environment));
            }
            try (RepairMaster master = new RepairMaster(config, replica, followers, listener)) {
                return master.run();
            }
        } finally {
            followers.forEach(Participant::close);
            followers.forEach(Repair::awaitClose);
        }
    }

    /** What a replica of this process left unfinished is gone when the repair returns, interrupted or not. */
    private static void awaitClose(Participant participant) {
        if (participant instanceof LocalParticipant local) {
            Futures.getUnchecked(local.closing());
        }
    }

    private static Participant participant(
            RepairMember member, int clusteringColumns, DistinctReplicas distinct, RepairEnvironment environment)
            throws IOException {
        if (member instanceof RepairMember.Here local) {
            return new LocalParticipant(
                    "replica of this process",
                    local.tables(),
                    MoreExecutors.newSequentialExecutor(environment.executor()));
        }
        RepairMember.There remote = (RepairMember.There) member;
        Connection connection = remote.connector().open(remote.address());
        distinct.add(new DistinctReplicas.Named(connection.node().nodeId(), remote.name()), text(remote.address()));
        return new RemoteParticipant(connection, remote.name(), clusteringColumns);
    }
}
