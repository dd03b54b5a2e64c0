package io.anneal.migrate.page;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.WorkStart;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.BatchStats;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.DualStats;
import io.anneal.dualdao.stats.MetricsSink;
import io.anneal.dualdao.stats.OperationStats;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A migration that only says what real ones say: instances with traffic out of a seeded random source, whose statistics, heartbeats,
 * phases and gates are the real ones, under a clock that moves a second at a time when it is told to.
 */
final class PretendRun implements InstantSource {
    static final String NAME = "profiles";
    static final Instant START = Instant.parse("2026-03-02T09:30:00Z");

    private static final double ORIGIN_MICROS = 1_450;
    private static final double TARGET_MICROS = 820;

    /** One instance; what it does next is changed by the test. */
    final class Instance {
        final String name;
        final Map<String, String> more = new LinkedHashMap<>();
        final DualStats stats = new DualStats(MetricsSink.NONE, 1, PretendRun.this, false);

        boolean alive = true;
        boolean follows = true;
        int readsASecond = 140;
        double targetSlowdown = 1;
        double missing;
        /** The share of the writes that the target refuses. */
        double failing;

        long version;
        String run = "1";
        private final Instant started = now;

        private Instance(String name, long version) {
            this.name = name;
            this.version = version;
        }

        private void second(PhaseRecord inForce) {
            if (follows) {
                version = inForce.version();
            }
            traffic(inForce.phase(), inForce.readSharePercent());
            Map<String, String> facts = new HashMap<>(stats.facts());
            facts.put(Facts.KIND, "dao");
            facts.put(Facts.HOST, name);
            facts.put(Facts.PID, Integer.toString(4_000 + name.hashCode() % 1_000));
            facts.put(Facts.STARTED_MILLIS, Long.toString(started.toEpochMilli()));
            facts.put(Facts.MODE, "MIGRATION");
            facts.put(Facts.POLL_MILLIS, "1");
            facts.put(Facts.RUN, run);
            facts.put(Facts.DIRTY_TARGET, "0");
            facts.put(Facts.DIRTY_ORIGIN, "0");
            facts.putAll(more);
            store.heartbeat(NAME, new Heartbeat(name, version, true, now, facts));
        }

        private void traffic(Phase phase, int sharePercent) {
            int reads = (int) (readsASecond * (0.93 + random.nextDouble() * 0.14));
            int writes = reads / 4;
            OperationStats read = stats.operation("read");
            BatchStats batch = stats.batch("read");
            for (int i = 0; i < reads; i++) {
                boolean shared = phase != Phase.READ_TARGET || random.nextInt(100) < sharePercent;
                Side first = phase.readsTarget() && shared ? Side.TARGET : Side.ORIGIN;
                read.count(Counter.READS);
                read.latency(first, nanos(first));
                if (first == Side.TARGET && phase.fallsBack() && random.nextDouble() < missing) {
                    read.count(Counter.FALLBACK_HITS);
                    read.latency(Side.ORIGIN, nanos(Side.ORIGIN));
                } else if (first == Side.TARGET && phase.fallsBack() && random.nextDouble() < 0.004) {
                    read.count(Counter.FALLBACK_MISSES);
                    read.latency(Side.ORIGIN, nanos(Side.ORIGIN));
                }
                if (i % 20 == 0) {
                    batch.latency(first, nanos(first) * 2);
                }
            }
            OperationStats write = stats.operation("write");
            for (int i = 0; i < writes; i++) {
                write.count(i % 9 == 0 ? Counter.DELETES : Counter.WRITES);
                for (Side side : Side.values()) {
                    if (phase.writes(side)) {
                        write.latency(side, nanos(side) * 3 / 4);
                    }
                    if (side == Side.TARGET && phase.writes(side) && failing > 0 && random.nextDouble() < failing) {
                        write.count(Counter.TARGET_FAILED);
                        stats.failed("write", side, new IllegalStateException("no replica answered, key=" + i));
                    }
                }
            }
        }

        private long nanos(Side side) {
            double micros = side == Side.ORIGIN ? ORIGIN_MICROS : TARGET_MICROS * targetSlowdown;
            double tail = random.nextDouble() < 0.006 ? 2.5 + random.nextDouble() * 2 : 1;
            return (long) (micros * Math.exp(random.nextGaussian() * 0.28) * tail * 1_000);
        }
    }

    final MemoryPhaseStore store = new MemoryPhaseStore();
    final PhaseControl control = PhaseControl.of(
            store, NAME, this, new ControlPolicy(Duration.ofSeconds(30), Duration.ofSeconds(10), Duration.ofHours(24)));
    final List<Instance> instances = new ArrayList<>();

    private final Random random;

    private volatile Instant now = START;

    PretendRun(long seed) {
        this.random = new Random(seed);
    }

    @Override
    public Instant instant() {
        return now;
    }

    /** A run in phase 1 with that many instances. */
    static PretendRun begun(int instanceCount) {
        PretendRun run = new PretendRun(42);
        run.control.create("dana", "move profiles to the new store");
        for (int i = 1; i <= instanceCount; i++) {
            run.join("profiles-" + i);
        }
        run.seconds(1, () -> {});
        return run;
    }

    Instance join(String name) {
        Instance instance = new Instance(name, 1);
        instances.add(instance);
        return instance;
    }

    /** Lets the clock go on, with a heartbeat of each living instance and a look of the page each second. */
    void seconds(int count, Runnable look) {
        turns(count, Duration.ofSeconds(1), look);
    }

    /** The same at another pace. */
    void turns(int count, Duration each, Runnable look) {
        for (int i = 0; i < count; i++) {
            now = now.plus(each);
            PhaseRecord inForce = store.read(NAME).orElseThrow();
            instances.stream().filter(instance -> instance.alive).forEach(instance -> instance.second(inForce));
            look.run();
        }
    }

    void advance(String why) {
        control.advance("dana", why);
    }

    /** A back-fill or a verification that takes that long, seen in its heartbeats. */
    void work(PhaseNote.Kind kind, String instance, int seconds, long rows, Runnable look) {
        WorkStart start = control.begin();
        for (int i = 0; i <= seconds; i++) {
            Map<String, String> facts = workFacts(kind, start.at(), i, seconds, rows);
            store.heartbeat(NAME, new Heartbeat(instance, start.version(), true, now, facts));
            seconds(1, look);
        }
        store.forget(NAME, instance);
        control.finish(
                start,
                kind,
                "dana",
                kind == PhaseNote.Kind.BACKFILL
                        ? Map.of(Facts.ROWS, Long.toString(rows), Facts.BYTES, Long.toString(rows * 212))
                        : Map.of(Facts.ROWS, Long.toString(rows), Facts.MISMATCHES, "0", Facts.WRITTEN_PAST, "0"));
    }

    /** What a back-fill or a verification says of itself. */
    static Map<String, String> workFacts(PhaseNote.Kind kind, Instant start, int done, int total, long rows) {
        return Map.of(
                Facts.KIND, kind == PhaseNote.Kind.BACKFILL ? "backfill" : "verify",
                Facts.STARTED_MILLIS, Long.toString(start.toEpochMilli()),
                Facts.ROWS, Long.toString(rows * done / total),
                Facts.BYTES, Long.toString(rows * 212 * done / total),
                Facts.RANGES_DONE, Long.toString(256L * done / total),
                Facts.RANGES_TOTAL, "256",
                Facts.SECONDS_LEFT, Integer.toString(total - done));
    }

    /** An answer of the two sides that differed. */
    void mismatch(Instance instance, String key, FieldDiff... differences) {
        OperationStats read = instance.stats.operation("read");
        read.count(Counter.COMPARED, 2_400);
        if (differences.length > 0) {
            read.count(Counter.MISMATCHES);
            instance.stats.mismatch("read", key, List.of(differences));
        }
    }
}
