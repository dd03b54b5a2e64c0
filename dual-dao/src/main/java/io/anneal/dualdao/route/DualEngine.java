package io.anneal.dualdao.route;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.control.Agreement;
import io.anneal.dualdao.copy.DecidedCopies;
import io.anneal.dualdao.copy.KeyCopies;
import io.anneal.dualdao.copy.KeyDeadline;
import io.anneal.dualdao.copy.KeyWork;
import io.anneal.dualdao.copy.Redrive;
import io.anneal.dualdao.copy.Repairs;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.order.Background;
import io.anneal.dualdao.order.KeyOrder;
import io.anneal.dualdao.order.KeyWait;
import io.anneal.dualdao.order.SerialLanes;
import io.anneal.dualdao.order.WriteWatch;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseSource;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.DualStats;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Does operations as the phase in force says, and what has to be done beside them. Owns its threads, and what the routes of all
 * operations share; journal and phases are the caller's. Any thread may call.
 *
 * @param <D> the DAO's interface
 */
public final class DualEngine<D> {
    /** How many writes may wait for one key. */
    private static final int WAITING_MAX = 1_000;

    private static final int WHOLE_PERCENT = 100;

    final DualConfig<D> config;
    final DualStats stats;
    final DirtyKeys dirty;
    final Preflight preflight;
    final Outcomes outcomes;
    final WriteTimes times;
    final KeyOrder order;

    /** Whether writes to a key wait for each other. */
    final boolean ordersWrites;

    final KeyCopies<D> copies;
    final DecidedCopies<D> decided;
    final Repairs<D> repairs;
    final Transactions<D> transactions;
    final Background background;
    final SerialLanes lanes;
    final Batches batches;
    final ScheduledExecutorService scheduler;

    /** Runs what a caller waits for on a thread of its own. */
    final ExecutorService handOff;

    /** Synchronous reads that still run, and that nobody waits for any more. */
    final AtomicInteger abandonedReads = new AtomicInteger();

    /** Writes that are not over on both sides. */
    final WriteWatch watch = new WriteWatch();

    /** Writes that the origin did not answer yet. */
    final WriteWatch atOrigin = new WriteWatch();

    private final PhaseSource phases;
    private final Supplier<Agreement> agreement;
    private final KeyDeadline deadline;
    private final Redrive<D> redrive;
    private volatile boolean backfilled;

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
        this.dirty = dirty;
        this.stats = stats;
        this.preflight = preflight;
        this.agreement = agreement;
        DualEnvironment environment = config.environment;
        ShadowConfig shadow = config.shadow;
        scheduler = environment.threads().scheduler();
        background = new Background(environment.threads().shadow(shadow), shadow.threads(), shadow.queueLength());
        lanes = new SerialLanes(background, Background.roomForLanes(shadow.queueLength()));
        handOff = environment.threads().handOff();
        outcomes = new Outcomes(config.outcomes);
        times = new WriteTimes(environment.clock());
        batches = new Batches(stats, environment.nanoTime(), config.batches);
        order = new KeyOrder(scheduler, WAITING_MAX);
        copies = new KeyCopies<>(config);
        decided = new DecidedCopies<>(copies, background, agreement);
        repairs = new Repairs<>(config, copies, order, dirty, background);
        ordersWrites = config.orderWrites || repairs.on() && copies.writesOnlyIfAbsent();
        transactions = new Transactions<>(config, phases, dirty, order, copies, decided, handOff, scheduler);
        deadline = new KeyDeadline(scheduler, config.redactValues);
        redrive = new Redrive<>(config, phases, dirty, copies, order, background, lanes, deadline, stats, agreement);
    }

    public <A, R> DualOperation<A, R> operation(OperationSpec<D, A, R> spec) {
        SideCalls<D, A, R> calls = new SideCalls<>(spec, this);
        Phase[] all = Phase.values();
        @SuppressWarnings({"unchecked", "rawtypes"})
        Route<A, R>[] routes = new Route[all.length];
        for (Phase phase : all) {
            routes[phase.ordinal()] = switch (spec.kind()) {
                case LOCAL -> plain(calls, local(phase), PlainRoute.Timing.NONE, null, null);
                case READ -> config.mode == Mode.TEST ? testedRead(calls, phase) : read(calls, phase);
                case WRITE, CONDITIONAL, INCREMENT -> write(calls, phase, Counter.WRITES);
                case DELETE -> write(calls, phase, Counter.DELETES);
            };
        }
        PhaseSource views = spec.kind() == OperationKind.LOCAL ? phases : transactions.views();
        return new DualOperation<>(spec.name(), views, routes, spec.returns(), batches);
    }

    private Side local(Phase phase) {
        return config.mode == Mode.MIGRATION && phase == Phase.TARGET_ONLY ? Side.TARGET : Side.ORIGIN;
    }

    private <A, R> Route<A, R> plain(
            SideCalls<D, A, R> calls, Side side, PlainRoute.Timing timing, Counter counter, WriteTimes times) {
        boolean looks = timing == PlainRoute.Timing.SAMPLE && side == Side.ORIGIN;
        return new PlainRoute<>(calls, side, timing, counter, times, batches, looks ? preflight : null);
    }

    private <A, R> Route<A, R> read(SideCalls<D, A, R> calls, Phase phase) {
        if (config.speculativePercentile == 0 && !phase.fallsBack()) {
            boolean both = phase.writes(Side.ORIGIN) && phase.writes(Side.TARGET);
            PlainRoute.Timing timing = both ? PlainRoute.Timing.ALL : PlainRoute.Timing.SAMPLE;
            return shadowed(
                    plain(calls, phase.readsTarget() ? Side.TARGET : Side.ORIGIN, timing, Counter.READS, null),
                    calls,
                    phase);
        }
        SideReads<D, A, R> reads = new SideReads<>(calls, this);
        Route<A, R> oneSide = new ReadRoute<>(calls, reads, this);
        boolean merged = phase.fallsBack() && config.partitions.kind() == Partitions.Kind.MERGED;
        return merged ? new MergedReadRoute<>(calls, reads, this, oneSide) : shadowed(oneSide, calls, phase);
    }

    /** In 2 some reads go to the target, too, so that its first read serves nobody. */
    private <A, R> Route<A, R> shadowed(Route<A, R> usual, SideCalls<D, A, R> calls, Phase phase) {
        int percent = config.shadowReadPercent;
        return phase == Phase.WRITE_BOTH && percent > 0
                ? new SampledRoute<>(usual, new ShadowReadRoute<>(calls, this), WHOLE_PERCENT / percent)
                : usual;
    }

    private <A, R> Route<A, R> testedRead(SideCalls<D, A, R> calls, Phase phase) {
        if (phase.readsTarget()) {
            return new ShadowReadRoute<>(calls, this);
        }
        PlainRoute.Timing timing = phase == Phase.WRITE_BOTH ? PlainRoute.Timing.ALL : PlainRoute.Timing.SAMPLE;
        return plain(calls, Side.ORIGIN, timing, Counter.READS, null);
    }

    private <A, R> Route<A, R> write(SideCalls<D, A, R> calls, Phase phase, Counter counter) {
        if (phase == Phase.ORIGIN_ONLY) {
            return plain(calls, Side.ORIGIN, PlainRoute.Timing.SAMPLE, counter, times);
        }
        return config.mode == Mode.TEST
                ? new ShadowWriteRoute<>(calls, this, counter)
                : new WriteRoute<>(calls, this, counter);
    }

    /** Gives a wait up after the time that the caller chose; to be cancelled when the wait is over. */
    Future<?> limited(KeyWait wait) {
        try {
            long nanos = config.keyWait.toNanos();
            return scheduler.schedule(() -> wait.giveUp(KeyWait.TOO_LONG), nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException closed) {
            wait.giveUp("closed");
            return CompletableFuture.completedFuture(null);
        }
    }

    /** Measures the calls that this thread makes meanwhile as one. */
    public <T> T batch(String name, Callable<T> calls) throws Exception {
        return batches.measure(name, calls);
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
        return new KeyWork<>(dirty, copies, background, deadline, redrive, agreement);
    }

    /** Whether the target has what the origin had before phase 2. */
    public void backfilled(boolean done) {
        backfilled = done;
    }

    boolean backfilled() {
        return backfilled;
    }

    /** Forgets what the origin lacks, and remembers no more of it. */
    public void finish() {
        dirty.finish();
    }

    /** Whether what the origin lacks was forgotten for good. */
    public boolean finished() {
        return dirty.finished();
    }

    /** Lets the journal do what takes long, beside calls. */
    public void tidy() {
        background.run(
                () -> {
                    dirty.tidy();
                    return null;
                },
                () -> {});
    }

    /** Lets what is under way beside calls end, for at most that long, and ends all threads. What is left of it is in the journal. */
    public void close(Duration atMost) {
        deadline.close();
        background.close(atMost.toNanos());
        lanes.close();
        handOff.shutdownNow();
        scheduler.shutdownNow();
    }
}
