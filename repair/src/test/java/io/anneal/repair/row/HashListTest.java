package io.anneal.repair.row;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class HashListTest {
    @Test
    void shouldAnswerAsSetsDoWhenListsAreRandom() {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Set<Long> left = new TreeSet<>();
            Set<Long> right = new TreeSet<>();
            random.longs(random.nextInt(30), -20, 20).forEach(left::add);
            random.longs(random.nextInt(30), -20, 20).forEach(right::add);
            HashList list = HashList.of(array(left));

            Set<Long> missing = new TreeSet<>(left);
            missing.removeAll(right);
            assertThat(list.without(HashList.of(array(right))))
                    .as("seed=%d", seed)
                    .isEqualTo(array(missing));

            HashList both = list.with(array(right));
            for (long hash = -20; hash < 20; hash++) {
                assertThat(list.contains(hash)).as("seed=%d", seed).isEqualTo(left.contains(hash));
                assertThat(both.contains(hash))
                        .as("seed=%d", seed)
                        .isEqualTo(left.contains(hash) || right.contains(hash));
            }
        }
    }

    @Test
    void shouldSortWhenHashesComeInRingOrder() {
        HashList list = HashList.of(new long[] {Long.MAX_VALUE, 0, Long.MIN_VALUE});

        assertThat(list.contains(Long.MIN_VALUE)).isTrue();
        assertThat(list.contains(Long.MAX_VALUE)).isTrue();
        assertThat(list.contains(1)).isFalse();
        assertThat(list.size()).isEqualTo(3);
    }

    private static long[] array(Set<Long> hashes) {
        return hashes.stream().mapToLong(Long::longValue).toArray();
    }
}
