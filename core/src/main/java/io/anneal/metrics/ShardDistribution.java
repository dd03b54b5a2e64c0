package io.anneal.metrics;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** What shards record value by value. */
enum ShardDistribution {
    READ_LATENCY("read-latency", true, ShardMetrics::readNanos),
    WRITE_LATENCY("write-latency", true, ShardMetrics::writeNanos),
    FLUSH_DURATION("flush-duration", true, ShardMetrics::flushNanos),
    SSTABLES_PER_READ("sstables-per-read", false, ShardMetrics::readSSTables),
    TOMBSTONES_PER_READ("tombstones-per-read", false, ShardMetrics::readTombstones);

    private final String text;
    private final boolean isTime;
    private final Function<ShardMetrics, ValueRecorder> recorder;

    ShardDistribution(String text, boolean isTime, Function<ShardMetrics, ValueRecorder> recorder) {
        this.text = text;
        this.isTime = isTime;
        this.recorder = recorder;
    }

    String text() {
        return text;
    }

    ValueRecorder of(ShardMetrics shard) {
        return recorder.apply(shard);
    }

    /** Shows it, of several recorders together. */
    void show(MetricsRegistry registry, MetricName name, List<ValueRecorder> recorders) {
        if (isTime) {
            registry.addTimer(name, recorders);
        } else {
            registry.addHistogram(name, recorders);
        }
    }

    /** The same, of those that there are when somebody asks. */
    void show(MetricsRegistry registry, MetricName name, Supplier<RecordedParts> parts) {
        if (isTime) {
            registry.addTimer(name, parts);
        } else {
            registry.addHistogram(name, parts);
        }
    }
}
