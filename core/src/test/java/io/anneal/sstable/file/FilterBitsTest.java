package io.anneal.sstable.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FilterBitsTest {
    private static final long SEED = Long.getLong("anneal.seed", 42);

    private static void assertSameAsDivision(long bitCount, long hash) {
        assertThat(new FilterBits(bitCount).bit(hash))
                .as("seed=%d, bitCount=%d, hash=%d", SEED, bitCount, hash)
                .isEqualTo(Math.abs(hash % bitCount));
    }

    @Test
    void shouldBeTheRestThatDivisionLeaves() {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int i = 0; i < 20_000; i++) {
            long words = 1 + (random.nextLong() >>> (36 + random.nextInt(28)));
            long bitCount = 64 * words;
            long hash = random.nextLong() >> random.nextInt(60);
            assertSameAsDivision(bitCount, hash);
            long multiple = hash / bitCount * bitCount;
            assertSameAsDivision(bitCount, multiple);
            assertSameAsDivision(bitCount, multiple - 1);
            assertSameAsDivision(bitCount, multiple + 1);
            assertSameAsDivision(bitCount, Long.MAX_VALUE - random.nextInt(3));
            assertSameAsDivision(bitCount, Long.MIN_VALUE + random.nextInt(3));
        }
    }
}
