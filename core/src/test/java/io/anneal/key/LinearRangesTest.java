package io.anneal.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinearRangesTest {
    private static final long FIRST_SEED = Long.getLong("anneal.seed", 0);
    private static final int TOKENS = 40;

    private static TokenRange.Linear tokens(Random random) {
        int first = random.nextInt(TOKENS);
        return new TokenRange.Linear(first, first + random.nextInt(TOKENS - first));
    }

    @Test
    void shouldFindWhatALookAtEachRangeFinds() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 500; seed++) {
            Random random = new Random(seed);
            List<TokenRange> wanted = new ArrayList<>();
            for (int i = random.nextInt(6); i >= 0; i--) {
                TokenRange.Linear range = tokens(random);
                wanted.add(new TokenRange(range.first() - 1, range.last()));
            }
            LinearRanges ranges = LinearRanges.of(wanted);
            for (int i = 0; i < 20; i++) {
                TokenRange.Linear asked = tokens(random);
                String name = "seed=" + seed + ", ranges=" + ranges + ", asked=" + asked;
                List<TokenRange.Linear> touching = ranges.ranges().stream()
                        .filter(range -> range.overlaps(asked))
                        .toList();

                assertThat(ranges.touching(Optional.of(asked))).as(name).isEqualTo(touching);
                assertThat(ranges.touches(asked)).as(name).isEqualTo(!touching.isEmpty());
                assertThat(ranges.covers(asked))
                        .as(name)
                        .isEqualTo(ranges.ranges().stream()
                                .anyMatch(range -> range.first() <= asked.first() && asked.last() <= range.last()));
                assertThat(ranges.covers(asked.first()))
                        .as(name)
                        .isEqualTo(wanted.stream().anyMatch(range -> range.contains(asked.first())));
            }
            assertThat(ranges.touching(Optional.empty())).isEqualTo(ranges.ranges());
        }
    }

    @Test
    void shouldLeaveWhatOthersHaveNot() {
        for (long seed = FIRST_SEED; seed < FIRST_SEED + 500; seed++) {
            Random random = new Random(seed);
            List<TokenRange> wanted = new ArrayList<>();
            List<TokenRange> taken = new ArrayList<>();
            for (int i = random.nextInt(6); i >= 0; i--) {
                wanted.add(tokens(random).asRange());
                taken.add(tokens(random).asRange());
            }
            LinearRanges ranges = LinearRanges.of(wanted);
            LinearRanges others = LinearRanges.of(taken);

            LinearRanges left = ranges.without(others);

            for (int token = -1; token <= TOKENS; token++) {
                assertThat(left.covers(token))
                        .as("seed=%s, token=%s", seed, token)
                        .isEqualTo(ranges.covers(token) && !others.covers(token));
            }
            for (int i = 1; i < left.ranges().size(); i++) {
                assertThat(left.ranges().get(i).first())
                        .as("seed=%s", seed)
                        .isGreaterThan(left.ranges().get(i - 1).last());
            }
        }
        LinearRanges all = new LinearRanges(List.of(TokenRange.Linear.ALL));
        assertThat(all.without(all).ranges()).isEmpty();
        assertThat(all.without(LinearRanges.NONE)).isEqualTo(all);
        assertThat(all.without(LinearRanges.of(List.of(new TokenRange(Long.MAX_VALUE - 1, Long.MAX_VALUE))))
                        .ranges())
                .containsExactly(new TokenRange.Linear(Long.MIN_VALUE, Long.MAX_VALUE - 1));
    }
}
