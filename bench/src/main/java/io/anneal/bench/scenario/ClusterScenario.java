package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A cluster of three nodes of Cassandra that run, of three replicas, repaired by its own {@code nodetool repair -full} and by
 * {@code anneal cluster repair}, in turns, each from a copy of the same data. Nodes and agents are warm, commands begin with the
 * start of their JVM. Processor time is that of the nodes, of the agents and of the command.
 */
public final class ClusterScenario {
    public static final String NAME = "cluster";

    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES = Stream.concat(
                    SyncedRows.CASES.stream(),
                    Stream.of(LiveWrites.NAME, EmptyVnodes.NAME, EmptyVnodes.ONE, EmptyVnodes.FEW))
            .toList();

    /** Rows of each replica by default. */
    public static final int ROWS = 1_000_000;

    private static final TableShape SHAPE = TableShape.RANDOM_ROWS;
    private static final double SECOND_NANOS = 1e9;

    private static final String EQUAL = "the replicas are equal";
    private static final double MEGABYTE = 1e6;

    private final BenchConfig config;
    private final List<String> command;
    private final InstantSource clock;
    private final Series series = new Series(NAME);

    /**
     * @param command the words that start {@code anneal} in a process of its own, before its arguments
     * @param clock of this machine
     */
    public ClusterScenario(BenchConfig config, List<String> command, InstantSource clock) {
        this.config = config;
        this.command = List.copyOf(command);
        this.clock = clock;
    }

    /** Runs the wanted cases. */
    public List<BenchRecord> run() throws IOException {
        boolean wantsRows =
                config.wants(LiveWrites.NAME) || SyncedRows.CASES.stream().anyMatch(config::wants);
        if (wantsRows || config.wants(EmptyVnodes.FEW)) {
            withFewTokens(wantsRows);
        }
        if (config.wants(EmptyVnodes.NAME) || config.wants(EmptyVnodes.ONE)) {
            withVnodes();
        }
        return series.records();
    }

    private void withFewTokens(boolean wantsRows) throws IOException {
        say("starting three Cassandra nodes and three agents");
        try (ClusterSides sides = ClusterSides.start(config, command, ClusterSides.TOKENS, SHAPE)) {
            if (wantsRows) {
                withRows(sides);
            }
            if (config.wants(EmptyVnodes.FEW)) {
                nothingToDo(sides, EmptyVnodes.FEW);
            }
        }
    }

    private void withRows(ClusterSides sides) throws IOException {
        try (TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-drawn")) {
            say("drawing rows, the three nodes import them");
            SyncedRows rows = SyncedRows.create(sides, config, SHAPE, directory);
            for (String caseName : SyncedRows.CASES) {
                if (config.wants(caseName)) {
                    compare(caseName, sides, rows);
                }
            }
            if (config.wants(LiveWrites.NAME)) {
                rows.reset();
                new LiveWrites(config, series, sides, rows.table(), clock).run();
            }
        }
    }

    private void withVnodes() throws IOException {
        say(EmptyVnodes.NAME, "starting three Cassandra nodes of " + EmptyVnodes.TOKENS + " tokens and three agents");
        try (ClusterSides sides = ClusterSides.start(config, command, EmptyVnodes.TOKENS, SHAPE)) {
            nothingToDo(sides, EmptyVnodes.ONE, EmptyVnodes.NAME);
        }
    }

    private void nothingToDo(ClusterSides sides, String... cases) throws IOException {
        EmptyVnodes vnodes = EmptyVnodes.create(sides, clock);
        for (String caseName : cases) {
            if (config.wants(caseName)) {
                measure(
                        caseName,
                        () -> vnodes.cassandra(caseName),
                        () -> vnodes.anneal(caseName),
                        own -> requireEqual(caseName, vnodes, own));
            }
        }
    }

    private static void requireEqual(String caseName, EmptyVnodes vnodes, ClusterSides.ClusterRun own) {
        int count = vnodes.tables(caseName).size();
        if (own.output().lines().filter(line -> line.contains(EQUAL)).count() != count) {
            throw new IllegalStateException(
                    "not all tables were compared and equal, tables=" + count + ", output=" + own.output());
        }
    }

    private void compare(String caseName, ClusterSides sides, SyncedRows rows) throws IOException {
        measure(caseName, () -> rows.cassandra(caseName), () -> rows.anneal(caseName), own -> {
            rows.requireRepaired(caseName, own);
            series.add(caseName, BenchSystem.ANNEAL, BenchMetric.BYTES_READ, rows.bytesRead(own));
            series.add(caseName, BenchSystem.ANNEAL, BenchMetric.BYTES_LACKING, rows.bytesLacking(caseName));
        });
        say(caseName, "comparing what was repaired, and waiting until agents are idle");
        rows.requireAlike(caseName);
        for (long bytes : sides.idleAgentsBytes()) {
            series.add(caseName, BenchSystem.ANNEAL, BenchMetric.IDLE_MEMORY, bytes);
        }
    }

    /** Both sides in turns. */
    private void measure(String caseName, Work cassandra, Work anneal, Check check) throws IOException {
        if (config.warmUpNanos() > 0) {
            say(caseName, "warming up");
            Warming.warm(config, contender(BenchSystem.CASSANDRA, cassandra));
            Warming.warm(config, contender(BenchSystem.ANNEAL, anneal));
        }
        for (int round = 0; round < config.runs(); round++) {
            say(caseName, String.format(Locale.ROOT, "measuring, run %d of %d", round + 1, config.runs()));
            add(caseName, BenchSystem.CASSANDRA, cassandra.run());
            ClusterSides.ClusterRun own = anneal.run();
            check.require(own);
            add(caseName, BenchSystem.ANNEAL, own);
        }
    }

    /** Whether a repair did what it had to. */
    private interface Check {
        void require(ClusterSides.ClusterRun run) throws IOException;
    }

    /** One side's repair. */
    interface Work {
        ClusterSides.ClusterRun run() throws IOException;
    }

    static Contender contender(BenchSystem system, Work work) {
        return new Contender(system, () -> {
            ClusterSides.ClusterRun run = work.run();
            return new Run(
                    0, 0, (long) (run.wallSeconds() * SECOND_NANOS), (long) (run.cpuSeconds() * SECOND_NANOS), 0);
        });
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

    private void say(String caseName, String step) {
        config.progress().accept(NAME + " " + caseName + ": " + step);
    }

    private void say(String step) {
        config.progress().accept(NAME + ": " + step);
    }
}
