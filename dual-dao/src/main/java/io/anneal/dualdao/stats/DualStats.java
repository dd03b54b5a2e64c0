package io.anneal.dualdao.stats;

import io.anneal.dualdao.compare.FieldDiff;
import io.anneal.dualdao.phase.Facts;
import io.anneal.dualdao.phase.Side;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * What one instance of a dual DAO counts and times. Any thread may call; whoever records gets the {@link OperationStats} once
 * and keeps them.
 */
public final class DualStats {
    private final MetricsSink sink;
    private final int timingSample;
    private final InstantSource clock;
    private final boolean redactValues;
    private final Map<String, OperationStats> operations = new ConcurrentHashMap<>();
    private final Map<String, BatchStats> batches = new ConcurrentHashMap<>();
    private final AtomicLong fallbackLastHitMillis = new AtomicLong(-1);
    private final Causes<Mismatch> mismatches = new Causes<>(Mismatch::cause, Mismatch::plus);
    private final Failures failures;

    /** Measures every call, by the given clock, and shows the values of mismatches. */
    public DualStats(MetricsSink sink, InstantSource clock) {
        this(sink, 1, clock, false);
    }

    /**
     * @param timingSample where not all calls are timed, one of that many is; a power of two
     * @param clock for the times of mismatches and fallback hits
     * @param redactValues whether mismatches keep the places in which answers differ without the values
     */
    public DualStats(MetricsSink sink, int timingSample, InstantSource clock, boolean redactValues) {
        if (Integer.bitCount(timingSample) != 1 || timingSample < 1) {
            throw new IllegalArgumentException("not a power of two, timingSample=" + timingSample);
        }
        this.sink = sink;
        this.timingSample = timingSample;
        this.clock = clock;
        this.redactValues = redactValues;
        failures = new Failures(clock, redactValues);
    }

    /** The one of that name, always the same. */
    public OperationStats operation(String name) {
        return operations.computeIfAbsent(
                name, key -> new OperationStats(key, sink, timingSample, this::rememberFallbackHit));
    }

    /** The one of that name, always the same. */
    public BatchStats batch(String name) {
        return batches.computeIfAbsent(name, key -> new BatchStats(key, sink));
    }

    /** Keeps two answers that differed among those of their cause; counting is the operation's. */
    public void mismatch(String operation, String key, List<FieldDiff> differences) {
        List<FieldDiff> kept =
                redactValues ? differences.stream().map(FieldDiff::redacted).toList() : differences;
        Instant now = clock.instant();
        mismatches.add(new Mismatch(now, now, 1, operation, key, kept));
    }

    /** A side failed: kept by cause, and logged once a minute and cause if it is the target; counting is the operation's. */
    public void failed(String operation, Side side, Throwable thrown) {
        failures.failed(operation, side, thrown);
    }

    /** One of each cause, newest last. */
    public List<SideFailure> failures() {
        return failures.last();
    }

    /** One of each cause, newest last. */
    public List<Mismatch> mismatches() {
        return mismatches.newestLast();
    }

    /** Of all operations, since the start. */
    public long sum(Counter counter) {
        return operations.values().stream()
                .mapToLong(operation -> operation.sum(counter))
                .sum();
    }

    /** When the origin last answered a read since the target had nothing: milliseconds since 1970. */
    public OptionalLong fallbackLastHitMillis() {
        long millis = fallbackLastHitMillis.get();
        return millis < 0 ? OptionalLong.empty() : OptionalLong.of(millis);
    }

    private void rememberFallbackHit() {
        fallbackLastHitMillis.accumulateAndGet(clock.millis(), Math::max);
    }

    /**
     * What a heartbeat carries, by the names of {@link Facts}: counters since the start, histograms since the last call of this
     * method, the last mismatches. Whoever sends heartbeats is its one caller.
     */
    public Map<String, String> facts() {
        Map<String, String> facts = new TreeMap<>();
        for (Counter counter : Counter.values()) {
            facts.put(Facts.COUNTER + counter, Long.toString(sum(counter)));
        }
        fallbackLastHitMillis().ifPresent(millis -> facts.put(Facts.FALLBACK_LAST_HIT_MILLIS, Long.toString(millis)));
        for (Side side : Side.values()) {
            Histogram reads = Latencies.empty();
            Histogram writes = Latencies.empty();
            Histogram whole = Latencies.empty();
            operations.values().forEach(each -> each.latencies(side).takeFacts(each.reads() ? reads : writes));
            batches.values().forEach(each -> each.latencies(side).takeFacts(whole));
            putHistogram(facts, Facts.READ_NANOS, side, reads);
            putHistogram(facts, Facts.WRITE_NANOS, side, writes);
            putHistogram(facts, Facts.BATCH_NANOS, side, whole);
        }
        putNumbered(facts, Facts.FAILURE, failures().stream().map(SideFailure::text));
        putNumbered(facts, Facts.MISMATCH, mismatches().stream().map(Mismatch::text));
        return facts;
    }

    private static void putNumbered(Map<String, String> facts, String prefix, Stream<String> texts) {
        Iterator<String> next = texts.iterator();
        for (int i = 0; next.hasNext(); i++) {
            facts.put(prefix + i, next.next());
        }
    }

    private static void putHistogram(Map<String, String> facts, String prefix, Side side, Histogram histogram) {
        if (histogram.getTotalCount() > 0) {
            facts.put(HistogramText.name(prefix, side), HistogramText.format(histogram));
        }
    }

    /** For people. Distributions called recent are of the time since the last call of this method. */
    public StatsSnapshot snapshot() {
        List<StatsSnapshot.Operation> ofOperations = new ArrayList<>();
        new TreeMap<>(operations)
                .forEach((name, operation) -> ofOperations.add(new StatsSnapshot.Operation(
                        name,
                        counters(operation),
                        operation.latencies(Side.ORIGIN).takeSnapshot(),
                        operation.latencies(Side.TARGET).takeSnapshot())));
        List<StatsSnapshot.Batch> ofBatches = new ArrayList<>();
        new TreeMap<>(batches)
                .forEach((name, batch) -> ofBatches.add(new StatsSnapshot.Batch(
                        name,
                        batch.latencies(Side.ORIGIN).takeSnapshot(),
                        batch.latencies(Side.TARGET).takeSnapshot())));
        return new StatsSnapshot(ofOperations, ofBatches, mismatches(), fallbackLastHitMillis());
    }

    private static Map<Counter, Long> counters(OperationStats operation) {
        Map<Counter, Long> counters = new EnumMap<>(Counter.class);
        for (Counter counter : Counter.values()) {
            long sum = operation.sum(counter);
            if (sum != 0) {
                counters.put(counter, sum);
            }
        }
        return counters;
    }
}
