package io.anneal.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * What one table does: its shards, each and together, and what shards do not divide. Each method is cheap, allocates nothing
 * and may be called by any thread. {@code docs/metrics.md} has the names.
 */
public final class TableMetrics {
    private static final String TABLE_KEY = "table";
    private static final int ALL_SHARDS = -1;
    static final String COMPACTION_DURATION = "compaction-duration";

    private final String qualifiedName;
    private final Runnable resized;
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

    /** @param resized is told when what lies on the disk has changed */
    TableMetrics(LongSupplier nanoClock, String qualifiedName, int shardCount, Runnable resized) {
        this.qualifiedName = qualifiedName;
        this.resized = resized;
        for (int shard = 0; shard < shardCount; shard++) {
            shards.add(new ShardMetrics(nanoClock, resized));
        }
        compactionNanos = new ValueRecorder(nanoClock);
    }

    /** Shows all that is counted here, by name. */
    void show(MetricsRegistry registry) {
        for (int shard = 0; shard < shards.size(); shard++) {
            showShard(registry, shard);
        }
        for (ShardDistribution distribution : ShardDistribution.values()) {
            distribution.show(registry, name(ALL_SHARDS, distribution.text()), recorders(distribution));
        }
        registry.addTimer(name(ALL_SHARDS, COMPACTION_DURATION), List.of(compactionNanos));
        for (TableNumber number : TableNumber.values()) {
            registry.addGauge(name(ALL_SHARDS, number.text()), () -> number(number));
        }
    }

    private void showShard(MetricsRegistry registry, int shard) {
        ShardMetrics metrics = shards.get(shard);
        for (ShardDistribution distribution : ShardDistribution.values()) {
            distribution.show(registry, name(shard, distribution.text()), List.of(distribution.of(metrics)));
        }
        registry.addGauge(name(shard, TableNumber.MEMTABLE_BYTES.text()), metrics::memtableBytes);
        registry.addGauge(name(shard, TableNumber.FLUSHES.text()), metrics::flushes);
        registry.addGauge(name(shard, TableNumber.FLUSHED_BYTES.text()), metrics::flushedBytes);
        registry.addGauge(name(shard, TableNumber.FLUSHES_FAILED.text()), metrics::failedFlushes);
    }

    private MetricName name(int shard, String name) {
        if (shard == ALL_SHARDS) {
            return new MetricName(qualifiedName, Map.of(MetricName.TYPE, "Table", TABLE_KEY, qualifiedName), name);
        }
        Map<String, String> keys =
                Map.of(MetricName.TYPE, "Shard", TABLE_KEY, qualifiedName, "shard", Integer.toString(shard));
        return new MetricName(qualifiedName + ".shard-" + shard, keys, name);
    }

    long number(TableNumber number) {
        return number.of(this);
    }

    List<ValueRecorder> recorders(ShardDistribution distribution) {
        return shards.stream().map(distribution::of).toList();
    }

    ValueRecorder compactionNanos() {
        return compactionNanos;
    }

    long sum(ToLongFunction<ShardMetrics> number) {
        return shards.stream().mapToLong(number).sum();
    }

    boolean owns(MetricName name) {
        return qualifiedName.equals(name.keys().get(TABLE_KEY));
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
        resized.run();
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

    long compactions() {
        return compactions.sum();
    }

    long failedCompactions() {
        return failedCompactions.sum();
    }

    long refusedCompactions() {
        return refusedCompactions.sum();
    }

    long compactedBytesRead() {
        return compactedBytesRead.sum();
    }

    long compactedBytesWritten() {
        return compactedBytesWritten.sum();
    }

    long scans() {
        return scans.sum();
    }

    long scannedRows() {
        return scannedRows.sum();
    }

    long scannedTombstones() {
        return scannedTombstones.sum();
    }

    long filterNegatives() {
        return filterNegatives.sum();
    }

    long filterTruePositives() {
        return filterTruePositives.sum();
    }

    long filterFalsePositives() {
        return filterFalsePositives.sum();
    }

    long compactionsPending() {
        return compactionsPending.getAsLong();
    }

    long compactionBytesPending() {
        return compactionBytesPending.getAsLong();
    }

    long sstables() {
        return sstables.getAsLong();
    }

    long sstableBytes() {
        return sstableBytes.getAsLong();
    }

    long ringRepairedSeconds() {
        return ringRepairedSeconds.getAsLong();
    }

    long repairedSeconds() {
        return repairedSeconds.getAsLong();
    }

    long gcGraceSeconds() {
        return gcGraceSeconds.getAsLong();
    }
}
