package io.anneal.dualdao;

import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseNote;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.reflect.ForwardingClass;
import io.anneal.dualdao.route.DualOperation;
import io.anneal.dualdao.route.OutcomePerSide;
import io.anneal.dualdao.stats.DualStats;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private static final ShadowConfig ONE_THREAD = new ShadowConfig(1, 1);

    private final DualDaoBuilder<D> builder;
    private final DualConfig<D> config;
    private final DualDaoParts<D> parts;
    private final Map<String, DualOperation<?, ?>> operations;
    private final D dao;
    private final ScheduledExecutorService polling;

    /** Null if JMX does not show it. */
    private final DualDaoJmx jmx;

    /** Null if nobody said how keys are listed. */
    private final OrderedRuns ordered;

    private final AtomicBoolean keyRunning = new AtomicBoolean();
    private boolean closed;

    private DualDao(
            DualDaoBuilder<D> builder,
            DualConfig<D> config,
            DualDaoParts<D> parts,
            Map<String, DualOperation<?, ?>> operations,
            D dao,
            ScheduledExecutorService polling,
            DualDaoJmx jmx) {
        this.builder = builder;
        this.config = config;
        this.parts = parts;
        this.operations = operations;
        this.dao = dao;
        this.polling = polling;
        this.jmx = jmx;
        ordered = builder.keys.isEmpty()
                ? null
                : new OrderedRuns(
                        this, builder.keys, config.environment().threads().shadow(ONE_THREAD));
    }

    /** Describes a dual DAO that implements this interface. */
    public static <D> DualDaoBuilder<D> builder(Class<D> type) {
        return new DualDaoBuilder<>(type, true);
    }

    /**
     * Describes one without a proxy, for hot paths, and for DAOs that are no interface: it has the operations that the builder is
     * given, and nothing else.
     */
    public static <D> DualDaoBuilder<D> functional(Class<D> type) {
        return new DualDaoBuilder<>(type, false);
    }

    static <D> DualDao<D> start(DualDaoBuilder<D> builder) {
        BuilderCheck.Checked<D> checked = BuilderCheck.check(builder);
        DualConfig<D> config = builder.config();
        DualDaoParts<D> parts = DualDaoParts.open(builder, config);
        try {
            Map<String, DualOperation<?, ?>> operations = new LinkedHashMap<>();
            checked.operations()
                    .forEach(spec -> operations.put(spec.name(), parts.engine().operation(spec)));
            Map<OperationSpec<D, ?, ?>, DualOperation<Object[], Object>> same = new IdentityHashMap<>();
            Map<Method, Function<Object[], Object>> calls = new LinkedHashMap<>();
            checked.methods().forEach((method, spec) -> {
                DualOperation<Object[], Object> operation =
                        same.computeIfAbsent(spec, each -> parts.engine().operation(spec));
                operations.put(spec.name(), operation);
                calls.put(method, new ProxiedCall(operation));
            });
            D dao = builder.proxied ? ForwardingClass.instance(builder.type, calls, text(config)) : null;
            parts.follower().start();
            DualDaoJmx jmx = builder.jmx ? shown(builder, config, parts) : null;
            // of its own: a phase store that hangs must not hold up time limits
            ScheduledExecutorService polling = config.environment().threads().scheduler();
            DualDao<D> dual = new DualDao<>(builder, config, parts, operations, dao, polling, jmx);
            long intervalNanos = builder.poll.toNanos();
            polling.scheduleWithFixedDelay(dual::tick, intervalNanos, intervalNanos, TimeUnit.NANOSECONDS);
            return dual;
        } catch (RuntimeException | Error e) {
            parts.close(builder.closeTimeout, e);
            throw e;
        }
    }

    private static DualDaoJmx shown(DualDaoBuilder<?> builder, DualConfig<?> config, DualDaoParts<?> parts) {
        return DualDaoJmx.register(
                ManagementFactory.getPlatformMBeanServer(),
                config.instance(),
                parts.follower(),
                parts.control(),
                builder.jmxSwitch);
    }

    private static String text(DualConfig<?> config) {
        return "DualDao[type=" + config.type().getName() + ", name=" + config.name() + ", instance=" + config.instance()
                + "]";
    }

    private void tick() {
        try {
            poll();
            parts.engine().tidy();
            if (config.copy() != null) {
                for (Side lacking : Side.values()) {
                    parts.engine().redrive(lacking, REDRIVE_KEYS_MAX);
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
            throw new IllegalStateException("built without a proxy, name=" + config.name());
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
        DualOperation<?, ?> operation = operations.get(name);
        if (operation == null) {
            throw new IllegalArgumentException(
                    "no such operation, operation=" + name + ", operations=" + operations.keySet());
        }
        return (DualOperation<A, R>) operation;
    }

    /** Measures what this thread calls meanwhile as one: how long it waits for the slowest on each side. */
    public <T> T batch(String name, Callable<T> calls) throws Exception {
        return parts.engine().batch(name, calls);
    }

    /** Shows and changes the phase, for all instances. */
    public PhaseControl control() {
        return parts.control();
    }

    /** Where the phase is, as the builder was given it. */
    public PhaseStore phaseStore() {
        return builder.phases;
    }

    public DualStats stats() {
        return parts.stats();
    }

    /** The keys of which a side may lack the newest state. */
    public KeyJournal journal() {
        return parts.journal();
    }

    /** Time and threads, as the builder was given them. */
    public DualEnvironment environment() {
        return config.environment();
    }

    /** As in the phase store. */
    public String name() {
        return config.name();
    }

    /** As in the phase store. */
    public String instance() {
        return config.instance();
    }

    /** The phase record that this instance acts by now. */
    public PhaseRecord phase() {
        return parts.follower().current();
    }

    /** Looks at the phase store now, and says how this instance does, instead of at the next interval. Never throws. */
    public void poll() {
        parts.follower().poll();
        try {
            boolean over = phase().phase() == Phase.TARGET_ONLY && config.mode() == Mode.MIGRATION;
            if (over && !parts.engine().finished() && control().finished()) {
                parts.engine().finish();
                LOG.info("migration is finished, keys that the origin lacks are forgotten, name={}", name());
            }
            if (phase().phase() == Phase.WRITE_BOTH && config.shadowReadPercent() > 0) {
                parts.engine().backfilled(control().writtenBothSince().isPresent());
            }
            if (ordered != null) {
                ordered.look();
            }
        } catch (RuntimeException later) { // of the store or of the journal, or stopped
            LOG.debug("whether the migration is finished, or work is ordered, can't be asked", later);
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
        return parts.engine().redrive(lacking, REDRIVE_KEYS_MAX);
    }

    /**
     * Prepares to copy to the target what the origin holds of all keys that the source lists. Sources, key copy and codec are of the
     * same keys.
     */
    public <K> KeyRun<K> backfill(KeySource<K> keys) {
        return run(PhaseNote.Kind.BACKFILL, List.of(keys));
    }

    /**
     * Prepares to compare what both sides hold of all keys that the sources list. What the target alone has is seen only if its keys
     * are listed too.
     */
    @SafeVarargs
    public final <K> KeyRun<K> verify(KeySource<K>... keys) {
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
        return new KeyRun<>(builder, parts, instance(), keyRunning, kind, keys);
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
        parts.close(builder.closeTimeout, null);
    }

    @Override
    public String toString() {
        return text(config);
    }
}
