package io.anneal.cli;

import io.anneal.bench.scenario.BenchChart;
import io.anneal.bench.scenario.BenchConfig;
import io.anneal.bench.scenario.BenchJson;
import io.anneal.bench.scenario.BenchRecord;
import io.anneal.bench.scenario.BenchSystem;
import io.anneal.bench.scenario.BenchTable;
import io.anneal.bench.scenario.ClusterRatios;
import io.anneal.bench.scenario.ClusterScenario;
import io.anneal.bench.scenario.DualDaoScenario;
import io.anneal.bench.scenario.LimitsScenario;
import io.anneal.bench.scenario.NetScenario;
import io.anneal.bench.scenario.NetSizes;
import io.anneal.bench.scenario.OwnCommand;
import io.anneal.bench.scenario.PagingScenario;
import io.anneal.bench.scenario.PagingSeed;
import io.anneal.bench.scenario.PagingSizes;
import io.anneal.bench.scenario.RepairScenario;
import io.anneal.bench.scenario.RepairSeed;
import io.anneal.bench.scenario.RepairShapesScenario;
import io.anneal.bench.scenario.RepairSizes;
import io.anneal.bench.scenario.SSTableScenario;
import io.anneal.bench.scenario.StoreScenario;
import io.anneal.bench.scenario.StoreSizes;
import io.anneal.bench.scenario.StreamingScenario;
import io.anneal.bench.scenario.StreamingSeed;
import io.anneal.cli.command.ByteSize;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.sstable.SSTableVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code anneal bench}: whole pieces of work, measured beside Cassandra's and beside the machine's own limits. */
@Command(
        name = "bench",
        description = "Measures Anneal on this machine, beside Cassandra and the machine's own limits.",
        footer = {
            "",
            "Cases of limits: lz4-compress lz4-decompress xxh3-128 xxh64 crc32 array-copy file-read write-fsync "
                    + "fdatasync-4k sendfile floor-1k floor-small",
            "Cases of sstable: scan-1k encode-hash-1k write-1k merge-4 scan-small encode-hash-small write-small "
                    + "merge-4-small; and, when named, dump-memory verify-memory rewrite-memory",
            "Cases of store: write-burst write-steady write-batch-64 write-batch-64-async write-batch-1 "
                    + "compact-4-half compact-4-random read-memtable read-cached",
            "Cases of dual-dao: proxy-1 proxy-3 proxy-5 core-1 core-3 core-5 test-same test-hang",
            "Cases of net: one-stream one-stream-tls fair-1000 stuck-reader round-trip",
            "Cases of streaming: whole rows small-cells partial partial-short rebuild many",
            "Cases of paging: range-5000 range-100 range-5000-compacted range-100-compacted pager pager-alone abandoned"
                    + " scanners partition reverse partition-compacted reverse-compacted loopback loopback-100",
            "Cases of repair: synced-0 synced-50 synced-99.9 synced-100 wide small-rows links growth sampled resumed",
            "Cases of cluster, not among all: synced-100 synced-100-read synced-99.9 synced-99.9-read live-writes"
                    + " empty-vnodes empty-vnodes-1 empty-tokens-16",
            "Cases of repair-shapes, at three sizes each, once, not among all: all-rows-overwritten few-rows-differ "
                    + "large-rows-overwritten wide-row-equal huge-row ghost-partition-deletion range-tombstones "
                    + "ghost-range-tombstones many-partition-deletions"
        })
final class BenchCommand extends Subcommand {
    /** What can be measured beside Anneal. */
    enum Peer {
        cassandra
    }

    private static final String ALL = "all";
    private static final int MEBIBYTE_SHIFT = 20;
    private static final int ROWS = 500_000;
    private static final Map<String, Integer> ROWS_OF = Map.of(
            RepairScenario.NAME, RepairScenario.ROWS,
            ClusterScenario.NAME, ClusterScenario.ROWS,
            RepairShapesScenario.NAME, RepairShapesScenario.ROWS);
    private static final Map<String, List<String>> KNOWN_CASES = new TreeMap<>(Map.of(
            LimitsScenario.NAME, LimitsScenario.CASES,
            SSTableScenario.NAME, SSTableScenario.CASES,
            StoreScenario.NAME, StoreScenario.CASES,
            RepairShapesScenario.NAME, RepairShapesScenario.CASES,
            DualDaoScenario.NAME, DualDaoScenario.CASES,
            NetScenario.NAME, NetScenario.CASES,
            StreamingScenario.NAME, StreamingScenario.CASES,
            PagingScenario.NAME, PagingScenario.CASES,
            RepairScenario.NAME, RepairScenario.CASES,
            ClusterScenario.NAME, ClusterScenario.CASES));
    /** Their sizes are their own. */
    private static final Set<String> NOT_AMONG_ALL = Set.of(ClusterScenario.NAME, RepairShapesScenario.NAME);

    @Parameters(
            paramLabel = "SCENARIO",
            description =
                    "One of limits, sstable, store, dual-dao, net, streaming, paging, repair, cluster, repair-shapes, all.")
    private String scenario;

    @Option(names = "--case", paramLabel = "NAME", description = "Only this case; may be given several times.")
    private Set<String> cases = new LinkedHashSet<>();

    @Option(
            names = "--rows",
            paramLabel = "N",
            description = "Rows of each table; " + ROWS + " by default, " + RepairScenario.ROWS
                    + " of each replica in repair and cluster, " + RepairShapesScenario.ROWS
                    + " of the largest one in repair-shapes.")
    private Integer rows;

    @Option(
            names = "--limit",
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "The longest that one repair of repair-shapes may take; ${DEFAULT-VALUE} by default.")
    private int limitSeconds;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "5",
            description = "Measured runs of each case and system; ${DEFAULT-VALUE} by default.")
    private int runs;

    @Option(
            names = "--warm-up",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description =
                    "How long each system works, on the processor, before it is measured; ${DEFAULT-VALUE} by default.")
    private int warmUpSeconds;

    @Option(
            names = "--peer",
            paramLabel = "PEER",
            description = "Measure ${COMPLETION-CANDIDATES} beside, in the same run.")
    private Peer peer;

    @Option(
            names = "--format",
            paramLabel = "VERSION",
            defaultValue = "nb",
            description = "Version of the SSTables: nb, oa, da; ${DEFAULT-VALUE} by default.")
    private SSTableVersion version;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "How long write-steady writes; ${DEFAULT-VALUE} by default.")
    private int steadySeconds;

    @Option(
            names = "--sstable-size",
            paramLabel = "SIZE",
            defaultValue = "64MiB",
            converter = ByteSize.class,
            description = "Uncompressed size of each SSTable that is compacted; ${DEFAULT-VALUE} by default.")
    private long sstableBytes;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            description = "Ranges that repair takes at once; by default as many as repair takes by itself.")
    private Integer parallel;

    @Option(
            names = "--session-ms",
            paramLabel = "MS",
            defaultValue = "5000",
            description = "How long a session of the repair that is resumed runs before it is recorded;"
                    + " ${DEFAULT-VALUE} by default, as in every repair with a checkpoint.")
    private long sessionMs;

    @Option(
            names = "--system",
            paramLabel = "NAME",
            description = "Only this side of repair; may be given several times: anneal baseline baseline-fast-hash"
                    + " baseline-merkle cassandra cassandra-optimised.")
    private Set<String> systems = new LinkedHashSet<>();

    @Option(names = "--plot", paramLabel = "DIR", description = "Draw bar charts (PNG) into this directory.")
    private Path plot;

    private Path jsonFile;

    /**
     * Puts {@code --json FILE} in the place of the {@code --json} that all commands inherit: a benchmark's records are a
     * list for other programs, a file of its own. An annotation cannot say so, since names of options are not given twice.
     */
    static void replaceJsonOption(CommandSpec spec) {
        BenchCommand bench = (BenchCommand) spec.userObject();
        spec.remove(spec.findOption(AnnealCommand.JSON_OPTION));
        spec.addOption(OptionSpec.builder(AnnealCommand.JSON_OPTION)
                .paramLabel("FILE")
                .type(Path.class)
                .description("Write the records as JSON to this file instead of a table to standard output.")
                .setter(new ISetter() {
                    @Override
                    public <T> T set(T value) {
                        bench.jsonFile = (Path) value;
                        return value;
                    }
                })
                .build());
    }

    @Override
    protected int execute() throws IOException {
        if (rows == null) {
            rows = ROWS_OF.getOrDefault(scenario, ROWS);
        }
        tryTargets();
        BenchConfig config = new BenchConfig(
                rows,
                runs,
                TimeUnit.SECONDS.toNanos(warmUpSeconds),
                version,
                cases,
                peer == Peer.cassandra,
                environment().nanoTime(),
                this::say);
        List<BenchRecord> records = new ArrayList<>();
        if (runs(LimitsScenario.NAME, LimitsScenario.CASES)) {
            records.addAll(new LimitsScenario(config).run());
        }
        if (runs(SSTableScenario.NAME, SSTableScenario.CASES)) {
            records.addAll(new SSTableScenario(config, ownCommand()).run());
        }
        if (runs(StoreScenario.NAME, StoreScenario.CASES)) {
            records.addAll(new StoreScenario(config, StoreSizes.of(steadySeconds, sstableBytes, heapMiB())).run());
        }
        if (runs(DualDaoScenario.NAME, DualDaoScenario.CASES)) {
            records.addAll(new DualDaoScenario(config).run());
        }
        if (runs(NetScenario.NAME, NetScenario.CASES)) {
            records.addAll(new NetScenario(config, ownCommand(), NetSizes.DEFAULT).run());
        }
        if (runs(StreamingScenario.NAME, StreamingScenario.CASES)) {
            records.addAll(new StreamingScenario(config, ownCommand()).run());
        }
        if (runs(PagingScenario.NAME, PagingScenario.CASES)) {
            records.addAll(new PagingScenario(config, ownCommand(), PagingSizes.DEFAULT).run());
        }
        if (runs(RepairScenario.NAME, RepairScenario.CASES)) {
            RepairSizes sizes = RepairSizes.of(
                    Math.max(RepairSizes.MEMORY_MIN_BYTES, memoryBytes()),
                    parallel == null ? OptionalInt.empty() : OptionalInt.of(parallel),
                    systems.stream().map(BenchSystem::of).collect(Collectors.toSet()),
                    Duration.ofMillis(sessionMs));
            records.addAll(new RepairScenario(config, ownCommand(), sizes).run());
        }
        if (scenario.equals(ClusterScenario.NAME)) {
            records.addAll(new ClusterScenario(config, ownWords(), environment().clock()).run());
        }
        if (scenario.equals(RepairShapesScenario.NAME)) {
            records.addAll(new RepairShapesScenario(config, TimeUnit.SECONDS.toNanos(limitSeconds)).run());
        }
        report(records);
        return ExitCode.YES;
    }

    @Override
    protected void addChecks(OptionChecks checks) {
        List<String> knownSystems =
                Stream.of(BenchSystem.values()).map(BenchSystem::text).toList();
        checks.add("SCENARIO", () -> {
                    require(
                            scenario.equals(ALL) || KNOWN_CASES.containsKey(scenario),
                            "unknown scenario '" + scenario
                                    + "', known are limits, sstable, store, dual-dao, net, streaming, paging, repair, cluster, repair-shapes and all");
                    require(
                            !scenario.equals(ClusterScenario.NAME) || peer == Peer.cassandra,
                            "cluster is a cluster of Cassandra's: give --peer cassandra");
                })
                .add(
                        "--rows",
                        () -> require(
                                rows >= BenchConfig.ROWS_MIN,
                                "--rows takes a number from " + BenchConfig.ROWS_MIN + " on"))
                .add("--session-ms", () -> require(sessionMs >= 0, "--session-ms takes a number from 0 on"))
                .add("--runs", () -> require(runs >= 1, "--runs takes a number from 1 on"))
                .add("--warm-up", () -> require(warmUpSeconds >= 0, "--warm-up takes a number from 0 on"))
                .add(
                        "--format",
                        () -> require(
                                version.isWritten(),
                                "--format takes a version that can be written, and " + version.text()
                                        + " is only read"))
                .add("--seconds", () -> require(steadySeconds >= 1, "--seconds takes a number from 1 on"))
                .add(
                        "--sstable-size",
                        () -> require(
                                sstableBytes >= StoreSizes.COMPACTED_BYTES_MIN,
                                "--sstable-size takes a size from 1MiB on"))
                .add("--system", () -> {
                    require(
                            knownSystems.containsAll(systems),
                            "unknown system in " + systems + ", known are " + String.join(", ", knownSystems));
                    require(
                            peer == Peer.cassandra
                                    || systems.stream().noneMatch(system -> system.startsWith(Peer.cassandra.name())),
                            "--system cassandra and cassandra-optimised go with --peer cassandra");
                })
                .add("--parallel", () -> require(parallel >= 1, "--parallel takes a number from 1 on"))
                .add("--limit", () -> require(limitSeconds >= 1, "--limit takes a number from 1 on"))
                .add("--case", this::checkCases);
    }

    private void checkCases() {
        List<String> known = KNOWN_CASES.entrySet().stream()
                .filter(entry -> scenario.equals(ALL) && !NOT_AMONG_ALL.contains(entry.getKey())
                        || scenario.equals(entry.getKey()))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
        require(known.containsAll(cases), "unknown case in " + cases + ", known are " + String.join(", ", known));
    }

    private boolean runs(String name, List<String> casesOfScenario) {
        boolean chosen = scenario.equals(ALL) || scenario.equals(name);
        return chosen && (cases.isEmpty() || casesOfScenario.stream().anyMatch(cases::contains));
    }

    /** Whatever the launcher made of {@code --memory}. */
    private int heapMiB() {
        return (int) Math.min(Integer.MAX_VALUE, memoryBytes() >> MEBIBYTE_SHIFT);
    }

    private static OwnCommand ownCommand() {
        return new OwnCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                AnnealCommand.class.getName());
    }

    /** As the launcher starts it, which says where it is; without one, as the launcher would. */
    private static List<String> ownWords() {
        String launcher = System.getProperty("anneal.launcher");
        OwnCommand own = ownCommand();
        return launcher != null
                ? List.of("bash", launcher)
                : List.of(
                        own.java().toString(), "-Xmx512m", "-XX:+UseSerialGC", "-cp", own.classPath(), own.mainClass());
    }

    /** Measuring takes minutes: what cannot be written is told before. */
    private void tryTargets() throws IOException {
        if (plot != null) {
            Files.createDirectories(plot);
        }
        if (jsonFile != null) {
            boolean isNew = Files.notExists(jsonFile);
            Files.newOutputStream(jsonFile, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                    .close();
            if (isNew) {
                Files.deleteIfExists(jsonFile);
            }
        }
    }

    /** What was measured is not lost when a file cannot be written. */
    private void report(List<BenchRecord> records) throws IOException {
        try {
            write(records);
        } catch (IOException failure) {
            print(records);
            throw failure;
        }
        if (jsonFile == null) {
            print(records);
        }
    }

    private void write(List<BenchRecord> records) throws IOException {
        if (plot != null) {
            for (Path picture : new BenchChart(records).write(plot)) {
                say("drawn: " + picture);
            }
        }
        if (jsonFile != null) {
            try (OutputStream file = Files.newOutputStream(jsonFile)) {
                BenchJson.write(records, file);
            }
        }
    }

    private void print(List<BenchRecord> records) {
        out().printf(
                        Locale.ROOT,
                        "%d processors, %s %s, %,d rows, %d runs after %d s of warm-up%n%n",
                        Runtime.getRuntime().availableProcessors(),
                        System.getProperty("java.vm.name"),
                        System.getProperty("java.vm.version"),
                        rows,
                        runs,
                        warmUpSeconds);
        new BenchTable(records).print(out());
        StreamingSeed.print(records, out());
        PagingSeed.print(records, out());
        RepairSeed.print(records, out());
        ClusterRatios.print(records, out());
    }
}
