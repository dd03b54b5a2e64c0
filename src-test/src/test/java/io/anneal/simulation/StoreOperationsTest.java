package io.anneal.simulation;

import io.anneal.testkit.FaultyDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Everything that a program does with a store, at random, from interrupted threads and from callbacks, too: after each step
 * its tables are those of a naive model. {@code -Danneal.seeds=N} for more, {@code -Danneal.seed=N} for others.
 */
class StoreOperationsTest {
    private static final int STEPS = 50;

    @TempDir
    private Path directory;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 12));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldHoldWhatAProgramWroteWhenTablesComeAndGo(long seed) throws Exception {
        Optional<FaultyDirectory> disk =
                seed % 4 == 3 ? Optional.empty() : Optional.of(FaultyDirectory.create(directory));
        List<String> steps = new ArrayList<>();
        try (OperatedStore store = new OperatedStore(directory, disk, seed)) {
            for (int step = 0; step < STEPS; step++) {
                steps.add(store.step());
                store.assertSame("seed=" + seed + ", steps=" + steps);
            }
        } catch (Exception | AssertionError e) {
            throw new AssertionError("seed=" + seed + ", steps=" + steps, e);
        }
    }
}
