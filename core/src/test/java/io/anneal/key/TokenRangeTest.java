package io.anneal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TokenRangeTest {
    @Test
    void shouldSplitTheRingIntoEqualParts() {
        assertThat(TokenRange.FULL.split(4))
                .containsExactly(
                        new TokenRange(Long.MIN_VALUE, -(1L << 62)),
                        new TokenRange(-(1L << 62), 0),
                        new TokenRange(0, 1L << 62),
                        new TokenRange(1L << 62, Long.MIN_VALUE));
        assertThat(TokenRange.FULL.split(1)).containsExactly(TokenRange.FULL);
        assertThat(new TokenRange(5, 5).split(2))
                .containsExactly(new TokenRange(5, Long.MIN_VALUE + 5), new TokenRange(Long.MIN_VALUE + 5, 5));
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 40_000, 65_536})
    void shouldHashRangesOfEqualWidthApart(int count) {
        List<TokenRange> ranges = TokenRange.FULL.split(count);

        assertThat(ranges.stream().mapToInt(TokenRange::hashCode).distinct().count())
                .isGreaterThan(count * 99L / 100);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldFindWhetherSomeRangesOverlapOthers(long seed) {
        Random random = new Random(seed);
        int overlapping = 0;
        for (int i = 0; i < 1_000; i++) {
            List<TokenRange> some = few(random);
            List<TokenRange> others = few(random);
            boolean expected = some.stream().anyMatch(range -> others.stream().anyMatch(range::overlaps));
            assertThat(TokenRange.overlap(some, others))
                    .as("seed=%d some=%s others=%s", seed, some, others)
                    .isEqualTo(expected);
            overlapping += expected ? 1 : 0;
        }
        assertThat(overlapping).isBetween(100, 900);
    }

    /** Small ones, of neighbouring tokens, at the ring's end too. */
    private static List<TokenRange> few(Random random) {
        return Stream.generate(() -> {
                    long left = Long.MIN_VALUE - 8 + random.nextInt(16);
                    return random.nextInt(20) == 0
                            ? new TokenRange(left + 5, left)
                            : new TokenRange(left, left + 1 + random.nextInt(3));
                })
                .limit(random.nextInt(4))
                .toList();
    }

    @Test
    void shouldNotSplitFurtherThanTokens() {
        assertThat(new TokenRange(7, 8).split(1_000)).containsExactly(new TokenRange(7, 8));
        assertThat(new TokenRange(Long.MAX_VALUE - 1, Long.MIN_VALUE + 1).split(1_000))
                .containsExactly(
                        new TokenRange(Long.MAX_VALUE - 1, Long.MAX_VALUE),
                        new TokenRange(Long.MAX_VALUE, Long.MIN_VALUE),
                        new TokenRange(Long.MIN_VALUE, Long.MIN_VALUE + 1));
        assertThatThrownBy(() -> TokenRange.FULL.split(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("count=0");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldSplitAnyRangeIntoPartsThatTogetherAreIt(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 100; i++) {
            TokenRange range =
                    new TokenRange(random.nextLong(), random.nextInt(9) == 0 ? Long.MIN_VALUE : random.nextLong());
            int count = 1 + random.nextInt(300);
            List<TokenRange> parts = range.split(count);

            assertThat(parts)
                    .as("seed=%d range=%s count=%d", seed, range, count)
                    .hasSizeBetween(1, count);
            assertThat(parts.get(0).left()).isEqualTo(range.left());
            assertThat(parts.get(parts.size() - 1).right()).isEqualTo(range.right());
            for (int k = 1; k < parts.size(); k++) {
                assertThat(parts.get(k).left()).isEqualTo(parts.get(k - 1).right());
            }
            double even = range.width() / count;
            assertThat(parts).allMatch(part -> part.width() > 0.9 * even - 1 && part.width() < 1.1 * even + 1);
            assertThat(parts.stream().mapToDouble(TokenRange::width).sum())
                    .isBetween(0.999 * range.width(), 1.001 * range.width());
        }
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 8);
    }
}
