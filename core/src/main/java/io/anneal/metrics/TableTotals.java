package io.anneal.metrics;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** What all tables of a store do together, as one more metric of each name. Any thread. */
final class TableTotals {
    private static final Map<String, String> KEYS = Map.of(MetricName.TYPE, "Tables");

    private final Set<TableMetrics> tables = ConcurrentHashMap.newKeySet();
    /** Of dropped tables. */
    private final Map<TableNumber, LongAdder> gone = new EnumMap<>(TableNumber.class);

    private final Map<ShardDistribution, LongAdder> goneValues = new EnumMap<>(ShardDistribution.class);
    private final LongAdder goneCompactions = new LongAdder();

    TableTotals() {
        for (TableNumber number : TableNumber.values()) {
            gone.put(number, new LongAdder());
        }
        for (ShardDistribution distribution : ShardDistribution.values()) {
            goneValues.put(distribution, new LongAdder());
        }
    }

    void show(MetricsRegistry registry) {
        for (ShardDistribution distribution : ShardDistribution.values()) {
            LongAdder before = goneValues.get(distribution);
            distribution.show(
                    registry, name(distribution.text()), () -> parts(table -> table.recorders(distribution), before));
        }
        registry.addTimer(
                name(TableMetrics.COMPACTION_DURATION),
                () -> parts(table -> List.of(table.compactionNanos()), goneCompactions));
        for (TableNumber number : TableNumber.values()) {
            registry.addGauge(name(number.text()), () -> total(number));
        }
    }

    private static MetricName name(String name) {
        return new MetricName("tables", KEYS, name);
    }

    private synchronized RecordedParts parts(Function<TableMetrics, List<ValueRecorder>> recorders, LongAdder before) {
        List<ValueRecorder> all = new ArrayList<>();
        tables.forEach(table -> all.addAll(recorders.apply(table)));
        return new RecordedParts(all, before.sum());
    }

    private long total(TableNumber number) {
        long before;
        List<TableMetrics> now;
        synchronized (this) {
            before = gone.get(number).sum();
            now = List.copyOf(tables);
        }
        return before + number.total(now.stream().mapToLong(table -> table.number(number)));
    }

    /** Those that there are, as they come and go. */
    Set<TableMetrics> tables() {
        return tables;
    }

    void add(TableMetrics table) {
        tables.add(table);
    }

    /** What has happened stays counted: whoever sees a count fall takes it for one that began anew. */
    synchronized void remove(TableMetrics table) {
        if (!tables.remove(table)) {
            return;
        }
        for (TableNumber number : TableNumber.values()) {
            if (number.total() == TableNumber.Total.COUNT) {
                gone.get(number).add(table.number(number));
            }
        }
        goneValues.forEach(
                (distribution, count) -> count.add(new RecordedParts(table.recorders(distribution), 0).count()));
        goneCompactions.add(new RecordedParts(List.of(table.compactionNanos()), 0).count());
    }
}
