package io.anneal.dualdao;

import io.anneal.dualdao.compare.Comparison;
import io.anneal.dualdao.compare.TypedComparison;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;

/** What {@link DualDaoBuilder} was told, with the defaults for what it was not. Belongs to the builder's thread. */
final class DualDaoDraft<D> {
    final Class<D> type;
    final boolean proxied;
    final Map<Class<?>, Function<Object, ?>> keyOf = new LinkedHashMap<>();
    final List<DeclaredDao.NamedSpec> methodSpecs = new ArrayList<>();
    final List<OperationSpec<D, ?, ?>> operations = new ArrayList<>();
    final List<ReturnAdapter<?>> returns = new ArrayList<>();
    final List<KeySource<Object>> keys = new ArrayList<>();

    String name;
    String instance;
    D origin;
    D target;
    Mode mode;
    PhaseStore phases;
    Path directory;
    boolean withoutDirectory;
    PhaseMark targetMark;
    KeyJournal journal;
    Durability durability;
    Predicate<Object> missing = Missing.DEFAULT;
    WritePolicy writePolicy = WritePolicy.BOTH;
    FallbackPolicy fallback = FallbackPolicy.ON_MISS;
    Duration targetTimeout;
    Partitions partitions = Partitions.GATED;
    KeyCopy<D, Object> copy;
    KeyCodec<Object> keyCodec;
    ReadRepair readRepair = ReadRepair.OFF;
    Comparison comparison = TypedComparison.standard();
    int compareSamplePercent = 100;
    Duration mismatchRereadDelay = Duration.ofMillis(100);
    ShadowConfig shadow = ShadowConfig.DEFAULTS;
    double speculativePercentile;
    boolean orderWrites = true;
    Duration keyWait = Duration.ofSeconds(10);
    TransactionHook transactions = TransactionHook.NONE;
    boolean rememberWrites = true;
    int timingSample = 16;
    MetricsSink metrics = MetricsSink.NONE;
    Function<Throwable, SideOutcome> outcomes;
    Function<? super D, String> identity;
    boolean sameStoreOnPurpose;
    Executor batches;
    DualEnvironment environment = DualEnvironment.system();
    Duration poll = Duration.ofSeconds(1);
    Duration closeTimeout = Duration.ofSeconds(10);
    boolean jmx;
    boolean jmxSwitch;
    Duration verifiedWithin = ControlPolicy.DEFAULTS.verifiedWithin();
    Duration quietWindow = ControlPolicy.DEFAULTS.quietWindow();
    boolean redactValues;

    DualDaoDraft(Class<D> type, boolean proxied) {
        this.type = type;
        this.proxied = proxied;
        this.name = type.getSimpleName();
    }

    /** The memory of the phase in the target: the one that was given, or a target that is one itself; null without. */
    PhaseMark targetMark() {
        boolean own = targetMark == null && phases.persistent() && target instanceof PhaseMark;
        return own ? (PhaseMark) target : targetMark;
    }

    /** What the journal in the directory survives: a write that the origin alone has acknowledged is known there and nowhere else. */
    Durability durability() {
        if (durability != null) {
            return durability;
        }
        return writePolicy == WritePolicy.ORIGIN_THEN_JOURNAL ? Durability.POWER_CUT : Durability.PROCESS_KILL;
    }

    /** Once all is checked. */
    DeclaredDao<D> declared() {
        boolean fallsBackOnMiss = mode == Mode.MIGRATION && fallback != null && fallback.onMiss();
        return new DeclaredDao<>(
                type, keyOf, methodSpecs, missing, keyCodec == null ? null : keyCodec.type(), fallsBackOnMiss);
    }

    DualConfig<D> config() {
        return new DualConfig<>(
                name,
                instance == null ? DualEnvironment.newInstanceName() : instance,
                type,
                origin,
                target,
                mode,
                writePolicy,
                fallback,
                targetTimeout,
                partitions,
                copy,
                keyCodec,
                readRepair,
                comparison,
                compareSamplePercent,
                mismatchRereadDelay,
                shadow,
                speculativePercentile,
                orderWrites,
                keyWait,
                transactions,
                rememberWrites,
                outcomes,
                batches,
                timingSample,
                metrics,
                environment);
    }
}
