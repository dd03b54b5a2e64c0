package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.key.TokenRange;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.TableOptions;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.ManualClock;
import io.anneal.testkit.RandomFragments;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The campaign's model and the merge agree on what is left below a ceiling of deletion times. */
class ReplicaViewsTest {
    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 60));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldShowWhatTheMergeYieldsWhenTimesAreCut(long seed) throws IOException {
        RandomFragments fragments = RandomFragments.withDistinctClusterings(seed, 15, TableOptions.UNKNOWN, Set.of())
                .allowShadowed();
        FragmentList draw = fragments.next(0.6);
        long ceilingSeconds = RandomFragments.DELETION_BASE_SECONDS;
        // Before everything, so that nothing is purged.
        ManualClock clock = ManualClock.at(Instant.ofEpochSecond(ceilingSeconds - 1));
        ReplicaViews views = new ReplicaViews(fragments.schema(), clock, false);

        List<String> merged;
        try (FragmentCursor cursor = MergeCursor.of(fragments.schema(), List.of(draw.cursor()), ceilingSeconds)) {
            merged = FragmentList.copyOf(cursor).lines();
        }
        assertThat(views.of(views.merged(draw), TokenRange.FULL, ceilingSeconds))
                .isEqualTo(merged);
    }
}
