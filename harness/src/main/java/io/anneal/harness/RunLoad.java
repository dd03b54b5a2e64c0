package io.anneal.harness;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.route.DualOperation;
import io.anneal.dualdao.stats.StatsSnapshot.Distribution;
import io.anneal.harness.load.FailureShare;
import io.anneal.harness.load.HistoryChecker;
import io.anneal.harness.load.HistoryChecker.UnknownWrites;
import io.anneal.harness.load.HistoryVerdict;
import io.anneal.harness.load.LoadConfig;
import io.anneal.harness.load.LoadGenerator;
import io.anneal.harness.load.LoadPasses;
import io.anneal.harness.load.LoadStats;
import io.anneal.harness.load.OperationLog;
import io.anneal.harness.store.Partition;
import io.anneal.harness.store.PartitionDao;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/** The load of a run with its log and its checker. Owned by the run's thread. */
final class RunLoad implements AutoCloseable {
    private static final ShadowConfig PACING = new ShadowConfig(1, 1);
    private static final ShadowConfig PASSING = new ShadowConfig(16, LoadPasses.AT_ONCE);
    private static final long PACING_END_SECONDS = 10;

    private final LoadConfig config;
    private final DualDao<PartitionDao> dual;
    private final DualEnvironment environment;
    private final ExecutorService callers;
    private final Duration patience;
    private final ExecutorService pacing;
    /** For passes alone: what the load called and nobody answered keeps the callers. */
    private final ExecutorService passing;

    private final OperationLog log = new OperationLog();
    private final HistoryChecker checker;
    private final String valuePrefix;
    private final DualOperation<Object[], CompletionStage<Partition>> reads;
    private final long startNanos;

    private LoadGenerator generator;
    private FailureShare failures;
    private Future<?> pumping;
    private int unread;

    /** @param patience how long to wait for answers where there is nothing else to do */
    RunLoad(
            LoadConfig config,
            DualDao<PartitionDao> dual,
            boolean ordersWrites,
            DualEnvironment environment,
            ExecutorService callers,
            Duration patience) {
        this.config = config;
        this.dual = dual;
        this.environment = environment;
        this.callers = callers;
        this.patience = patience;
        pacing = environment.threads().shadow(PACING);
        passing = environment.threads().shadow(PASSING);
        reads = dual.operation("read");
        startNanos = environment.nanoTime().getAsLong();
        // Of this run alone: what an earlier one left under the same keys is told by it.
        valuePrefix = Long.toString(environment.clock().instant().toEpochMilli(), Character.MAX_RADIX) + "-";
        checker = new HistoryChecker(
                ordersWrites ? UnknownWrites.IN_ORDER : UnknownWrites.AT_ANY_TIME,
                value -> !value.startsWith(valuePrefix));
    }

    /** Fills all keys, then begins. */
    void start() throws InterruptedException {
        passes().fill(valuePrefix + "first-");
        generator =
                new LoadGenerator(config, valuePrefix, dual.dao(), this::readAll, log, environment.nanoTime(), callers);
        failures = new FailureShare(generator.stats(), environment.nanoTime());
        pumping = pacing.submit(() -> generator.run(0));
    }

    private LoadPasses passes() {
        return new LoadPasses(config, dual.dao(), log, environment.nanoTime(), passing, patience);
    }

    private CompletionStage<Map<Long, Partition>> readAll(Collection<Long> keys) {
        List<Object[]> calls = keys.stream().map(key -> new Object[] {key}).toList();
        try {
            Map<Long, Partition> found = new HashMap<>();
            for (CompletionStage<Partition> answer : reads.callAll(calls)) {
                Partition partition = answer.toCompletableFuture().join();
                if (partition != null) {
                    found.put(partition.a(), partition);
                }
            }
            return CompletableFuture.completedFuture(found);
        } catch (Exception e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Checks what was logged since the last time. */
    private HistoryVerdict sweep() {
        checker.sweep(log);
        return checker.verdict(log);
    }

    /** What was found since the last time, if it is something that must not be. */
    Optional<String> trouble() {
        HistoryVerdict verdict = sweep();
        return verdict.clean()
                ? failures.look()
                : Optional.of("the independent check found what must not be: " + verdict.summary());
    }

    /** Ends the load and waits for what is under way. */
    void stop() throws InterruptedException {
        generator.stop();
        try {
            pumping.get(PACING_END_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the load did not end, reason=" + e, e);
        }
        generator.run(patience.toNanos());
    }

    /** Reads every key once more, and checks all that is left. */
    HistoryVerdict lastCheck() throws InterruptedException {
        unread = passes().readAtLast();
        return sweep();
    }

    /** Keys of which the last check knows nothing, since they could not be read. */
    int unread() {
        return unread;
    }

    LoadStats stats() {
        return generator.stats();
    }

    /** What clients saw, in one line. */
    String summary() {
        LoadStats stats = generator.stats();
        Histogram reads = stats.readNanos();
        Histogram writes = stats.writeNanos();
        return String.format(
                Locale.ROOT,
                "Clients: %,d operations, %,d failed, %,d late; from when each was due: reads %s; writes %s.%s",
                stats.begun(),
                stats.failed(),
                stats.late(),
                PhaseText.latencies(Distribution.of(reads)),
                PhaseText.latencies(Distribution.of(writes)),
                unread == 0 ? "" : String.format(Locale.ROOT, " %,d keys could not be read at last.", unread));
    }

    @Override
    public void close() {
        if (generator != null) {
            generator.stop();
        }
        pacing.shutdownNow();
        passing.shutdownNow();
    }
}
