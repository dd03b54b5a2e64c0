package io.anneal.dualdao.route;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.config.DualConfig;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.FallbackPolicy;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.KeyCopy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.ReadRepair;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.config.SideOutcome;
import io.anneal.dualdao.config.WritePolicy;
import io.anneal.dualdao.control.Agreement;
import io.anneal.dualdao.control.PhaseControl;
import io.anneal.dualdao.control.PhasesByHand;
import io.anneal.dualdao.journal.DirtyKeys;
import io.anneal.dualdao.journal.KeyJournal;
import io.anneal.dualdao.journal.MemoryKeyJournal;
import io.anneal.dualdao.operation.Missing;
import io.anneal.dualdao.operation.OperationKind;
import io.anneal.dualdao.operation.OperationSpec;
import io.anneal.dualdao.operation.ReturnAdapter;
import io.anneal.dualdao.phase.Phase;
import io.anneal.dualdao.phase.PhaseView;
import io.anneal.dualdao.phase.Side;
import io.anneal.dualdao.stats.Counter;
import io.anneal.dualdao.stats.DualStats;
import io.anneal.dualdao.stats.MetricsSink;
import io.anneal.dualdao.transaction.TransactionHook;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;

/** An engine between two shops, with threads, time and phases in the test's hands. Settings first, then calls. */
final class Rig {
    /** What calls are given. */
    record Ask(List<String> keys, String value) {
        static Ask of(String key) {
            return new Ask(List.of(key), null);
        }
    }

    static final long ASKED_MICROS = 2_000;
    static final long AUTHORITY_SINCE_MICROS = 1_000;

    /** What copies were told, in their order. */
    final List<Long> takenAwayBeforeMicros = new ArrayList<>();

    final Shop origin = new Shop("origin");
    final Shop target = new Shop("target");
    final ThreadsByHand threads = new ThreadsByHand();
    final PhasesByHand phases;
    KeyJournal journal = new MemoryKeyJournal();
    Mode mode = Mode.MIGRATION;
    WritePolicy policy = WritePolicy.BOTH;
    FallbackPolicy fallback = FallbackPolicy.ON_MISS;
    Duration targetTimeout;
    Partitions partitions = Partitions.GATED;
    KeyCopy.Guarantee guarantee = KeyCopy.Guarantee.SOURCE_TIMESTAMPS;
    boolean copying = true;
    Runnable whenCopied = () -> {};
    ReadRepair repair = ReadRepair.OFF;
    Duration reread = Duration.ofSeconds(1);
    ShadowConfig shadow = new ShadowConfig(2, 8);
    double speculative;
    boolean orderWrites = true;
    Duration keyWait = Duration.ofSeconds(10);
    TransactionHook transactions = TransactionHook.NONE;
    boolean rememberWrites = true;
    int comparePercent = 100;
    int shadowReads;
    Executor batches;
    boolean agreed = true;
    Function<Throwable, SideOutcome> outcomes;
    DualEnvironment.Threads environmentThreads = threads;
    Consumer<Counter> whenCounted = counter -> {};
    DualStats stats;

    private DualEngine<Shop> engine;

    Rig(Phase phase) {
        phases = new PhasesByHand(phase);
    }

    DualEngine<Shop> engine() {
        if (engine == null) {
            stats = new DualStats(sink(), 1, () -> Instant.EPOCH, false);
            DualConfig<Shop> config = config();
            engine = new DualEngine<>(
                    config, phases, new DirtyKeys(journal), stats, new Preflight(config.keyCodec), this::agreement);
        }
        return engine;
    }

    private MetricsSink sink() {
        return new MetricsSink() {
            @Override
            public void latency(String operation, Side side, long nanos) {}

            @Override
            public void count(String operation, Counter counter, long delta) {
                whenCounted.accept(counter);
            }
        };
    }

    /** All instances act by the record in force, unless a test says otherwise. */
    private Agreement agreement() {
        PhaseView view = phases.enter();
        view.leave();
        return new Agreement(view.record().version(), agreed, ASKED_MICROS, AUTHORITY_SINCE_MICROS);
    }

    @SuppressWarnings("unchecked")
    private DualConfig<Shop> config() {
        DualConfig<Shop> config = new DualConfig<>(Shop.class, false);
        config.name = "rig";
        config.origin = origin;
        config.target = target;
        config.mode = mode;
        config.writePolicy = policy;
        config.fallback = fallback;
        config.targetTimeout = targetTimeout;
        config.partitions = partitions;
        if (copying) {
            KeyCopy<Shop, ?> copy = new ShopCopy(guarantee, takenAwayBeforeMicros, whenCopied);
            KeyCodec<?> codec = KeyCodec.STRING;
            config.copy = (KeyCopy<Shop, Object>) copy;
            config.keyCodec = (KeyCodec<Object>) codec;
        }
        config.readRepair = repair;
        config.comparison = Rig::differences;
        config.compareSamplePercent = comparePercent;
        config.mismatchRereadDelay = reread;
        config.shadow = shadow;
        config.shadowReadPercent = shadowReads;
        config.speculativePercentile = speculative;
        config.orderWrites = orderWrites;
        config.keyWait = keyWait;
        config.transactions = transactions;
        config.rememberWrites = rememberWrites;
        config.outcomes = outcomes;
        config.batches = batches;
        config.environment = new DualEnvironment(
                () -> Instant.EPOCH, threads::nanoTime, PhaseControl.Sleeper.THREAD, environmentThreads);
        return config.copied();
    }

    static List<FieldDiff> differences(Object left, Object right) {
        return Objects.equals(left, right)
                ? List.of()
                : List.of(new FieldDiff("", String.valueOf(left), String.valueOf(right)));
    }

    /** The caller's own copy of a key. */
    record ShopCopy(Guarantee guarantee, List<Long> told, Runnable whenCopied) implements KeyCopy<Shop, String> {
        @Override
        public CompletionStage<Void> copy(String key, Shop from, Shop to, long takenAwayBeforeMicros) {
            told.add(takenAwayBeforeMicros);
            whenCopied.run();
            return from.read(key)
                    .thenCompose(found -> found == null ? to.delete(key) : to.write(key, (String) found))
                    .thenAccept(done -> {});
        }

        @Override
        public CompletionStage<?> read(String key, Shop dao) {
            return dao.read(key);
        }
    }

    /** Answers as they come, futures; the same calls synchronously by {@link #now}. */
    CompletableFuture<Object> read(String key) {
        return call(
                OperationKind.READ, "read", (dao, ask) -> dao.read(ask.keys().get(0)), Ask.of(key));
    }

    CompletableFuture<Object> write(String key, String value) {
        Ask ask = new Ask(List.of(key), value);
        return call(
                OperationKind.WRITE, "write", (dao, it) -> dao.write(it.keys().get(0), it.value()), ask);
    }

    CompletableFuture<Object> writeAll(List<String> keys, String value) {
        return call(
                OperationKind.WRITE,
                "writeAll",
                (dao, it) -> dao.writeAll(it.keys(), it.value()),
                new Ask(keys, value));
    }

    /** About everything, so without keys. */
    CompletableFuture<Object> clear() {
        return call(OperationKind.WRITE, "clear", (dao, it) -> dao.writeAll(List.of(), ""), new Ask(List.of(), ""));
    }

    CompletableFuture<Object> delete(String key) {
        return call(
                OperationKind.DELETE,
                "delete",
                (dao, ask) -> dao.delete(ask.keys().get(0)),
                Ask.of(key));
    }

    CompletableFuture<Object> putIfAbsent(String key, String value) {
        Ask ask = new Ask(List.of(key), value);
        return call(
                OperationKind.CONDITIONAL,
                "put",
                (dao, it) -> dao.putIfAbsent(it.keys().get(0), it.value()),
                ask);
    }

    CompletableFuture<Object> append(String key, String value) {
        Ask ask = new Ask(List.of(key), value);
        return call(
                OperationKind.INCREMENT,
                "append",
                (dao, it) -> dao.append(it.keys().get(0), it.value()),
                ask);
    }

    @SuppressWarnings("unchecked")
    CompletableFuture<Object> readAll(String... keys) {
        OperationSpec.BatchSplit<Ask> split = new OperationSpec.BatchSplit<>(
                (ask, answer) -> ask.keys().stream()
                        .filter(key -> answer == null || !((Map<String, String>) answer).containsKey(key))
                        .toList(),
                (ask, some) -> new Ask(some.stream().map(String::valueOf).toList(), null),
                (left, right) -> {
                    Map<String, String> united = new TreeMap<>((Map<String, String>) left);
                    united.putAll((Map<String, String>) right);
                    return united;
                });
        return call(
                spec(OperationKind.READ, "readAll", (dao, ask) -> dao.readAll(ask.keys()), split),
                new Ask(List.of(keys), null));
    }

    CompletableFuture<Object> call(
            OperationKind kind,
            String name,
            OperationSpec.Invoker<Shop, Ask, CompletableFuture<Object>> invoker,
            Ask ask) {
        return call(spec(kind, name, invoker, null), ask);
    }

    CompletableFuture<Object> call(OperationSpec<Shop, Ask, CompletableFuture<Object>> spec, Ask ask) {
        try {
            return engine().operation(spec).call(ask);
        } catch (Exception thrown) {
            throw new AssertionError(thrown);
        }
    }

    static OperationSpec<Shop, Ask, CompletableFuture<Object>> spec(
            OperationKind kind,
            String name,
            OperationSpec.Invoker<Shop, Ask, CompletableFuture<Object>> invoker,
            OperationSpec.BatchSplit<Ask> split) {
        return new OperationSpec<>(name, kind, Ask::keys, invoker, new Futures(), Missing.DEFAULT, split, null);
    }

    /** The same operation, answered at once. */
    static OperationSpec<Shop, Ask, Object> now(
            OperationKind kind, String name, OperationSpec.Invoker<Shop, Ask, CompletableFuture<Object>> invoker) {
        return new OperationSpec<>(
                name,
                kind,
                Ask::keys,
                (dao, ask) -> {
                    try {
                        return invoker.call(dao, ask).join();
                    } catch (CompletionException failed) {
                        throw failed.getCause();
                    }
                },
                null,
                Missing.DEFAULT,
                null,
                null);
    }

    DualOperation<Ask, Object> readNow() {
        return engine().operation(now(
                OperationKind.READ, "read", (dao, ask) -> dao.read(ask.keys().get(0))));
    }

    DualOperation<Ask, Object> writeNow() {
        return engine().operation(now(
                OperationKind.WRITE, "write", (dao, ask) -> dao.write(ask.keys().get(0), ask.value())));
    }

    long count(Counter counter) {
        return stats.sum(counter);
    }

    List<String> lacking(Side side) {
        return journal.entries(side, Integer.MAX_VALUE).stream()
                .map(KeyJournal.Entry::key)
                .toList();
    }

    static BinaryOperator<Object> concatenating() {
        return (ofOrigin, ofTarget) -> ofOrigin + "+" + ofTarget;
    }

    static List<String> keys(Collection<?> keys) {
        List<String> all = new ArrayList<>();
        keys.forEach(key -> all.add(String.valueOf(key)));
        return all;
    }

    /** Answers that are futures. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private static final class Futures implements ReturnAdapter<CompletableFuture<Object>> {
        @Override
        public Class<?> type() {
            return CompletableFuture.class;
        }

        @Override
        public CompletionStage<Object> toStage(CompletableFuture<Object> returned) {
            return returned;
        }

        @Override
        public CompletableFuture<Object> fromStage(CompletionStage<Object> stage) {
            return (CompletableFuture) stage.toCompletableFuture();
        }
    }
}
