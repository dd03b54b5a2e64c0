package io.anneal.bench.scenario;

import io.anneal.bench.data.TableShape;
import io.anneal.bench.data.TemporaryDirectory;
import io.anneal.bench.oldrepair.Baselines;
import io.anneal.job.JobControl;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Three replicas, each in a warm process that serves it, made equal over loopback: by row-level repair, and in older ways.
 * Processor time is that of all processes; each run begins with the same data, and putting it back is not measured.
 */
public final class RepairScenario {
    public static final String NAME = "repair";

    private static final List<String> COMPARED =
            List.of("synced-0", "synced-50", "synced-99.9", "synced-100", "wide", "small-rows");
    private static final String GROWTH = "growth";
    private static final String LINKS = "links";
    static final String SAMPLED = "sampled";
    static final String RESUMED = "resumed";
    static final String DRY_RUN = "dry-run";
    private static final int[] DRY_RUN_PER_THOUSAND = {1, 10, 100};
    /** Everything that {@link BenchConfig#cases} may name here. */
    public static final List<String> CASES = Stream.concat(
                    COMPARED.stream(), Stream.of(LINKS, GROWTH, SAMPLED, RESUMED, DRY_RUN))
            .toList();

    static final String LINKS_NEAR = "links-loopback";
    static final String LINKS_FAR = "links-50ms";
    private static final long LINK_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final int LINKS_PARALLEL = 16;
    /** Of processor time; a number of bytes is more. */
    private static final double RESOLUTION_SECONDS = 0.01;

    private static final String GROWTH_ROWS = "growth-rows-x";
    private static final String GROWTH_DIFFERENCES = "growth-differences-x";
    private static final double MEGABYTE = 1e6;
    static final String RESUMED_WHOLE = "resumed-whole";
    static final String RESUMED_STOPPED = "resumed-stopped";
    static final String RESUMED_PLAIN = "resumed-plain";
    static final String SAMPLED_WHOLE = "sampled-whole";
    private static final double SAMPLED_SHARE = 0.01;
    /** Of each run: one alone is too short to be measured. */
    private static final int SAMPLES = 20;

    private static final int[] FACTORS = {1, 2, 4};
    /** Rows of each replica by default. */
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
        if (config.wants(SAMPLED)) {
            sampled();
        }
        if (CASES.stream().filter(caseName -> !caseName.equals(SAMPLED)).anyMatch(config::wants)) {
            overServers();
        }
        return series.records();
    }

    private void overServers() throws IOException {
        try (TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-repair");
                DelayProxies links = new DelayProxies(LINK_NANOS, config.nanoTime());
                RepairSides sides = RepairSides.start(command, config.nanoTime(), sizes, directory.path())) {
            if (COMPARED.stream().anyMatch(config::wants)) {
                compareAll(sides, directory);
            }
            if (config.wants(LINKS)) {
                links(sides, links, directory);
            }
            if (config.wants(DRY_RUN)) {
                dryRuns(sides, directory);
            }
            if (config.wants(GROWTH)) {
                growth(sides, directory);
            }
            if (config.wants(RESUMED)) {
                resumed(sides, directory);
            }
        }
    }

    /** A dry run over all of three directories and over a share of them, in this process, in turns. */
    private void sampled() throws IOException {
        try (TemporaryDirectory directory = TemporaryDirectory.create("anneal-bench-sampled")) {
            RepairData data = draw(SAMPLED, RepairDraw.of("synced-99.9", config.rowCount()), directory);
            try (SampledReplicas replicas = SampledReplicas.open(config.nanoTime(), data, sizes, directory.path())) {
                say(SAMPLED, "warming up");
                Warming.warm(config, new Contender(BenchSystem.ANNEAL, replicas::whole));
                Warming.warm(config, new Contender(BenchSystem.ANNEAL, () -> replicas.sample(SAMPLED_SHARE, 0)));
                say(SAMPLED, "measuring");
                for (int round = 0; round < config.runs(); round++) {
                    Run whole = replicas.whole();
                    series.add(SAMPLED_WHOLE, BenchSystem.ANNEAL, whole);
                    double cpuSeconds = 0;
                    double wallSeconds = 0;
                    for (int i = 0; i < SAMPLES; i++) {
                        Run sample = replicas.sample(SAMPLED_SHARE, (long) round * SAMPLES + i);
                        cpuSeconds += sample.cpuSeconds() / SAMPLES;
                        wallSeconds += sample.wallSeconds() / SAMPLES;
                    }
                    series.add(SAMPLED, BenchSystem.ANNEAL, BenchMetric.WALL, wallSeconds);
                    series.add(SAMPLED, BenchSystem.ANNEAL, BenchMetric.CPU, cpuSeconds);
                    series.add(SAMPLED, BenchSystem.ANNEAL, BenchMetric.CPU_SHARE, cpuSeconds / whole.cpuSeconds());
                }
            }
        }
    }

    /** A repair that is ended at half, as by a kill and as by Ctrl-C, and gone on with, beside one that is not, and one that has no checkpoint. */
    private void resumed(RepairSides sides, TemporaryDirectory parent) throws IOException {
        try (TemporaryDirectory directory = parent.createInside("drawn")) {
            RepairData data = draw(RESUMED, RepairDraw.of("synced-99.9", config.rowCount()), directory);
            Path checkpoint = directory.path().resolve("repair.checkpoint");
            warm(RESUMED, new Side(BenchSystem.ANNEAL, () -> sides.repair(data)));
            for (int round = 0; round < config.runs(); round++) {
                sides.repair(data).addTo(series, RESUMED_PLAIN, BenchSystem.ANNEAL);
                RepairSides.Resumed whole =
                        sides.resumed(data, checkpoint, sizes.sessionLeast(), Long.MAX_VALUE, JobControl::abort);
                addResumed(RESUMED_WHOLE, whole, whole);
                long halfNanos = whole.repair().run().wallNanos() / 2;
                addResumed(
                        RESUMED_STOPPED,
                        sides.resumed(data, checkpoint, sizes.sessionLeast(), halfNanos, JobControl::stop),
                        whole);
                addResumed(
                        RESUMED,
                        sides.resumed(data, checkpoint, sizes.sessionLeast(), halfNanos, JobControl::abort),
                        whole);
            }
            sides.requireEqual(data);
            sayMedians(RESUMED_PLAIN, BenchSystem.ANNEAL);
            sayMedians(RESUMED_WHOLE, BenchSystem.ANNEAL);
            sayMedians(RESUMED_STOPPED, BenchSystem.ANNEAL);
            sayMedians(RESUMED, BenchSystem.ANNEAL);
        }
    }

    private void addResumed(String caseName, RepairSides.Resumed resumed, RepairSides.Resumed whole) {
        resumed.repair().addTo(series, caseName, BenchSystem.ANNEAL);
        series.add(
                caseName,
                BenchSystem.ANNEAL,
                BenchMetric.CPU_SHARE,
                resumed.repair().run().cpuSeconds() / whole.repair().run().cpuSeconds());
        series.add(caseName, BenchSystem.ANNEAL, BenchMetric.SESSIONS, resumed.sessions());
        series.add(caseName, BenchSystem.ANNEAL, BenchMetric.ROWS_TWICE, resumed.rowsTwice());
    }

    private void compareAll(RepairSides sides, TemporaryDirectory directory) throws IOException {
        if (!config.cassandra()) {
            compareAll(sides, Optional.empty(), directory);
            return;
        }
        config.progress().accept(NAME + ": starting three Cassandra nodes");
        try (RepairNodes nodes = RepairNodes.start(config.nanoTime(), config.version())) {
            sides.beside(nodes.processes());
            compareAll(sides, Optional.of(nodes), directory);
        } finally {
            sides.beside(List.of());
        }
    }

    private void compareAll(RepairSides sides, Optional<RepairNodes> nodes, TemporaryDirectory directory)
            throws IOException {
        for (String caseName : COMPARED) {
            if (config.wants(caseName)) {
                compare(caseName, sides, nodes, directory);
            }
        }
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

    private RepairData draw(String caseName, RepairDraw draw, TemporaryDirectory directory) throws IOException {
        say(caseName, "drawing three replicas");
        return RepairData.draw(draw, config.version(), directory.path());
    }

    private void compare(String caseName, RepairSides sides, Optional<RepairNodes> nodes, TemporaryDirectory parent)
            throws IOException {
        try (TemporaryDirectory directory = parent.createInside("drawn")) {
            RepairData data = draw(caseName, RepairDraw.of(caseName, config.rowCount()), directory);
            Side own = new Side(BenchSystem.ANNEAL, () -> sides.repair(data));
            List<Side> all = new ArrayList<>(List.of(own));
            for (String baseline : Baselines.NAMES) {
                all.add(new Side(BenchSystem.of(baseline), () -> sides.baseline(baseline, data)));
            }
            all.removeIf(side -> !sizes.wants(side.system()));
            for (Side side : all) {
                warm(caseName, side);
                sides.requireEqual(data);
            }
            if (nodes.isPresent()) {
                all.addAll(warmed(caseName, nodes.get(), data, sides.processes()));
            }
            for (int round = 0; round < config.runs(); round++) {
                say(caseName, String.format(Locale.ROOT, "measuring, run %d of %d", round + 1, config.runs()));
                for (Side side : all) {
                    side.work().run().addTo(series, caseName, side.system());
                    series.add(caseName, side.system(), BenchMetric.BYTES_LACKING, data.bytesLacking());
                }
            }
            all.forEach(side -> sayMedians(caseName, side.system()));
            if (all.contains(own)) {
                say(caseName, "watching memory");
                series.add(
                        caseName,
                        own.system(),
                        BenchMetric.PEAK_MEMORY,
                        sides.peakBytes(own.contender().work()));
            }
        }
    }

    private void warm(String caseName, Side side) throws IOException {
        say(caseName, "warming up " + side.system().text());
        Warming.warm(config, side.contender());
    }

    private List<Side> warmed(String caseName, RepairNodes nodes, RepairData data, List<Long> others)
            throws IOException {
        List<Side> sides = new ArrayList<>(List.of(new Side(BenchSystem.CASSANDRA, () -> nodes.repair(data, others))));
        if (caseName.equals("synced-99.9")) {
            sides.add(
                    new Side(BenchSystem.CASSANDRA_OPTIMISED, () -> nodes.repair(data, others, "--optimise-streams")));
        }
        sides.removeIf(side -> !sizes.wants(side.system()));
        for (Side side : sides) {
            warm(caseName, side);
            if (config.warmUpNanos() > 0) {
                // Its first repair takes twice the time of its third.
                side.work().run();
            }
        }
        return sides;
    }

    /** Ranges at once to followers that are near, and to the same over links that are long. */
    private void links(RepairSides sides, DelayProxies links, TemporaryDirectory parent) throws IOException {
        List<InetSocketAddress> near = sides.followers();
        List<InetSocketAddress> far = new ArrayList<>();
        for (InetSocketAddress follower : near) {
            far.add(links.to(follower));
        }
        OptionalInt parallel = OptionalInt.of(sizes.parallel().orElse(LINKS_PARALLEL));
        try (TemporaryDirectory directory = parent.createInside("drawn")) {
            RepairData data = draw(LINKS, RepairDraw.of("synced-99.9", config.rowCount()), directory);
            warm(LINKS, new Side(BenchSystem.ANNEAL, () -> sides.repair(data, near, parallel)));
            warm(LINKS, new Side(BenchSystem.ANNEAL, () -> sides.repair(data, far, parallel)));
            say(LINKS, "measuring");
            for (int round = 0; round < config.runs(); round++) {
                sides.repair(data, near, parallel).addTo(series, LINKS_NEAR, BenchSystem.ANNEAL);
                sides.repair(data, far, parallel).addTo(series, LINKS_FAR, BenchSystem.ANNEAL);
            }
            sayMedians(LINKS_NEAR, BenchSystem.ANNEAL);
            sayMedians(LINKS_FAR, BenchSystem.ANNEAL);
        }
    }

    /** Of rows of both sizes, and of more and more that are on one replica only. */
    private void dryRuns(RepairSides sides, TemporaryDirectory parent) throws IOException {
        for (TableShape shape : List.of(TableShape.KILOBYTE_ROWS, TableShape.SMALL_ROWS)) {
            for (int perThousand : DRY_RUN_PER_THOUSAND) {
                String caseName = DRY_RUN + "-"
                        + shape.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + (100 - perThousand / 10.0);
                try (TemporaryDirectory directory = parent.createInside("drawn")) {
                    RepairData data = draw(caseName, RepairDraw.own(shape, config.rowCount(), perThousand), directory);
                    double ratio = sides.dryRunOverSums(data);
                    series.add(caseName, BenchSystem.ANNEAL, BenchMetric.DRY_RUN_BYTES, ratio);
                    say(caseName, String.format(Locale.ROOT, "bytes over those of sums and sketches: %.3f", ratio));
                }
            }
        }
    }

    /**
     * The same of more rows that are equal, and of more that differ among as many. The most comes first, so that what is compiled in
     * the course of it makes growth look more than it is, never less.
     */
    private void growth(RepairSides sides, TemporaryDirectory parent) throws IOException {
        for (int i = FACTORS.length - 1; i >= 0; i--) {
            int rows = (int) ((long) config.rowCount() * FACTORS[i] / FACTORS[FACTORS.length - 1]);
            grow(GROWTH_ROWS + FACTORS[i], RepairDraw.of("synced-100", rows), sides, parent);
        }
        for (int i = FACTORS.length - 1; i >= 0; i--) {
            RepairDraw draw = RepairDraw.own(TableShape.KILOBYTE_ROWS, config.rowCount(), FACTORS[i]);
            grow(GROWTH_DIFFERENCES + FACTORS[i], draw, sides, parent);
        }
        for (int i = 1; i < FACTORS.length; i++) {
            compareSizes(GROWTH_ROWS, i, BenchMetric.CPU, BenchMetric.CPU_GROWTH);
            compareSizes(GROWTH_DIFFERENCES, i, BenchMetric.BYTES_SENT, BenchMetric.BYTES_GROWTH);
        }
    }

    private void grow(String caseName, RepairDraw draw, RepairSides sides, TemporaryDirectory parent)
            throws IOException {
        try (TemporaryDirectory directory = parent.createInside("drawn")) {
            RepairData data = draw(caseName, draw, directory);
            warm(caseName, new Side(BenchSystem.ANNEAL, () -> sides.repair(data)));
            for (int round = 0; round < config.runs(); round++) {
                sides.repair(data).addTo(series, caseName, BenchSystem.ANNEAL);
            }
        }
        sayMedians(caseName, BenchSystem.ANNEAL);
    }

    /** With the size before. */
    private void compareSizes(String caseName, int size, BenchMetric metric, BenchMetric growth) {
        double before = median(caseName + FACTORS[size - 1], BenchSystem.ANNEAL, metric);
        double median = median(caseName + FACTORS[size], BenchSystem.ANNEAL, metric);
        series.add(caseName + FACTORS[size], BenchSystem.ANNEAL, growth, median / Math.max(RESOLUTION_SECONDS, before));
    }

    /** What is known so far, should somebody end a measurement that takes an hour. */
    private void sayMedians(String caseName, BenchSystem system) {
        say(
                caseName,
                String.format(
                        Locale.ROOT,
                        "%s: CPU %.2f s, wall %.2f s, sent %.3f MB",
                        system.text(),
                        median(caseName, system, BenchMetric.CPU),
                        median(caseName, system, BenchMetric.WALL),
                        median(caseName, system, BenchMetric.BYTES_SENT) / MEGABYTE));
    }

    private double median(String caseName, BenchSystem system, BenchMetric metric) {
        return RepairSeed.find(series.records(), caseName, system, metric)
                .orElseThrow()
                .median();
    }

    private void say(String caseName, String step) {
        config.progress().accept(NAME + " " + caseName + ": " + step);
    }
}
