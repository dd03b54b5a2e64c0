package io.anneal.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.DualDao;
import io.anneal.dualdao.config.DualEnvironment;
import io.anneal.dualdao.config.KeyCodec;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.phase.MemoryPhaseStore;
import io.anneal.dualdao.phase.PhaseRecord;
import io.anneal.harness.load.LoadConfig;
import io.anneal.harness.load.LoadMix;
import io.anneal.harness.store.Delayer;
import io.anneal.harness.store.Faults;
import io.anneal.harness.store.MemoryPartitionDao;
import io.anneal.harness.store.OpenStore;
import io.anneal.harness.store.PartitionCopy;
import io.anneal.harness.store.PartitionDao;
import io.anneal.harness.store.StoreUrl;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs in the machine's time; how long they take decides nothing. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class MigrationRunTest {
    private static final String NAME = "orders";
    private static final int KEYS = 20;
    private static final Duration BAKE = Duration.ofMillis(50);

    private final DualEnvironment environment = DualEnvironment.system();
    private final MemoryPhaseStore phases = new MemoryPhaseStore();
    private final MemoryPartitionDao origin = memory("origin", 1);
    private final MemoryPartitionDao target = memory("target", 2);
    private DualDao<PartitionDao> dual;

    private MemoryPartitionDao memory(String name, long number) {
        return new MemoryPartitionDao(
                name, environment.clock(), new Faults(new SplittableRandom(number)), Delayer.NONE);
    }

    private RunResult run(boolean auto, Duration patience, Consumer<String> lines)
            throws IOException, InterruptedException {
        phases.create(NAME, PhaseRecord.first("ada", environment.clock().instant(), "begin"));
        dual = DualDao.builder(PartitionDao.class)
                .name(NAME)
                .instance("node-1")
                .origin(origin)
                .target(target)
                .mode(Mode.MIGRATION)
                .phases(phases)
                .withoutDirectory()
                .copy(KeyCodec.LONG, PartitionCopy.between(origin, target))
                .identity(PartitionDao::identity)
                .environment(environment)
                .quietWindow(BAKE)
                .poll(Duration.ofMillis(20))
                .closeTimeout(Duration.ofMillis(1))
                .build();
        MigrationSides sides = new MigrationSides(open("memory:origin", origin), open("memory:target", target));
        Optional<LoadConfig> load = Optional.of(new LoadConfig(50, 0, KEYS, 0, LoadMix.DEFAULT, 1, 1024, 7));
        BulkSettings settings = new BulkSettings("ada", 0, Optional.empty(), BAKE, progress -> {});
        Duration gateTimeout = Duration.ofMinutes(1);
        RunWorks works = RunWorks.of(sides, dual, phases, load, settings, gateTimeout, environment.clock());
        RunConfig config = new RunConfig(
                auto,
                false,
                false,
                "ada",
                BAKE,
                gateTimeout,
                auto ? Optional.empty() : Optional.of(BAKE),
                load,
                RunConfig.look(BAKE),
                true,
                Optional.empty());
        return new MigrationRun(config, dual, phases, works, environment, lines, patience).run();
    }

    private static OpenStore open(String url, PartitionDao dao) {
        return new OpenStore(StoreUrl.parse(url), dao, Optional.empty(), Optional.empty());
    }

    @AfterEach
    void tearDown() {
        dual.close();
    }

    @Test
    void shouldNotBeCleanWhenNothingCanBeReadAtLast() throws IOException, InterruptedException {
        RunResult result = run(true, Duration.ofMinutes(1), line -> {
            if (line.contains("Phase 5")) {
                target.faults().failing(1);
            }
        });
        assertThat(result.unread()).isEqualTo(KEYS);
        assertThat(result.clean()).isFalse();
    }

    @Test
    void shouldEndWhenAStoreAnswersNothing() throws IOException, InterruptedException {
        origin.faults().hanging(1);
        RunResult result = run(false, Duration.ofMillis(50), line -> {});
        assertThat(result.unread()).isEqualTo(KEYS);
        assertThat(result.clean()).isFalse();
    }
}
