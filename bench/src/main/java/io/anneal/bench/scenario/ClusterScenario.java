package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A cluster of three nodes of Cassandra that run, of three replicas, repaired by its own {@code nodetool repair -full} and by
 * {@code anneal cluster repair}, in turns, each from a copy of the same data. Nodes and agents are warm, commands begin with the
 * start of their JVM. Processor time is that of the nodes, of the agents and of the command.
 */
public final class ClusterScenario {
    public static final String NAME = "cluster";

    static final String SYNCED = "synced-100";
    static final String DAMAGED = "synced-99.9";
    static final String BUSY = "live-writes";
    static final String BUSY_RECENT = "live-writes-recent";
    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES = List.of(SYNCED, DAMAGED, BUSY);

    /** Rows of each replica by default. */
    public static final int ROWS = 1_000_000;

    private static final TableShape SHAPE = TableShape.RANDOM_ROWS;
    private static final int WRITES_PER_SECOND = 5_000;
    /** Longer than what is left out as too recent. */
    private static final int WRITTEN_BEFORE_SECONDS = 15;

    private static final double SECOND_NANOS = 1e9;

    private static final Pattern DIFFERING = Pattern.compile("\"rows-differing\" ?: ?([0-9]+)");
    private static final double MEGABYTE = 1e6;

    private final BenchConfig config;
    private final List<String> command;
    private final Series series = new Series(NAME);

    /** @param command the words that start {@code anneal} in a process of its own, before its arguments */
    public ClusterScenario(BenchConfig config, List<String> command) {
        this.config = config;
        this.command = List.copyOf(command);
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        try (TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-drawn")) {
            say(NAME, "starting three Cassandra nodes and three agents");
            try (ClusterSides sides = ClusterSides.start(config, command, SHAPE)) {
                if (config.wants(SYNCED)) {
                    compare(SYNCED, 0, sides, directory);
                }
                if (config.wants(DAMAGED)) {
                    compare(DAMAGED, 1, sides, directory);
                }
                if (config.wants(BUSY)) {
                    busy(sides, directory);
                }
            }
        }
        return series.records();
    }

    private RepairData draw(String caseName, int perThousand, TemporaryDirectory directory) throws IOException {
        say(caseName, "drawing three replicas");
        return RepairData.draw(
                RepairDraw.own(SHAPE, config.rowCount(), perThousand), config.version(), directory.path());
    }

    /** @param perThousand rows that each node alone has, for each thousand that all have */
    private void compare(String caseName, int perThousand, ClusterSides sides, TemporaryDirectory parent)
            throws IOException {
        try (TemporaryDirectory directory = parent.createInside("drawn")) {
            RepairData data = draw(caseName, perThousand, directory);
            if (config.warmUpNanos() > 0) {
                say(caseName, "warming up");
                Warming.warm(config, contender(BenchSystem.CASSANDRA, () -> sides.cassandra(data)));
                Warming.warm(config, contender(BenchSystem.ANNEAL, () -> sides.anneal(data)));
            }
            for (int round = 0; round < config.runs(); round++) {
                say(caseName, String.format(Locale.ROOT, "measuring, run %d of %d", round + 1, config.runs()));
                add(caseName, BenchSystem.CASSANDRA, sides.cassandra(data));
                ClusterSides.ClusterRun own = sides.anneal(data);
                requireRepaired(caseName, data, own);
                add(caseName, BenchSystem.ANNEAL, own);
                series.add(caseName, BenchSystem.ANNEAL, BenchMetric.BYTES_LACKING, data.bytesLacking());
            }
            for (long bytes : sides.idleAgentsBytes()) {
                series.add(caseName, BenchSystem.ANNEAL, BenchMetric.IDLE_MEMORY, bytes);
            }
            sides.changed();
        }
    }

    private interface Work {
        ClusterSides.ClusterRun run() throws IOException;
    }

    private Contender contender(BenchSystem system, Work work) {
        return new Contender(system, () -> {
            ClusterSides.ClusterRun run = work.run();
            return new Run(
                    0, 0, (long) (run.wallSeconds() * SECOND_NANOS), (long) (run.cpuSeconds() * SECOND_NANOS), 0);
        });
    }

    private static void requireRepaired(String caseName, RepairData data, ClusterSides.ClusterRun own) {
        boolean foundEqual = own.output().contains("the replicas are equal");
        if (foundEqual != data.isEqual() || !own.output().contains("covered until")) {
            throw new IllegalStateException(
                    "the cluster was not repaired, case=" + caseName + ", output=" + own.output());
        }
    }

    private void add(String caseName, BenchSystem system, ClusterSides.ClusterRun run) {
        series.add(caseName, system, BenchMetric.WALL, run.wallSeconds());
        series.add(caseName, system, BenchMetric.CPU, run.cpuSeconds());
        series.add(caseName, system, BenchMetric.NODES_CPU, run.nodesSeconds());
        series.add(caseName, system, BenchMetric.AGENTS_CPU, run.agentsSeconds());
        series.add(caseName, system, BenchMetric.COMMAND_CPU, run.commandSeconds());
        series.add(caseName, system, BenchMetric.BYTES_SENT, run.sentBytes());
        series.add(caseName, system, BenchMetric.SSTABLES, run.sstables());
        run.othersSeconds().ifPresent(seconds -> series.add(caseName, system, BenchMetric.OTHERS_CPU, seconds));
        say(
                caseName,
                String.format(
                        Locale.ROOT,
                        "%s: CPU %.2f s (nodes %.2f, agents %.2f, command %.2f), others %.2f, wall %.2f s, sent %.3f MB, %d SSTables",
                        system.text(),
                        run.cpuSeconds(),
                        run.nodesSeconds(),
                        run.agentsSeconds(),
                        run.commandSeconds(),
                        run.othersSeconds().orElse(0),
                        run.wallSeconds(),
                        run.sentBytes() / MEGABYTE,
                        run.sstables()));
    }

    /**
     * Nodes in sync that clients write to: how many rows a repair takes for different, and how many it would if it looked at those of
     * the last seconds, too, which are what the snapshots' skew makes.
     */
    private void busy(ClusterSides sides, TemporaryDirectory parent) throws IOException {
        try (TemporaryDirectory directory = parent.createInside("drawn")) {
            RepairData data = draw(BUSY, 0, directory);
            sides.put(data);
            for (int round = 0; round < config.runs(); round++) {
                say(BUSY, String.format(Locale.ROOT, "measuring, run %d of %d", round + 1, config.runs()));
                try (QuorumWrites writes = QuorumWrites.start(
                        sides.nodes().ring().node(0),
                        RepairData.schema(SHAPE),
                        WRITES_PER_SECOND,
                        1L + round,
                        config.nanoTime())) {
                    writes.await((long) WRITES_PER_SECOND * WRITTEN_BEFORE_SECONDS);
                    repairBusy(BUSY, sides, data, writes, List.of("--json"));
                    repairBusy(
                            BUSY_RECENT,
                            sides,
                            data,
                            writes,
                            List.of("--json", ClusterSides.DRY_RUN, "--include-recent"));
                }
            }
            sides.changed();
        }
    }

    private void repairBusy(
            String caseName, ClusterSides sides, RepairData data, QuorumWrites writes, List<String> options)
            throws IOException {
        long before = writes.count();
        ClusterSides.ClusterRun run = sides.repair(data, options);
        long written = writes.count() - before;
        Matcher differing = DIFFERING.matcher(run.output());
        if (!differing.find()) {
            throw new IllegalStateException("no rows are told, output=" + run.output());
        }
        long rows = Long.parseLong(differing.group(1));
        series.add(caseName, BenchSystem.ANNEAL, BenchMetric.WALL, run.wallSeconds());
        series.add(caseName, BenchSystem.ANNEAL, BenchMetric.ROWS_WRITTEN, written);
        series.add(caseName, BenchSystem.ANNEAL, BenchMetric.ROWS_DIFFERING, rows);
        say(
                caseName,
                String.format(
                        Locale.ROOT, "%d rows differ, %d were written in %.2f s", rows, written, run.wallSeconds()));
    }

    private void say(String caseName, String step) {
        config.progress().accept(NAME + " " + caseName + ": " + step);
    }
}
