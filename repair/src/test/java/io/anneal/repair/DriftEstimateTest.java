package io.anneal.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.anneal.key.TokenRange;
import io.anneal.key.TokenRanges;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DriftEstimateTest {
    private static final double SHARE = 0.01;
    private static final int SLICES = 256;
    private static final TokenRanges RANGES = new TokenRanges(
            IntStream.range(0, SLICES).mapToObj(i -> new TokenRange(i, i + 1)).toList());

    private static DriftEstimate.Slice slice(int number, long rows, long differing) {
        return new DriftEstimate.Slice(new TokenRange(number, number + 1), rows, differing, 0, 100 * differing);
    }

    private static DriftEstimate of(List<DriftEstimate.Slice> slices) {
        return DriftEstimate.of(SHARE, RANGES, slices);
    }

    private static List<DriftEstimate.Slice> all(long rows, long differing) {
        List<DriftEstimate.Slice> slices = new ArrayList<>();
        for (int i = 0; i < SLICES; i++) {
            slices.add(slice(i, rows, differing));
        }
        return slices;
    }

    @Test
    void shouldNotCallTheWholeEqualWhenNothingDiffersInTheSample() {
        DriftEstimate none = of(all(40, 0));

        assertThat(none.wasEqual()).isTrue();
        assertThat(none.low()).isZero();
        // Of n observations none: Wilson's upper end is z^2 / (n + z^2).
        assertThat(none.high()).isCloseTo(3.84 / 256 / 40, within(1e-5));
        assertThat(none.rowsDifferingHigh()).isBetween(300L, 400L);
    }

    @Test
    void shouldTellAnIntervalBelowOneWhenAllRowsOfTheSampleDiffer() {
        DriftEstimate all = of(all(40, 40));

        assertThat(all.shareDiffering()).isEqualTo(1);
        assertThat(all.low()).isBetween(0.999, 0.9999);
        assertThat(all.high()).isEqualTo(1);
        assertThat(all.rowsDifferingOfAll()).isEqualTo(256 * 40 * 100);
        assertThat(all.bytesLackingOfAll()).isEqualTo(256 * 40 * 100 * 100);
    }

    @Test
    void shouldWidenTheIntervalWhereDifferencesLieTogether() {
        List<DriftEstimate.Slice> spread = all(40, 1);
        List<DriftEstimate.Slice> together = all(40, 0);
        for (int i = 0; i < 6; i++) {
            together.set(i, slice(i, 40, 40));
        }
        together.set(6, slice(6, 40, 16));

        DriftEstimate apart = of(spread);
        DriftEstimate clustered = of(together);

        assertThat(clustered.rowsDiffering()).isEqualTo(apart.rowsDiffering());
        assertThat(clustered.high() - clustered.low()).isGreaterThan(4 * (apart.high() - apart.low()));
    }

    @Test
    void shouldKnowNothingWithoutRowsAndAllWithoutSampling() {
        DriftEstimate nothing = DriftEstimate.of(SHARE, RANGES, List.of());
        DriftEstimate everything = DriftEstimate.of(1, TokenRanges.of(new TokenRange(0, 1)), List.of(slice(0, 10, 3)));

        assertThat(nothing.low()).isZero();
        assertThat(nothing.high()).isEqualTo(1);
        assertThat(nothing.isReliable()).isFalse();
        assertThat(List.of(everything.low(), everything.high())).containsExactly(0.3, 0.3);
        assertThat(everything.isReliable()).isTrue();
        DriftEstimate empty = DriftEstimate.of(1, RANGES, List.of());
        assertThat(List.of(empty.low(), empty.high())).containsExactly(0.0, 0.0);
    }

    @Test
    void shouldTakeTheSameSliceOfSeveralTablesForOneCluster() {
        List<DriftEstimate.Slice> both = new ArrayList<>(all(40, 1));
        both.addAll(all(20, 1));

        DriftEstimate keyspace = of(both);

        assertThat(keyspace.slicesWithRows()).isEqualTo(SLICES);
        assertThat(keyspace.rows()).isEqualTo(60 * SLICES);
        assertThat(keyspace.rowsDiffering()).isEqualTo(2 * SLICES);
    }

    /** Rows of drawn tables, of which a share differs, alone or in runs; slices of them as a sample has them. */
    @Test
    void shouldHoldTheShareOfTheWholeInItsIntervalNearlyAlways() {
        long seed = Long.getLong("anneal.seed", 20261124);
        Random random = new Random(seed);
        int held = 0;
        int rounds = 400;
        for (int round = 0; round < rounds; round++) {
            double wanted = Math.pow(10, -3 * random.nextDouble());
            int run = 1 + random.nextInt(10);
            List<DriftEstimate.Slice> slices = new ArrayList<>();
            for (int i = 0; i < SLICES; i++) {
                long inSlice = 0;
                long differing = 0;
                for (int p = 0; p < 40 / run + 1; p++) {
                    if (random.nextInt(10) < 9) {
                        inSlice += run;
                        differing += random.nextDouble() < wanted ? run : 0;
                    }
                }
                slices.add(slice(i, inSlice, differing));
            }
            DriftEstimate estimate = DriftEstimate.of(SHARE, RANGES, slices);
            held += estimate.low() <= wanted && wanted <= estimate.high() ? 1 : 0;
        }
        assertThat(held).as("of %d, seed=%d", rounds, seed).isGreaterThan(rounds * 92 / 100);
    }

    /** Nearly all rows are of partitions of a thousand, which differ as a whole or not at all; all others have one. */
    @Test
    void shouldHoldTheShareOfTheWholeWhereOnlyLargePartitionsDiffer() {
        long seed = Long.getLong("anneal.seed", 20261124);
        Random random = new Random(seed);
        int large = 1000;
        for (int perSlice : new int[] {1, 5}) {
            for (double wanted : new double[] {0.002, 0.01, 0.05, 0.2}) {
                int held = 0;
                int rounds = 200;
                for (int round = 0; round < rounds; round++) {
                    long[] rows = new long[SLICES];
                    long[] differing = new long[SLICES];
                    for (int i = 0; i < perSlice * SLICES; i++) {
                        int slice = random.nextInt(SLICES);
                        boolean isLarge = random.nextInt(10) == 0;
                        rows[slice] += isLarge ? large : 1;
                        differing[slice] += isLarge && random.nextDouble() < wanted ? large : 0;
                    }
                    DriftEstimate estimate = of(IntStream.range(0, SLICES)
                            .mapToObj(i -> slice(i, rows[i], differing[i]))
                            .toList());
                    double share = wanted * large / (large + 9);
                    held += estimate.low() <= share && share <= estimate.high() ? 1 : 0;
                }
                assertThat(held)
                        .as("of %d, partitions in a slice=%d, share=%s, seed=%d", rounds, perSlice, wanted, seed)
                        .isGreaterThanOrEqualTo(rounds * 9 / 10);
            }
        }
    }

    /** As long as tokens are random, a slice has more rows than another by chance alone, and that widens nothing. */
    @Test
    void shouldNotTakeRowsThatLieEachByItselfForLargePartitions() {
        long[] rows = new long[SLICES];
        Random random = new Random(20261124);
        for (int i = 0; i < 40 * SLICES; i++) {
            rows[random.nextInt(SLICES)]++;
        }
        DriftEstimate none = of(
                IntStream.range(0, SLICES).mapToObj(i -> slice(i, rows[i], 0)).toList());
        assertThat(none.high()).isLessThan(1.3 * 3.84 / 256 / 40);
    }
}
