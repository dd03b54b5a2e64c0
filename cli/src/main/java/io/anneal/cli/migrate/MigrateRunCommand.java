package io.anneal.cli.migrate;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.anneal.cli.command.ExitCode;
import io.anneal.cli.command.OptionChecks;
import io.anneal.cli.command.Subcommand;
import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.DualDaoBuilder;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.harness.BulkSettings;
import io.anneal.harness.DurationText;
import io.anneal.harness.MigrationRun;
import io.anneal.harness.MigrationSides;
import io.anneal.harness.RunConfig;
import io.anneal.harness.RunResult;
import io.anneal.harness.RunWorks;
import io.anneal.harness.Walk;
import io.anneal.harness.load.LoadConfig;
import io.anneal.harness.report.StoryFile;
import io.anneal.harness.store.Delayer;
import io.anneal.harness.store.PartitionCopy;
import io.anneal.harness.store.PartitionDao;
import io.anneal.harness.store.PhaseStoreUrl;
import io.anneal.harness.store.StoreOutcomes;
import io.anneal.migrate.page.MigrationPage;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code anneal migrate run}: an instance of a migration with load, that walks through the phases or follows others. */
@Command(
        name = "run",
        description = {
            "Runs an instance of a migration under load and checks every answer.",
            "With --auto and nothing else it shows the whole walk between two stores in temporary directories."
        })
public final class MigrateRunCommand extends Subcommand {
    private static final String MEMORY = "memory:";
    private static final String PORT_FREE = "0";
    private static final int NO_PAGE = -1;
    private static final Duration REREAD_DELAY_MAX = Duration.ofSeconds(2);

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = "tour",
            description = "The migration's name, the same for all instances; ${DEFAULT-VALUE} unless told.")
    private String name;

    @Option(
            names = "--phase-store",
            paramLabel = "URL",
            defaultValue = MEMORY,
            description = "Where the phase is kept: file:DIR, jdbc:... or cassandra://HOST:PORT/KEYSPACE, begun with"
                    + " 'anneal migrate init'; or memory:, as unless told.")
    private String phaseStore;

    @Option(
            names = "--phase-store-conf",
            paramLabel = "FILE",
            description = "Settings of the Java driver for a phase store in Cassandra; properties, as user, for jdbc:.")
    private Path phaseStoreConf;

    @Mixin
    private SidesOptions sides;

    @Mixin
    private LoadOptions load;

    @Mixin
    private PageOptions page;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            defaultValue = "migration",
            description =
                    "migration, or test: the target is tried out beside the origin; ${DEFAULT-VALUE} unless told.")
    private Mode mode;

    @Option(
            names = "--auto",
            description =
                    "Walk from the phase in force to 5, each when its gates are met; turn back if one stays shut, an"
                            + " answer is wrong or most calls fail, stop if somebody else changes the phase, and exit"
                            + " with 4.")
    private boolean auto;

    @Option(
            names = "--work",
            description =
                    "Following others, do what the gates of the next step ask for (back-fill, verification, the way"
                            + " back) in this process: for stores that no other can open meanwhile.")
    private boolean work;

    @Option(
            names = "--bake",
            paramLabel = "TIME",
            defaultValue = "1m",
            converter = DurationConverter.class,
            description = "How long each phase is watched; ${DEFAULT-VALUE} unless told.")
    private Duration bake;

    @Option(
            names = "--gate-timeout",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = DurationConverter.class,
            description =
                    "How long a gate may stay shut before --auto turns back, and over which work that failed is tried"
                            + " again; ${DEFAULT-VALUE} unless told.")
    private Duration gateTimeout;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "How long at most; with --auto in which to reach phase 5, else it turns back. Until phase 5 with"
                            + " --auto, else until stopped, unless told.")
    private Duration duration;

    @Option(
            names = "--verified-within",
            paramLabel = "TIME",
            defaultValue = "24h",
            converter = DurationConverter.class,
            description = "How long ago the verification may have ended by which --auto and the page enter 3b and 4; "
                    + "${DEFAULT-VALUE} by default.")
    private Duration verifiedWithin;

    @Option(
            names = "--dashboard",
            paramLabel = "PORT",
            arity = "0..1",
            fallbackValue = PORT_FREE,
            defaultValue = "" + NO_PAGE,
            description = "Serve the live page on 127.0.0.1, on a free port unless told.")
    private int dashboard;

    @Option(names = "--report", paramLabel = "FILE", description = "Write the story with charts: .html or .png.")
    private Path report;

    @Option(
            names = "--instance",
            paramLabel = "ID",
            description =
                    "This instance's name, the same after a restart; made of machine and --directory unless told.")
    private String instance;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description = "Where this instance keeps its journal and remembers the phase; needed unless the phase store"
                    + " is memory:.")
    private Path directory;

    @Mixin
    private WhoOptions who;

    @Override
    protected int execute() throws IOException, InterruptedException {
        require(
                phaseStore.equals(MEMORY) || directory != null,
                "--directory is needed with a phase store that lasts: this instance's journal lives there");
        try {
            return runOrStop();
        } catch (InterruptedException e) {
            // Everything was put in order and told.
            return ExitCode.INTERRUPTED;
        }
    }

    private int runOrStop() throws IOException, InterruptedException {
        if (!sides.none()) {
            return run(null);
        }
        Path temporary = Files.createTempDirectory("anneal-migrate");
        try {
            return run(temporary);
        } finally {
            MoreFiles.deleteRecursively(temporary, RecursiveDeleteOption.ALLOW_INSECURE);
        }
    }

    @Override
    protected void addChecks(OptionChecks checks) {
        checks.add("--phase-store", () -> read("--phase-store", () -> PhaseStoreUrl.parse(phaseStore)));
        sides.addChecks(this, checks);
        load.addChecks(this, checks);
        checks.add(
                        List.of("--auto", "--work", "--no-load"),
                        () -> require(
                                !(auto || work) || mode != Mode.MIGRATION || load.isMade() || !sides.own(),
                                "--auto and --work copy and compare the keys of the load where a dao: store can't list its own:"
                                        + " they don't go with --no-load"))
                .add(
                        "--report",
                        () -> read("--report", () -> {
                            StoryFile.check(report);
                            return report;
                        }))
                .add("--bake", () -> requireAbove0("--bake", bake))
                .add("--gate-timeout", () -> requireAbove0("--gate-timeout", gateTimeout))
                .add("--verified-within", () -> requireAbove0("--verified-within", verifiedWithin))
                .add("--duration", () -> requireAbove0("--duration", duration))
                .add("--dashboard", () -> PageOptions.checkPort(this, "--dashboard", dashboard));
    }

    private void requireAbove0(String option, Duration given) {
        require(!given.isZero(), option + " takes a duration above 0");
    }

    /** @param temporary where the stores are if none are named */
    private int run(Path temporary) throws IOException, InterruptedException {
        DualEnvironment environment = DualEnvironment.system()
                .withClocks(environment().clock(), environment().nanoTime());
        ScheduledExecutorService delays = environment.threads().scheduler();
        stopOnSignal();
        try (PhaseStore phases = openPhases()) {
            checkDuration(phases.read(name));
            try (MigrationSides open = openSides(temporary, Delayer.of(delays));
                    DualDao<PartitionDao> dual = dual(open, phases, environment)) {
                return run(open, phases, dual, environment);
            }
        } finally {
            delays.shutdownNow();
        }
    }

    /** A walk that can't come through in time would go back from wherever it is then. */
    private void checkDuration(Optional<PhaseRecord> from) {
        if (!auto || duration == null || from.isEmpty()) {
            return;
        }
        Duration shortest = bake.multipliedBy(Walk.bakesBefore5(from.get()));
        if (duration.compareTo(shortest) < 0) {
            throw usage(
                    "--duration is too short for --bake, phase 5 is at least " + DurationText.of(shortest) + " away");
        }
    }

    private PhaseStore openPhases() throws IOException {
        PhaseStore phases = PhaseStoreUrl.parse(phaseStore).open(Optional.ofNullable(phaseStoreConf), false);
        if (phases instanceof MemoryPhaseStore) {
            // Nobody else could begin it.
            phases.create(
                    name, PhaseRecord.first(who.who(), environment().clock().instant(), who.why("begin")));
        }
        return phases;
    }

    private MigrationSides openSides(Path temporary, Delayer delayer) throws IOException {
        return temporary == null
                ? sides.open(this, delayer, true)
                : sides.open(
                        "embedded:" + temporary.resolve("origin"),
                        "embedded:" + temporary.resolve("target"),
                        delayer,
                        true);
    }

    private DualDao<PartitionDao> dual(MigrationSides open, PhaseStore phases, DualEnvironment environment)
            throws IOException {
        PartitionDao origin = open.origin().dao();
        PartitionDao target = open.target().dao();
        DualDaoBuilder<PartitionDao> builder = DualDao.builder(PartitionDao.class)
                .name(name)
                .instance(instanceName())
                .origin(origin)
                .target(target)
                .mode(mode)
                .phases(phases)
                .copy(KeyCodec.LONG, PartitionCopy.between(origin, target))
                .identity(PartitionDao::identity)
                .outcomes(new StoreOutcomes())
                .environment(environment)
                .poll(RunConfig.look(bake))
                .quietWindow(RunConfig.quietWindow(bake))
                .verifiedWithin(verifiedWithin);
        if (phases.persistent()) {
            open.target().mark().ifPresent(builder::targetMark);
        }
        return directory == null
                ? builder.withoutDirectory().build()
                : builder.directory(directory).build();
    }

    private String instanceName() throws IOException {
        if (instance != null) {
            return instance;
        }
        return InetAddress.getLocalHost().getHostName() + "-"
                + (directory == null ? Long.toString(ProcessHandle.current().pid()) : place(directory));
    }

    /** The same from one run to the next, and another for directories of the same last name. */
    public static String place(Path directory) {
        Path whole = directory.toAbsolutePath().normalize();
        return whole.getFileName() + "-" + Integer.toHexString(whole.toString().hashCode());
    }

    private int run(MigrationSides open, PhaseStore phases, DualDao<PartitionDao> dual, DualEnvironment environment)
            throws IOException, InterruptedException {
        long seed = new SecureRandom().nextInt(Integer.MAX_VALUE);
        Optional<LoadConfig> made = load.config(dual.instance(), seed);
        BulkSettings settings = new BulkSettings(who.who(), 0, Optional.empty(), rereadDelay(), progress -> {});
        RunWorks works = RunWorks.of(open, dual, phases, made, settings, gateTimeout, environment.clock());
        RunConfig config = new RunConfig(
                auto,
                work,
                mode == Mode.TEST,
                who.who(),
                bake,
                gateTimeout,
                Optional.ofNullable(duration),
                made,
                RunConfig.look(bake),
                !sides.own(),
                Optional.ofNullable(report));
        Consumer<String> lines = json() ? line -> {} : this::tell;
        introduce(open, made, lines);
        MigrationPage served = dashboard == NO_PAGE
                ? null
                : MigrationPage.start(
                        page.config(this, "127.0.0.1", dashboard, environment), phases, name, dual.control());
        try {
            if (served != null) {
                say("page: " + served.urlWithToken());
            }
            RunResult result = new MigrationRun(config, dual, phases, works, environment, lines).run();
            if (json()) {
                new RunJson(name, result).write(resultFields());
            }
            return exitCode(result);
        } finally {
            if (served != null) {
                served.close();
            }
        }
    }

    /** Not longer than a phase of a quick tour. */
    private Duration rereadDelay() {
        return bake.compareTo(REREAD_DELAY_MAX) < 0 ? bake : REREAD_DELAY_MAX;
    }

    private void tell(String line) {
        out().println(line);
        out().flush();
    }

    private void introduce(MigrationSides open, Optional<LoadConfig> made, Consumer<String> lines) {
        lines.accept("Migration " + name + (mode == Mode.TEST ? ", in test mode" : ""));
        lines.accept("  origin        " + open.origin().url() + ", the store in production");
        lines.accept("  target        " + open.target().url()
                + (mode == Mode.TEST ? ", tried out beside it" : ", where the data moves to"));
        made.ifPresent(config -> lines.accept(String.format(
                Locale.ROOT,
                "  load          %,.0f operations a second on %,d partitions, %d:%d:%d reads to writes to deletes,"
                        + " %d partitions a read, seed %d",
                config.operationsPerSecond(),
                config.keys(),
                config.mix().reads(),
                config.mix().writes(),
                config.mix().deletes(),
                config.multiGetSize(),
                config.seed())));
        lines.accept(
                auto
                        ? "  walk          phases 1 to 5, each watched for " + DurationText.of(bake)
                        : "  phases        as others switch them, with 'anneal migrate advance' or on the page");
    }

    public static int exitCode(RunResult result) {
        if (!result.completed()) {
            return ExitCode.ABORTED;
        }
        return result.clean() ? ExitCode.YES : ExitCode.NO;
    }
}
