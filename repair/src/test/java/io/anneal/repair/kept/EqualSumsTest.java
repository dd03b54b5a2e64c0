package io.anneal.repair.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.anneal.key.TokenRange;
import io.anneal.repair.message.TokenSum;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class EqualSumsTest {
    private static TokenSum sum(long first, long last, long low) {
        return new TokenSum(new TokenRange.Linear(first, last), 0, low, 1);
    }

    @Test
    void shouldFindPartsThatAreCutAlike() {
        List<TokenSum> one = List.of(sum(0, 9, 5), sum(10, 19, 6), sum(30, 39, 7));
        List<TokenSum> other = List.of(sum(0, 9, 5), sum(10, 19, 8), sum(30, 39, 7));

        assertThat(EqualSums.of(List.of(one, other)).equal()).containsExactly(sum(0, 9, 5), sum(30, 39, 7));
        assertThat(EqualSums.of(List.of(one, other)).rows()).isEqualTo(2);
    }

    @Test
    void shouldAddUpPartsUntilTheyEndTogether() {
        List<TokenSum> one = List.of(sum(0, 3, 1), sum(4, 9, 2), sum(10, 11, 4));
        List<TokenSum> other = List.of(sum(0, 5, 2), sum(6, 9, 1), sum(10, 11, 4));
        List<TokenSum> whole = List.of(sum(0, 9, 3), sum(10, 11, 5));

        assertThat(EqualSums.of(List.of(one, other, whole)).equal())
                .containsExactly(new TokenSum(new TokenRange.Linear(0, 9), 0, 3, 2));
    }

    @Test
    void shouldCarryIntoTheUpperHalf() {
        TokenSum most = new TokenSum(new TokenRange.Linear(0, 0), 1, -1, 1);
        TokenSum next = new TokenSum(new TokenRange.Linear(1, 1), 1, 1, 1);
        TokenSum both = new TokenSum(new TokenRange.Linear(0, 1), 3, 0, 2);

        assertThat(EqualSums.of(List.of(List.of(most, next), List.of(both))).equal())
                .containsExactly(both);
    }

    @Test
    void shouldBeginAnewBehindAGap() {
        List<TokenSum> gap = List.of(sum(0, 3, 1), sum(6, 9, 2), sum(10, 19, 4));
        List<TokenSum> other = List.of(sum(0, 9, 3), sum(10, 19, 4));

        assertThat(EqualSums.of(List.of(gap, other)).equal()).containsExactly(sum(10, 19, 4));
        assertThat(EqualSums.of(List.of(other, gap)).equal()).containsExactly(sum(10, 19, 4));
        assertThat(EqualSums.of(List.of(other, List.of())).isNone()).isTrue();
    }

    @Test
    void shouldLeaveOutRunsOfFew() {
        EqualSums sums = new EqualSums(
                List.of(sum(0, 9, 5), sum(10, 19, 6), sum(30, 39, 7), sum(50, 59, 8), sum(60, 69, 9), sum(70, 79, 9)));

        assertThat(sums.inRuns(1)).isEqualTo(sums);
        assertThat(sums.inRuns(2).equal())
                .containsExactly(sum(0, 9, 5), sum(10, 19, 6), sum(50, 59, 8), sum(60, 69, 9), sum(70, 79, 9));
        assertThat(sums.inRuns(3).equal()).containsExactly(sum(50, 59, 8), sum(60, 69, 9), sum(70, 79, 9));
        assertThat(sums.inRuns(4)).isEqualTo(EqualSums.NONE);
        assertThat(EqualSums.NONE.inRuns(4)).isEqualTo(EqualSums.NONE);
    }

    /** At the ends of the ring. */
    @Test
    void shouldReachFromTheFirstToTheLastToken() {
        List<TokenSum> one = List.of(sum(Long.MIN_VALUE, -1, 1), sum(0, Long.MAX_VALUE, 2));
        List<TokenSum> other = List.of(sum(Long.MIN_VALUE, Long.MAX_VALUE, 3));

        assertThat(EqualSums.of(List.of(one, other)).tokens().ranges()).containsExactly(TokenRange.Linear.ALL);
    }

    /** Each token has a hash; a replica lacks some, and each cuts and leaves out where it likes. */
    @Test
    void shouldNeverCallEqualWhatIsNot() {
        long seed = Long.getLong("anneal.seed", new Random().nextLong());
        Random random = new Random(seed);
        int found = 0;
        for (int round = 0; round < 3_000; round++) {
            int tokens = 1 + random.nextInt(60);
            List<long[]> data = new ArrayList<>();
            List<List<TokenSum>> replicas = new ArrayList<>();
            TreeSet<Integer> ends = new TreeSet<>(List.of(tokens - 1));
            for (int i = random.nextInt(10); i > 0; i--) {
                ends.add(random.nextInt(tokens));
            }
            long[] common = random.longs(tokens, 0, Integer.MAX_VALUE).toArray();
            for (int replica = 0; replica < 3; replica++) {
                long[] own = common.clone();
                for (int i = random.nextInt(3); i > 0; i--) {
                    own[random.nextInt(tokens)] = 0;
                }
                data.add(own);
                replicas.add(cut(own, ends, random));
            }

            for (TokenSum equal : EqualSums.of(replicas).equal()) {
                for (long token = equal.tokens().first();
                        token <= equal.tokens().last();
                        token++) {
                    long expected = data.get(0)[(int) token];
                    for (long[] own : data) {
                        assertThat(own[(int) token]).as("seed=%s", seed).isEqualTo(expected);
                    }
                }
                found++;
            }
        }
        assertThat(found).as("seed=%s", seed).isGreaterThan(1_000);
    }

    private static List<TokenSum> cut(long[] data, TreeSet<Integer> mostly, Random random) {
        TreeSet<Integer> ends = new TreeSet<>(mostly);
        ends.removeIf(end -> end < data.length - 1 && random.nextInt(3) == 0);
        if (random.nextInt(3) == 0) {
            ends.add(random.nextInt(data.length));
        }
        List<TokenSum> sums = new ArrayList<>();
        int first = 0;
        for (int last : ends) {
            long low = 0;
            for (int token = first; token <= last; token++) {
                low += data[token];
            }
            if (random.nextInt(6) > 0) {
                // No hash carries here: the upper half is the same for all.
                sums.add(new TokenSum(new TokenRange.Linear(first, last), 0, low, last - first));
            }
            first = last + 1;
        }
        return sums;
    }
}
