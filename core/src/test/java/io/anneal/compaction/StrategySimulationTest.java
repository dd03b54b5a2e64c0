package io.anneal.compaction;

import static io.anneal.compaction.StrategyTables.strategy;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Hundreds of flushes of about a mebibyte, and what each strategy promises: how many SSTables a read meets, how often a write is
 * written. A failure names its seed; {@code -Danneal.seed=N} starts from another.
 */
class StrategySimulationTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 1);
    private static final int ROUNDS = 3;
    private static final int FLUSHES = 400;
    private static final int FLUSH_WRITES = 64;
    private static final long MINUTE_MICROS = 60_000_000L;

    private interface Check {
        void accept(StrategySimulation simulation, String where);
    }

    private static void simulate(CompactionStrategy strategy, Check invariant, Check atEnd) {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
            String where = "seed=" + seed;
            Random random = new Random(seed);
            StrategySimulation simulation = new StrategySimulation(
                    strategy, seed, 1 + Math.floorMod(seed, 3), running -> invariant.accept(running, where));
            long writes = 0;
            for (int flush = 0; flush < FLUSHES; flush++) {
                int count = FLUSH_WRITES / 2 + random.nextInt(FLUSH_WRITES);
                simulation.flush(count, flush * MINUTE_MICROS);
                writes += count;
                simulation.step();
                if (flush % 20 == 19) {
                    simulation.settle();
                }
            }
            assertThat(simulation.writeCount()).as(where).isEqualTo(writes);
            atEnd.accept(simulation, where);
        }
    }

    private static final Check NOTHING = (simulation, where) -> {};

    private static double levels(double fanout) {
        return Math.log(FLUSHES) / Math.log(fanout);
    }

    @Test
    void shouldHoldTheBoundsOfSizeTiers() {
        simulate(
                strategy("SizeTieredCompactionStrategy", "min_sstable_size", "256KiB"),
                NOTHING,
                (simulation, where) -> {
                    // At most three of each size are left, sizes grow by four, and one may lie at the edge of two.
                    assertThat(simulation.sstablesMax()).as(where).isLessThanOrEqualTo((int) (3 * (levels(4) + 3)));
                    assertThat(simulation.writeAmplification()).as(where).isLessThan(levels(4) + 2);
                });
    }

    private static void levelsShouldNotOverlap(StrategySimulation simulation, String where) {
        List<CompactionCandidate> candidates = simulation.candidates().stream()
                .sorted(Comparator.comparingInt(CompactionCandidate::level)
                        .thenComparingLong(CompactionCandidate::firstToken))
                .toList();
        for (int i = 1; i < candidates.size(); i++) {
            CompactionCandidate left = candidates.get(i - 1);
            CompactionCandidate right = candidates.get(i);
            if (left.level() > 0 && left.level() == right.level() && left.overlaps(right)) {
                throw new AssertionError("SSTables of a level overlap, level=" + left.level() + ", " + where);
            }
        }
    }

    @Test
    void shouldHoldTheBoundsOfLevels() {
        int fanout = 4;
        CompactionStrategy strategy =
                strategy("LeveledCompactionStrategy", "sstable_size_in_mb", "1", "fanout_size", "" + fanout);
        simulate(strategy, StrategySimulationTest::levelsShouldNotOverlap, (simulation, where) -> {
            // One of each level, and what is new.
            assertThat(simulation.readAmplificationMax()).as(where).isLessThanOrEqualTo((int) levels(fanout) + 1 + 4);
            assertThat(simulation.writeAmplification()).as(where).isLessThan((fanout + 2) * (levels(fanout) + 1));
        });
    }

    @Test
    void shouldHoldTheBoundsOfUnifiedTiers() {
        CompactionStrategy strategy = unified("T4");
        simulate(strategy, NOTHING, (simulation, where) -> {
            assertThat(simulation.readAmplificationMax()).as(where).isLessThanOrEqualTo((int) (3 * (levels(4) + 2)));
            assertThat(simulation.writeAmplification()).as(where).isLessThan(levels(4) + 3);
        });
    }

    @Test
    void shouldHoldTheBoundsOfUnifiedLevels() {
        CompactionStrategy strategy = unified("L4");
        simulate(strategy, NOTHING, (simulation, where) -> {
            assertThat(simulation.readAmplificationMax()).as(where).isLessThanOrEqualTo((int) levels(4) + 3);
            assertThat(simulation.writeAmplification()).as(where).isLessThan(4 * (levels(4) + 1));
        });
    }

    private static CompactionStrategy unified(String scaling) {
        return strategy(
                "UnifiedCompactionStrategy",
                "scaling_parameters",
                scaling,
                "flush_size_override",
                "1MiB",
                "min_sstable_size",
                "1MiB",
                "target_sstable_size",
                "8MiB");
    }

    @Test
    void shouldLeaveOneSSTableForEachWindow() {
        CompactionStrategy strategy = strategy(
                "TimeWindowCompactionStrategy",
                "compaction_window_unit",
                "MINUTES",
                "compaction_window_size",
                "20",
                "min_sstable_size",
                "256KiB");
        int windows = FLUSHES / 20;
        simulate(strategy, NOTHING, (simulation, where) -> {
            assertThat(simulation.sstablesMax()).as(where).isLessThanOrEqualTo(windows + 3 * 4);
            // Size tiers while a window is the newest, then once more.
            assertThat(simulation.writeAmplification()).as(where).isLessThan(2 + Math.log(20) / Math.log(4) + 1);
        });
    }
}
