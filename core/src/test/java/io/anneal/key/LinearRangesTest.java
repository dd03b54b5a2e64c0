package io.anneal.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinearRangesTest {
    private static final int TOKENS = 40;

    private static TokenRange.Linear tokens(Random random) {
        int first = random.nextInt(TOKENS);
        return new TokenRange.Linear(first, first + random.nextInt(TOKENS - first));
    }

    @Test
    void shouldFindWhatALookAtEachRangeFinds() {
        for (int seed = 0; seed < 500; seed++) {
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
}
