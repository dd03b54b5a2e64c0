package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.dualdao.config.FallbackPolicy;
import io.anneal.dualdao.config.Mode;
import io.anneal.dualdao.config.Partitions;
import io.anneal.dualdao.config.ReadRepair;
import io.anneal.simulation.MigrationWorld.Draws;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What docs/migrate.md promises, held against the history of every operation, whatever goes wrong meanwhile. {@code
 * -Danneal.dual.seeds=N} for more, {@code -Danneal.seed=N} for others.
 */
class DualDaoCheckerTest {
    private static final Duration BUSY = Duration.ofSeconds(2);

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.dual.seeds", 5));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldKeepItsPromisesWhenEverythingGoesWrongInAMigration(long seed) {
        MigrationWorld.Result result =
                new MigrationWorld(seed, Mode.MIGRATION, Draws.ALL, builder -> builder).run(BUSY);

        assertThat(result.verdict().clean()).as("seed=%d, %s", seed, result).isTrue();
        assertThat(result.differences()).as("seed=%d", seed).isEmpty();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldKeepItsPromisesWithReadRepairAndFallbackOnEverything(long seed) {
        MigrationWorld.Result result = new MigrationWorld(
                        seed,
                        Mode.MIGRATION,
                        Draws.PARTITIONS,
                        builder -> builder.partitions(Partitions.GATED)
                                .readRepair(new ReadRepair(1_000))
                                .fallback(new FallbackPolicy(true, true, true))
                                .targetTimeout(Duration.ofMillis(3)))
                .run(BUSY);

        assertThat(result.verdict().clean()).as("seed=%d, %s", seed, result).isTrue();
        assertThat(result.differences()).as("seed=%d", seed).isEmpty();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldKeepItsPromisesWhenThePhaseStoreIsLostAndItsRecordRebuilt(long seed) {
        MigrationWorld.Result result =
                new MigrationWorld(seed, Mode.MIGRATION, Draws.LOST_PHASES, builder -> builder).run(BUSY);

        assertThat(result.verdict().clean()).as("seed=%d, %s", seed, result).isTrue();
        assertThat(result.differences()).as("seed=%d", seed).isEmpty();
    }

    /** Two instances that write a key at the same moment leave the sides different, where stores keep no times. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldMakeNoTargetRightThatDiffersSinceBeforeAllReadsWentToIt(long seed) {
        MigrationWorld.Result result =
                new MigrationWorld(seed, Mode.MIGRATION, Draws.WITHOUT_TIMES, builder -> builder).run(BUSY);

        assertThat(result.oldDifferences()).as("seed=%d", seed).isEmpty();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldNeverShowTheTargetToACallerInTestMode(long seed) {
        MigrationWorld.Result result = new MigrationWorld(seed, Mode.TEST, Draws.ALL, builder -> builder).run(BUSY);

        assertThat(result.verdict().clean()).as("seed=%d, %s", seed, result).isTrue();
    }
}
