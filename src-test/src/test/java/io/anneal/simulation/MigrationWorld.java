package io.anneal.simulation;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.DualDaoBuilder;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy.Guarantee;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.Gate;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.PhaseRecovery;
import io.anneal.dualdao.control.Readiness;
import io.anneal.dualdao.control.WorkStart;
import io.anneal.dualdao.operation.MethodSpec;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Heartbeat;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Side;
import io.anneal.harness.load.HistoryChecker;
import io.anneal.harness.load.HistoryVerdict;
import io.anneal.harness.load.OperationLog;
import io.anneal.harness.store.Item;
import io.anneal.harness.store.PartitionCopy;
import io.anneal.harness.store.PartitionDao;
import io.anneal.harness.store.TimedItem;
import io.anneal.harness.store.TimedPartitions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

/**
 * Some instances of a service with one dual DAO, clients that read and write through them, somebody who moves the phases to and fro, and
 * everything that can go wrong: requests refused, lost, answered too late, instances killed and started again, the phase
 * store out of reach. One thread, one seed, and a log of every operation.
 */
final class MigrationWorld {
    private static final String NAME = "items";
    private static final int INSTANCES = 3;
    private static final int CLIENTS_EACH = 3;
    private static final long MILLI = 1_000_000;

    /** Within that time whatever was sent has arrived. */
    private static final long ARRIVED_NANOS = 5 * MILLI;

    /** Gates that back-fills and verifications open. */
    private static final Set<String> WORK = Set.of("backfill", "verification", "reverse");

    private static final Duration WINDOW = Duration.ofMillis(40);

    private final SplittableRandom random;
    private final VirtualTime time;
    private final SimulatedPartitions origin;
    private final SimulatedPartitions target;
    private PhaseStore phases = new MemoryPhaseStore();
    private final Map<String, PhaseMark.Seen> marksInTarget = new HashMap<>();
    private final PhaseControl control;
    private final List<Instance> instances = new ArrayList<>();
    private final OperationLog log = new OperationLog();
    private final Set<Phase> visited = EnumSet.noneOf(Phase.class);
    private final Mode mode;
    private final UnaryOperator<DualDaoBuilder<SimulatedDao>> settings;
    private final RandomCalls calls;
    private final EntityCalls entities;
    private final Draws draws;
    private final List<String> oldDifferences = new ArrayList<>();

    /** The record that was in force when the phase store was lost; null before. */
    private PhaseRecord lastKnown;

    private long allReadTargetNanos = Long.MAX_VALUE;
    private boolean noAdding;
    private boolean quiet;
    private int kills;

    /**
     * What clients do, and to what.
     *
     * @param keys of partitions
     * @param times whether the stores keep the times of writes; else clients write partitions and no more, and what is copied and
     *     compared is what a gate asks for
     * @param entities whether there are entities, too, and transactions; not for settings in which whoever writes one would
     *     wait for others, on the only thread there is
     * @param loses whether the phase store loses everything, once
     */
    record Draws(int keys, boolean times, boolean entities, boolean loses) {
        static final Draws ALL = new Draws(4, true, true, false);
        static final Draws PARTITIONS = new Draws(4, true, false, false);
        static final Draws WITHOUT_TIMES = new Draws(200, false, false, false);
        static final Draws LOST_PHASES = new Draws(4, true, true, true);
    }

    MigrationWorld(long seed, Mode mode, Draws draws, UnaryOperator<DualDaoBuilder<SimulatedDao>> settings) {
        random = new SplittableRandom(seed);
        this.draws = draws;
        this.mode = mode;
        this.settings = settings;
        time = new VirtualTime(random.split());
        origin = new SimulatedPartitions("origin", draws.times(), time, random.split());
        target = new SimulatedPartitions("target", draws.times(), time, random.split());
        control = PhaseControl.of(
                new LossyPhaseStore(() -> phases).store(),
                NAME,
                time,
                new ControlPolicy(WINDOW, Duration.ofSeconds(1), Duration.ofHours(1)));
        control.create("simulation", "begins");
        calls = new RandomCalls(draws, random.split(), time, log);
        entities = new EntityCalls(random.split(), time, log, origin.transactions());
    }

    /**
     * What a run came to.
     *
     * @param oldDifferences what the sides differed in since before all reads went to the target, when the target became right
     */
    record Result(
            HistoryVerdict verdict,
            Set<Phase> visited,
            int kills,
            Phase last,
            List<String> differences,
            List<String> oldDifferences) {}

    private long[] keys() {
        LongStream partitions = LongStream.range(0, draws.keys());
        return (draws.entities() ? LongStream.concat(partitions, LongStream.of(EntityCalls.keys())) : partitions)
                .toArray();
    }

    Result run(Duration busy) {
        for (int i = 0; i < INSTANCES; i++) {
            Instance instance = new Instance(i);
            instances.add(instance);
            instance.start();
        }
        walk();
        // Some walk far before anything goes wrong.
        time.after(random.nextBoolean() ? 1 : random.nextLong(busy.toNanos()), this::trouble);
        if (draws.loses()) {
            time.after(random.nextLong(busy.toNanos() * 3 / 4), this::losePhases);
        }
        for (long left = busy.toNanos(); left > 0; left -= 100 * MILLI) {
            time.runFor(100 * MILLI);
        }
        quiet = true;
        origin.faultPercent(0);
        target.faultPercent(0);
        instances.forEach(instance -> instance.phases.lost(false));
        time.runFor(Duration.ofSeconds(3).toNanos());
        readAll();
        time.runFor(Duration.ofSeconds(1).toNanos());
        return new Result(
                HistoryChecker.check(log, HistoryChecker.UnknownWrites.IN_ORDER),
                visited,
                kills,
                control.current().phase(),
                differences(),
                oldDifferences);
    }

    /** Where both sides are written to the end, in what they differ when all is quiet. */
    private List<String> differences() {
        Phase phase = control.current().phase();
        List<String> found = new ArrayList<>();
        if (mode == Mode.MIGRATION && phase.writes(Side.ORIGIN) && backfilled()) {
            for (long key : keys()) {
                if (!same(origin.held(key), target.held(key)) && !knownDispute(key)) {
                    found.add("key=" + key + ", origin=" + origin.held(key) + ", target=" + target.held(key));
                }
            }
        }
        return found;
    }

    private boolean same(List<TimedItem> left, List<TimedItem> right) {
        return draws.times() ? left.equals(right) : items(left).equals(items(right));
    }

    private static List<Item> items(List<TimedItem> timed) {
        return timed.stream().map(TimedItem::item).toList();
    }

    /** Documented: two sides may decide while the authority changes. Somebody's journal must say so, and the gates with it. */
    private boolean knownDispute(long key) {
        String text = Long.toString(key);
        return calls.disputed(key)
                && instances.stream()
                        .map(instance -> instance.journal)
                        .anyMatch(
                                journal -> journal.contains(Side.ORIGIN, text) || journal.contains(Side.TARGET, text));
    }

    private boolean backfilled() {
        PhaseRecord current = control.current();
        return current.phase().compareTo(Phase.READ_TARGET) >= 0;
    }

    private void readAll() {
        for (Instance instance : instances) {
            if (draws.entities()) {
                entities.readAll(instance.dual.dao());
            }
            for (long a = 0; a < draws.keys(); a++) {
                String key = Long.toString(a);
                instance.dual.dao().read(a).whenComplete((partition, failure) -> {
                    if (failure != null) {
                        throw new AssertionError("a read failed in a quiet world, key=" + key, failure);
                    }
                    log.holdsAtLast(key, RandomCalls.items(partition), time.nanoTime());
                });
            }
        }
    }

    private void trouble() {
        time.after(random.nextLong(60 * MILLI), () -> {
            if (quiet) {
                return;
            }
            Instance one = instances.get(random.nextInt(INSTANCES));
            switch (random.nextInt(8)) {
                case 0 -> origin.faultPercent(random.nextInt(15));
                case 1 -> target.faultPercent(random.nextInt(30));
                case 2 -> {
                    origin.faultPercent(0);
                    target.faultPercent(0);
                }
                case 3 -> one.phases.lost(true);
                case 4, 5 -> one.phases.lost(false);
                case 6 -> one.kill();
                default -> {}
            }
            trouble();
        });
    }

    /** Somebody who moves phases, wherever the gates let him. */
    private void walk() {
        time.after(random.nextLong(30 * MILLI), () -> {
            if (quiet) {
                return;
            }
            checkNeighbours();
            try {
                visited.add(control.current().phase());
                if (mayDecideElsewhere() && allRegistered()) {
                    PhaseRecord before = control.current();
                    step();
                    stepped(before, control.current());
                }
            } catch (GateException | PhaseChangedException | PhaseStoreException refused) {
                // The gates are there for that.
            }
            walk();
        });
    }

    private void stepped(PhaseRecord before, PhaseRecord now) {
        if (now.phase().authority() != before.phase().authority()) {
            calls.authorityChanges();
            if (now.phase().authority() == Side.TARGET) {
                lookForOldDifferences();
            }
        }
        boolean allReadTarget = now.phase().readsTarget() && now.readSharePercent() == 100;
        allReadTargetNanos = allReadTarget ? Math.min(allReadTargetNanos, time.nanoTime()) : Long.MAX_VALUE;
    }

    /** What was written before all reads went to the target, the verification that the gates ask for has seen. */
    private void lookForOldDifferences() {
        for (long key : keys()) {
            long changedNanos = Math.max(origin.changedNanos(key), target.changedNanos(key));
            if (changedNanos < allReadTargetNanos && !same(origin.held(key), target.held(key))) {
                oldDifferences.add("key=" + key + ", origin=" + origin.held(key) + ", target=" + target.held(key));
            }
        }
    }

    /** The phase store has lost everything. Somebody begins the migration anew by mistake, or not, and then somebody makes it good. */
    private void losePhases() {
        lastKnown = phases.read(NAME).orElseThrow();
        phases = new MemoryPhaseStore();
        if (random.nextBoolean()) {
            time.after(random.nextLong(30 * MILLI), () -> {
                try {
                    control.create("simulation", "by mistake");
                } catch (PhaseStoreException | IllegalStateException refused) {
                    // As it should be.
                }
            });
        }
        time.after(random.nextLong(60 * MILLI), () -> {
            Instance fresh = new Instance(instances.size());
            instances.add(fresh);
            fresh.start();
        });
        time.after(random.nextLong(100 * MILLI), this::recoverPhases);
    }

    private void recoverPhases() {
        try {
            List<PhaseMark> marks = new ArrayList<>();
            instances.forEach(instance -> marks.add(instance.mark()));
            PhaseRecovery.look(phases, NAME, marks, time).run("simulation", "recovers");
        } catch (PhaseStoreException | PhaseChangedException | IllegalStateException refused) {
            time.after(random.nextLong(10 * MILLI), this::recoverPhases);
        }
    }

    /** Whoever recovers knows which instances there are, and waits for them before the next step. */
    private boolean allRegistered() {
        List<String> registered =
                phases.heartbeats(NAME).stream().map(Heartbeat::instance).toList();
        return instances.stream()
                .filter(Instance::runs)
                .map(instance -> instance.name)
                .allMatch(registered::contains);
    }

    /** The record in force, as it was when the phase store could last be asked. */
    private PhaseRecord inForce() {
        return phases.read(NAME).orElse(lastKnown);
    }

    /** Nobody adds while another side becomes right: two instances would decide at two stores. */
    private boolean mayDecideElsewhere() {
        Phase phase = inForce().phase();
        noAdding = (phase == Phase.READ_TARGET || phase == Phase.TARGET_FIRST) && calls.adding() > 0;
        return !noAdding;
    }

    private boolean oneSideDecides() {
        Side authority = inForce().phase().authority();
        return !noAdding
                && instances.stream()
                        .filter(Instance::runs)
                        .allMatch(instance -> instance.dual.phase().phase().authority() == authority);
    }

    private void step() {
        PhaseRecord current = control.current();
        int dice = random.nextInt(20);
        if (dice == 0) {
            control.rollback("simulation", "at random");
        } else if (dice < 3 && !current.phase().writes(Side.ORIGIN)) {
            control.reverse("simulation", "at random");
        } else if (dice == 3
                && (current.phase() == Phase.READ_TARGET || !draws.times() && current.phase() == Phase.WRITE_BOTH)) {
            control.readShare(random.nextInt(101), "simulation", "at random");
        } else if (dice < 8 && current.phase() == Phase.READ_TARGET && current.readSharePercent() < 100) {
            control.readShare(100, "simulation", "all");
        } else if (dice < 12
                && current.phase().writes(Side.ORIGIN)
                && current.phase().writes(Side.TARGET)) {
            if (draws.times() || workIsAskedFor()) {
                copyAndVerify();
            }
        } else if (control.onTheWayBack() && random.nextInt(4) > 0) {
            control.rollback("simulation", "on the way back");
        } else {
            control.advance("simulation", "at random");
        }
    }

    private boolean workIsAskedFor() {
        Readiness next = control.onTheWayBack() ? control.rollbackReadiness() : control.readiness();
        return next.missing().stream().map(Gate::name).anyMatch(WORK::contains);
    }

    /** What `anneal migrate backfill` and `verify` do, for keys as few as these. */
    private void copyAndVerify() {
        PhaseRecord current = control.current();
        WorkStart start = control.begin();
        VirtualTime.Process process = time.process();
        PartitionDao from = origin.client(process);
        PartitionDao to = target.client(process);
        boolean back = control.onTheWayBack();
        boolean forwards = current.phase().authority() == Side.ORIGIN;
        CompletableFuture<?>[] copies = LongStream.of(forwards ? keys() : new long[0])
                .mapToObj(key -> copyMissing(key, from, to).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Void> all = CompletableFuture.allOf(copies);
        all.thenCompose(done -> compare(from, to)).whenComplete((mismatches, failure) -> {
            if (failure != null) {
                return;
            }
            Map<String, String> facts = Map.of(Facts.MISMATCHES, Integer.toString(mismatches), Facts.ROWS, "1");
            try {
                if (forwards) {
                    control.finish(start, PhaseNote.Kind.BACKFILL, "simulation", facts);
                }
                control.finish(start, PhaseNote.Kind.VERIFICATION, "simulation", facts);
                if (back) {
                    control.finish(start, PhaseNote.Kind.REVERSE_BACKFILL, "simulation", facts);
                }
            } catch (GateException | PhaseChangedException | IllegalStateException refused) {
                // Begun too early: it counts for nothing.
            }
        });
    }

    /** A back-fill writes and never deletes. */
    private CompletionStage<Void> copyMissing(long key, PartitionDao from, PartitionDao to) {
        TimedPartitions source = (TimedPartitions) from;
        TimedPartitions sink = (TimedPartitions) to;
        if (!draws.times()) {
            return later(() -> {
                repaired(key);
                return CompletableFuture.<Void>completedFuture(null);
            });
        }
        return source.readTimed(key)
                .thenCompose(held ->
                        held.isEmpty() ? CompletableFuture.<Void>completedFuture(null) : sink.writeTimed(key, held));
    }

    private CompletionStage<Integer> compare(PartitionDao left, PartitionDao right) {
        CompletionStage<Integer> mismatches = CompletableFuture.completedFuture(0);
        for (long key : keys()) {
            CompletionStage<Integer> one = differs(left, right, key, 5)
                    .thenApply(differs -> differs && (draws.times() || !repaired(key)) ? 1 : 0);
            mismatches = mismatches.thenCombine(one, Integer::sum);
        }
        return mismatches;
    }

    /** Makes the side that is not right what the other one is, as those must without whom stores would not be equal again. */
    private boolean repaired(long key) {
        Phase phase = inForce().phase();
        if (phase == Phase.WRITE_BOTH || phase == Phase.READ_TARGET) {
            target.become(key, origin);
            return true;
        } else if (control.onTheWayBack()) {
            origin.become(key, target);
            return true;
        }
        return false;
    }

    /** A difference is looked at again later, since a write may have been under way. */
    private CompletionStage<Boolean> differs(PartitionDao left, PartitionDao right, long key, int attempts) {
        CompletionStage<List<TimedItem>> here = ((TimedPartitions) left).readTimed(key);
        CompletionStage<List<TimedItem>> there = ((TimedPartitions) right).readTimed(key);
        return here.thenCombine(there, (one, other) -> !same(one, other)).thenCompose(differs -> {
            if (!differs || attempts == 0) {
                return CompletableFuture.completedFuture(differs);
            }
            return later(() -> differs(left, right, key, attempts - 1));
        });
    }

    private <T> CompletionStage<T> later(Supplier<CompletionStage<T>> work) {
        CompletableFuture<T> later = new CompletableFuture<>();
        time.after(
                random.nextLong(5 * MILLI),
                () -> work.get().whenComplete((answer, failure) -> {
                    if (failure != null) {
                        later.completeExceptionally(failure);
                    } else {
                        later.complete(answer);
                    }
                }));
        return later;
    }

    /** A record that was recovered is one more than the one that some had not taken up when it was lost. */
    private void checkNeighbours() {
        int apartMax = lastKnown == null ? 1 : 2;
        List<PhaseRecord> inForce = new ArrayList<>();
        for (Instance instance : instances) {
            if (instance.runs()) {
                inForce.add(instance.dual.phase());
            }
        }
        for (PhaseRecord one : inForce) {
            for (PhaseRecord other : inForce) {
                if (!one.phase().neighbours(other.phase()) || Math.abs(one.version() - other.version()) > apartMax) {
                    throw new AssertionError("two instances more than one step apart, one=" + one + ", other=" + other);
                }
            }
        }
    }

    /** One process of the service. */
    private final class Instance {
        private final int number;
        private final String name;
        private final SurvivingJournal journal;
        private final Map<String, PhaseMark.Seen> marks = new HashMap<>();
        private final LossyPhaseStore phases = new LossyPhaseStore(() -> MigrationWorld.this.phases);
        private VirtualTime.Process process;
        private DualDao<SimulatedDao> dual;

        Instance(int number) {
            this.number = number;
            name = "i" + number;
            journal = new SurvivingJournal(name);
        }

        boolean runs() {
            return dual != null && !process.killed();
        }

        void start() {
            process = time.process();
            dual = null;
            phases.lost(false);
            SimulatedDao one = origin.client(process);
            SimulatedDao other = target.client(process);
            VirtualTime.Process mine = process;
            DualDaoBuilder<SimulatedDao> builder = DualDao.builder(SimulatedDao.class)
                    .name(NAME)
                    .instance(name)
                    .origin(one)
                    .target(other)
                    .mode(mode)
                    .phases(phases.store())
                    .journal(journal)
                    .withoutDirectory()
                    .targetMark(mark())
                    .transactions(origin.transactions().hook())
                    .copy(
                            KeyCodec.LONG,
                            new SimulatedDao.Copy(
                                    PartitionCopy.between(one, other),
                                    draws.times() ? Guarantee.SOURCE_TIMESTAMPS : Guarantee.NONE))
                    .method("livingIn", MethodSpec::noKey)
                    .poll(Duration.ofMillis(5))
                    .environment(new DualEnvironment(
                            time, time::nanoTime, PhaseControl.Sleeper.THREAD, new DualEnvironment.Threads() {
                                @Override
                                public ScheduledExecutorService scheduler() {
                                    return mine.executor();
                                }

                                @Override
                                public ExecutorService shadow(ShadowConfig config) {
                                    return mine.executor();
                                }
                            }));
            try {
                dual = settings.apply(builder).build();
            } catch (PhaseStoreException refused) {
                if (!draws.loses()) {
                    throw refused;
                }
                process.kill();
                time.after(random.nextLong(20 * MILLI), this::start);
                return;
            }
            for (int i = 0; i < CLIENTS_EACH; i++) {
                client(process);
            }
        }

        /** Beside the instance, and in the target for one that is new. */
        private PhaseMark mark() {
            return new PhaseMark() {
                @Override
                public Optional<Seen> read(String of) {
                    return Optional.ofNullable(marks.getOrDefault(of, marksInTarget.get(of)));
                }

                @Override
                public void remember(String of, Seen seen) {
                    marks.put(of, seen);
                    marksInTarget.merge(of, seen, (one, other) -> one.version() > other.version() ? one : other);
                }
            };
        }

        void kill() {
            if (process.killed()) {
                return;
            }
            kills++;
            VirtualTime.Process killed = process;
            killed.kill();
            entities.killed(killed);
            time.after(ARRIVED_NANOS, () -> calls.forget(killed));
            time.after(random.nextLong(50 * MILLI), this::start);
        }

        private void client(VirtualTime.Process mine) {
            mine.after(random.nextLong(3 * MILLI), () -> {
                if (quiet) {
                    return;
                }
                CompletionStage<?> call = draws.entities() && random.nextInt(3) == 0
                        ? entities.next(dual.dao(), mine, dual.phase().phase().authority(), this::kill)
                        : calls.next(dual.dao(), mine, number, oneSideDecides());
                call.whenComplete((answer, failure) -> client(mine));
            });
        }
    }
}
