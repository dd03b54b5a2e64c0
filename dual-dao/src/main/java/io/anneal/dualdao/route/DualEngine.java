package io.anneal.dualdao.route;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.control.Agreement;
import io.anneal.dualdao.copy.DecidedCopies;
import io.anneal.dualdao.copy.KeyCopies;
import io.anneal.dualdao.copy.KeyWork;
import io.anneal.dualdao.copy.Redrive;
import io.anneal.dualdao.copy.Repairs;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.order.Background;
import io.anneal.dualdao.order.KeyOrder;
import io.anneal.dualdao.order.SerialLanes;
import io.anneal.dualdao.order.WriteWatch;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseSource;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.DualStats;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Does operations as the phase in force says, and what has to be done beside them. Owns its threads; journal and phases are
 * the caller's. Any thread may call.
 *
 * @param <D> the DAO's interface
 */
public final class DualEngine<D> {
    /** How many writes may wait for one key. */
    private static final int WAITING_MAX = 1_000;

    private static final int WHOLE_PERCENT = 100;

    private final DualConfig<D> config;
    private final PhaseSource phases;
    private final EngineParts<D> parts;
    private final WriteWatch watch = new WriteWatch();
    private final WriteWatch atOrigin = new WriteWatch();
    private final Redrive<D> redrive;
    private final Supplier<Agreement> agreement;

    /** @param agreement asked before keys are copied; may block */
    public DualEngine(
            DualConfig<D> config,
            PhaseSource phases,
            DirtyKeys dirty,
            DualStats stats,
            Preflight preflight,
            Supplier<Agreement> agreement) {
        this.config = config;
        this.phases = phases;
        this.agreement = agreement;
        DualEnvironment environment = config.environment();
        ScheduledExecutorService scheduler = environment.threads().scheduler();
        ShadowConfig shadow = config.shadow();
        Background background =
                new Background(environment.threads().shadow(shadow), shadow.threads(), shadow.queueLength());
        KeyCopies<D> copies = new KeyCopies<>(config);
        KeyOrder order = new KeyOrder(scheduler, WAITING_MAX);
        ExecutorService handOff = environment.threads().handOff();
        DecidedCopies<D> decided = new DecidedCopies<>(copies, background, agreement);
        Repairs<D> repairs = new Repairs<>(config, copies, order, dirty, background);
        parts = new EngineParts<>(
                config,
                stats,
                new Outcomes(config.outcomes()),
                new WriteTimes(environment.clock()),
                order,
                config.orderWrites() || repairs.on() && copies.writesOnlyIfAbsent(),
                dirty,
                copies,
                decided,
                new Transactions<>(config, phases, dirty, order, copies, decided, handOff, scheduler),
                background,
                new SerialLanes(background, Background.roomForLanes(shadow.queueLength())),
                repairs,
                new Batches(stats, environment.nanoTime(), config.batches()),
                scheduler,
                handOff,
                new AtomicInteger(),
                preflight,
                new AtomicBoolean());
        redrive = new Redrive<>(config, phases, dirty, copies, order, background, parts.lanes(), stats, agreement);
    }

    public <A, R> DualOperation<A, R> operation(OperationSpec<D, A, R> spec) {
        SideCalls<D, A, R> calls = new SideCalls<>(spec, parts);
        Phase[] all = Phase.values();
        @SuppressWarnings({"unchecked", "rawtypes"})
        Route<A, R>[] routes = new Route[all.length];
        for (Phase phase : all) {
            routes[phase.ordinal()] = switch (spec.kind()) {
                case LOCAL -> plain(calls, local(phase), PlainRoute.Timing.NONE, null, null);
                case READ -> config.mode() == Mode.TEST ? testedRead(calls, phase) : read(calls, phase);
                case WRITE, CONDITIONAL, INCREMENT -> write(calls, phase, Counter.WRITES);
                case DELETE -> write(calls, phase, Counter.DELETES);
            };
        }
        PhaseSource views = spec.kind() == OperationKind.LOCAL
                ? phases
                : parts.transactions().views();
        return new DualOperation<>(spec.name(), views, routes, spec.returns(), parts.batches());
    }

    private Side local(Phase phase) {
        return config.mode() == Mode.MIGRATION && phase == Phase.TARGET_ONLY ? Side.TARGET : Side.ORIGIN;
    }

    private <A, R> Route<A, R> plain(
            SideCalls<D, A, R> calls, Side side, PlainRoute.Timing timing, Counter counter, WriteTimes times) {
        Preflight preflight = timing == PlainRoute.Timing.SAMPLE && side == Side.ORIGIN ? parts.preflight() : null;
        return new PlainRoute<>(calls, side, timing, counter, times, parts.batches(), preflight);
    }

    private <A, R> Route<A, R> read(SideCalls<D, A, R> calls, Phase phase) {
        if (config.speculativePercentile() == 0 && !phase.fallsBack()) {
            boolean both = phase.writes(Side.ORIGIN) && phase.writes(Side.TARGET);
            PlainRoute.Timing timing = both ? PlainRoute.Timing.ALL : PlainRoute.Timing.SAMPLE;
            return shadowed(
                    plain(calls, phase.readsTarget() ? Side.TARGET : Side.ORIGIN, timing, Counter.READS, null),
                    calls,
                    phase);
        }
        SideReads<D, A, R> reads = new SideReads<>(calls, parts);
        Route<A, R> oneSide = new ReadRoute<>(calls, reads, parts);
        boolean merged = phase.fallsBack() && config.partitions().kind() == Partitions.Kind.MERGED;
        return merged ? new MergedReadRoute<>(calls, reads, parts, oneSide) : shadowed(oneSide, calls, phase);
    }

    /** In 2 some reads go to the target, too, so that its first read serves nobody. */
    private <A, R> Route<A, R> shadowed(Route<A, R> usual, SideCalls<D, A, R> calls, Phase phase) {
        int percent = config.shadowReadPercent();
        return phase == Phase.WRITE_BOTH && percent > 0
                ? new SampledRoute<>(usual, new ShadowReadRoute<>(calls, parts, watch), WHOLE_PERCENT / percent)
                : usual;
    }

    private <A, R> Route<A, R> testedRead(SideCalls<D, A, R> calls, Phase phase) {
        if (phase.readsTarget()) {
            return new ShadowReadRoute<>(calls, parts, watch);
        }
        PlainRoute.Timing timing = phase == Phase.WRITE_BOTH ? PlainRoute.Timing.ALL : PlainRoute.Timing.SAMPLE;
        return plain(calls, Side.ORIGIN, timing, Counter.READS, null);
    }

    private <A, R> Route<A, R> write(SideCalls<D, A, R> calls, Phase phase, Counter counter) {
        if (phase == Phase.ORIGIN_ONLY) {
            return plain(calls, Side.ORIGIN, PlainRoute.Timing.SAMPLE, counter, parts.times());
        }
        return config.mode() == Mode.TEST
                ? new ShadowWriteRoute<>(calls, parts, watch, atOrigin, counter)
                : new WriteRoute<>(calls, parts, watch, counter);
    }

    /** Measures the calls that this thread makes meanwhile as one. */
    public <T> T batch(String name, Callable<T> calls) throws Exception {
        return parts.batches().measure(name, calls);
    }

    /**
     * Copies keys out of the journal, oldest first, to the side that lacks them; in phases 4 and 5 none that the origin
     * lacks. One at a time for each side: if one is under way, that one's.
     *
     * @param limit how many at most
     * @return how many left the journal; never fails
     */
    public CompletionStage<Integer> redrive(Side lacking, int limit) {
        return redrive.run(lacking, limit);
    }

    /** Copies and compares keys that a caller names. */
    public KeyWork<D> keyWork() {
        return new KeyWork<>(parts.dirty(), parts.copies(), parts.background(), redrive, agreement);
    }

    /** Whether the target has what the origin had before phase 2. */
    public void backfilled(boolean done) {
        parts.backfilled().set(done);
    }

    /** Forgets what the origin lacks, and remembers no more of it. */
    public void finish() {
        parts.dirty().finish();
    }

    /** Whether what the origin lacks was forgotten for good. */
    public boolean finished() {
        return parts.dirty().finished();
    }

    /** Lets the journal do what takes long, beside calls. */
    public void tidy() {
        parts.background()
                .run(
                        () -> {
                            parts.dirty().tidy();
                            return null;
                        },
                        () -> {});
    }

    /** Lets what is under way beside calls end, for at most that long, and ends all threads. What is left of it is in the journal. */
    public void close(Duration atMost) {
        parts.background().close(atMost.toNanos());
        parts.lanes().close();
        parts.handOff().shutdownNow();
        parts.scheduler().shutdownNow();
    }
}
