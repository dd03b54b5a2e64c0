package io.anneal.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * What one table does: its shards, each and together, and what shards do not divide. Each method is cheap, allocates nothing
 * and may be called by any thread. {@code docs/metrics.md} has the names.
 */
public final class TableMetrics {
    private static final String TABLE_KEY = "table";
    private static final int ALL_SHARDS = -1;

    private final String qualifiedName;
    private final List<ShardMetrics> shards = new ArrayList<>();
    private final LongAdder scans = new LongAdder();
    private final LongAdder scannedRows = new LongAdder();
    private final LongAdder scannedTombstones = new LongAdder();
    private final LongAdder compactions = new LongAdder();
    private final LongAdder failedCompactions = new LongAdder();
    private final LongAdder refusedCompactions = new LongAdder();
    private final LongAdder compactedBytesRead = new LongAdder();
    private final LongAdder compactedBytesWritten = new LongAdder();
    private final LongAdder filterNegatives = new LongAdder();
    private final LongAdder filterTruePositives = new LongAdder();
    private final LongAdder filterFalsePositives = new LongAdder();
    private final ValueRecorder compactionNanos;

    private volatile LongSupplier compactionsPending = () -> 0;
    private volatile LongSupplier compactionBytesPending = () -> 0;
    private volatile LongSupplier sstables = () -> 0;
    private volatile LongSupplier sstableBytes = () -> 0;
    private volatile LongSupplier ringRepairedSeconds = () -> 0;
    private volatile LongSupplier repairedSeconds = () -> 0;
    private volatile LongSupplier gcGraceSeconds = () -> 0;

    TableMetrics(MetricsRegistry registry, String qualifiedName, int shardCount) {
        this.qualifiedName = qualifiedName;
        for (int shard = 0; shard < shardCount; shard++) {
            shards.add(addShard(registry, shard));
        }
        registry.addTimer(name(ALL_SHARDS, "read-latency"), recorders(ShardMetrics::readNanos));
        registry.addTimer(name(ALL_SHARDS, "write-latency"), recorders(ShardMetrics::writeNanos));
        registry.addTimer(name(ALL_SHARDS, "flush-duration"), recorders(ShardMetrics::flushNanos));
        registry.addHistogram(name(ALL_SHARDS, "sstables-per-read"), recorders(ShardMetrics::readSSTables));
        registry.addHistogram(name(ALL_SHARDS, "tombstones-per-read"), recorders(ShardMetrics::readTombstones));
        addNumber(registry, "memtable-bytes", sum(ShardMetrics::memtableBytes));
        addNumber(registry, "flushes", sum(ShardMetrics::flushes));
        addNumber(registry, "flushed-bytes", sum(ShardMetrics::flushedBytes));
        addNumber(registry, "flushes-failed", sum(ShardMetrics::failedFlushes));

        compactionNanos = new ValueRecorder(registry.nanoClock());
        registry.addTimer(name(ALL_SHARDS, "compaction-duration"), List.of(compactionNanos));
        addNumber(registry, "compactions", compactions::sum);
        addNumber(registry, "compactions-failed", failedCompactions::sum);
        addNumber(registry, "compactions-refused", refusedCompactions::sum);
        addNumber(registry, "compactions-pending", () -> compactionsPending.getAsLong());
        addNumber(registry, "compaction-bytes-pending", () -> compactionBytesPending.getAsLong());
        addNumber(registry, "compacted-bytes-read", compactedBytesRead::sum);
        addNumber(registry, "compacted-bytes-written", compactedBytesWritten::sum);
        addNumber(registry, "sstables", () -> sstables.getAsLong());
        addNumber(registry, "sstable-bytes", () -> sstableBytes.getAsLong());
        addNumber(registry, "ring-repaired-seconds", () -> ringRepairedSeconds.getAsLong());
        addNumber(registry, "repaired-seconds", () -> repairedSeconds.getAsLong());
        addNumber(registry, "gc-grace-seconds", () -> gcGraceSeconds.getAsLong());
        addNumber(registry, "scans", scans::sum);
        addNumber(registry, "rows-scanned", scannedRows::sum);
        addNumber(registry, "tombstones-scanned", scannedTombstones::sum);
        addNumber(registry, "filter-negatives", filterNegatives::sum);
        addNumber(registry, "filter-true-positives", filterTruePositives::sum);
        addNumber(registry, "filter-false-positives", filterFalsePositives::sum);
    }

    private ShardMetrics addShard(MetricsRegistry registry, int shard) {
        ShardMetrics metrics = new ShardMetrics(registry.nanoClock());
        registry.addTimer(name(shard, "read-latency"), List.of(metrics.readNanos()));
        registry.addTimer(name(shard, "write-latency"), List.of(metrics.writeNanos()));
        registry.addTimer(name(shard, "flush-duration"), List.of(metrics.flushNanos()));
        registry.addHistogram(name(shard, "sstables-per-read"), List.of(metrics.readSSTables()));
        registry.addHistogram(name(shard, "tombstones-per-read"), List.of(metrics.readTombstones()));
        registry.addGauge(name(shard, "memtable-bytes"), metrics::memtableBytes);
        registry.addGauge(name(shard, "flushes"), metrics::flushes);
        registry.addGauge(name(shard, "flushed-bytes"), metrics::flushedBytes);
        registry.addGauge(name(shard, "flushes-failed"), metrics::failedFlushes);
        return metrics;
    }

    private MetricName name(int shard, String name) {
        if (shard == ALL_SHARDS) {
            return new MetricName(qualifiedName, Map.of("type", "Table", TABLE_KEY, qualifiedName), name);
        }
        Map<String, String> keys = Map.of("type", "Shard", TABLE_KEY, qualifiedName, "shard", Integer.toString(shard));
        return new MetricName(qualifiedName + ".shard-" + shard, keys, name);
    }

    private void addNumber(MetricsRegistry registry, String name, LongSupplier value) {
        registry.addGauge(name(ALL_SHARDS, name), value);
    }

    boolean owns(MetricName name) {
        return qualifiedName.equals(name.keys().get(TABLE_KEY));
    }

    private List<ValueRecorder> recorders(Function<ShardMetrics, ValueRecorder> recorder) {
        return shards.stream().map(recorder).toList();
    }

    private LongSupplier sum(ToLongFunction<ShardMetrics> number) {
        return () -> shards.stream().mapToLong(number).sum();
    }

    /** {@code keyspace.table}. */
    public String qualifiedName() {
        return qualifiedName;
    }

    public ShardMetrics shard(int shard) {
        return shards.get(shard);
    }

    /** A scan over partitions is over; its time is its caller's and not measured. */
    public void scanDone(long rows, long tombstones) {
        scans.increment();
        scannedRows.add(rows);
        scannedTombstones.add(tombstones);
    }

    public void compacted(long bytesRead, long bytesWritten, long nanos) {
        compactions.increment();
        compactedBytesRead.add(bytesRead);
        compactedBytesWritten.add(bytesWritten);
        compactionNanos.record(nanos);
    }

    public void compactionFailed() {
        failedCompactions.increment();
    }

    /** One was not begun, since the disk has no room for it. */
    public void compactionRefused() {
        refusedCompactions.increment();
    }

    /** What compaction has before it; asked by any thread. */
    public void pending(LongSupplier compactionCount, LongSupplier bytes) {
        compactionsPending = compactionCount;
        compactionBytesPending = bytes;
    }

    /** The live SSTables and their length on the disk; asked by any thread. */
    public void live(LongSupplier sstableCount, LongSupplier bytes) {
        sstables = sstableCount;
        sstableBytes = bytes;
    }

    /**
     * Since when everything written was repaired, in seconds since 1970, and gc_grace; asked by any thread.
     *
     * @param wholeRing 0 while a part of the ring never was
     * @param known of what was ever repaired, the part that was the longest ago; 0 if nothing was
     */
    public void repaired(LongSupplier wholeRing, LongSupplier known, LongSupplier gcGrace) {
        ringRepairedSeconds = wholeRing;
        repairedSeconds = known;
        gcGraceSeconds = gcGrace;
    }

    /** A filter said that the key is not there. */
    public void filterNegative() {
        filterNegatives.increment();
    }

    /** A filter said that the key may be there, and it was. */
    public void filterTruePositive() {
        filterTruePositives.increment();
    }

    /** A filter said that the key may be there, and it was not. */
    public void filterFalsePositive() {
        filterFalsePositives.increment();
    }
}
