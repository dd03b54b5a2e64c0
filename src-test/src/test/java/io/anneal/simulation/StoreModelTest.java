package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.schema.TableOptions;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random operations on a store, and on a naive table beside it: equal after each. {@code -Danneal.seeds=N} for more, {@code
 * -Danneal.seed=N} for others.
 */
class StoreModelTest {
    private static final int STEPS = 25;
    private static final int KEYS = 12;
    private static final List<Map<String, String>> COMPACTIONS = List.of(
            Map.of("class", "SizeTieredCompactionStrategy", "min_threshold", "2"),
            Map.of("class", "LeveledCompactionStrategy", "sstable_size_in_mb", "1"),
            Map.of("class", "UnifiedCompactionStrategy", "min_sstable_size", "1MiB"),
            Map.of(
                    "class",
                    "TimeWindowCompactionStrategy",
                    "compaction_window_unit",
                    "MINUTES",
                    "compaction_window_size",
                    "1"));
    private static final long[] GC_GRACE_SECONDS = {0, 10, 100, 4_000, 864_000};

    @TempDir
    private Path directory;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 12));
    }

    private static RandomFragments fragments(long seed, long gcGraceSeconds) {
        Map<String, String> compaction = COMPACTIONS.get((int) Long.remainderUnsigned(seed, COMPACTIONS.size()));
        TableOptions options = new TableOptions(gcGraceSeconds, 0.01, 128, Map.of(), compaction, false, Map.of());
        Set<Feature> features = seed % 5 == 3 ? Set.of(Feature.DROPPED_COLUMNS) : Set.of();
        return RandomFragments.withDistinctClusterings(seed, KEYS, options, features)
                .allowShadowed();
    }

    /** Timestamps tie with one another; nothing expires and nothing is purged, so that what is read is exact. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldHoldExactlyWhatWasWrittenWhenNothingIsPurged(long seed) throws Exception {
        RandomFragments fragments = fragments(seed, Integer.MAX_VALUE);
        try (ModelledStore store = new ModelledStore(directory, fragments, seed, false)) {
            run(store, new SplittableRandom(seed));
        }
    }

    /** Timestamps rise from write to write, time passes, and compactions purge what they may. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldHoldWhatIsNotPurgeableWhenTimePasses(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(~seed);
        RandomFragments fragments = fragments(seed, GC_GRACE_SECONDS[random.nextInt(GC_GRACE_SECONDS.length)]);
        try (ModelledStore store = new ModelledStore(directory, fragments, seed, true)) {
            run(store, random);
        }
    }

    private static void run(ModelledStore store, SplittableRandom random) throws Exception {
        for (int step = 0; step < STEPS; step++) {
            String what = step(store, random);
            store.assertSame("step=" + step + ", " + what);
        }
        assertThat(store.writeCount()).isPositive();
    }

    private static String step(ModelledStore store, SplittableRandom random) throws Exception {
        switch (random.nextInt(20)) {
            case 0, 1, 2 -> {
                store.flush();
                return "flush";
            }
            case 3, 4 -> {
                store.compact();
                return "compact";
            }
            case 5, 6 -> {
                store.reopen();
                return "reopen";
            }
            case 7 -> {
                store.snapshot();
                return "snapshot";
            }
            case 8, 9 -> {
                store.importDraw();
                return "import";
            }
            case 10 -> {
                if (random.nextInt(4) == 0) {
                    store.truncate();
                    return "truncate";
                }
                store.passTime();
                return "time";
            }
            case 11 -> {
                store.writeManyAtOnce();
                return "writes at once";
            }
            default -> {
                store.write();
                return "write";
            }
        }
    }
}
