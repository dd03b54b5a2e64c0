package io.anneal.bench.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Values of many cases, systems and metrics as the runs bring them. */
final class Series {
    private record Key(String caseName, BenchSystem system, BenchMetric metric) {}

    private static final double SECOND_NANOS = 1e9;

    private final String scenario;
    private final Map<Key, List<Double>> values = new LinkedHashMap<>();

    Series(String scenario) {
        this.scenario = scenario;
    }

    void add(String caseName, BenchSystem system, BenchMetric metric, double value) {
        values.computeIfAbsent(new Key(caseName, system, metric), key -> new ArrayList<>())
                .add(value);
    }

    void addNanos(String caseName, BenchSystem system, BenchMetric metric, double nanos) {
        add(caseName, system, metric, nanos / SECOND_NANOS);
    }

    /** Time, processor time, and the rates of rows and bytes where there are any. */
    void add(String caseName, BenchSystem system, Run run) {
        add(caseName, system, BenchMetric.WALL, run.wallSeconds());
        add(caseName, system, BenchMetric.CPU, run.cpuSeconds());
        if (run.rows() > 0) {
            add(caseName, system, BenchMetric.ROWS_PER_SECOND, run.rowsPerSecond());
        }
        if (run.dataBytes() > 0) {
            add(caseName, system, BenchMetric.BYTES_PER_SECOND, run.bytesPerSecond());
            add(caseName, system, BenchMetric.BYTES_PER_CPU_SECOND, run.bytesPerCpuSecond());
        }
    }

    /** One for each case, system and metric, in the order of their first values. */
    List<BenchRecord> records() {
        List<BenchRecord> records = new ArrayList<>();
        values.forEach((key, runs) -> records.add(BenchRecord.of(
                scenario,
                key.caseName(),
                key.system(),
                key.metric(),
                runs.stream().mapToDouble(value -> value).toArray())));
        return records;
    }
}
