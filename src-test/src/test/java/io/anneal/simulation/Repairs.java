package io.anneal.simulation;

import io.anneal.key.TokenRange;
import io.anneal.merge.SessionPurgeRule;
import io.anneal.node.Waiver;
import io.anneal.repair.LocalParticipant;
import io.anneal.repair.Participant;
import io.anneal.repair.RepairConfig;
import io.anneal.repair.RepairListener;
import io.anneal.repair.RepairMaster;
import io.anneal.repair.RepairReport;
import io.anneal.repair.message.ReadRate;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Runs one repair of {@code ks.t} in one thread: the first replica is the master. */
final class Repairs {
    /** A replica refuses an id that it knows. */
    private static final AtomicLong SESSIONS = new AtomicLong();

    private Repairs() {}

    static RepairConfig config(SessionPurgeRule rule, int bufferBytes, long seed) {
        return config(rule, List.of(TokenRange.FULL), bufferBytes, seed);
    }

    static RepairConfig config(SessionPurgeRule rule, List<TokenRange> ranges, int bufferBytes, long seed) {
        return new RepairConfig(
                new UUID(seed, SESSIONS.incrementAndGet()),
                "ks",
                "t",
                ranges,
                bufferBytes,
                rule.purgeTimeSeconds(),
                seed,
                false,
                false,
                Optional.empty(),
                Set.of(Waiver.EMPTY_REPLICA, Waiver.NO_GC_GRACE),
                1,
                ReadRate.UNLIMITED,
                Optional.empty(),
                false);
    }

    /** Leaves out what was written after a moment. */
    static RepairConfig upTo(long cutoffMicros, SessionPurgeRule rule, int bufferBytes, long seed, boolean dryRun) {
        return new RepairConfig(
                new UUID(seed, SESSIONS.incrementAndGet()),
                "ks",
                "t",
                List.of(TokenRange.FULL),
                bufferBytes,
                rule.purgeTimeSeconds(),
                seed,
                dryRun,
                false,
                Optional.empty(),
                Set.of(Waiver.EMPTY_REPLICA, Waiver.NO_GC_GRACE),
                1,
                ReadRate.UNLIMITED,
                Optional.of(Duration.of(rule.purgeTimeSeconds() * 1_000_000 - cutoffMicros, ChronoUnit.MICROS)),
                false);
    }

    static RepairReport run(List<MemoryReplica> replicas, RepairConfig config) throws IOException {
        return run(replicas, config, RepairListener.NONE);
    }

    static RepairReport run(List<MemoryReplica> replicas, RepairConfig config, RepairListener listener)
            throws IOException {
        List<Participant> followers = new ArrayList<>();
        for (MemoryReplica replica : replicas.subList(1, replicas.size())) {
            followers.add(new LocalParticipant(replica.name(), (keyspace, table, staged) -> replica, Runnable::run));
        }
        return run(replicas.get(0), followers, config, listener);
    }

    static RepairReport run(MemoryReplica own, List<Participant> followers, RepairConfig config) throws IOException {
        return run(own, followers, config, RepairListener.NONE);
    }

    static RepairReport run(
            MemoryReplica own, List<Participant> followers, RepairConfig config, RepairListener listener)
            throws IOException {
        try (RepairMaster master = new RepairMaster(config, own, followers, listener)) {
            return master.run();
        } finally {
            followers.forEach(Participant::close);
        }
    }
}
