package io.anneal.bench.scenario;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Measures the contenders of a case: first each works until it is warm, then all run in turn, so that whatever else the
 * machine does meets all of them alike.
 */
final class Rounds {
    private final String scenario;
    private final BenchConfig config;

    Rounds(String scenario, BenchConfig config) {
        this.scenario = scenario;
        this.config = config;
    }

    /** All metrics that the runs have numbers for. */
    List<BenchRecord> measure(String caseName, List<Contender> contenders) throws IOException {
        config.progress().accept(scenario + " " + caseName + ": warming up");
        List<List<Run>> runs = new ArrayList<>();
        for (Contender contender : contenders) {
            Warming.warm(config, contender);
            runs.add(new ArrayList<>());
        }
        config.progress().accept(scenario + " " + caseName + ": measuring");
        for (int round = 0; round < config.runs(); round++) {
            for (int i = 0; i < contenders.size(); i++) {
                runs.get(i).add(contenders.get(i).work().run());
            }
        }
        List<BenchRecord> records = new ArrayList<>();
        for (int i = 0; i < contenders.size(); i++) {
            records.addAll(records(caseName, contenders.get(i).system(), runs.get(i)));
        }
        return records;
    }

    private List<BenchRecord> records(String caseName, BenchSystem system, List<Run> runs) {
        List<BenchRecord> records = new ArrayList<>();
        records.add(record(caseName, system, BenchMetric.WALL, runs, Run::wallSeconds));
        records.add(record(caseName, system, BenchMetric.CPU, runs, Run::cpuSeconds));
        if (runs.stream().allMatch(run -> run.rows() > 0)) {
            records.add(record(caseName, system, BenchMetric.ROWS_PER_SECOND, runs, Run::rowsPerSecond));
            records.add(record(caseName, system, BenchMetric.ALLOCATED_PER_ROW, runs, Run::allocatedPerRow));
        }
        if (runs.stream().allMatch(run -> run.dataBytes() > 0)) {
            records.add(record(caseName, system, BenchMetric.BYTES_PER_SECOND, runs, Run::bytesPerSecond));
        }
        return records;
    }

    private BenchRecord record(
            String caseName, BenchSystem system, BenchMetric metric, List<Run> runs, ToDoubleFunction<Run> value) {
        return BenchRecord.of(
                scenario,
                caseName,
                system,
                metric,
                runs.stream().mapToDouble(value).toArray());
    }
}
