package io.anneal.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.DeletionTime;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentStreamValidator;
import io.anneal.fragment.Mutation;
import io.anneal.fragment.RangeDeletion;
import io.anneal.key.DecoratedKey;
import io.anneal.key.Slices;
import io.anneal.key.TokenRange;
import io.anneal.memtable.Memtable;
import io.anneal.memtable.MemtablePool;
import io.anneal.merge.MergeCursor;
import io.anneal.schema.TableOptions;
import io.anneal.schema.TableSchema;
import io.anneal.testkit.FragmentList;
import io.anneal.testkit.FragmentList.Fragment;
import io.anneal.testkit.RandomFragments;
import io.anneal.testkit.RandomFragments.Feature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A memtable holds what the merge makes of all that was written to it, and a read of slices yields what a scan holds of it. */
class MemtableReadTest {
    private static final int BATCHES = 4;

    static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 0);
        return LongStream.range(first, first + 60);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void shouldHoldTheMergeOfAllWrites(long seed) throws IOException {
        boolean counters = seed % 4 == 0;
        assertHeld(
                seed,
                RandomFragments.withDistinctClusterings(
                        seed,
                        12,
                        TableOptions.UNKNOWN,
                        counters ? Set.of(Feature.COUNTERS) : Set.of(Feature.DROPPED_COLUMNS)));
    }

    private static void assertHeld(long seed, RandomFragments fragments) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        MemtablePool pool = new MemtablePool(16 << 20);
        List<FragmentList> written = new ArrayList<>();
        Memtable memtable = null;
        for (int i = 0; i < BATCHES; i++) {
            FragmentList drawn = i == 0 ? fragments.nextWide(200) : fragments.next(0.7);
            if (memtable == null) {
                memtable = new Memtable(drawn.schema(), pool);
            }
            written.add(drawn);
            apply(drawn, memtable, random);
        }
        TableSchema schema = memtable.schema();
        try (FragmentCursor held = MergeCursor.of(schema, List.of(memtable.scan(TokenRange.Linear.ALL)));
                FragmentCursor expected = MergeCursor.of(
                        schema, written.stream().map(FragmentList::cursor).toList())) {
            assertThat(FragmentList.copyOf(held).lines())
                    .isEqualTo(FragmentList.copyOf(expected).lines());
        }
        assertSlices(memtable, random);
        memtable.release();
        assertThat(pool.usedBytes()).isZero();
    }

    private static void assertSlices(Memtable memtable, SplittableRandom random) throws IOException {
        FragmentList all;
        try (FragmentCursor scan = FragmentStreamValidator.withValues(memtable.scan(TokenRange.Linear.ALL))) {
            all = FragmentList.copyOf(scan);
        }
        for (Map.Entry<DecoratedKey, FragmentList> entry :
                SliceModel.partitions(all).entrySet()) {
            FragmentList partition = entry.getValue();
            for (int i = 0; i < 8; i++) {
                Slices slices = i == 0 ? Slices.ALL : i == 1 ? Slices.NONE : SliceModel.randomSlices(partition, random);
                for (boolean reversed : new boolean[] {false, true}) {
                    FragmentCursor read =
                            memtable.read(entry.getKey(), slices, reversed).orElseThrow();
                    try (FragmentCursor cursor =
                            reversed ? FragmentStreamValidator.ofReversed(read) : FragmentStreamValidator.of(read)) {
                        assertThat(FragmentList.copyOf(cursor).lines())
                                .as("reversed=%s, slices=%s", reversed, slices)
                                .isEqualTo(SliceModel.sliced(partition, slices, reversed)
                                        .lines());
                    }
                }
            }
        }
    }

    /** Applies what was drawn, in mutations of a few writes, each partition's in order. */
    private static void apply(FragmentList drawn, Memtable memtable, SplittableRandom random) throws IOException {
        Mutation.Builder builder = null;
        Fragment open = null;
        for (Fragment fragment : drawn.fragments()) {
            switch (fragment.kind()) {
                case PARTITION_START -> {
                    builder = Mutation.builder(drawn.schema(), fragment.key());
                    DeletionTime deletion =
                            new DeletionTime(fragment.timestampMicros(), fragment.localDeletionTimeSeconds());
                    if (!deletion.isLive()) {
                        builder.partitionDeletion(deletion);
                    }
                }
                case STATIC_ROW, CLUSTERING_ROW -> builder.row(fragment.row());
                case RANGE_TOMBSTONE_CHANGE -> {
                    if (open != null) {
                        builder.rangeDeletion(range(open, fragment));
                    }
                    open = DeletionTime.isLive(fragment.timestampMicros(), fragment.localDeletionTimeSeconds())
                            ? null
                            : fragment;
                }
                case PARTITION_END -> memtable.apply(builder.build());
            }
            if (random.nextInt(3) == 0 && builder != null) {
                memtable.apply(builder.build());
                builder = Mutation.builder(drawn.schema(), fragment.key());
            }
        }
    }

    private static RangeDeletion range(Fragment from, Fragment to) {
        RangeDeletion range = new RangeDeletion();
        range.start().wrap(from.prefix());
        range.end().wrap(to.prefix());
        range.weights(from.weight(), to.weight());
        range.deletion(from.timestampMicros(), from.localDeletionTimeSeconds());
        return range;
    }
}
