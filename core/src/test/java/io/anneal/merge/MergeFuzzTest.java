package io.anneal.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.fragment.CanonicalEncoder;
import io.anneal.fragment.FragmentCursor;
import io.anneal.fragment.FragmentKind;
import io.anneal.fragment.MemoryCursor;
import io.anneal.fragment.MemoryPartition;
import io.anneal.fragment.StreamText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The merge against {@link NaiveMerge}. A failure names its seed; {@code -Danneal.seed=N} starts from another. */
class MergeFuzzTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 1);
    private static final int ROUNDS = 4000;

    private static List<List<MemoryPartition>> sources(long seed, boolean shadowables) {
        TinyTable table = new TinyTable(seed, shadowables);
        List<List<MemoryPartition>> sources = new ArrayList<>();
        for (int i = 1 + Math.floorMod(seed, 6); i > 0; i--) {
            sources.add(table.draw());
        }
        return sources;
    }

    private static MergeCursor merge(List<List<MemoryPartition>> sources, long ceilingSeconds) {
        List<FragmentCursor> cursors = new ArrayList<>();
        for (List<MemoryPartition> source : sources) {
            cursors.add(new MemoryCursor(TinyTable.SCHEMA, source));
        }
        return MergeCursor.of(TinyTable.SCHEMA, cursors, ceilingSeconds);
    }

    @Test
    void shouldMergeAsTheNaiveModelDoes() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
            List<List<MemoryPartition>> sources = sources(seed, true);
            // Every third round clamps in the middle of the times that occur.
            long ceilingSeconds = seed % 3 == 0 ? 102 : CanonicalEncoder.UNCLAMPED;
            assertThat(StreamText.of(merge(sources, ceilingSeconds)))
                    .as("seed=%d", seed)
                    .isEqualTo(NaiveMerge.lines(TinyTable.SCHEMA, sources, ceilingSeconds));
        }
    }

    @Test
    void shouldNotDependOnTheOrderOfSources() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS / 4; seed++) {
            List<List<MemoryPartition>> sources = sources(seed, true);
            List<String> expected = StreamText.of(merge(sources, CanonicalEncoder.UNCLAMPED));
            Collections.shuffle(sources, new Random(seed));
            assertThat(StreamText.of(merge(sources, CanonicalEncoder.UNCLAMPED)))
                    .as("seed=%d", seed)
                    .isEqualTo(expected);
        }
    }

    @Test
    void shouldMergeMergesToTheSame() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS / 4; seed++) {
            // Shadowable deletions are left out: what one hid cannot come back when liveness undoes it later.
            List<List<MemoryPartition>> sources = sources(seed, false);
            long ceilingSeconds = seed % 2 == 0 ? 102 : CanonicalEncoder.UNCLAMPED;
            int half = sources.size() / 2;
            MergeCursor left = merge(sources.subList(0, half), ceilingSeconds);
            // With the same ceiling: without it the later of two expiries has won, which below it would be equal.
            MergeCursor right = merge(sources.subList(half, sources.size()), ceilingSeconds);
            assertThat(StreamText.of(MergeCursor.of(TinyTable.SCHEMA, List.of(left, right), ceilingSeconds)))
                    .as("seed=%d", seed)
                    .isEqualTo(StreamText.of(merge(sources, ceilingSeconds)));
        }
    }

    @Test
    void shouldFindTheSamePartitionsWhenSkipping() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS / 4; seed++) {
            List<List<MemoryPartition>> sources = sources(seed, true);
            List<String> starts = StreamText.of(merge(sources, CanonicalEncoder.UNCLAMPED)).stream()
                    .filter(line -> line.startsWith("partition"))
                    .toList();
            Random random = new Random(seed);
            MergeCursor cursor = merge(sources, CanonicalEncoder.UNCLAMPED);
            List<String> found = new ArrayList<>();
            while (cursor.advance() != null) {
                if (cursor.kind() == FragmentKind.PARTITION_START) {
                    found.add(StreamText.fragment(cursor));
                }
                if (random.nextInt(3) == 0) {
                    cursor.nextPartition();
                }
            }
            assertThat(found).as("seed=%d", seed).isEqualTo(starts);
        }
    }

    @Test
    void shouldForwardToAToken() throws IOException {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS / 4; seed++) {
            List<List<MemoryPartition>> sources = sources(seed, true);
            MergeCursor all = merge(sources, CanonicalEncoder.UNCLAMPED);
            List<Long> tokens = new ArrayList<>();
            while (all.advance() != null) {
                if (all.kind() == FragmentKind.PARTITION_START) {
                    tokens.add(all.key().token());
                }
            }
            for (int steps = 0; steps < 4; steps++) {
                for (long token : tokens) {
                    MergeCursor cursor = merge(sources, CanonicalEncoder.UNCLAMPED);
                    List<Long> found = new ArrayList<>();
                    for (int i = 0; i < steps; i++) {
                        addStart(cursor, found);
                    }
                    List<Long> expected = new ArrayList<>(found);
                    tokens.stream()
                            .filter(t -> t >= token && !found.contains(t))
                            .forEach(expected::add);
                    cursor.forwardTo(token);
                    do {
                        addStart(cursor, found);
                    } while (cursor.kind() != null);
                    assertThat(found).as("seed=%d", seed).isEqualTo(expected);
                }
            }
        }
    }

    private static void addStart(MergeCursor cursor, List<Long> found) throws IOException {
        if (cursor.advance() == FragmentKind.PARTITION_START) {
            found.add(cursor.key().token());
        }
    }
}
