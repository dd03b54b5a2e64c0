package io.anneal.dualdao;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.GateException;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.WorkStart;
import io.anneal.dualdao.operation.Conditional;
import io.anneal.dualdao.operation.Delete;
import io.anneal.dualdao.operation.Key;
import io.anneal.dualdao.operation.Read;
import io.anneal.dualdao.operation.Write;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.route.WriteTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two instances that share a phase, a migration from 1 to 5 and all the way back, and calls that never stop, on one thread and in
 * an order by the seed: whatever either side does happens later, between other calls, polls and steps. Each read of either
 * instance must answer the last write that was acknowledged before it began, or one that was under way meanwhile.
 */
final class TwoInstancesWalkTest {
    private static final String NAME = "ledger";
    private static final int KEYS = 6;
    private static final int EVENTS_MAX = 200_000;

    /** A store of names, each answer later. */
    interface Ledger {
        @Read
        CompletionStage<String> find(@Key long id);

        @Write
        CompletionStage<Void> save(@Key long id, String value);

        @Delete
        CompletionStage<Void> remove(@Key long id);

        @Conditional
        CompletionStage<Boolean> rename(@Key long id, String from, String to);
    }

    /** A value or a deletion, and when it was written. */
    private record Cell(String value, long micros) {}

    private final class Holder implements Ledger {
        private final Map<Long, Cell> cells = new HashMap<>();

        @Override
        public CompletionStage<String> find(long id) {
            return later(() -> value(id));
        }

        String value(long id) {
            Cell cell = cells.get(id);
            return cell == null ? null : cell.value();
        }

        @Override
        public CompletionStage<Void> save(long id, String value) {
            long micros = WriteTime.currentMicros().orElseThrow();
            return later(() -> merge(id, new Cell(value, micros)));
        }

        @Override
        public CompletionStage<Void> remove(long id) {
            return save(id, null);
        }

        @Override
        public CompletionStage<Boolean> rename(long id, String from, String to) {
            long micros = WriteTime.currentMicros().orElseThrow();
            return later(() -> {
                boolean decided = from.equals(value(id));
                if (decided) {
                    merge(id, new Cell(to, micros));
                }
                return decided;
            });
        }

        Void merge(long id, Cell cell) {
            cells.merge(id, cell, (known, other) -> other.micros() > known.micros() ? other : known);
            return null;
        }

        Void takeAway(long id, long beforeMicros) {
            cells.computeIfPresent(
                    id, (same, cell) -> cell.micros() < beforeMicros ? new Cell(null, cell.micros()) : cell);
            return null;
        }
    }

    /** Carries the times of the source, and so loses against newer writes. */
    private final class Copy implements KeyCopy<Ledger, Long> {
        @Override
        public Guarantee guarantee() {
            return Guarantee.SOURCE_TIMESTAMPS;
        }

        @Override
        public CompletionStage<Void> copy(Long key, Ledger from, Ledger to, long takenAwayBeforeMicros) {
            return later(() -> ((Holder) from).cells.get(key))
                    .thenCompose(cell -> later(() -> cell == null
                            ? ((Holder) to).takeAway(key, takenAwayBeforeMicros)
                            : ((Holder) to).merge(key, cell)));
        }

        @Override
        public CompletionStage<?> read(Long key, Ledger dao) {
            return dao.find(key);
        }
    }

    private static final class Written {
        final String value;
        final long begun;
        long acknowledged = Long.MAX_VALUE;

        Written(String value, long begun) {
            this.value = value;
            this.begun = begun;
        }
    }

    private final List<Runnable> pending = new ArrayList<>();
    private final Holder origin = new Holder();
    private final Holder target = new Holder();
    private final Map<Long, List<Written>> written = new HashMap<>();
    private final PhaseStore phases = new MemoryPhaseStore();
    private final List<DualDao<Ledger>> instances = new ArrayList<>();
    private final Set<Phase> seen = EnumSet.noneOf(Phase.class);
    private final List<String> wrong = new ArrayList<>();
    private Random random;
    private String seed;
    private long now = 1;
    private int reads;
    private int apart;

    private Instant time() {
        return Instant.EPOCH.plusMillis(now);
    }

    private final PhaseControl control = PhaseControl.of(
            phases, NAME, this::time, new ControlPolicy(Duration.ZERO, Duration.ofDays(1), Duration.ofDays(1)));

    private <T> CompletionStage<T> later(Supplier<T> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        pending.add(() -> result.complete(work.get()));
        return result;
    }

    /** What runs beside calls waits for its turn as everything does. */
    private final class Threads implements DualEnvironment.Threads {
        @Override
        public ScheduledExecutorService scheduler() {
            // Nothing is due within an hour.
            return Executors.newSingleThreadScheduledExecutor();
        }

        @Override
        public ExecutorService shadow(ShadowConfig config) {
            return new AbstractExecutorService() {
                private boolean shutDown;

                @Override
                public void execute(Runnable task) {
                    pending.add(task);
                }

                @Override
                public void shutdown() {
                    shutDown = true;
                }

                @Override
                public List<Runnable> shutdownNow() {
                    shutDown = true;
                    return List.of();
                }

                @Override
                public boolean isShutdown() {
                    return shutDown;
                }

                @Override
                public boolean isTerminated() {
                    return shutDown;
                }

                @Override
                public boolean awaitTermination(long timeout, TimeUnit unit) {
                    return true;
                }
            };
        }
    }

    private DualDao<Ledger> start(String instance) {
        if (phases.read(NAME).isEmpty()) {
            control.create("ann", "begin");
        }
        DualDao<Ledger> started = DualDao.builder(Ledger.class)
                .name(NAME)
                .instance(instance)
                .origin(origin)
                .target(target)
                .mode(Mode.MIGRATION)
                .phases(phases)
                .copy(KeyCodec.LONG, new Copy())
                .environment(new DualEnvironment(
                        this::time, () -> now * 1_000_000, PhaseControl.Sleeper.THREAD, new Threads()))
                .poll(Duration.ofHours(1))
                .build();
        instances.add(started);
        return started;
    }

    @AfterEach
    void close() {
        instances.forEach(DualDao::close);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldAnswerWhatWasAcknowledgedWhilePhasesWalk(long seedOfRun) {
        seed = "seed=" + seedOfRun;
        random = new Random(seedOfRun);
        start("a");
        start("b");

        walk(Phase.TARGET_ONLY, () -> control.advance("ann", "on"));
        walk(Phase.TARGET_FIRST, () -> control.reverse("ann", "back"));
        walk(Phase.ORIGIN_ONLY, this::back);
        settle();

        assertThat(seen).as(seed).containsExactlyInAnyOrder(Phase.values());
        assertThat(reads).as("reads that were checked, " + seed).isGreaterThan(200);
        assertThat(apart)
                .as("moments with the instances one step apart, " + seed)
                .isPositive();
        written.forEach((id, writes) -> assertThat(origin.value(id))
                .as("key " + id + ", " + seed)
                .isEqualTo(writes.get(writes.size() - 1).value));
    }

    /** One instance deletes in the target alone, the other is a step behind: it must not find the key in the origin. */
    @ParameterizedTest
    @EnumSource(names = {"TARGET_FIRST", "WRITE_TARGET", "TARGET_ONLY"})
    void shouldNotFindWhatWasDeletedOneStepAhead(Phase phaseAhead) {
        DualDao<Ledger> behind = start("a");
        DualDao<Ledger> ahead = start("b");
        behind.dao().save(1, "value");
        settle();
        while (ahead.phase().phase() != phaseAhead) {
            stepAhead(behind, ahead);
        }
        assertThat(behind.phase().phase().next()).contains(phaseAhead);

        ahead.dao().remove(1);
        settle();
        CompletionStage<String> answer = behind.dao().find(1);
        settle();
        assertThat(answer).isCompletedWithValue(null);
    }

    /** The one still lets the origin decide, when the other has written the side first that is going to be right. */
    @Test
    void shouldNotTakeAwayByAConditionalWriteWhatWasWrittenOneStepAhead() {
        DualDao<Ledger> behind = start("a");
        DualDao<Ledger> ahead = start("b");
        while (ahead.phase().phase().compareTo(Phase.READ_TARGET) <= 0) {
            stepAhead(behind, ahead);
        }
        assertThat(behind.phase().phase()).isEqualTo(Phase.READ_TARGET);

        CompletionStage<Void> saved = ahead.dao().save(5, "value");
        pending.remove(0).run();
        List<Runnable> restOfSave = new ArrayList<>(pending);
        pending.clear();
        behind.dao().rename(5, "other", "another");
        settle();
        pending.addAll(restOfSave);
        settle();

        assertThat(saved).isCompleted();
        for (DualDao<Ledger> instance : instances) {
            CompletionStage<String> answer = instance.dao().find(5);
            settle();
            assertThat(answer).isCompletedWithValue("value");
        }
    }

    private static void stepAhead(DualDao<Ledger> behind, DualDao<Ledger> ahead) {
        behind.poll();
        ahead.control().advance("ann", "on", true);
        ahead.poll();
    }

    private PhaseRecord back() {
        if (control.current().phase() == Phase.TARGET_FIRST) {
            reverse();
        }
        return control.rollback("ann", "back");
    }

    /** Copies what each instance wrote to the target alone, under live calls, and notes it. */
    private void reverse() {
        WorkStart start = control.begin();
        long mismatches = 0;
        for (DualDao<Ledger> instance : instances) {
            CompletableFuture<Integer> result = instance.redrive(Side.ORIGIN).toCompletableFuture();
            while (!result.isDone()) {
                event();
            }
            mismatches += instance.journal().size(Side.ORIGIN);
        }
        control.finish(
                start,
                PhaseNote.Kind.REVERSE_BACKFILL,
                "bulk",
                Map.of(Facts.MISMATCHES, String.valueOf(mismatches), Facts.ROWS, "1"));
    }

    private void walk(Phase to, Supplier<PhaseRecord> step) {
        int events = 0;
        while (control.current().phase() != to || !control.acknowledged()) {
            assertThat(events++)
                    .as("events to phase " + to.label() + ", " + seed)
                    .isLessThan(EVENTS_MAX);
            event();
            if (random.nextInt(40) == 0) {
                if (to == Phase.TARGET_ONLY && control.acknowledged()) {
                    work(control.current().phase());
                }
                tryStep(to, step);
            }
        }
    }

    private void work(Phase phase) {
        if (phase == Phase.WRITE_BOTH) {
            backfill();
        }
        if (phase == Phase.WRITE_BOTH || phase == Phase.READ_TARGET) {
            verify();
        }
    }

    private void tryStep(Phase to, Supplier<PhaseRecord> step) {
        if (control.current().phase() == to) {
            return;
        }
        try {
            step.get();
        } catch (GateException | IllegalStateException e) {
            // Somebody did not acknowledge yet.
        }
    }

    /** Copies everything with its times, under live calls. */
    private void backfill() {
        WorkStart start = control.begin();
        for (long id = 0; id < KEYS; id++) {
            CompletableFuture<Void> copied =
                    new Copy().copy(id, origin, target, Long.MAX_VALUE).toCompletableFuture();
            while (!copied.isDone()) {
                event();
            }
        }
        control.finish(start, PhaseNote.Kind.BACKFILL, "bulk", Map.of());
    }

    /** Compares what nobody writes meanwhile. */
    private void verify() {
        WorkStart comparison = control.begin();
        long mismatches = 0;
        for (long id = 0; id < KEYS; id++) {
            if (!underWay(id) && !Objects.equals(origin.cells.get(id), target.cells.get(id))) {
                mismatches++;
            }
        }
        assertThat(mismatches).as("mismatches, " + seed).isZero();
        control.finish(comparison, PhaseNote.Kind.VERIFICATION, "bulk", Map.of(Facts.MISMATCHES, "0", Facts.ROWS, "1"));
    }

    private boolean underWay(long id) {
        List<Written> writes = written.getOrDefault(id, List.of());
        return !writes.isEmpty() && writes.get(writes.size() - 1).acknowledged == Long.MAX_VALUE;
    }

    /** One thing happens: a side does what it was asked, somebody calls, an instance looks at the phase. */
    private void event() {
        now++;
        int draw = random.nextInt(10);
        if (draw < 6 && !pending.isEmpty()) {
            pending.remove(random.nextInt(pending.size())).run();
        } else if (draw < 9) {
            call(instances.get(random.nextInt(2)).dao(), random.nextInt(KEYS));
        } else {
            instances.get(random.nextInt(2)).poll();
        }
        instances.forEach(instance -> seen.add(instance.phase().phase()));
        apart += instances.get(0).phase().equals(instances.get(1).phase()) ? 0 : 1;
    }

    private void call(Ledger dao, long id) {
        if (random.nextInt(3) > 0 || underWay(id)) {
            read(dao, id);
            return;
        }
        Written write = new Written(random.nextInt(4) == 0 ? null : "value " + now, now);
        written.computeIfAbsent(id, unused -> new ArrayList<>()).add(write);
        CompletionStage<Void> done = write.value == null ? dao.remove(id) : dao.save(id, write.value);
        done.whenComplete((nothing, failure) -> {
            if (failure != null) {
                wrong.add(seed + ": key " + id + " was not written, failure=" + failure);
            }
            write.acknowledged = now;
        });
    }

    private void read(Ledger dao, long id) {
        long begun = now;
        String phasesThen = instances.get(0).phase() + " " + instances.get(1).phase();
        dao.find(id).whenComplete((answer, failure) -> {
            reads++;
            List<Written> writes = written.getOrDefault(id, List.of());
            boolean right = failure == null && possible(writes, begun).contains(answer == null ? "nothing" : answer);
            if (!right) {
                wrong.add(seed + ": key " + id + " read from " + begun + " to " + now + " answered " + answer
                        + " and not one of " + possible(writes, begun) + ", failure=" + failure + ", phases were "
                        + phasesThen);
            }
        });
        assertThat(wrong).isEmpty();
    }

    /** The last that was acknowledged before a read began, and all that came since. */
    private static List<String> possible(List<Written> writes, long begun) {
        List<String> possible = new ArrayList<>(List.of("nothing"));
        for (Written write : writes) {
            if (write.acknowledged < begun) {
                possible.clear();
            }
            possible.add(write.value == null ? "nothing" : write.value);
        }
        return possible;
    }

    /** Lets everything come to its end. */
    private void settle() {
        while (!pending.isEmpty()) {
            now++;
            pending.remove(0).run();
        }
        assertThat(wrong).isEmpty();
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 12);
    }
}
