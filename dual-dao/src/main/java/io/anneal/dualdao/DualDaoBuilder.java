package io.anneal.dualdao;

import io.anneal.dualdao.compare.Comparison;
import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.FallbackPolicy;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.KeySource;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.ReadRepair;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.journal.Durability;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.operation.DeclaredDao;
import io.anneal.dualdao.operation.MethodSpec;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.operation.ReturnAdapter;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.route.DualOperation;
import io.anneal.dualdao.route.WriteTime;
import io.anneal.dualdao.stats.MetricsSink;
import io.anneal.dualdao.transaction.JdbcTransactions;
import io.anneal.dualdao.transaction.TransactionHook;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Describes a {@link DualDao}; begun by {@link DualDao#builder} and {@link DualDao#functional}. Nothing is checked before {@link
 * #build}, which then names all that is wrong. What was built stays as it is when the builder is used again. Belongs to one thread.
 *
 * @param <D> the DAO's type
 */
public final class DualDaoBuilder<D> {
    final DualConfig<D> config;

    DualDaoBuilder(Class<D> type, boolean proxied) {
        config = new DualConfig<>(type, proxied);
    }

    /** The name of the phase record, shared by all instances, and by several DAOs that move together; the type's simple name by default. */
    public DualDaoBuilder<D> name(String name) {
        config.name = name;
        return this;
    }

    /**
     * The name of this instance, unique among all that share the phase, two DAOs of one process too; made up by default.
     * After a crash the same name starts again with the same {@link #directory} alone, or once the run that crashed was declared
     * dead.
     */
    public DualDaoBuilder<D> instance(String instance) {
        config.instance = instance;
        return this;
    }

    /** The DAO over the store in production. */
    public DualDaoBuilder<D> origin(D origin) {
        config.origin = origin;
        return this;
    }

    /** The DAO over the store that the data moves to, or that is tested. */
    public DualDaoBuilder<D> target(D target) {
        config.target = target;
        return this;
    }

    /** Must be said: a migration may fail calls that the target failed, a test may not. */
    public DualDaoBuilder<D> mode(Mode mode) {
        config.mode = mode;
        return this;
    }

    /** Where the phase lives. Stays the caller's, who closes it after all that use it. */
    public DualDaoBuilder<D> phases(PhaseStore phases) {
        config.phases = phases;
        return this;
    }

    /** Where this instance remembers the newest phase it saw, and, but for test mode, the keys that a side lacks. Made if it isn't there. */
    public DualDaoBuilder<D> directory(Path directory) {
        config.directory = directory;
        return this;
    }

    /** Goes without a directory although the phase outlives the process: a lost phase store, and keys not yet copied, are then forgotten with the process. */
    public DualDaoBuilder<D> withoutDirectory() {
        config.withoutDirectory = true;
        return this;
    }

    /**
     * A memory of the newest phase in the target itself, which every instance has, a new one too. A target that implements {@link PhaseMark}
     * is its own by default.
     */
    public DualDaoBuilder<D> targetMark(PhaseMark mark) {
        config.targetMark = mark;
        return this;
    }

    /** A journal of the caller's instead of a file in the directory; in test mode, too, callers wait for it. Closed with the dual DAO. */
    public DualDaoBuilder<D> journal(KeyJournal journal) {
        config.journal = journal;
        return this;
    }

    /**
     * What the journal in the {@link #directory} survives. By default the end of the process; with {@link
     * WritePolicy#ORIGIN_THEN_JOURNAL} the power too, which costs every write to both sides a wait for the disk.
     */
    public DualDaoBuilder<D> durability(Durability durability) {
        config.durability = durability;
        return this;
    }

    /** Says what the key of an entity is, wherever it or a collection of it is a parameter, or stands in the answer to a read of many keys. */
    public <E> DualDaoBuilder<D> keyOf(Class<E> entity, Function<? super E, ?> key) {
        config.keyOf.put(entity, value -> key.apply(entity.cast(value)));
        return this;
    }

    /** Says what a method does, each of that name if there are several. */
    public DualDaoBuilder<D> method(String name, Consumer<MethodSpec> spec) {
        config.methodSpecs.add(new DeclaredDao.NamedSpec(name, null, spec));
        return this;
    }

    /** Says what a method does. */
    public DualDaoBuilder<D> method(Method method, Consumer<MethodSpec> spec) {
        config.methodSpecs.add(new DeclaredDao.NamedSpec(method.getName(), method, spec));
        return this;
    }

    /** Adds an operation of the functional core, asked for by {@link DualDao#operation}. */
    public DualDaoBuilder<D> operation(OperationSpec<D, ?, ?> operation) {
        config.operations.add(operation);
        return this;
    }

    /** Whether an answer means that there is nothing, which null always does; an empty {@code Optional}, collection, map or array by default. */
    public DualDaoBuilder<D> missing(Predicate<Object> missing) {
        config.missing = missing;
        return this;
    }

    /** {@link WritePolicy#BOTH} by default. */
    public DualDaoBuilder<D> writes(WritePolicy policy) {
        config.writePolicy = policy;
        return this;
    }

    /** {@link FallbackPolicy#ON_MISS} by default. */
    public DualDaoBuilder<D> fallback(FallbackPolicy policy) {
        config.fallback = policy;
        return this;
    }

    /** How long a read waits for the target before it is late; for ever by default. Synchronous reads of the target then run on other threads. */
    public DualDaoBuilder<D> targetTimeout(Duration timeout) {
        config.targetTimeout = timeout;
        return this;
    }

    /** {@link Partitions#GATED} by default. */
    public DualDaoBuilder<D> partitions(Partitions partitions) {
        config.partitions = partitions;
        return this;
    }

    /** How a key is copied from side to side, without which no key in the journal is ever worked off. */
    @SuppressWarnings("unchecked")
    public <K> DualDaoBuilder<D> copy(KeyCodec<K> codec, KeyCopy<D, K> copy) {
        config.keyCodec = (KeyCodec<Object>) codec;
        config.copy = (KeyCopy<D, Object>) copy;
        return this;
    }

    /**
     * Lists all keys, so that this instance can back-fill and verify them when {@code anneal migrate backfill} or {@code verify} asks
     * for it, as {@link DualDao#backfill} and {@link DualDao#verify} do. Needs {@link #copy}.
     *
     * @param ofOrigin all that the origin holds
     * @param more what the target may hold beside them, for verifications
     */
    @SafeVarargs
    @SuppressWarnings("unchecked")
    public final <K> DualDaoBuilder<D> keys(KeySource<K> ofOrigin, KeySource<K>... more) {
        config.keys.add((KeySource<Object>) ofOrigin);
        for (KeySource<K> each : more) {
            config.keys.add((KeySource<Object>) each);
        }
        return this;
    }

    /** {@link ReadRepair#OFF} by default. */
    public DualDaoBuilder<D> readRepair(ReadRepair readRepair) {
        config.readRepair = readRepair;
        return this;
    }

    /** In what answers differ; by their parts, as {@link io.anneal.dualdao.compare} does it, by default. */
    public DualDaoBuilder<D> compare(Comparison comparison) {
        config.comparison = comparison;
        return this;
    }

    /** In test mode answers are compared for that many of a hundred keys, always the same ones; all by default. */
    public DualDaoBuilder<D> compareSample(int percent) {
        config.compareSamplePercent = percent;
        return this;
    }

    /** After what time both sides are read again before a mismatch is believed; 100 ms by default, zero for not at all. */
    public DualDaoBuilder<D> mismatchReread(Duration delay) {
        config.mismatchRereadDelay = delay;
        return this;
    }

    /**
     * In phase 2 of a migration so many of a hundred reads go to the target too, beside the caller, who never waits for it nor gets its
     * answer; once a back-fill has ended both answers are compared. 1 by default, 0 for none.
     */
    public DualDaoBuilder<D> shadowReads(int percent) {
        config.shadowReadPercent = percent;
        return this;
    }

    /** {@link ShadowConfig#DEFAULTS} by default. */
    public DualDaoBuilder<D> shadow(ShadowConfig shadow) {
        config.shadow = shadow;
        return this;
    }

    /** Fires a read again on the same side once it takes longer than this percentile of that side's own; off by default. */
    public DualDaoBuilder<D> speculative(double percentile) {
        config.speculativePercentile = percentile;
        return this;
    }

    /** Whether writes to a key wait for each other, which in test mode they never do; true by default. False for DAOs that hand {@link WriteTime} on to their stores. */
    public DualDaoBuilder<D> orderWrites(boolean order) {
        config.orderWrites = order;
        return this;
    }

    /** How long a write waits for others of its key, before it fails with a {@code KeyWaitException}; ten seconds by default. */
    public DualDaoBuilder<D> keyWait(Duration wait) {
        config.keyWait = wait;
        return this;
    }

    /**
     * Tells of the transactions that callers' threads are in, such as {@link JdbcTransactions}: what one wrote goes to the other side
     * when it has been committed. Needs {@link #copy}.
     */
    public DualDaoBuilder<D> transactions(TransactionHook transactions) {
        config.transactions = transactions;
        return this;
    }

    /** Whether keys written in phases 4 and 5 are remembered; true by default. False: there is no way back from 4. */
    public DualDaoBuilder<D> rememberWritesFromPhase4(boolean remember) {
        config.rememberWrites = remember;
        return this;
    }

    /** In phases 1 and 5 one call of that many is timed, a power of two; 16 by default. */
    public DualDaoBuilder<D> timingSample(int calls) {
        config.timingSample = calls;
        return this;
    }

    /** Takes every measurement for the caller's own metrics. */
    public DualDaoBuilder<D> metrics(MetricsSink sink) {
        config.metrics = sink;
        return this;
    }

    /** What an exception says of what happened: {@link SideOutcome#FAILED} if surely nothing did, else {@link SideOutcome#UNKNOWN}. Null for what the default says. */
    public DualDaoBuilder<D> outcomes(Function<Throwable, SideOutcome> outcomes) {
        config.outcomes = outcomes;
        return this;
    }

    /** Names the store behind a DAO: two sides that name the same one are refused. */
    public DualDaoBuilder<D> identity(Function<? super D, String> identity) {
        config.identity = identity;
        return this;
    }

    /** Both sides are the same store, to see in test mode how much two equal sides differ. */
    public DualDaoBuilder<D> sameStoreOnPurpose() {
        config.sameStoreOnPurpose = true;
        return this;
    }

    /** Adds a type of answers that come later, beside {@code CompletionStage}, {@code CompletableFuture} and what {@link java.util.ServiceLoader} finds. */
    public DualDaoBuilder<D> returns(ReturnAdapter<?> adapter) {
        config.returns.add(adapter);
        return this;
    }

    /** Where {@link DualOperation#callAll} calls synchronous operations; on the caller's thread, one by one, by default. Stays the caller's. */
    public DualDaoBuilder<D> batches(Executor executor) {
        config.batches = executor;
        return this;
    }

    /** Time and threads; {@link DualEnvironment#system()} by default. */
    public DualDaoBuilder<D> environment(DualEnvironment environment) {
        config.environment = environment;
        return this;
    }

    /** How often the phase is looked up and a heartbeat told; every second by default. */
    public DualDaoBuilder<D> poll(Duration interval) {
        config.poll = interval;
        return this;
    }

    /** How long {@link DualDao#close} waits for what is under way; ten seconds by default. */
    public DualDaoBuilder<D> closeTimeout(Duration timeout) {
        config.closeTimeout = timeout;
        return this;
    }

    /** Shows the dual DAO in JMX, and switches phases there if that is allowed. Not shown by default. */
    public DualDaoBuilder<D> jmx(boolean allowSwitch) {
        config.jmx = true;
        config.jmxSwitch = allowSwitch;
        return this;
    }

    /** How long ago the verification may have ended by which {@link DualDao#control} goes on to 3b and 4; 24 hours by default. */
    public DualDaoBuilder<D> verifiedWithin(Duration limit) {
        config.verifiedWithin = limit;
        return this;
    }

    /** How long no read may have fallen back before {@link DualDao#control} takes a step that depends on it; a minute by default. */
    public DualDaoBuilder<D> quietWindow(Duration window) {
        config.quietWindow = window;
        return this;
    }

    /** Whether values are left out of the mismatches that leave this instance; false by default. */
    public DualDaoBuilder<D> redactValues(boolean redact) {
        config.redactValues = redact;
        return this;
    }

    /**
     * Starts the instance: reads the phase, registers, and goes on as the phase says.
     *
     * @throws DualDaoConfigException naming everything that is wrong
     * @throws io.anneal.dualdao.phase.PhaseStoreException if there is no phase record of that name, or an older one than this
     *     instance or the target remembers or another instance acts by; if another run has this instance's name and may be serving still
     */
    public DualDao<D> build() {
        return DualDao.start(config.copied());
    }
}
