package io.anneal.harness;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.ShadowConfig;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.dualdao.phase.PhaseStore;
import io.anneal.dualdao.phase.PhaseStoreException;
import io.anneal.harness.load.HistoryVerdict;
import io.anneal.harness.load.LoadConfig;
import io.anneal.harness.report.MigrationStory;
import io.anneal.harness.report.StoryFile;
import io.anneal.harness.report.StoryRecorder;
import io.anneal.harness.store.PartitionDao;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/**
 * One instance of a migration with the example's DAO: makes load, walks through the phases or follows those that others switch, checks
 * every answer against a log of its own, and tells the story. Owned by one thread, which it keeps until it is over.
 */
public final class MigrationRun {
    private static final int CALLERS = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(1);

    private final RunConfig config;
    private final DualDao<PartitionDao> dual;
    private final PhaseStore phases;
    private final RunWorks works;
    private final DualEnvironment environment;
    private final DualEnvironment time;
    private final Consumer<String> lines;
    private final Duration patience;
    private final StoryRecorder recorder;
    private final StoryTeller teller;

    private RunLoad load;
    private long sweptNanos;

    /**
     * @param works what a walk does where a gate asks for it
     * @param lines where the story goes, line by line
     */
    public MigrationRun(
            RunConfig config,
            DualDao<PartitionDao> dual,
            PhaseStore phases,
            RunWorks works,
            DualEnvironment environment,
            Consumer<String> lines) {
        this(config, dual, phases, works, environment, lines, PATIENCE);
    }

    /** @param patience how long to wait for answers before the load begins and when it has ended */
    MigrationRun(
            RunConfig config,
            DualDao<PartitionDao> dual,
            PhaseStore phases,
            RunWorks works,
            DualEnvironment environment,
            Consumer<String> lines,
            Duration patience) {
        this.config = config;
        this.dual = dual;
        this.phases = phases;
        this.works = works;
        this.environment = environment;
        this.lines = lines;
        this.patience = patience;
        time = environment;
        recorder = new StoryRecorder(phases, dual.name(), environment.clock());
        teller = new StoryTeller(phases, dual.name(), recorder, time, config.testing(), lines);
    }

    /**
     * Runs to the end.
     *
     * @throws InterruptedException if it was interrupted; the phase stays as it is, what was found is told all the same
     */
    public RunResult run() throws IOException, InterruptedException {
        ScheduledExecutorService looks = environment.threads().scheduler();
        ExecutorService callers = environment.threads().shadow(new ShadowConfig(CALLERS, queueLength()));
        try {
            RecorderLooks.start(recorder, looks, config.look());
            load = config.load()
                    .map(made -> new RunLoad(made, dual, config.ordersWrites(), environment, callers, patience))
                    .orElse(null);
            if (load != null) {
                load.start();
            }
            Optional<WalkResult> walk = Optional.empty();
            try {
                if (config.auto()) {
                    walk = Optional.of(walk());
                } else {
                    follow();
                }
                return end(walk);
            } catch (InterruptedException | PhaseStoreException e) {
                end(walk);
                throw e;
            }
        } finally {
            looks.shutdownNow();
            callers.shutdownNow();
            if (load != null) {
                load.close();
            }
        }
    }

    private int queueLength() {
        return CALLERS + config.load().map(LoadConfig::inFlightMax).orElse(0);
    }

    private WalkResult walk() throws InterruptedException {
        WalkPlan plan = new WalkPlan(
                config.who(),
                config.bake(),
                config.gateTimeout(),
                config.duration().orElse(Duration.ofDays(Short.MAX_VALUE)),
                works,
                this::trouble);
        return new Walk(dual.control(), plan, teller, time).run();
    }

    private Optional<String> trouble() {
        if (load == null || time.nanoTime().getAsLong() - sweptNanos < SWEEP_INTERVAL.toNanos()) {
            return Optional.empty();
        }
        sweptNanos = time.nanoTime().getAsLong();
        return load.trouble();
    }

    /** Shows the phases that others switch, until the time is over. */
    private void follow() throws InterruptedException {
        long startNanos = time.nanoTime().getAsLong();
        long shown = 0;
        boolean troubleTold = false;
        FollowedWork followed = new FollowedWork(dual.control(), works, teller);
        while (config.duration().isEmpty()
                || time.nanoTime().getAsLong() - startNanos
                        < config.duration().get().toNanos()) {
            PhaseRecord current = dual.phase();
            if (current.version() != shown) {
                shown = current.version();
                teller.entered(current);
            }
            Optional<String> trouble = trouble();
            if (trouble.isPresent() && !troubleTold) {
                troubleTold = true;
                lines.accept("  TROUBLE       " + trouble.get());
            }
            if (config.works()) {
                followed.look();
            }
            time.sleeper().sleep(config.look());
        }
    }

    private RunResult end(Optional<WalkResult> walk) throws IOException, InterruptedException {
        Optional<HistoryVerdict> verdict = Optional.empty();
        List<String> summary = new ArrayList<>();
        teller.finish();
        lines.accept("");
        if (load != null) {
            load.stop();
            verdict = Optional.of(load.lastCheck());
            String clients = load.summary();
            String checked = "Independent check: " + verdict.get().summary() + ".";
            summary.add(clients);
            summary.add(checked);
            verdict.get().samples().forEach(sample -> summary.add(sample.toString()));
        }
        RunResult result = new RunResult(
                dual.phase(),
                walk,
                teller.stretches(),
                verdict,
                load == null ? 0 : load.unread(),
                load == null ? 0 : load.stats().failed());
        summary.add(0, ended(result));
        summary.forEach(lines);
        writeReport(summary);
        return result;
    }

    private String ended(RunResult result) {
        Optional<WalkResult> walk = result.walk();
        String phase = result.last().phase().label();
        if (walk.isEmpty()) {
            return "Ended in phase " + phase + ".";
        }
        if (result.completed() && !result.clean()) {
            return "Phase " + phase + " was reached, and the last check is not clean.";
        }
        return switch (walk.get().outcome()) {
            case COMPLETED ->
                config.testing()
                        ? "Done: phase " + phase + " in test mode; the origin answered every call, all the way."
                        : "Done: phase " + phase + ", "
                                + works.keys()
                                        .map(keys -> "all of " + keys
                                                + " is in the target; what else the origin has was not copied.")
                                        .orElse("everything is in the target, and the origin is not needed.");
            case ROLLED_BACK ->
                "Rolled back to phase " + phase + ": " + walk.get().reason() + ".";
            case STUCK -> "Stopped in phase " + phase + ": " + walk.get().reason() + ".";
        };
    }

    private void writeReport(List<String> summary) throws IOException {
        if (config.report().isPresent()) {
            RecorderLooks.look(recorder);
            MigrationStory story = recorder.story().withSummary(summary);
            StoryFile.write(story, config.report().get());
            lines.accept(String.format(
                    Locale.ROOT, "The story with charts: %s", config.report().get()));
        }
    }
}
