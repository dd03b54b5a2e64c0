package io.anneal.repair.hashes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class HashListTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);

    @Test
    void shouldAnswerAsSetsDoWhenListsAreRandom() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 200; seed++) {
            Random random = new Random(seed);
            Set<Long> left = new TreeSet<>(Long::compareUnsigned);
            Set<Long> right = new TreeSet<>(Long::compareUnsigned);
            random.longs(random.nextInt(60), -20, 20).forEach(left::add);
            random.longs(random.nextInt(60), -20, 20).forEach(right::add);
            HashList list = HashList.of(array(left));
            HashList other = HashList.of(array(right));

            Set<Long> missing = new TreeSet<>(left);
            missing.removeAll(right);
            assertThat(new TreeSet<>(set(list.without(other))))
                    .as("seed=%d", seed)
                    .isEqualTo(new TreeSet<>(missing));
            for (long hash = -20; hash < 20; hash++) {
                assertThat(list.contains(hash)).as("seed=%d", seed).isEqualTo(left.contains(hash));
                assertThat(list.with(other).contains(hash))
                        .as("seed=%d", seed)
                        .isEqualTo(left.contains(hash) || right.contains(hash));
            }
        }
    }

    @Test
    void shouldSortWhateverTheHashesAre() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 50; seed++) {
            Random random = new Random(seed);
            // Some have all upper bits in common, as only somebody makes them on purpose.
            int shift = random.nextInt(64);
            long[] hashes = random.longs(random.nextInt(9_000))
                    .map(hash -> hash >>> shift)
                    .toArray();
            HashList list = HashList.of(hashes);

            Long[] sorted = Arrays.stream(hashes).boxed().toArray(Long[]::new);
            Arrays.sort(sorted, Long::compareUnsigned);
            assertThat(list.toArray())
                    .as("seed=%d", seed)
                    .isEqualTo(Arrays.stream(sorted).mapToLong(Long::longValue).toArray());
            assertThat(list.sum()).isEqualTo(Arrays.stream(hashes).sum());
            assertThat(list.hasDuplicates())
                    .isEqualTo(Arrays.stream(hashes).distinct().count() < hashes.length);
        }
    }

    private static Set<Long> set(HashList list) {
        Set<Long> set = new TreeSet<>();
        Arrays.stream(list.toArray()).forEach(set::add);
        return set;
    }

    private static long[] array(Set<Long> hashes) {
        return hashes.stream().mapToLong(Long::longValue).toArray();
    }
}
