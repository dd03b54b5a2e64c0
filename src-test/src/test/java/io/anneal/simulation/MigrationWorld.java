package io.anneal.simulation;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.DualDaoBuilder;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.phase.ControlPolicy;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.GateException;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseChangedException;
import io.anneal.dualdao.phase.PhaseControl;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.phase.WorkStart;
import io.anneal.migrate.load.HistoryChecker;
import io.anneal.migrate.load.HistoryVerdict;
import io.anneal.migrate.load.OperationLog;
import io.anneal.migrate.store.PartitionCopy;
import io.anneal.migrate.store.PartitionDao;
import io.anneal.migrate.store.TimedItem;
import io.anneal.migrate.store.TimedPartitions;
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
import java.util.function.UnaryOperator;

/**
 * Some instances of a service with one dual DAO, clients that read and write through them, somebody who moves the phases to and fro, and
 * everything that can go wrong: requests refused, lost, answered too late, instances killed and started again, the phase
 * store out of reach. One thread, one seed, and a log of every operation.
 */
final class MigrationWorld {
    private static final String NAME = "items";
    private static final int INSTANCES = 3;
    private static final int CLIENTS_EACH = 3;
    private static final int KEYS = RandomCalls.KEYS;
    private static final long MILLI = 1_000_000;

    /** Within that time whatever was sent has arrived. */
    private static final long ARRIVED_NANOS = 5 * MILLI;

    private static final Duration WINDOW = Duration.ofMillis(40);

    private final SplittableRandom random;
    private final VirtualTime time;
    private final SimulatedPartitions origin;
    private final SimulatedPartitions target;
    private final MemoryPhaseStore phases = new MemoryPhaseStore();
    private final PhaseControl control;
    private final List<Instance> instances = new ArrayList<>();
    private final OperationLog log = new OperationLog();
    private final Set<Phase> visited = EnumSet.noneOf(Phase.class);
    private final Mode mode;
    private final UnaryOperator<DualDaoBuilder<SimulatedDao>> settings;
    private final RandomCalls calls;
    private boolean noAdding;
    private boolean quiet;
    private int kills;

    MigrationWorld(long seed, Mode mode, UnaryOperator<DualDaoBuilder<SimulatedDao>> settings) {
        random = new SplittableRandom(seed);
        this.mode = mode;
        this.settings = settings;
        time = new VirtualTime(random.split());
        origin = new SimulatedPartitions("origin", time, random.split());
        target = new SimulatedPartitions("target", time, random.split());
        control = PhaseControl.of(
                phases, NAME, time, new ControlPolicy(WINDOW, Duration.ofSeconds(1), Duration.ofHours(1)));
        control.create("simulation", "begins");
        calls = new RandomCalls(random.split(), time, log);
    }

    /** What a run came to. */
    record Result(HistoryVerdict verdict, Set<Phase> visited, int kills, Phase last, List<String> differences) {}

    Result run(Duration busy) {
        for (int i = 0; i < INSTANCES; i++) {
            Instance instance = new Instance(i);
            instances.add(instance);
            instance.start();
        }
        walk();
        // Some walk far before anything goes wrong.
        time.after(random.nextBoolean() ? 1 : random.nextLong(busy.toNanos()), this::trouble);
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
                differences());
    }

    /** Where both sides are written to the end, in what they differ when all is quiet. */
    private List<String> differences() {
        Phase phase = control.current().phase();
        List<String> found = new ArrayList<>();
        if (mode == Mode.MIGRATION && phase.writes(Side.ORIGIN) && backfilled()) {
            for (long key = 0; key < KEYS; key++) {
                if (!origin.held(key).equals(target.held(key)) && !knownDispute(key)) {
                    found.add("key=" + key + ", origin=" + origin.held(key) + ", target=" + target.held(key));
                }
            }
        }
        return found;
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
            for (long key = 0; key < KEYS; key++) {
                long a = key;
                instance.dual.dao().read(a).whenComplete((partition, failure) -> {
                    if (failure != null) {
                        throw new AssertionError("a read failed in a quiet world, key=" + a, failure);
                    }
                    log.holdsAtLast(Long.toString(a), RandomCalls.items(partition), time.nanoTime());
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
            visited.add(control.current().phase());
            try {
                if (mayDecideElsewhere()) {
                    Side authority = control.current().phase().authority();
                    step();
                    if (control.current().phase().authority() != authority) {
                        calls.authorityChanges();
                    }
                }
            } catch (GateException | PhaseChangedException | PhaseStoreException refused) {
                // The gates are there for that.
            }
            walk();
        });
    }

    /** Nobody adds while another side becomes right: two instances would decide at two stores. */
    private boolean mayDecideElsewhere() {
        Phase phase = control.current().phase();
        noAdding = (phase == Phase.READ_TARGET || phase == Phase.TARGET_FIRST) && calls.adding() > 0;
        return !noAdding;
    }

    private boolean oneSideDecides() {
        Side authority = control.current().phase().authority();
        return !noAdding
                && instances.stream()
                        .filter(instance -> !instance.process.killed())
                        .allMatch(instance -> instance.dual.phase().phase().authority() == authority);
    }

    private void step() {
        PhaseRecord current = control.current();
        int dice = random.nextInt(20);
        if (dice == 0) {
            control.rollback("simulation", "at random");
        } else if (dice < 3 && !current.phase().writes(Side.ORIGIN)) {
            control.reverse("simulation", "at random");
        } else if (dice == 3 && current.phase() == Phase.READ_TARGET) {
            control.readShare(random.nextInt(101), "simulation", "at random");
        } else if (dice < 8 && current.phase() == Phase.READ_TARGET && current.readSharePercent() < 100) {
            control.readShare(100, "simulation", "all");
        } else if (dice < 12
                && current.phase().writes(Side.ORIGIN)
                && current.phase().writes(Side.TARGET)) {
            copyAndVerify();
        } else if (control.onTheWayBack() && random.nextInt(4) > 0) {
            control.rollback("simulation", "on the way back");
        } else {
            control.advance("simulation", "at random");
        }
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
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        for (long key = 0; forwards && key < KEYS; key++) {
            long a = key;
            all = all.thenCompose(done -> copyMissing(a, from, to));
        }
        all.thenCompose(done -> compare(from, to)).whenComplete((mismatches, failure) -> {
            if (failure != null) {
                return;
            }
            Map<String, String> facts = Map.of(Facts.MISMATCHES, Integer.toString(mismatches));
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
        return source.readTimed(key)
                .thenCompose(held ->
                        held.isEmpty() ? CompletableFuture.<Void>completedFuture(null) : sink.writeTimed(key, held));
    }

    private CompletionStage<Integer> compare(PartitionDao left, PartitionDao right) {
        CompletionStage<Integer> mismatches = CompletableFuture.completedFuture(0);
        for (long key = 0; key < KEYS; key++) {
            long a = key;
            mismatches = mismatches.thenCompose(
                    found -> differs(left, right, a, 5).thenApply(differs -> found + (differs ? 1 : 0)));
        }
        return mismatches;
    }

    /** A difference is looked at again later, since a write may have been under way. */
    private CompletionStage<Boolean> differs(PartitionDao left, PartitionDao right, long key, int attempts) {
        CompletionStage<List<TimedItem>> here = ((TimedPartitions) left).readTimed(key);
        CompletionStage<List<TimedItem>> there = ((TimedPartitions) right).readTimed(key);
        return here.thenCombine(there, (one, other) -> !one.equals(other)).thenCompose(differs -> {
            if (!differs || attempts == 0) {
                return CompletableFuture.completedFuture(differs);
            }
            CompletableFuture<Boolean> later = new CompletableFuture<>();
            time.after(
                    random.nextLong(5 * MILLI),
                    () -> differs(left, right, key, attempts - 1).whenComplete((answer, failure) -> {
                        if (failure != null) {
                            later.completeExceptionally(failure);
                        } else {
                            later.complete(answer);
                        }
                    }));
            return later;
        });
    }

    private void checkNeighbours() {
        List<PhaseRecord> inForce = new ArrayList<>();
        for (Instance instance : instances) {
            if (!instance.process.killed()) {
                inForce.add(instance.dual.phase());
            }
        }
        for (PhaseRecord one : inForce) {
            for (PhaseRecord other : inForce) {
                if (!one.phase().neighbours(other.phase()) || Math.abs(one.version() - other.version()) > 1) {
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
        private final LossyPhaseStore phases = new LossyPhaseStore(MigrationWorld.this.phases);
        private VirtualTime.Process process;
        private DualDao<SimulatedDao> dual;

        Instance(int number) {
            this.number = number;
            name = "i" + number;
            journal = new SurvivingJournal(name);
        }

        void start() {
            process = time.process();
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
                    .copy(KeyCodec.LONG, new SimulatedDao.Copy(PartitionCopy.between(one, other)))
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
            dual = settings.apply(builder).build();
            for (int i = 0; i < CLIENTS_EACH; i++) {
                client(process);
            }
        }

        private PhaseMark mark() {
            return new PhaseMark() {
                @Override
                public Optional<Seen> read(String of) {
                    return Optional.ofNullable(marks.get(of));
                }

                @Override
                public void remember(String of, Seen seen) {
                    marks.put(of, seen);
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
            time.after(ARRIVED_NANOS, () -> calls.forget(killed));
            time.after(random.nextLong(50 * MILLI), this::start);
        }

        private void client(VirtualTime.Process mine) {
            mine.after(random.nextLong(3 * MILLI), () -> {
                if (quiet) {
                    return;
                }
                calls.next(dual.dao(), mine, number, oneSideDecides()).whenComplete((answer, failure) -> client(mine));
            });
        }
    }
}
