package io.anneal.repair;

import com.google.common.util.concurrent.MoreExecutors;
import io.anneal.job.JobRefusedException;
import io.anneal.key.TokenRange;
import io.anneal.net.Connection;
import io.anneal.net.PeerAddress;
import io.anneal.net.PeerException;
import io.anneal.net.RequestException;
import io.anneal.node.DistinctReplicas;
import io.anneal.node.FailureText;
import io.anneal.node.Replica;
import io.anneal.node.ReplicaException;
import io.anneal.node.ReplicaSchema;
import io.anneal.node.ReplicaSource;
import io.anneal.node.Waiver;
import io.anneal.repair.message.ReadRate;
import io.anneal.repair.message.RepairVerb;
import io.anneal.repair.message.RunRepair;
import io.anneal.schema.TableSchema;
import io.anneal.table.TableTruncatedException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Runs the sessions of a repair, one for each part: opens the replicas and is the master, or asks the node that is it. Holds
 * nothing between two sessions, so that two repairs that each hold what the other one needs both come on. Safe for any thread.
 */
final class SessionRunner {
    /**
     * What holds for all sessions of a repair.
     *
     * @param bufferBytes row buffer of each replica at most
     * @param sessions how many run at once
     */
    record Options(
            int bufferBytes,
            boolean dryRun,
            boolean allReplicas,
            Optional<UUID> staged,
            int sessions,
            ReadRate rate,
            Optional<Duration> recent,
            boolean readsAll) {}

    /** What one session repairs, and what is called with what it finds. */
    record Part(
            String keyspace,
            String table,
            List<TokenRange> ranges,
            UUID runId,
            Set<Waiver> waivers,
            RepairListener listener) {
        String qualifiedTable() {
            return keyspace + "." + table;
        }
    }

    /**
     * What a node has that was asked to be the master.
     *
     * @param place memory that is taken already, and stays its caller's
     * @param replica the master's for others, by which it must not take part once more
     * @param reached how the asker reaches it, and so others do
     */
    record Asked(SessionMemory.Place place, DistinctReplicas.Named replica, RepairMember.There reached) {}

    private final Options options;
    private final Optional<Asked> asked;
    private final RepairEnvironment environment;

    /** @param asked empty where this process repairs for itself */
    SessionRunner(Options options, Optional<Asked> asked, RepairEnvironment environment) {
        this.options = options;
        this.asked = asked;
        this.environment = environment;
    }

    /**
     * Repairs a part in one session, or in several where a replica gets SSTables first.
     *
     * @param owners the replicas of the part, the master first
     */
    RepairReport run(Part part, List<RepairMember> owners) throws IOException {
        try {
            return owners.get(0) instanceof RepairMember.Here own
                    ? here(part, own.tables(), owners)
                    : there(part, owners);
        } catch (OutOfMemoryError full) {
            // What it held is free again: other tables may fit.
            throw new RepairException(
                    "memory is used up, table=" + part.qualifiedTable(), full, Optional.of(RepairCode.TOO_LARGE));
        }
    }

    private RepairReport there(Part part, List<RepairMember> nodes) throws IOException {
        RepairMember.There master = (RepairMember.There) nodes.get(0);
        List<RunRepair.Follower> followers = nodes.subList(1, nodes.size()).stream()
                .map(RepairMember.There.class::cast)
                .map(node -> new RunRepair.Follower(PeerAddress.text(node.address()), node.name()))
                .toList();
        RunRepair wanted = new RunRepair(
                PeerAddress.text(master.address()),
                master.name(),
                part.keyspace(),
                part.table(),
                part.ranges(),
                followers,
                options.bufferBytes(),
                options.dryRun(),
                options.allReplicas(),
                options.staged(),
                part.waivers(),
                options.sessions(),
                options.rate(),
                part.runId(),
                part.listener().nanosLeft(),
                options.recent(),
                part.listener().namesRows(),
                options.readsAll());
        return new RepairClient(master.connector().open(master.address())).run(wanted, part.listener());
    }

    private static UUID sessionId(UUID runId, UUID own) {
        return new UUID(runId.getMostSignificantBits(), own.getLeastSignificantBits());
    }

    private RepairReport here(Part part, ReplicaSource own, List<RepairMember> owners) throws IOException {
        FilesFirst files = new FilesFirst(
                environment.transfer().filter(given -> !options.dryRun()),
                environment.host(),
                part,
                options.rate(),
                owners,
                asked.map(Asked::reached));
        List<RepairMember> others = owners.subList(1, owners.size());
        return files.run(() -> withMemory(part, own, others, files));
    }

    private RepairReport withMemory(Part part, ReplicaSource own, List<RepairMember> others, FilesFirst files)
            throws IOException {
        if (asked.isPresent()) {
            return session(part, own, others, files, asked.get().place());
        }
        int replicasHere = 1
                + (int) others.stream()
                        .filter(other -> other instanceof RepairMember.Here)
                        .count();
        // What is all here has the memory for itself; nodes that the others are may be this process, too.
        int sessionsLeast = replicasHere == others.size() + 1 ? 1 : SessionMemory.SESSIONS_OF_NODE;
        SessionMemory memory = new SessionMemory(environment.budget(), sessionsLeast);
        try (SessionMemory.Place taken =
                memory.take(options.bufferBytes(), others.size() + 1, replicasHere, options.sessions())) {
            return session(part, own, others, files, taken);
        } catch (RequestException noRoom) {
            throw new PeerException(
                    "this process", RepairVerb.SESSION.name(), noRoom.code(), noRoom.getMessage(), noRoom);
        }
    }

    private RepairReport session(
            Part part, ReplicaSource own, List<RepairMember> others, FilesFirst files, SessionMemory.Place place)
            throws IOException {
        HelpedExecutor steps =
                new HelpedExecutor(environment.executor(), environment.host().nanoTime());
        List<Participant> followers = new ArrayList<>();
        DistinctReplicas distinct = new DistinctReplicas();
        if (asked.isPresent()) {
            distinct.add(asked.get().replica(), "replica of this process");
        }
        try (Replica replica = own.open(part.keyspace(), part.table(), options.staged())) {
            RepairConfig config = config(part, replica, place);
            part.listener().opens(replica.tableId());
            if (files.isFirst()) {
                part.listener().begins(replica.schema(), List.of());
            }
            for (RepairMember other : others) {
                followers.add(participant(other, replica.schema(), distinct, steps));
            }
            part.listener()
                    .endsWhen(() -> replica.isGone()
                            || steps.isShutDown()
                            || followers.stream().anyMatch(Participant::isGone));
            try (RepairMaster master = new RepairMaster(
                    config, replica, followers, part.listener(), environment.metrics(), files, Optional.of(() -> {
                        steps.requireRunning();
                        steps.help();
                        part.listener().waits();
                    }))) {
                return master.run();
            }
        } catch (CancellationException | JobRefusedException ended) {
            throw ended;
        } catch (RuntimeException failure) {
            throw refused(failure);
        } finally {
            followers.forEach(Participant::close);
            followers.forEach(follower -> awaitClose(follower, steps));
        }
    }

    private RepairConfig config(Part part, Replica own, SessionMemory.Place place) {
        long randomSeed = environment.host().random().nextLong();
        return new RepairConfig(
                sessionId(part.runId(), environment.host().newId()),
                part.keyspace(),
                part.table(),
                part.ranges(),
                place.bufferBytes(),
                environment.host().clock().instant().getEpochSecond(),
                // What is kept must be the same in the next repair.
                own.known().map(known -> known.kept().seed()).orElse(randomSeed),
                options.dryRun(),
                options.allReplicas(),
                options.staged(),
                part.waivers(),
                options.sessions(),
                options.rate(),
                options.recent(),
                options.readsAll());
    }

    /** What a replica of this process says in its own words; anything else is a mistake of this program. */
    private static RepairException refused(RuntimeException failure) {
        if (failure instanceof RejectedExecutionException) {
            return new RepairException(
                    "executor of the repair takes no more work: close its node or end it after the repair, cause="
                            + failure.getMessage(),
                    failure);
        }
        if (!FailureText.isRefusal(failure)) {
            throw failure;
        }
        return new RepairException(
                FailureText.of(failure),
                failure,
                failure instanceof TableTruncatedException ? Optional.of(RepairCode.TRUNCATED) : Optional.empty());
    }

    /** What a replica of this process left unfinished is gone when the repair returns, interrupted or not. */
    private static void awaitClose(Participant participant, HelpedExecutor steps) {
        if (participant instanceof LocalParticipant local) {
            steps.help();
            local.awaitClosed(() -> {
                steps.help();
                return steps.isShutDown();
            });
        }
    }

    private Participant participant(RepairMember member, TableSchema schema, DistinctReplicas distinct, Executor steps)
            throws IOException {
        if (member instanceof RepairMember.Here local) {
            return new LocalParticipant(
                    "replica of this process",
                    local.tables(),
                    MoreExecutors.newSequentialExecutor(steps),
                    environment.metrics());
        }
        RepairMember.There remote = (RepairMember.There) member;
        Connection connection = remote.connector().open(remote.address());
        try {
            distinct.add(
                    new DistinctReplicas.Named(connection.node().nodeId(), remote.name()),
                    PeerAddress.text(remote.address()));
            ReplicaSchema.requireSameOrder(connection, schema);
        } catch (ReplicaException refused) {
            throw new RepairException(refused.getMessage(), refused);
        }
        return new RemoteParticipant(
                connection,
                remote.name(),
                schema.clustering().size(),
                Optional.of(environment.host().clock()));
    }
}
