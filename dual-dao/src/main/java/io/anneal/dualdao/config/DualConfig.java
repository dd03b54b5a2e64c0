package io.anneal.dualdao.config;

import io.anneal.dualdao.compare.Comparison;
import io.anneal.dualdao.compare.TypedComparison;
import io.anneal.dualdao.control.ControlPolicy;
import io.anneal.dualdao.journal.Durability;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.operation.DeclaredDao;
import io.anneal.dualdao.operation.Missing;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.operation.ReturnAdapter;
import io.anneal.dualdao.phase.PhaseMark;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.stats.MetricsSink;
import io.anneal.dualdao.transaction.TransactionHook;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * All that the user of a dual DAO chose, and what holds by default; each setting is told of at the builder's method of that name. The
 * builder fills one in. A {@link #copied copy} of it is checked, is handed to all parts of the dual DAO, and is never changed:
 * the builder alone sets a field, which {@code DualConfigTest} holds everybody to. Null is what was not chosen.
 */
public final class DualConfig<D> implements Cloneable {
    public final Class<D> type;

    /** Whether an object that implements the type stands in for both sides. */
    public final boolean proxied;

    public String name;
    public String instance;
    public Mode mode;
    public D origin;
    public D target;
    public Function<? super D, String> identity;
    public boolean sameStoreOnPurpose;

    public PhaseStore phases;
    public Duration poll = Duration.ofSeconds(1);
    public Duration quietWindow = ControlPolicy.DEFAULTS.quietWindow();
    public Duration verifiedWithin = ControlPolicy.DEFAULTS.verifiedWithin();
    public Path directory;
    public boolean withoutDirectory;
    public PhaseMark targetMark;
    public KeyJournal journal;
    public Durability durability;

    public Map<Class<?>, Function<Object, ?>> keyOf = new LinkedHashMap<>();
    public List<DeclaredDao.NamedSpec> methodSpecs = new ArrayList<>();
    public List<OperationSpec<D, ?, ?>> operations = new ArrayList<>();
    public List<ReturnAdapter<?>> returns = new ArrayList<>();
    public Predicate<Object> missing = Missing.DEFAULT;

    public FallbackPolicy fallback = FallbackPolicy.ON_MISS;
    public Duration targetTimeout;
    public Partitions partitions = Partitions.GATED;
    public ReadRepair readRepair = ReadRepair.OFF;
    public double speculativePercentile;

    public WritePolicy writePolicy = WritePolicy.BOTH;
    public boolean orderWrites = true;
    public Duration keyWait = Duration.ofSeconds(10);
    public TransactionHook transactions = TransactionHook.NONE;
    public boolean rememberWrites = true;
    public Function<Throwable, SideOutcome> outcomes;

    public KeyCodec<Object> keyCodec;
    public KeyCopy<D, Object> copy;

    /** The first lists those of the origin. */
    public List<KeySource<Object>> keys = new ArrayList<>();

    public Comparison comparison = TypedComparison.standard();
    public int compareSamplePercent = 100;
    public Duration mismatchRereadDelay = Duration.ofMillis(100);
    public boolean redactValues;
    public ShadowConfig shadow = ShadowConfig.DEFAULTS;
    public int shadowReadPercent = 1;

    public DualEnvironment environment = DualEnvironment.system();
    public Executor batches;
    public int timingSample = 16;
    public MetricsSink metrics = MetricsSink.NONE;
    public boolean jmx;
    public boolean jmxSwitch;
    public Duration closeTimeout = Duration.ofSeconds(10);

    public DualConfig(Class<D> type, boolean proxied) {
        this.type = type;
        this.proxied = proxied;
        name = type.getSimpleName();
    }

    /** The same as it is now, with a name for the instance; what is chosen from here on is not in it. */
    @SuppressWarnings("unchecked")
    public DualConfig<D> copied() {
        try {
            DualConfig<D> copy = (DualConfig<D>) clone();
            copy.instance = instance == null ? DualEnvironment.newInstanceName() : instance;
            copy.keyOf = Collections.unmodifiableMap(new LinkedHashMap<>(keyOf));
            copy.methodSpecs = List.copyOf(methodSpecs);
            copy.operations = List.copyOf(operations);
            // With the nulls among them, which are told of with all else that is wrong.
            copy.returns = Collections.unmodifiableList(new ArrayList<>(returns));
            copy.keys = Collections.unmodifiableList(new ArrayList<>(keys));
            return copy;
        } catch (CloneNotSupportedException never) {
            throw new AssertionError(never);
        }
    }

    /** The DAO's type and what was said of its methods. */
    public DeclaredDao<D> declared() {
        boolean fallsBackOnMiss = mode == Mode.MIGRATION && fallback != null && fallback.onMiss();
        return new DeclaredDao<>(
                type, keyOf, methodSpecs, missing, keyCodec == null ? null : keyCodec.type(), fallsBackOnMiss);
    }
}
