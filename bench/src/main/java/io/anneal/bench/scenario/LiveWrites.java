package io.anneal.bench.scenario;

import io.anneal.schema.TableSchema;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Nodes in sync that clients write to. Their snapshots are not of the same moment: what is written in between is in some and not in
 * others. How much of it a repair moves, and how much it would if it looked at the rows of the last seconds, too.
 */
final class LiveWrites {
    static final String NAME = "live-writes";
    /** The same and the rows of the last seconds: that there is something to leave out. */
    static final String RECENT = "live-writes-recent";

    private static final int WRITES_PER_SECOND = 5_000;
    /** Longer than what is left out as too recent. */
    private static final Duration WRITTEN_BEFORE = Duration.ofSeconds(15);

    private static final double SECOND_NANOS = 1e9;
    private static final double PERCENT = 100;

    private final BenchConfig config;
    private final Series series;
    private final ClusterSides sides;
    private final TableSchema table;
    private final InstantSource clock;

    /** @param clock of the machine of all nodes, which is this one */
    LiveWrites(BenchConfig config, Series series, ClusterSides sides, TableSchema table, InstantSource clock) {
        this.config = config;
        this.series = series;
        this.sides = sides;
        this.table = table;
        this.clock = clock;
    }

    /** The nodes are alike before, and have more rows afterwards. */
    void run() throws IOException {
        if (config.warmUpNanos() > 0) {
            say(NAME, "warming up");
            Warming.warm(config, ClusterScenario.contender(BenchSystem.ANNEAL, () -> sides.anneal(List.of(table))));
        }
        for (int round = 0; round < config.runs(); round++) {
            say(NAME, String.format(Locale.ROOT, "measuring, run %d of %d", round + 1, config.runs()));
            try (QuorumWrites writes = QuorumWrites.start(
                    sides.nodes().ring().node(0), table, WRITES_PER_SECOND, 1L + round, config.nanoTime(), clock)) {
                // The nodes' way of writes gets compiled meanwhile.
                writes.await(WRITTEN_BEFORE.plusNanos(config.warmUpNanos()));
                repair(NAME, writes);
                repair(RECENT, writes, "--include-recent");
            }
        }
    }

    private void repair(String caseName, QuorumWrites writes, String... options) throws IOException {
        long before = writes.count();
        String[] all = new String[options.length + 1];
        System.arraycopy(options, 0, all, 1, options.length);
        all[0] = "--json";
        ClusterSides.ClusterRun run = sides.anneal(List.of(table), all);
        long written = writes.count() - before;
        writes.requireSound();
        Instant from =
                Instant.parse(JsonValues.of(run.output(), "snapshots-from").get(0));
        Instant to = Instant.parse(JsonValues.of(run.output(), "snapshots-to").get(0));
        long inSkew = writes.countBetween(from, to);
        if (inSkew == 0) {
            throw new IllegalStateException(
                    "nothing was written while snapshots were taken, from=" + from + ", to=" + to);
        }
        long moved = sum(JsonValues.numbers(run.output(), "rows-received"));
        long differing = sum(JsonValues.numbers(run.output(), "rows-differing"));
        add(caseName, BenchMetric.WALL, run.wallSeconds());
        add(caseName, BenchMetric.AGENTS_CPU, run.agentsSeconds());
        add(caseName, BenchMetric.COMMAND_CPU, run.commandSeconds());
        add(caseName, BenchMetric.ROWS_WRITTEN, written);
        add(caseName, BenchMetric.ROWS_PER_SECOND, written / run.wallSeconds());
        add(caseName, BenchMetric.SNAPSHOT_SKEW, Duration.between(from, to).toNanos() / SECOND_NANOS);
        add(caseName, BenchMetric.ROWS_IN_SKEW, inSkew);
        add(caseName, BenchMetric.ROWS_DIFFERING, differing);
        add(caseName, BenchMetric.ROWS_MOVED, moved);
        add(caseName, BenchMetric.MOVED_SHARE, (double) moved / inSkew);
        if (options.length == 0) {
            add(
                    caseName,
                    BenchMetric.ROWS_LEFT_OUT,
                    Collections.max(JsonValues.numbers(run.output(), "rows-left-out")));
        }
        say(
                caseName,
                String.format(
                        Locale.ROOT,
                        "%d rows differ and %d were moved; %d were written in %.2f s, %d of them in the snapshots' skew of"
                                + " %d ms, of which %.2f %% were moved",
                        differing,
                        moved,
                        written,
                        run.wallSeconds(),
                        inSkew,
                        Duration.between(from, to).toMillis(),
                        PERCENT * moved / inSkew));
    }

    private static long sum(List<Long> values) {
        return values.stream().mapToLong(value -> value).sum();
    }

    private void add(String caseName, BenchMetric metric, double value) {
        series.add(caseName, BenchSystem.ANNEAL, metric, value);
    }

    private void say(String caseName, String step) {
        config.progress().accept(ClusterScenario.NAME + " " + caseName + ": " + step);
    }
}
