package io.anneal.repair;

import static io.anneal.repair.Sessions.KEYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.environment.HostEnvironment;
import io.anneal.io.ByteBudget;
import io.anneal.key.TokenRange;
import io.anneal.node.StagingArea;
import io.anneal.node.Waiver;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A repair that is started by a task of its own executor, which has no other thread, ends as any other. */
@Timeout(60)
class OneThreadRepairTest {
    private static final int REPLICAS = 3;

    @TempDir
    private Path directory;

    private final List<StagingArea> stagings = new ArrayList<>();
    private final List<TestTable> tables = new ArrayList<>();
    private final ExecutorService executor = Executors.newSingleThreadExecutor();

    @BeforeEach
    void start() throws Exception {
        for (int i = 0; i < REPLICAS; i++) {
            StagingArea staging = Sessions.staging(directory.resolve("replica" + i));
            stagings.add(staging);
            tables.add(new TestTable("replica" + i, Sessions.rows(KEYS.get(i), 2), Optional.of(staging)));
        }
    }

    @AfterEach
    void stop() throws Exception {
        executor.shutdownNow();
        for (StagingArea staging : stagings) {
            staging.close();
        }
    }

    private RepairReport repair(int parallel) throws Exception {
        List<RepairMember> members = tables.stream()
                .map(table -> RepairMember.here(table.name(), table.opener()))
                .toList();
        return Repair.of("ks.t")
                .between(members)
                .range(TokenRange.FULL)
                .units(parallel)
                .parallel(parallel)
                .allow(Set.of(Waiver.EMPTY_REPLICA))
                .run(new RepairEnvironment(
                        HostEnvironment.system().withClock(() -> Instant.ofEpochSecond(100)),
                        executor,
                        ByteBudget.of(64 << 20)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void shouldRepairOnTheOnlyThreadOfItsExecutor(int parallel) throws Exception {
        RepairReport report = executor.submit(() -> repair(parallel)).get(20, TimeUnit.SECONDS);

        assertThat(report.rowsDiffering()).isEqualTo(6);
        for (TestTable table : tables) {
            assertThat(table.closed.get()).as("closed").isEqualTo(table.opened.get());
            assertThat(table.stagedFiles()).as("what others had").isNotEmpty();
        }
    }
}
