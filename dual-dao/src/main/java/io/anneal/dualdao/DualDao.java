package io.anneal.dualdao;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.control.Agreement;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.PhaseFollower;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.journal.Durability;
import io.anneal.dualdao.journal.FileKeyJournal;
import io.anneal.dualdao.journal.JournalException;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.journal.MemoryKeyJournal;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.phase.BoundedMark;
import io.anneal.dualdao.phase.FilePhaseMark;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.reflect.ForwardingClass;
import io.anneal.dualdao.route.DualEngine;
import io.anneal.dualdao.route.DualOperation;
import io.anneal.dualdao.route.OutcomePerSide;
import io.anneal.dualdao.route.Preflight;
import io.anneal.dualdao.stats.DualStats;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Two implementations of one DAO interface, origin and target, behind a third that moves from the one to the other in steps that
 * can be taken back, or tries the target out beside the origin. It begins with {@link #builder}; what it serves is {@link #dao}.
 *
 * <p>An instance takes part in a migration from {@link DualDaoBuilder#build} until {@link #close}: it looks the phase up, says by
 * heartbeats how it does, and copies from side to side what one of them missed. Origin, target and phase store stay the
 * caller's, who closes them after it. Any thread may call.
 *
 * @param <D> the DAO's type
 */
public final class DualDao<D> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DualDao.class);

    /** How many keys are copied out of the journal at a time. */
    private static final int REDRIVE_KEYS_MAX = 1_000;

    private static final long DRAIN_POLL_MILLIS = 2;
    private static final long TAKE_OFF_MILLIS_MIN = 1_000;
    private static final Duration MARK_AT_MOST = Duration.ofSeconds(5);

    final DualConfig<D> config;
    final PhaseFollower follower;
    final DualEngine<D> engine;
    final AtomicBoolean keyRunning = new AtomicBoolean();

    private final KeyJournal journal;
    private final DualStats stats;
    private final PhaseControl control;
    private final Map<String, DualOperation<?, ?>> operations = new LinkedHashMap<>();

    /** Null without a proxy. */
    private final D dao;

    /** Of its own: a phase store that hangs must not hold up time limits. */
    private final ScheduledExecutorService polling;

    /** Null if JMX does not show it. */
    private final DualDaoJmx jmx;

    /** Null if nobody said how keys are listed. */
    private final OrderedRuns ordered;

    private final Object noticing = new Object();
    private long noticedVersion;
    private int noticedNotes;
    private volatile boolean closed;

    private DualDao(DualConfig<D> config, ConfigCheck<D> checked) {
        this.config = config;
        InstantSource clock = config.environment.clock();
        stats = new DualStats(config.metrics, config.timingSample, clock, config.redactValues);
        control = PhaseControl.of(
                config.phases,
                config.name,
                clock,
                new ControlPolicy(config.quietWindow, ControlPolicy.DEFAULTS.silence(), config.verifiedWithin));
        List<PhaseMark> marks = marks(config);

        journal = config.journal != null ? config.journal : journal(config);
        DirtyKeys dirty = new DirtyKeys(journal);
        Preflight preflight = new Preflight(config.keyCodec);
        follower = new PhaseFollower(
                config.phases,
                config.name,
                config.instance,
                marks,
                new InstanceFacts(config, stats, dirty, preflight),
                clock,
                config.environment.sleeper());
        engine = new DualEngine<>(config, follower, dirty, stats, preflight, () -> Agreement.ask(control, clock));
        try {
            checked.operations.forEach(spec -> operations.put(spec.name(), engine.operation(spec)));
            Map<Method, Function<Object[], Object>> calls = calls(checked.methods);
            dao = config.proxied ? ForwardingClass.instance(config.type, calls, toString()) : null;
            follower.start();
            jmx = config.jmx
                    ? DualDaoJmx.register(
                            ManagementFactory.getPlatformMBeanServer(),
                            config.instance,
                            follower,
                            control,
                            config.jmxSwitch)
                    : null;
            ordered = config.keys.isEmpty() ? null : new OrderedRuns(this);
            polling = config.environment.threads().scheduler();
            long intervalNanos = config.poll.toNanos();
            polling.scheduleWithFixedDelay(this::tick, intervalNanos, intervalNanos, TimeUnit.NANOSECONDS);
        } catch (RuntimeException | Error e) {
            end(e);
            throw e;
        }
    }

    /** Describes a dual DAO that implements this interface. */
    public static <D> DualDaoBuilder<D> builder(Class<D> type) {
        Objects.requireNonNull(type, "type");
        return new DualDaoBuilder<>(type, true);
    }

    /**
     * Describes one without a proxy, for hot paths, and for DAOs that are no interface: it has the operations that the builder is
     * given, and nothing else.
     */
    public static <D> DualDaoBuilder<D> functional(Class<D> type) {
        Objects.requireNonNull(type, "type");
        return new DualDaoBuilder<>(type, false);
    }

    static <D> DualDao<D> start(DualConfig<D> config) {
        return new DualDao<>(config, ConfigCheck.check(config));
    }

    private static List<PhaseMark> marks(DualConfig<?> config) {
        List<PhaseMark> marks = new ArrayList<>();
        if (config.directory != null) {
            marks.add(new FilePhaseMark(config.directory));
        }
        boolean persistent = config.phases.persistent();
        if (config.targetMark != null) {
            marks.add(new BoundedMark(config.targetMark, MARK_AT_MOST));
        } else if (persistent && config.target instanceof PhaseMark own) {
            marks.add(new BoundedMark(own, MARK_AT_MOST));
        } else if (persistent && config.mode == Mode.MIGRATION) {
            LOG.warn(
                    "the target keeps no mark of the phase: a new instance can't tell a phase store that was restored from an"
                            + " older backup; say .targetMark(...), or let the target implement PhaseMark, name={}",
                    config.name);
        }
        return marks;
    }

    private static KeyJournal journal(DualConfig<?> config) {
        if (config.directory == null) {
            return new MemoryKeyJournal();
        }
        Durability durability = config.durability;
        if (durability == null) {
            // A write that the origin alone has acknowledged is known in the journal and nowhere else.
            boolean alone = config.writePolicy == WritePolicy.ORIGIN_THEN_JOURNAL;
            durability = alone ? Durability.POWER_CUT : Durability.PROCESS_KILL;
        }
        KeyJournal file = FileKeyJournal.open(
                config.directory.resolve(
                        URLEncoder.encode(config.name + "-" + config.type.getSimpleName(), StandardCharsets.UTF_8)),
                durability,
                DualEnvironment::newJournalId);
        // In test mode callers would wait for the disk just when the target hangs.
        return config.mode == Mode.TEST ? new MemoryKeyJournal(file) : file;
    }

    private Map<Method, Function<Object[], Object>> calls(Map<Method, OperationSpec<D, Object[], Object>> methods) {
        Map<OperationSpec<D, ?, ?>, DualOperation<Object[], Object>> same = new IdentityHashMap<>();
        Map<Method, Function<Object[], Object>> calls = new LinkedHashMap<>();
        methods.forEach((method, spec) -> {
            DualOperation<Object[], Object> operation = same.computeIfAbsent(spec, each -> engine.operation(spec));
            operations.put(spec.name(), operation);
            calls.put(method, new ProxiedCall(operation));
        });
        return calls;
    }

    private void tick() {
        try {
            poll();
            engine.tidy();
            if (config.copy != null) {
                for (Side lacking : Side.values()) {
                    engine.redrive(lacking, REDRIVE_KEYS_MAX);
                }
            }
        } catch (Throwable thrown) { // outermost on this thread, which else would never poll again
            LOG.error("polling failed, the next one comes, name={}, instance={}", name(), instance(), thrown);
        }
    }

    /**
     * The DAO to serve: routes each call by the phase in force. What the failing side throws comes out as it is, checked
     * exceptions that the method does not declare too, with an {@link OutcomePerSide} attached. Methods with a body and without a
     * word about what they do run on it, so that what they call is routed. It equals itself alone.
     *
     * <p>Its class is made when it is built, in the interface's package; on the module path that package must be open to
     * {@code io.anneal.dualdao}, or exported.
     *
     * @throws IllegalStateException if it was built without a proxy
     */
    public D dao() {
        if (dao == null) {
            throw new IllegalStateException("built without a proxy, name=" + config.name);
        }
        return dao;
    }

    /**
     * The operation of that name: a method of the interface, whose calls are given an array of its arguments, or one that was given
     * to the builder. The types are the caller's word. Of methods that share a name each is called as {@code find(String)}, with
     * its parameters' simple names.
     *
     * @throws IllegalArgumentException if there is none
     */
    @SuppressWarnings("unchecked")
    public <A, R> DualOperation<A, R> operation(String name) {
        Objects.requireNonNull(name, "name");
        DualOperation<?, ?> operation = operations.get(name);
        if (operation == null) {
            throw new IllegalArgumentException(
                    "no such operation, operation=" + name + ", operations=" + operations.keySet());
        }
        return (DualOperation<A, R>) operation;
    }

    /** Measures what this thread calls meanwhile as one: how long it waits for the slowest on each side. */
    public <T> T batch(String name, Callable<T> calls) throws Exception {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(calls, "calls");
        return engine.batch(name, calls);
    }

    /** Shows and changes the phase, for all instances. */
    public PhaseControl control() {
        return control;
    }

    /** Where the phase is, as the builder was given it. */
    public PhaseStore phaseStore() {
        return config.phases;
    }

    public DualStats stats() {
        return stats;
    }

    /** The keys of which a side may lack the newest state. */
    public KeyJournal journal() {
        return journal;
    }

    /** Time and threads, as the builder was given them. */
    public DualEnvironment environment() {
        return config.environment;
    }

    boolean closed() {
        return closed;
    }

    /** As in the phase store. */
    public String name() {
        return config.name;
    }

    /** As in the phase store. */
    public String instance() {
        return config.instance;
    }

    /** The phase record that this instance acts by now. */
    public PhaseRecord phase() {
        return follower.current();
    }

    /** Looks at the phase store now, and says how this instance does, instead of at the next interval. Never throws. */
    public void poll() {
        follower.poll();
        try {
            synchronized (noticing) {
                notice();
            }
        } catch (RuntimeException later) { // of the store or of the journal, or stopped
            LOG.debug("whether the migration is finished, or work is ordered, can't be asked", later);
        }
    }

    /** What notes say. The store may be far away: they are read once, and more is asked only when there is a new one, or a new phase. */
    private void notice() {
        PhaseRecord inForce = phase();
        boolean toFinish = inForce.phase() == Phase.TARGET_ONLY && config.mode == Mode.MIGRATION && !engine.finished();
        boolean shadows = inForce.phase() == Phase.WRITE_BOTH && config.shadowReadPercent > 0;
        boolean takesOrders = ordered != null && ordered.free(inForce.phase());
        if (!toFinish && !shadows && !takesOrders) {
            return;
        }
        List<PhaseNote> notes = control.notes();
        if (inForce.version() != noticedVersion || notes.size() != noticedNotes) {
            if (toFinish && control.finished()) {
                engine.finish();
                LOG.info("migration is finished, keys that the origin lacks are forgotten, name={}", name());
            }
            if (shadows) {
                engine.backfilled(control.writtenBothSince().isPresent());
            }
            noticedVersion = inForce.version();
            noticedNotes = notes.size();
        }
        if (takesOrders) {
            ordered.look(notes);
        }
    }

    /**
     * Copies keys out of the journal now, oldest first, to the sides that lack them, and waits for it; in phases 4 and 5 none that
     * the origin lacks.
     *
     * @return how many left the journal
     */
    public int redrive() {
        int done = 0;
        for (Side lacking : Side.values()) {
            done += redrive(lacking).toCompletableFuture().join();
        }
        return done;
    }

    /** The same for the keys that this side lacks, without waiting. */
    public CompletionStage<Integer> redrive(Side lacking) {
        Objects.requireNonNull(lacking, "lacking");
        return engine.redrive(lacking, REDRIVE_KEYS_MAX);
    }

    /**
     * Prepares to copy to the target what the origin holds of all keys that the source lists. Sources, key copy and codec are of the
     * same keys.
     */
    public <K> KeyRun<K> backfill(KeySource<K> keys) {
        Objects.requireNonNull(keys, "keys");
        return run(PhaseNote.Kind.BACKFILL, List.of(keys));
    }

    /**
     * Prepares to compare what both sides hold of all keys that the sources list. What the target alone has is seen only if its keys
     * are listed too.
     */
    @SafeVarargs
    public final <K> KeyRun<K> verify(KeySource<K>... keys) {
        Objects.requireNonNull(keys, "keys");
        List<KeySource<K>> all = new ArrayList<>();
        for (KeySource<K> each : keys) {
            all.add(each);
        }
        return verifyAll(all);
    }

    <K> KeyRun<K> verifyAll(List<KeySource<K>> keys) {
        return run(PhaseNote.Kind.VERIFICATION, keys);
    }

    private <K> KeyRun<K> run(PhaseNote.Kind kind, List<KeySource<K>> keys) {
        return new KeyRun<>(this, kind, keys);
    }

    /**
     * Ends this instance's part: no call begins any more (it throws {@link IllegalStateException}); waits for what is under way, ten
     * seconds if the builder was told nothing else, and takes the instance off the phase store, which it waits for no longer either. If something hangs it stays registered and holds up the next step, until
     * somebody declares it dead, and keeps its directory until the process ends. Closing twice does nothing.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        polling.shutdownNow();
        if (ordered != null) {
            ordered.close();
        }
        if (jmx != null) {
            jmx.close();
        }
        end(null);
    }

    /**
     * Ends all parts in the order in which they need each other.
     *
     * @param failure that led here, to which what fails now is added; null if there is none
     */
    private void end(Throwable failure) {
        Duration atMost = config.closeTimeout;
        follower.stop();
        boolean interrupted = awaitDrained(atMost);
        engine.close(atMost);
        interrupted |= takeOff(atMost);
        try {
            if (follower.drained()) {
                journal.close();
            } else {
                // Whoever opened it would take this run for gone.
                LOG.error("operations are still under way, the journal stays locked until this process ends");
            }
        } catch (JournalException e) {
            if (failure == null) {
                throw e;
            }
            failure.addSuppressed(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** On a thread of its own, since a phase store may hang. Whether this one was interrupted, which ends the waiting. */
    private boolean takeOff(Duration atMost) {
        Thread leaving = new Thread(follower::close, "anneal-dual-close");
        leaving.setDaemon(true);
        boolean interrupted = Thread.interrupted();
        leaving.start();
        try {
            leaving.join(Math.max(atMost.toMillis(), TAKE_OFF_MILLIS_MIN));
        } catch (InterruptedException hurry) {
            interrupted = true;
        }
        if (leaving.isAlive()) {
            LOG.error("phase store does not answer, the instance stays registered until it does");
        }
        return interrupted;
    }

    /** Whether it was interrupted, which ends the waiting. */
    private boolean awaitDrained(Duration atMost) {
        long tries = atMost.toMillis() / DRAIN_POLL_MILLIS;
        try {
            for (long i = 0; i < tries && !follower.drained(); i++) {
                Thread.sleep(DRAIN_POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            return true;
        }
        if (tries > 0 && !follower.drained()) {
            LOG.warn("operations are still under way, timeout={}", atMost);
        }
        return false;
    }

    @Override
    public String toString() {
        return "DualDao[type=" + config.type.getName() + ", name=" + config.name + ", instance=" + config.instance
                + "]";
    }
}
