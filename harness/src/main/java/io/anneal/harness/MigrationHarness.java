package io.anneal.harness;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeySource;
import io.anneal.harness.report.StoryFile;
import io.anneal.harness.report.StoryRecorder;
import io.anneal.migrate.page.MigrationPage;
import io.anneal.migrate.page.PageConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Walks a migration of the caller's own DAO inside the caller's process: from the phase in force to phase 5, gate by gate, or back
 * if one stays shut. It makes no load; the caller's service does.
 *
 * <pre>{@code
 * WalkResult result = MigrationHarness.of(dual)
 *         .keys(ofOracle, ofCassandra)
 *         .bake(Duration.ofMinutes(10))
 *         .report(Path.of("story.html"))
 *         .walk();
 * }</pre>
 *
 * Of several instances one walks; the others follow by themselves. Owned by one thread.
 */
public final class MigrationHarness {
    private static final Duration GATE_TIMEOUT = Duration.ofMinutes(10);
    private static final Duration REREAD_DELAY = Duration.ofSeconds(2);

    private final DualDao<?> dual;
    private DualEnvironment environment = DualEnvironment.system();
    private String who = System.getProperty("user.name", "harness");
    private Duration bake = Duration.ofMinutes(1);
    private Duration gateTimeout = GATE_TIMEOUT;
    private Duration atMost = Duration.ofDays(Short.MAX_VALUE);
    private Supplier<RunWorks> works = () -> new RunWorks(
            () -> missing("back-fill"), () -> missing("verification"), () -> missing("way back"), Optional.empty());
    private Supplier<Optional<String>> trouble = Optional::empty;
    private Consumer<String> lines = line -> {};
    private Path report;
    private PageConfig page;

    private MigrationHarness(DualDao<?> dual) {
        this.dual = dual;
    }

    /** For a dual DAO that is open, and stays the caller's. */
    public static MigrationHarness of(DualDao<?> dual) {
        return new MigrationHarness(dual);
    }

    private static String missing(String work) throws IOException {
        throw new IOException("a gate asks for a " + work + " and the harness was given none");
    }

    /** Who stands in records and notes; the machine's user if nothing is said. */
    public MigrationHarness who(String name) {
        who = name;
        return this;
    }

    /** How long each phase is watched; a minute if nothing is said. */
    public MigrationHarness bake(Duration watched) {
        bake = watched;
        return this;
    }

    /**
     * How long a gate may stay shut before the walk turns back, an instance not acknowledge, the phase store not answer; work that
     * failed is tried three times in it. Ten minutes if nothing is said.
     */
    public MigrationHarness gateTimeout(Duration shut) {
        gateTimeout = shut;
        return this;
    }

    /** How long the walk to phase 5 may take before it turns back; work under way is not cut short. */
    public MigrationHarness atMost(Duration whole) {
        atMost = whole;
        return this;
    }

    /**
     * The keys that back-fill, verification and the way back go through, by the key copy of the dual DAO.
     *
     * @param ofOrigin all that the origin holds
     * @param more what the target may hold beside them
     */
    @SafeVarargs
    public final <K> MigrationHarness keys(KeySource<K> ofOrigin, KeySource<K>... more) {
        List<KeySource<K>> keys = new ArrayList<>(List.of(ofOrigin));
        for (KeySource<K> each : more) {
            keys.add(each);
        }
        works = () -> RunWorks.ofKeys(dual, keys, who, REREAD_DELAY, gateTimeout, Optional.empty());
        return this;
    }

    /** What is done where gates ask for it, such as what {@link io.anneal.migrate.bulk} does row by row. */
    public MigrationHarness works(RunWorks done) {
        works = () -> done;
        return this;
    }

    /** Asked again and again; a reason makes the walk turn back. */
    public MigrationHarness turnBackIf(Supplier<Optional<String>> reason) {
        trouble = reason;
        return this;
    }

    /** Where the story goes, line by line. */
    public MigrationHarness tell(Consumer<String> line) {
        lines = line;
        return this;
    }

    /** Writes the story with charts when the walk is over, to a file .html or .png. */
    public MigrationHarness report(Path file) {
        StoryFile.check(file);
        report = file;
        return this;
    }

    /** Serves the live page meanwhile; its address is the first line told. */
    public MigrationHarness page(PageConfig config) {
        page = config;
        return this;
    }

    /** Time and threads; the machine's if nothing is said. */
    public MigrationHarness environment(DualEnvironment timeAndThreads) {
        environment = timeAndThreads;
        return this;
    }

    /**
     * Walks, and comes back when the walk has ended.
     *
     * @throws IOException if the report can't be written
     * @throws io.anneal.dualdao.phase.PhaseStoreException if the phase store can't be asked when it begins
     * @throws InterruptedException if the thread was interrupted; the phase stays as it is
     */
    public WalkResult walk() throws IOException, InterruptedException {
        ScheduledExecutorService looks = environment.threads().scheduler();
        MigrationPage served =
                page == null ? null : MigrationPage.start(page, dual.phaseStore(), dual.name(), dual.control());
        try {
            if (served != null) {
                lines.accept("page: " + served.urlWithToken());
            }
            StoryRecorder recorder = new StoryRecorder(dual.phaseStore(), dual.name(), environment.clock());
            RecorderLooks.start(recorder, looks, RunConfig.look(bake));
            StoryTeller teller =
                    new StoryTeller(dual.phaseStore(), dual.name(), recorder, environment, testing(), lines);
            WalkResult result = new Walk(dual.control(), plan(), teller, environment).run();
            teller.finish();
            String end = result.outcome() + " in phase " + result.last().phase().label()
                    + (result.reason().isEmpty() ? "" : ": " + result.reason());
            lines.accept(end);
            if (report != null) {
                StoryFile.write(recorder.story().withSummary(List.of(end)), report);
            }
            return result;
        } finally {
            looks.shutdownNow();
            if (served != null) {
                served.close();
            }
        }
    }

    private boolean testing() {
        return PhaseText.testing(dual.phaseStore().heartbeats(dual.name()));
    }

    private WalkPlan plan() {
        return new WalkPlan(who, bake, gateTimeout, atMost, works.get(), trouble);
    }
}
