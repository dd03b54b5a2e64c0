package io.anneal.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class TokenRangesTest {
    /** Some that are apart from each other or touch, on a ring of few tokens or of all, in any order. */
    private static TokenRanges random(Random random) {
        TreeSet<Long> ends = new TreeSet<>();
        int count = 2 * (1 + random.nextInt(20));
        boolean few = random.nextBoolean();
        while (ends.size() < count) {
            ends.add(
                    random.nextInt(20) == 0
                            ? (random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE)
                            : few ? random.nextLong(100) : random.nextLong());
        }
        List<Long> sorted = new ArrayList<>(ends);
        List<TokenRange> ranges = new ArrayList<>();
        int from = random.nextInt(2);
        for (int i = from; i < count; i += 1 + random.nextInt(2)) {
            ranges.add(new TokenRange(sorted.get(i), sorted.get((i + 1) % count)));
        }
        if (ranges.isEmpty()) {
            ranges.add(TokenRange.FULL);
        }
        Collections.shuffle(ranges, random);
        return new TokenRanges(ranges);
    }

    private static boolean contains(List<TokenRange> ranges, long token) {
        return ranges.stream().filter(range -> range.contains(token)).count() == 1;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldBeWholeInItsSlices(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            TokenRanges ranges = random(random);
            int count = 1 + random.nextInt(9);
            List<TokenRange> slices = ranges.slices(count);
            List<List<TokenRange>> parts = slices.stream().map(ranges::within).toList();

            assertThat(slices).as("seed=%d ranges=%s", seed, ranges.ranges()).hasSizeBetween(1, count);
            assertThat(parts).allMatch(part -> !part.isEmpty());
            List<TokenRange> all = parts.stream().flatMap(List::stream).toList();
            double sum = 0;
            for (List<TokenRange> part : parts) {
                double width = new TokenRanges(part).width();
                assertThat(width)
                        .as("seed=%d ranges=%s count=%d", seed, ranges.ranges(), count)
                        .isBetween(0.99 * ranges.width() / count - 1, 1.01 * ranges.width() / count + 1);
                sum += width;
            }
            assertThat(sum).isBetween(0.999 * ranges.width(), 1.001 * ranges.width());
            for (int i = 0; i < 100; i++) {
                TokenRange one =
                        ranges.ranges().get(random.nextInt(ranges.ranges().size()));
                long token = switch (i % 4) {
                    case 0 -> one.left() + random.nextInt(3);
                    case 1 -> one.right() + random.nextInt(3) - 1;
                    case 2 -> random.nextLong();
                    default -> random.nextLong(100);
                };
                assertThat(contains(all, token))
                        .as("seed=%d ranges=%s slices=%s token=%d", seed, ranges.ranges(), slices, token)
                        .isEqualTo(contains(ranges.ranges(), token));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seedsOf3")
    void shouldEndAPartInsideOfWhatIsLeft(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            TokenRanges ranges = random(random);
            if (ranges.width() < 2) {
                continue;
            }
            double behind = random.nextDouble() * ranges.width();

            int parts = 2 + random.nextInt(5);
            long middle = ranges.endOfPart(behind, parts);

            TokenRange slice = ranges.slices(1).get(0);
            TokenRanges kept = new TokenRanges(ranges.within(new TokenRange(slice.left(), middle)));
            TokenRanges rest = new TokenRanges(ranges.within(new TokenRange(middle, slice.right())));
            assertThat(kept.width() + rest.width()).isBetween(0.999 * ranges.width(), 1.001 * ranges.width());
            double others = (ranges.width() - behind) * (parts - 1) / parts;
            assertThat(rest.width())
                    .as("seed=%d ranges=%s behind=%f middle=%d", seed, ranges.ranges(), behind, middle)
                    .isBetween(0.99 * others - 2, 1.01 * others + 2);
        }
        assertThat(TokenRanges.of(TokenRange.FULL).endOfPart(0, 2)).isZero();
    }

    @Test
    void shouldNameBothOfTwoThatOverlap() {
        TokenRange one = new TokenRange(0, 100);
        for (TokenRange other : List.of(
                one,
                new TokenRange(99, 100),
                new TokenRange(50, 60),
                new TokenRange(-10, 1),
                new TokenRange(200, 1),
                TokenRange.FULL,
                new TokenRange(30, 20))) {
            assertThatThrownBy(() -> TokenRanges.of(one, new TokenRange(1_000, 1_001), other))
                    .as(other.toString())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("overlap", one.toString(), other.toString());
        }
        assertThat(TokenRanges.of(new TokenRange(100, 0), one).ranges()).containsExactly(one, new TokenRange(100, 0));
        assertThatThrownBy(() -> new TokenRanges(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void shouldSampleTheShareThatWasAskedForInsideOfItsRanges(long seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            TokenRanges ranges = random(random);
            int count = 1 + random.nextInt(300);
            double share = random.nextInt(4) == 0 ? 1 : Math.max(1e-6, random.nextDouble());
            TokenRanges sample = ranges.sample(share, count, random.nextInt(4) == 0 ? 1 : random.nextDouble());

            String as = String.format("seed=%d ranges=%s share=%s count=%d", seed, ranges.ranges(), share, count);
            for (TokenRange slice : sample.ranges()) {
                assertThat(ranges.ranges().stream()
                                .anyMatch(range -> range.contains(slice.left() + 1)
                                        && range.contains(slice.right())
                                        && slice.width() <= range.width()))
                        .as(as + " slice=" + slice)
                        .isTrue();
            }
            assertThat(sample.width())
                    .as(as)
                    .isBetween(share * ranges.width() * (1 - 1e-9) - 1, share * ranges.width() * (1 + 1e-9) + 1);
            assertThat(sample.ranges())
                    .as(as)
                    .hasSizeLessThan(count + ranges.ranges().size() + 1);
        }
    }

    @Test
    void shouldSpreadASampleEvenlyAndAwayFromTheStart() {
        TokenRanges ranges = TokenRanges.of(new TokenRange(0, 1000), new TokenRange(2000, 3000));

        assertThat(ranges.sample(0.1, 4, 0).ranges())
                .containsExactly(
                        new TokenRange(0, 50),
                        new TokenRange(500, 550),
                        new TokenRange(2000, 2050),
                        new TokenRange(2500, 2550));
        assertThat(ranges.sample(0.1, 4, 1).ranges())
                .containsExactly(
                        new TokenRange(450, 500),
                        new TokenRange(950, 1000),
                        new TokenRange(2450, 2500),
                        new TokenRange(2950, 3000));
        assertThat(TokenRanges.of(TokenRange.FULL).sample(1, 1, 0.5).ranges()).containsExactly(TokenRange.FULL);
    }

    @Test
    void shouldCutASliceThatReachesFromOneRangeIntoTheNext() {
        TokenRanges ranges = TokenRanges.of(new TokenRange(0, 10), new TokenRange(100, 110));

        assertThat(ranges.sample(0.5, 1, 0.5).ranges())
                .containsExactly(new TokenRange(5, 10), new TokenRange(100, 105));
        assertThat(ranges.sample(1e-9, 100, 0.25).ranges()).hasSize(1);
    }

    @Test
    void shouldRefuseASampleOfNothingOrOfMoreThanThereIs() {
        TokenRanges ranges = TokenRanges.of(TokenRange.FULL);

        for (double share : new double[] {0, -0.1, 1.001, Double.NaN}) {
            assertThatThrownBy(() -> ranges.sample(share, 10, 0)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> ranges.sample(0.1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ranges.sample(0.1, 1, 1.1)).isInstanceOf(IllegalArgumentException.class);
    }

    private static LongStream seeds() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 6);
    }

    private static LongStream seedsOf3() {
        long first = Long.getLong("anneal.seed", 1);
        return LongStream.range(first, first + 3);
    }
}
