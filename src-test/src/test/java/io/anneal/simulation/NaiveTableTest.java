package io.anneal.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.Mutation;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.TableOptions;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The naive model and the merge agree, which were written apart. */
class NaiveTableTest {
    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + Long.getLong("anneal.seeds", 60));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldHoldWhatTheMergeYieldsWhenMutationsOverlap(long seed) throws IOException {
        Set<Feature> features = seed % 3 == 1 ? Set.of(Feature.DROPPED_COLUMNS) : Set.of();
        RandomFragments fragments = RandomFragments.withDistinctClusterings(seed, 15, TableOptions.UNKNOWN, features)
                .allowShadowed();
        List<FragmentList> draws =
                List.of(fragments.next(0.6), fragments.next(0.6), fragments.nextWide(40), fragments.next(0.6));
        NaiveTable table = new NaiveTable(fragments.schema());
        for (FragmentList draw : draws) {
            for (Mutation mutation : Mutations.of(draw)) {
                table.apply(mutation);
            }
        }
        List<FragmentCursor> cursors = draws.stream().map(FragmentList::cursor).toList();
        List<String> merged;
        try (FragmentCursor cursor = MergeCursor.of(fragments.schema(), cursors)) {
            merged = FragmentList.copyOf(cursor).lines();
        }
        assertThat(table.content().lines()).isEqualTo(merged);
        table.forgetShadowed();
        assertThat(table.content().lines()).isEqualTo(merged);
    }
}
