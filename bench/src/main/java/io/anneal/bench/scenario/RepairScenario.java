package io.anneal.bench.scenario;

import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.oldrepair.Baselines;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Three replicas, each in a warm process that serves it, made equal over loopback: by row-level repair, and in older ways.
 * Processor time is that of all processes; each run begins with the same data, and putting it back is not measured.
 */
public final class RepairScenario {
    public static final String NAME = "repair";

    private static final Map<String, RepairDraw> DRAWS = Map.of(
            "synced-0", RepairDraw.SYNCED_0,
            "synced-50", RepairDraw.SYNCED_50,
            "synced-99.9", RepairDraw.SYNCED_99_9,
            "synced-100", RepairDraw.SYNCED_100,
            "wide", RepairDraw.WIDE,
            "small-rows", RepairDraw.SMALL_ROWS);

    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES =
            List.of("synced-0", "synced-50", "synced-99.9", "synced-100", "wide", "small-rows");
    /** Rows of each replica, unless told. */
    public static final int ROWS = 1_000_000;

    private final BenchConfig config;
    private final OwnCommand command;
    private final RepairSizes sizes;
    private final Series series = new Series(NAME);

    public RepairScenario(BenchConfig config, OwnCommand command, RepairSizes sizes) {
        this.config = config;
        this.command = command;
        this.sizes = sizes;
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        try (TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-repair");
                RepairSides sides = RepairSides.start(command, config.nanoTime(), sizes, directory.path())) {
            for (String caseName : CASES) {
                if (config.wants(caseName)) {
                    measure(caseName, sides, directory);
                }
            }
        }
        return series.records();
    }

    /** One side of the comparison. */
    private record Side(BenchSystem system, Work work) {
        interface Work {
            RepairRun run() throws IOException;
        }

        Contender contender() {
            return new Contender(system, () -> work.run().run());
        }
    }

    private void measure(String caseName, RepairSides sides, TemporaryDirectory parent) throws IOException {
        say(caseName, "drawing three replicas");
        try (TemporaryDirectory directory = parent.createInside("drawn")) {
            RepairData data =
                    RepairData.draw(DRAWS.get(caseName), config.rowCount(), config.version(), directory.path());
            List<Side> all = new ArrayList<>(List.of(new Side(BenchSystem.ANNEAL, () -> sides.repair(data))));
            for (String baseline : Baselines.NAMES) {
                all.add(new Side(system(baseline), () -> sides.baseline(baseline, data)));
            }
            for (Side side : all) {
                say(caseName, "warming up " + side.system().text());
                Warming.warm(config, side.contender());
                sides.requireEqual(data);
            }
            for (int round = 0; round < config.runs(); round++) {
                say(caseName, String.format(Locale.ROOT, "measuring, run %d of %d", round + 1, config.runs()));
                for (Side side : all) {
                    side.work().run().addTo(series, caseName, side.system());
                    series.add(caseName, side.system(), BenchMetric.BYTES_LACKING, data.bytesLacking());
                }
            }
            say(caseName, "watching memory");
            Side own = all.get(0);
            series.add(
                    caseName,
                    own.system(),
                    BenchMetric.PEAK_MEMORY,
                    sides.peakBytes(own.contender().work()));
        }
    }

    private static BenchSystem system(String name) {
        return Stream.of(BenchSystem.values())
                .filter(system -> system.text().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("baseline is no system of records, name=" + name));
    }

    private void say(String caseName, String step) {
        config.progress().accept(NAME + " " + caseName + ": " + step);
    }
}
